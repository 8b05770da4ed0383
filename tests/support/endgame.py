"""People who play well and fast, and when it is decided who wins: so that a test may choose who vanishes.

The dice are real. Once the sides have passed each other there comes a point from which one of them is sure to
win whatever falls and whatever both play; most games pass through one.
"""

from collections.abc import Sequence
from typing import Final

from services.ghost.players import Seen, own_player
from shared.commands import Next, Play, PlayerCommand, Ready, Roll
from shared.match import MatchView
from shared.rules.nard.board import OFF, Board, is_race, pips
from shared.rules.nard.hitting import played
from shared.rules.registry import rules

_MOST_OFF: Final = 4  # checkers that a double takes off
_MOST_PIPS: Final = 24  # that a double moves
_LEAST_PIPS: Final = 2  # that any roll moves where nothing stands in the way: one with either die
_PLAIN: Final[dict[str, PlayerCommand]] = {"ready": Ready(), "roll": Roll(), "next": Next()}


def boards(view: MatchView) -> tuple[Board, Board]:
    """Both sides of a game of the tables, by seat, each in its own points."""
    assert view.board is not None
    one, two = view.board["boards"]
    return tuple(one), tuple(two)


def asked(view: MatchView) -> tuple[str, ...]:
    """What the viewer must answer with; nothing if others must."""
    return next((demand.commands for demand in view.decide if demand.seat == view.seat), ())


def answer(view: MatchView, legal: Sequence[str]) -> PlayerCommand:
    """What a person does who is asked: he plays well and never doubles.

    Seat 1 is in no hurry to bear off: so a race is decided early.
    """
    for name, command in _PLAIN.items():
        if name in asked(view):
            return command
    assert "play" in asked(view), view.decide
    one, two = boards(view)
    if view.seat == 1 and is_race(one, two):
        return Play(min(legal, key=lambda play: played(two, one, play)[0][OFF]))
    player = own_player(rules(view.rules, view.rules_version))
    return Play(player.move(Seen(view, tuple(legal))))


def to_decide(view: MatchView) -> int:
    """The one seat that must decide."""
    (demand,) = view.decide
    return demand.seat


def decided(view: MatchView, *, mover_wins: bool) -> bool:
    """Whether it is sure that the seat to move wins, or loses, the game in hand."""
    if view.phase != "playing" or view.board is None or view.board["turn"] is None:
        return False
    winner = sure_winner(boards(view), view.board["turn"])
    return winner is not None and (winner == to_decide(view)) is mover_wins


def sure_winner(sides: Sequence[Board], on_roll: int) -> int | None:
    """The seat that bears off first however the dice fall and whatever both play; None if that is open.

    ``on_roll`` is to roll, or has rolled and is to play.
    """
    if not is_race(*sides):
        return None
    for seat in (0, 1):
        needs, has = -(-pips(sides[seat]) // _LEAST_PIPS), _turns_at_least(sides[1 - seat])
        if needs < has or (needs == has and seat == on_roll):
            return seat
    return None


def _turns_at_least(mine: Board) -> int:
    left = sum(mine) - mine[OFF]
    return max(-(-left // _MOST_OFF), -(-pips(mine) // _MOST_PIPS))
