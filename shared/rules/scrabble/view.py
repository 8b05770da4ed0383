"""What each viewer may know: his own rack, of the others' how many tiles; after the end everything (§9)."""

from typing import Any

from shared.rules.scrabble.board import EMPTY, SIZE, SQUARES
from shared.rules.scrabble.state import State


def rows(board: str) -> list[str]:
    """The board as 15 texts, the first row above."""
    return [board[at : at + SIZE] for at in range(0, SQUARES, SIZE)]


def seen(state: State, seat: int | None) -> dict[str, Any]:
    """The position for ``seat``, or for a spectator.

    ``rack`` is the viewer's own, ``racks`` are everybody's, null where hidden; ``tiles`` and ``bag`` count.
    ``last`` is the turn before: who, which words (none: no play) and points; ``open``: it may be challenged.
    ``gone`` are seats that gave up.
    Once all is shown ``left`` are the tiles in the bag, and nobody has the ``turn``. ``corrections`` are what
    tiles left over took and gave at the end; they are in ``scores``.
    """
    over = state.result is not None
    shown = over or state.revealed
    last = state.last
    return {
        "board": rows(state.board),
        "rack": None if seat is None else state.racks[seat],
        "racks": [rack if shown or owner == seat else None for owner, rack in enumerate(state.racks)],
        "tiles": [len(rack) for rack in state.racks],
        "bag": len(state.bag),
        "left": state.bag if shown else None,
        "scores": list(state.scores),
        "turn": None if shown or state.lots else state.turn,
        "empty_turns": state.empty,
        "dictionary": state.dictionary,
        "challenge": state.challenge,
        "open": state.open is not None,
        "gone": list(state.gone),
        "last": None
        if last is None
        else {"seat": last.seat, "words": list(last.words), "points": last.points},
        "corrections": list(state.corrections) if over and state.corrections else None,
    }


def position(state: State) -> str:
    """The public half of a CGP, the form of crossword games: the racks are left out.

    Rows with counts of empty squares, no racks, scores, turns in a row without a play.
    """
    told = "/".join(_row(row) for row in rows(state.board))
    scores = "/".join(str(points) for points in state.scores)
    return f"{told} {'/' * (state.seats - 1)} {scores} {state.empty}"


def _row(row: str) -> str:
    parts: list[str] = []
    empty = 0
    for sign in row:
        if sign == EMPTY:
            empty += 1
            continue
        parts += [str(empty), sign] if empty else [sign]
        empty = 0
    return "".join(parts) + (str(empty) if empty else "")
