"""Moves as people and programs write them: what is taken off before a game reads the rest."""

from typing import Final

_MARKS: Final = " \t!?"


def plain(text: str, marks: str = "", longest: int = 30) -> str:
    """``text`` in small letters, without blanks and marks of comment around it, ``marks`` among them.

    "" where it is longer than ``longest`` signs: then it is no move, whatever it says.
    """
    return text.strip(_MARKS + marks).lower() if len(text) <= longest else ""
