"""Independent programs agree with our rules of backgammon (rules §11; what each gets wrong is said there)."""

import re
from collections.abc import Callable, Iterator
from itertools import repeat
from random import Random
from typing import Any, Final

import pytest

from shared.rules.backgammon import RULES, START, State
from shared.rules.nard.board import Board, board, position_id
from shared.rules.protocol import PASS, Players
from tests.support.boards import random_state
from tests.support.playing import some_states
from tests.support.recorded import all_turns

pytestmark = pytest.mark.oracle

POSITIONS: Final = 6_000  # random boards beside the real ones; 5,000 are promised
PLAYED: Final = 5_000  # OpenSpiel takes only positions that it has played itself, some 4 ms each
Sides = tuple[Board, Board]


def _rolled_states() -> Iterator[State]:
    """Positions with a roll to play: real ones, random playouts, and odd random boards."""
    yield from (turn.state for turn in all_turns())
    playouts = (state for seed in range(30) for state in some_states(RULES, seed))
    yield from (state for state in playouts if isinstance(RULES.waiting(state), Players))
    random = Random(1)
    yield from (random_state(random) for _ in range(POSITIONS))


def _our_results(state: State) -> set[Sides]:
    """Mover's and opponent's boards after each legal play; empty where there is none."""
    seat = state.turn or 0
    plays = RULES.legal(state, seat)
    after = [RULES.play(state, seat, play).boards for play in plays if play != PASS]
    return {(boards[seat], boards[1 - seat]) for boards in after}


def _gnubg_board(mine: Board, theirs: Board) -> list[list[int]]:
    return [list(theirs[1:]), list(mine[1:])]


def _whole(points: tuple[int, ...], checkers: int) -> Board:
    """Our board from 25 counts for the points 1 to 24 and the bar."""
    return (checkers - sum(points), *points)


def test_gnubg_nn_finds_the_same_results() -> None:
    gnubg_nn: Any = pytest.importorskip("gnubg_nn")
    moves: Callable[[list[list[int]], int, int], tuple[str, ...]] = gnubg_nn.moves
    decode: Callable[[str], tuple[tuple[int, ...], tuple[int, ...]]] = gnubg_nn.board_from_position_key
    count = 0
    for state in _rolled_states():
        seat = state.turn or 0
        mine, theirs = state.boards[seat], state.boards[1 - seat]
        keys = moves(_gnubg_board(mine, theirs), *state.dice)
        results = {(_whole(own, sum(mine)), _whole(other, sum(theirs))) for other, own in map(decode, keys)}
        assert _our_results(state) == results, state
        count += 1
    assert count > POSITIONS


def test_position_ids_equal_those_of_gnubg_and_gnubg_nn() -> None:
    gnubg_nn: Any = pytest.importorskip("gnubg_nn")
    gnubg: Any = pytest.importorskip("gnubg")
    count = 0
    for state in _rolled_states():
        seat = state.turn or 0
        mine, theirs = state.boards[seat], state.boards[1 - seat]
        ours = RULES.position(state)
        given = _gnubg_board(mine, theirs)
        assert gnubg_nn.position_id(given) == ours
        assert gnubg.position_id((tuple(given[0]), tuple(given[1]))) == ours
        count += 1
    assert count > POSITIONS


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (START, "4HPwATDgc/ABMA"),
        (board({24: 1, 23: 1, 22: 1}), "AACgAgAAKgAAAA"),
        (board({24: 2, 23: 2, 13: 4, 8: 3, 6: 4}), "4Dl4ADbgOXgANg"),
    ],
)
def test_start_position_ids(start: Board, expected: str) -> None:
    assert position_id(start, start) == expected


_INDICES: Final = range(24)
_BAR: Final = 100  # where OpenSpiel keeps the bar


class OpenSpiel:
    """Typed access to one OpenSpiel state; player 0 (X) and 1 (O) are its names for the sides."""

    def __init__(self, state: Any) -> None:
        """Look at ``state``, a ``pyspiel`` state of backgammon."""
        self.state = state

    def sides(self, player: int) -> Sides:
        """Boards of ``player`` and of the other, each in own points.

        X's own point of index i is 24 - i, O's is i + 1: X starts on the low indices and moves up.
        """
        count: Callable[[int, int], int] = self.state.board
        x = (*reversed([*map(count, repeat(0), _INDICES)]), count(0, _BAR))
        o = (*map(count, repeat(1), _INDICES), count(1, _BAR))
        boards = _whole(x, 15), _whole(o, 15)
        return (boards[player], boards[1 - player])

    def dice(self) -> tuple[int, int]:
        """The roll to be played, from the printed state."""
        found = re.search(r"Dice: (\d)(\d)", str(self.state))
        assert found
        return int(found[1]), int(found[2])

    def results(self) -> set[Sides]:
        """All results of the turn; a double is played in two halves ("extra turn")."""
        player = int(self.state.current_player())
        halves = 2 if len(set(self.dice())) == 1 else 1
        fronts: dict[Sides, Any] = {self.sides(player): self.state}
        for _ in range(halves):
            reached: dict[Sides, Any] = {}
            for state in fronts.values():
                if state.is_terminal() or int(state.current_player()) != player:
                    reached[OpenSpiel(state).sides(player)] = state
                    continue
                for action in state.legal_actions():
                    child = state.child(action)
                    reached.setdefault(OpenSpiel(child).sides(player), child)
            fronts = reached
        return set(fronts)


def test_open_spiel_finds_the_same_results_and_the_same_points() -> None:
    pyspiel: Any = pytest.importorskip("pyspiel")
    game = pyspiel.load_game("backgammon(scoring_type=full_scoring)")
    random = Random(2)
    count = 0
    kinds: set[int] = set()
    while count < PLAYED:
        state: Any = game.new_initial_state()
        ours: State | None = None
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(random.choice(state.chance_outcomes())[0])
                continue
            spiel = OpenSpiel(state)
            player = int(state.current_player())
            mine, theirs = spiel.sides(player)
            boards = (mine, theirs) if player == 0 else (theirs, mine)
            ours = State(boards=boards, turn=player, dice=spiel.dice())
            results = spiel.results()
            assert (_our_results(ours) or {(mine, theirs)}) == results, ours
            count += 1
            while not state.is_terminal() and int(state.current_player()) == player:
                state.apply_action(random.choice(state.legal_actions()))
        assert ours is not None
        winner = int(ours.turn or 0)
        mine, theirs = OpenSpiel(state).sides(winner)
        worth = [
            after.result.points
            for play in RULES.legal(ours, winner)
            if (after := RULES.play(ours, winner, play)).result and after.boards[1 - winner] == theirs
        ]
        assert worth
        assert worth[0] == state.returns()[winner]
        kinds.add(worth[0])
    assert kinds == {1, 2, 3}
