"""What was read, checked against the rules and made a plan of commands (``steps``). Pure.

``tables`` plans matches with dice and cube, ``boards`` games without them.
"""
