"""Positions, rolls and written plays of the recorded matches in ``tests/data/backgammon``."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from services.cli.importing.reading import mat
from services.cli.importing.reading.mat_cells import Turn
from shared.rules.backgammon import RULES
from shared.rules.nard.game import State

FILES: Final = tuple(sorted(Path(__file__).parent.parent.glob("data/backgammon/*.mat")))


class Recorded(NamedTuple):
    """Somebody's roll in ``state`` (rolled, to play), and what he wrote down."""

    state: State
    seat: int
    text: str


def turns(path: Path) -> Iterator[Recorded]:
    """Every roll that was played on in one file, in order; each position follows from the plays before."""
    for game in mat.parse(path.read_bytes(), path.name).games:
        state = RULES.setup(2, {}, None)
        for action in game.actions:
            if not isinstance(action, Turn) or action.gave_up:
                continue
            state = State(boards=state.boards, turn=action.seat, dice=action.dice)
            if not action.move and RULES.legal(state, action.seat) != ("pass",):
                break  # rolled and resigned without a word
            yield Recorded(state, action.seat, action.move)
            state = RULES.play(state, action.seat, RULES.read(state, action.seat, action.move))


def all_turns() -> list[Recorded]:
    """The turns of all recorded matches."""
    return [turn for path in FILES for turn in turns(path)]
