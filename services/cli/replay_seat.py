"""What stands beside a seat: how much time it has, and who plays it. Pure."""

from datetime import UTC, datetime
from typing import Final

from shared.match import MatchView
from shared.rules.protocol import BETWEEN_TWO
from shared.wire.presence import AWAY, COMPUTER, GHOST

_WHO: Final = {AWAY: "away", COMPUTER: "the computer plays", GHOST: "a ghost plays"}

CHECKERS: Final = ("●", "○")
"""What a side of two is marked with, whatever its game is played with."""


def marked(seat: int, seats: int) -> str:
    """``seat`` in one sign where two play, else by its number: ``seat 3``."""
    return CHECKERS[seat] if seats == BETWEEN_TWO else f"seat {seat}"


def called(seat: int, seats: int) -> str:
    """``seat`` by its number, and its sign where it has one: ``seat 0 ●``."""
    return f"seat {seat} {CHECKERS[seat]}" if seats == BETWEEN_TWO else f"seat {seat}"


def to_move(view: MatchView, seat: int) -> str:
    """What stands before who is to move in a game that is played, of the same width before the others."""
    return "▶ " if view.phase == "playing" and any(d.seat == seat for d in view.decide) else "  "


def score_of(view: MatchView, seat: int) -> str:
    """The points of ``seat`` in a match to some number of them; nothing in a single game."""
    return "" if view.target is None else f"{view.score[seat]} points   "


def beside(view: MatchView, seat: int) -> str:
    """The clock and the absence of ``seat`` as ``view`` has them; empty where there is nothing to say."""
    return "   ".join(part for part in (_time(view, seat), _who(view, seat)) if part)


def _time(view: MatchView, seat: int) -> str:
    """The remaining time as it stands under a name (B6), and whether it runs."""
    clock = view.clock
    if clock is None:
        return ""
    if clock.flagged == seat:
        return "0:00, may be thrown out"
    left = "{}:{:02}".format(*divmod(clock.shown_s[seat], 60))
    runs = " running" if clock.running == seat else ""
    offer = ", offers 5 minutes more to both" if clock.extension == seat else ""
    return left + runs + offer


def _who(view: MatchView, seat: int) -> str:
    """Who is away, and who plays instead; empty where he is there, or nothing is known."""
    shown = view.seats[seat]
    who = _WHO.get(shown.presence, "")
    if shown.kicked and shown.presence == COMPUTER:
        who = f"thrown out, {who}"
    if who and shown.since_ms is not None:
        away = "" if shown.presence == AWAY else ", the player is away"
        since = datetime.fromtimestamp(shown.since_ms / 1000, UTC).astimezone()
        who += f"{away} since {since:%H:%M:%S}"
    return who
