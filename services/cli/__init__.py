"""The `kronika` command: the only place that may import several services.

Owns nothing, listens to nothing; each command is a module of its own, imported when it is asked for.
"""
