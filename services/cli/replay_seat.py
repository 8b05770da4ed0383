"""What stands beside a seat: how much time it has, and who plays it. Pure."""

from datetime import UTC, datetime
from typing import Final

from shared.match import MatchView
from shared.wire.presence import AWAY, COMPUTER, GHOST

_WHO: Final = {AWAY: "away", COMPUTER: "the computer plays", GHOST: "a ghost plays"}


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
