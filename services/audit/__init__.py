"""Audit: judges a match by its log alone, without the servers and without ``services.game``.

Owns nothing, listens to nothing, accepts exported logs (stored bytes, line by line), sends reports. The
judging is pure; ``kronika audit verify`` reads the files.

Every event is derived a second time: ``cause`` says what a player's act must look like in the state before
it, ``due`` what must then follow by itself, ``chance`` what fell, ``clock`` what it cost and who was late.
What differs is reported with its place.
"""
