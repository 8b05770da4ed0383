"""``kronika import``: a file is read (``reading``), planned (``planning``), and played (``playing``).

``forms`` says which reader and which planner belong to a form; ``command`` is what the user calls.
"""
