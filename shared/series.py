"""What a match is made of: one game, or games to a target. Pure arithmetic over scores.

Rules §3 (Crawford), §5 (matches): the winner is who first has ``target`` points; surplus earns nothing.
"""

from typing import Final

from shared import clocks
from shared.events.match import Terms
from shared.rules.protocol import Traits

TARGETS: Final = (2, 3, 5, 7, 9, 11, 13)
"""The lengths that a table may have; a recorded match may have any up to ``LONGEST``."""

FIRST_MOVES: Final = ("alternate", "roll_each_game")
"""Who moves first in the later games of a match."""

FLAGS: Final = ("loss", "kick")
"""What a clock at 0:00 means."""

KICK_SEATS: Final = 2
"""Throwing out is a matter between two."""

ABSENCES: Final = ("wait", "forfeit", "ghost")
"""What follows when a player stays away."""

LONGEST: Final = 99
SESSION: Final = 0
"""The target of a recorded session without an end (money play in a file)."""


def impossible(terms: Terms, traits: Traits, seats: int, *, recorded: bool) -> str:
    """What is wrong with ``terms`` for so many ``seats`` of a game with ``traits``; "" if nothing is."""
    target = terms.target
    if target is not None and not traits.matches:
        return "This game is not played to points."
    if target is not None and target not in (range(SESSION, LONGEST + 1) if recorded else TARGETS):
        return f"No match is played to {target} points."
    if terms.first_move not in FIRST_MOVES:
        return f"first_move is one of {', '.join(FIRST_MOVES)}."
    return _impossible_time(terms, traits, seats, recorded=recorded)


def _impossible_time(terms: Terms, traits: Traits, seats: int, *, recorded: bool) -> str:
    if terms.flag not in FLAGS:
        return f"flag is one of {', '.join(FLAGS)}."
    if terms.flag == "kick" and seats != KICK_SEATS:
        return "flag: only between two can one throw the other out."
    if terms.absence not in ABSENCES or not 0 <= terms.grace_ms <= clocks.LONGEST_MS:
        return f"absence is one of {', '.join(ABSENCES)}, with a grace of at most a day."
    if terms.clock is not None and (recorded or not clocks.possible(terms.clock)):
        return "There is no such clock."
    if terms.clock is not None and terms.clock.kind not in traits.clocks:
        return f"This game has no clock of the kind {terms.clock.kind}."
    return ""


def decided(terms: Terms, score: tuple[int, ...]) -> int | None:
    """The seat that has won a match to points, None while it goes on and in a single game."""
    if not terms.target:
        return None
    best = max(score)
    return score.index(best) if best >= terms.target else None


def is_single(terms: Terms) -> bool:
    """Whether the match is one game."""
    return terms.target is None


def crawford_due(terms: Terms, score: tuple[int, ...], *, used: bool) -> bool:
    """Whether the next game is the Crawford game: the first in which a seat is one point short."""
    return bool(terms.target) and not used and max(score) == (terms.target or 0) - 1


def first_seat(terms: Terms, game: int, previous: int | None, seats: int, *, rolled: bool) -> int | None:
    """Who moves first in game number ``game``; None where it is rolled for.

    ``previous`` is who began the game before. Without a rolled start seat 0 begins the first game.
    """
    if game == 1 or previous is None:
        return None if rolled else 0
    if terms.first_move == "roll_each_game" and rolled:
        return None
    return (previous + 1) % seats
