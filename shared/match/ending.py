"""How a match ended, in a sentence for people: one for the diagram's last row and for the replay."""

from collections.abc import Sequence
from typing import Final

from shared.match.state import MatchState
from shared.rules.protocol import BETWEEN_TWO

_WON: Final = {
    "passed": ", a double was passed",
    "resigned": ", the opponent resigned",
    "flag": ", the opponent's time was up",
    "left": ", the opponent left",
    "absent": ", the opponent stayed away",
    "next": ", the opponent did not press Next",
    "claimed": ", by claim",
}
_DRAWN: Final = {"agreed": "Drawn by agreement", "claimed": "Drawn by claim"}


def ending(state: MatchState, names: Sequence[str]) -> str:
    """How the match that is over ended; ``names`` by seat say who has won."""
    if state.winner is not None:
        # Of more than two there is no one opponent whose going decided.
        how = _WON.get(state.cause, "") if state.seats == BETWEEN_TWO else ""
        return f"{names[state.winner]} has won{how}"
    if state.cause.startswith("cancelled"):
        return state.cause[0].upper() + state.cause[1:]
    return _DRAWN.get(state.cause, "Drawn")
