"""A table of cards as text, drawn from a view: what lies open, and hands as far as it holds them. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from services.cli.replay_seat import beside, score_of, to_move
from shared.match import MatchView
from shared.rules.prsi.cards import CARDS, SUITS, suit_of
from shared.rules.prsi.telling import SUIT_NAMES, called

_UNDER: Final = 8
"""So many cards of the pile are shown under its top one."""


def is_drawable(board: Mapping[str, Any] | None) -> bool:
    """Whether there is a discard pile and a stock, and hands of cards around them."""
    return board is not None and {"pile", "stock", "cards", "pending"} <= board.keys()


def draw(view: MatchView) -> str:
    """The pile and the stock, what is active, and each seat with its hand, or how many cards it has."""
    board = view.board or {}
    lines = [_pile(board), _stock(board), ""]
    lines += [_seat(view, board, seat) for seat in range(len(view.seats))]
    return "\n".join(f"  {line}".rstrip() for line in lines)


def _pile(board: Mapping[str, Any]) -> str:
    pile: Sequence[str] = board["pile"]
    if not pile:
        return "pile   no card yet"
    under = pile[-2 : -2 - _UNDER : -1]
    more = "" if len(pile) <= 1 + _UNDER else f" and {len(pile) - 1 - _UNDER} more"
    below = f"   on {' '.join(under)}{more}" if under else ""
    return f"pile   [{pile[-1]}]  {called(pile[-1])}{_active(board)}{below}"


def _active(board: Mapping[str, Any]) -> str:
    """What the next seat must heed."""
    if board["suit"] is not None:
        return f", {SUIT_NAMES[board['suit']]} named"
    if board["pending"]:
        return f", {board['pending']} cards pending"
    return ", active" if board["ace"] else ""


def _stock(board: Mapping[str, Any]) -> str:
    rest: Sequence[str] | None = board["rest"]
    shown = "" if not rest else f"   next {' '.join(rest)}"
    return f"stock  {_cards(board['stock'])}{shown}"


def _seat(view: MatchView, board: Mapping[str, Any], seat: int) -> str:
    held = _hand(view, board, seat)
    shown = _by_suit(held) if held else "" if held is not None else "hidden"
    parts = [f"{_cards(board['cards'][seat]):<9}{shown}".rstrip(), _place(board, seat), beside(view, seat)]
    if view.phase != "playing" and board["penalty"] is not None:
        parts.append(f"penalty {board['penalty'][seat]}")
    told = "   ".join(part for part in parts if part)
    return f"{to_move(view, seat)}seat {seat}   {score_of(view, seat)}{told}"


def _hand(view: MatchView, board: Mapping[str, Any], seat: int) -> Sequence[str] | None:
    """The cards of ``seat``, None where they are hidden."""
    hands: Sequence[Sequence[str]] | None = board["hands"]
    if hands is not None:
        return hands[seat]
    return board["hand"] if seat == view.seat else None


def _by_suit(cards: Iterable[str]) -> str:
    """The cards suit by suit, with a gap between two suits."""
    suits = groupby(sorted(cards, key=CARDS.__getitem__), key=lambda name: suit_of(CARDS[name]))
    return "  ".join(f"{SUIT_NAMES[SUITS[suit]]} {' '.join(held)}" for suit, held in suits)


def _place(board: Mapping[str, Any], seat: int) -> str:
    if seat in board["gone"]:
        return "gave up"
    return f"out, place {board['out'].index(seat) + 1}" if seat in board["out"] else ""


def _cards(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"
