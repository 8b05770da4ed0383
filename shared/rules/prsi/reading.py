"""Moves as people and programs write them: ``7h``, ``10-l``, ``Oh=b``, ``draw``, and in Czech.

What is understood is a closed list: a card misread for another could cost a player a penalty.
"""

import re
import unicodedata
from typing import Final

import msgspec

from shared.problems import Refused
from shared.rules.prsi.cards import CARDS, RANKS, SUITS
from shared.rules.written import plain

DRAW: Final = "draw"
STAND: Final = "stand"
PENALTY: Final = "penalty"

_LONGEST: Final = 40
_TURNS: Final = {
    DRAW: ("draw", "lizat", "lizu", "liznu", "beru", "tahat", "taham"),
    STAND: ("stand", "stat", "stojim", "stojis"),
    PENALTY: ("penalty",),
}
_SUITS: Final = (
    ("h", "hearts", "cervene", "cervena", "cerveny", "srdce", "srdcova", "srdcovy", "srdcove"),
    ("l", "leaves", "zelene", "zelena", "zeleny", "listy", "listova", "listovy", "listove"),
    ("b", "bells", "kule", "kulova", "kulovy", "kulove"),
    ("a", "acorns", "zaludy", "zaludova", "zaludovy", "zaludove"),
)
_RANKS: Final = (
    ("7", "seven", "sedma", "sedmicka"),
    ("8", "eight", "osma", "osmicka"),
    ("9", "nine", "devitka"),
    ("10", "ten", "desitka"),
    ("u", "unter", "spodek"),
    ("o", "ober", "svrsek", "menic"),
    ("k", "king", "kral"),
    ("a", "ace", "eso"),
)
_PUNISHED: Final = re.compile(rf"{PENALTY} \(a wrong card: drew \d+\)")
_TURN: Final = {word: turn for turn, words in _TURNS.items() for word in words}
_SUIT: Final = {word: place for place, words in enumerate(_SUITS) for word in words}
_RANK: Final = {word: place for place, words in enumerate(_RANKS) for word in words}
_SHORT: Final = re.compile(r"(10|[789uoka])[ -]?([hlba])")
_LINKS: Final = frozenset({"of"})
_ACCENTS: Final = frozenset("\u0300\u0301\u0302\u0303\u0308\u030a\u030c")
"""Grave, acute, circumflex, tilde, diaeresis, ring, caron: what Latin letters are written with."""


class Written(msgspec.Struct, frozen=True):
    """A card as written, with the suit ``named`` for it, if any."""

    card: int
    named: int | None


def written(text: str) -> Written | str:
    """The card that ``text`` names, or ``DRAW``, ``STAND``, ``PENALTY``.

    Raises ``Refused("unreadable_move")``.
    """
    text = _ascii(plain(text, longest=_LONGEST))
    if _PUNISHED.fullmatch(text):
        return PENALTY
    if text in _TURN:
        return _TURN[text]
    name, sign, suit = text.partition("=")
    card, named = _card(name.strip()), _SUIT.get(suit.strip())
    if card is None or (sign and named is None):
        raise Refused(
            "unreadable_move",
            "Write a card, for example 7h, Kb, or Oh=l for a svršek and the suit that you name; "
            "or draw, or stand.",
        )
    return Written(card, named)


def _ascii(text: str) -> str:
    """``text`` without the accents of its Latin letters; all other signs stay, and make it unreadable.

    Nothing that only looks like a card is one: not ``ⓚⓑ``, ``Kᵇ`` or letters that are struck through.
    """
    kept = ""
    for sign in unicodedata.normalize("NFD", text):
        if not (sign in _ACCENTS and kept[-1:].isascii() and kept[-1:].isalpha()):
            kept += sign
    return kept


def _card(name: str) -> int | None:
    """The card with this name: the short one, or suit and rank as two words in either order."""
    if short := _SHORT.fullmatch(name):
        return CARDS[RANKS[_RANK[short[1]]] + short[2]]
    words = [word for word in name.split() if word not in _LINKS]
    if len(words) != 2:  # noqa: PLR2004 - suit and rank
        return None
    for suit, rank in (words, words[::-1]):
        if suit in _SUIT and rank in _RANK:
            return CARDS[RANKS[_RANK[rank]] + SUITS[_SUIT[suit]]]
    return None
