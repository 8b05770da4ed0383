"""A turn in words: cards by their names, and what they do to the next seat."""

from collections.abc import Mapping
from typing import Final

from shared.rules.prsi.cards import ACE, CARDS, PACK, SEVEN, SUITS, rank_of, suit_of
from shared.rules.prsi.reading import DRAW, PENALTY, STAND
from shared.rules.prsi.state import State
from shared.rules.prsi.turns import EACH_SEVEN, available

SUIT_NAMES: Final[Mapping[str, str]] = dict(zip(SUITS, ("hearts", "leaves", "bells", "acorns"), strict=True))
"""By their letters; *červené, zelené, kule, žaludy*."""

_RANK_NAMES: Final = ("seven", "eight", "nine", "ten", "spodek", "svršek", "king", "ace")


def called(name: str) -> str:
    """A card's name in full: ``Oh`` is the ``svršek of hearts``."""
    card = CARDS[name]
    return f"{_RANK_NAMES[rank_of(card)]} of {SUIT_NAMES[SUITS[suit_of(card)]]}"


def tell(state: State, seat: int, move: str, viewer: int | None) -> str:
    """What ``seat`` did in ``state``; a card lies open, and a drawn one is not named.

    That a wrong card was played its player is told, the others only where an ace tells them anyway.
    """
    if move == STAND:
        return "stood: the ace is served"
    if move in (DRAW, PENALTY):
        told = move == PENALTY and (state.ace or viewer == seat)
        return f"{_drew(state)} for a wrong card" if told else _drew(state)
    name, _, suit = move.partition("=")
    card = CARDS[name]
    last = len(state.hands[seat]) == 1
    parts = [f"played the {called(name)}"]
    if suit:
        parts.append(f" and named {SUIT_NAMES[suit]}")
    if last:
        parts.append(", the last card in hand")
    elif rank_of(card) == SEVEN:
        parts.append(f": {state.pending + EACH_SEVEN} cards are pending")
    elif rank_of(card) == ACE:
        parts.append(": the next seat plays an ace or stands")
    return "".join(parts)


def _drew(state: State) -> str:
    count = available(state)
    if not count:
        return "had no card to draw"
    return "drew a card" if count == 1 else f"drew {count} cards"


def tell_draw(drawn: tuple[int, ...], *, opening: bool) -> str:
    """The lot, the deal, or the pile that is shuffled."""
    if not opening:
        return "The discard pile is shuffled and turned over."
    if len(drawn) == PACK:
        return "The cards are dealt."
    return f"The lot says that seat {drawn[0]} begins."
