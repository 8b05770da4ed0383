"""Files of other programs, read: bytes in, frozen values out; one form is one module. Pure.

``mat`` with its cells and head tells a match of a tables game; every other form games as in ``boards``.
"""
