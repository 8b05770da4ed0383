"""The computer at draughts, reversi, 3D gomoku and abalone: what each game's first lessons say."""

from typing import Any

import msgspec
import pytest

from services.ghost.players import Drawing, own_player
from services.ghost.players.search.abalone import AbaloneJudgement
from shared.rules.abalone import RULES as ABALONE
from shared.rules.abalone import State as AbaloneState
from shared.rules.abalone.board import from_text
from shared.rules.draughts import RULES as DRAUGHTS
from shared.rules.draughts import State as DraughtsState
from shared.rules.draughts.board import mask
from shared.rules.gomoku3d import RULES as GOMOKU3D
from shared.rules.gomoku3d import State as Gomoku3dState
from shared.rules.gomoku3d.board import CELLS
from shared.rules.registry import AnyRules
from shared.rules.reversi import RULES as REVERSI
from shared.rules.reversi import State as ReversiState
from shared.rules.reversi.board import from_text as discs
from tests.support.ghosts import seen


def best(rules: AnyRules, state: Any, level: int = 0) -> str:
    return own_player(rules, {}, level).move(seen(state, state.turn, rules=rules))


def men(white: str, black: str, kings: tuple[str, str] = ("", ""), ply: int = 0) -> DraughtsState:
    return DraughtsState(
        first=0,
        ply=ply,
        men=(mask(*white.split()), mask(*black.split())),
        kings=(mask(*kings[0].split()), mask(*kings[1].split())),
    )


@pytest.mark.parametrize("level", [2, 0])
@pytest.mark.parametrize(
    ("state", "move"),
    [
        (men("c3 g1", "d4 f6 a7"), "c3:e5:g7"),  # compulsory, and the only one
        (men("c3 a3", "b4 d4 f6"), "c3:e5:g7"),  # two for one
        (men("a7 a1 c1", "h8 h6"), "a7-b8"),  # a king
    ],
)
def test_draughts_takes_the_most_and_goes_for_a_king(state: DraughtsState, move: str, level: int) -> None:
    assert best(DRAUGHTS, state, level) == move


def test_draughts_does_not_step_where_it_is_taken_for_nothing() -> None:
    assert best(DRAUGHTS, men("c3 g1", "e5 h8")) != "c3-d4"


def test_draughts_gives_a_man_to_take_two() -> None:
    # f6 must take the man on e5, and lands where e3 takes it, and b6 after it.
    assert best(DRAUGHTS, men("d4 e3 f2 a1", "f6 b6")) == "d4-e5"


@pytest.mark.rule("B1")
@pytest.mark.parametrize("level", [2, 0])
def test_reversi_takes_a_corner(level: int) -> None:
    board = "---------O--------X--------XX------XX-----O--------------------- X"
    black, white, _ = discs(board)
    state = ReversiState(first=0, discs=(black, white))
    assert best(REVERSI, state, level) == "a1"


def test_reversi_does_not_give_a_corner_away_where_it_can_do_something_else() -> None:
    board = "------------------OOO-----OXX-----OXX-----X--------------------- X"
    black, white, _ = discs(board)
    state = ReversiState(first=0, discs=(black, white))
    assert "b2" in REVERSI.legal(state, 0)
    assert best(REVERSI, state) != "b2"


def cube(circles: str, crosses: str) -> Gomoku3dState:
    both = [sum(1 << CELLS[name] for name in cells.split()) for cells in (circles, crosses)]
    return Gomoku3dState(first=0, ply=sum(bits.bit_count() for bits in both), symbols=(both[0], both[1]))


@pytest.mark.parametrize("level", [2, 0])
@pytest.mark.parametrize(
    ("state", "move"),
    [
        (cube("1a1 1b1 1c1", "2a1 2b1 2c1"), "1d1"),  # four, before the other's four is stopped
        (cube("1a1 2b2 3c3", "1d4 2b1 4a4"), "4d4"),  # along the long diagonal
        (cube("1a1 1b3 4d1", "2a1 2b1 2c1"), "2d1"),
        (cube("1a1 1b3 3d1", "1c2 2c2 3c2"), "4c2"),  # upright
    ],
)
def test_3d_gomoku_wins_with_four_and_stops_threes(state: Gomoku3dState, move: str, level: int) -> None:
    assert best(GOMOKU3D, state, level) == move


def test_3d_gomoku_makes_two_threes_at_once() -> None:
    state = cube("1a1 1b1 2c2 3c3", "4d1 2a4 3b3 4a2")
    for _ in range(3):
        state = GOMOKU3D.play(state, 0, best(GOMOKU3D, state))
        if state.result is not None:
            break
        state = GOMOKU3D.play(state, 1, best(GOMOKU3D, state))
    assert state.result is not None
    assert state.result.winner == 0


def marbles(board: str, ejected: tuple[int, int] = (0, 0)) -> AbaloneState:
    return AbaloneState(first=0, marbles=from_text(board), ejected=ejected)


@pytest.mark.parametrize("level", [2, 0])
def test_abalone_pushes_off_the_sixth_marble(level: int) -> None:
    state = marbles("5/6/7/8/4SSSss/8/7/6/ssss1", (5, 5))
    ended = ABALONE.play(state, 0, best(ABALONE, state, level))
    assert ended.result is not None
    assert ended.result.winner == 0


@pytest.mark.parametrize("level", [2, 0])
def test_abalone_pushes_off_a_marble_that_it_can_have_for_nothing(level: int) -> None:
    state = marbles("5/6/7/2ss4/4SSSss/2SSS3/2ss3/6/5")
    after = ABALONE.play(state, 0, best(ABALONE, state, level))
    assert after.ejected == (1, 0)


def test_abalone_saves_a_marble_that_would_be_pushed_off() -> None:
    state = marbles("5/6/7/3ss3/s1s1SSsss/2SSS3/2ss3/6/5")
    after = ABALONE.play(state, 0, best(ABALONE, state))
    assert max(ABALONE.play(after, 1, reply).ejected[1] for reply in ABALONE.legal(after, 1)) == 0


def test_abalone_tells_positions_apart_that_are_not_equally_near_to_the_draw() -> None:
    def quiet(plies: int) -> AbaloneState:
        start = ABALONE.setup(2, {}, 0)
        return msgspec.structs.replace(start, ply=plies, earlier=((0, plies),) * plies)

    key = AbaloneJudgement().key
    assert key(quiet(190)) != key(quiet(192)), "one of them is drawn two plies sooner"
    assert key(quiet(20)) == key(quiet(22)), "far from the draw they are the same"


@pytest.mark.parametrize(
    ("rules", "state", "accepts"),
    [
        (DRAUGHTS, men("a1", "h8 f8 d8"), True),
        (DRAUGHTS, men("a1 c1 e1", "h8"), False),
        (ABALONE, marbles("5/6/7/2ss4/4SSSss/2SSS3/2ss3/6/5", (0, 3)), True),
        (ABALONE, marbles("5/6/7/2ss4/4SSSss/2SSS3/2ss3/6/5", (3, 0)), False),
    ],
)
def test_who_is_clearly_worse_accepts_a_draw(rules: AnyRules, state: Any, *, accepts: bool) -> None:
    player = own_player(rules, {})
    assert isinstance(player, Drawing)
    assert player.accepts_draw(seen(state, 0, rules=rules)) is accepts
    assert player.accepts_draw(seen(state, 1, rules=rules)) is not accepts


def test_to_be_worse_by_less_than_a_corner_is_no_reason_to_accept_a_draw_at_reversi() -> None:
    player = own_player(REVERSI, {})
    assert isinstance(player, Drawing)
    state = REVERSI.setup(2, {}, 0)
    for move in ["f5", "f4", "e3", "f2", "c4", "f6", "g6", "c5", "c3", "b2", "d3"]:
        state = REVERSI.play(state, state.turn, move)
    assert not any(player.accepts_draw(seen(state, seat, rules=REVERSI)) for seat in (0, 1))
