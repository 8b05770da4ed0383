"""Nard: what the games of the tables family share. Own numbering, notation, obligation, scoring words.

Every player counts points from his own side: 24 is farthest from home, 6 … 1 is home, 25 the bar, 0 off.
A game takes from here what it shares with its relatives and keeps only its own in its own folder.
"""
