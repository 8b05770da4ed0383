"""The golden logs of the family show what they are called: how each game, mode and series can end."""

from itertools import pairwise
from typing import Any, Final

import pytest

from shared.events.match import DiceRolled, DoubleOffered, GameEnded, GameStarted, MovePlayed
from shared.match import Phase
from shared.problems import Refused
from shared.rules.nard.board import BAR, OFF, Board
from tests.support import golden
from tests.support.golden_reading import folded, told

SINGLE, GAMMON, BACKGAMMON, DRAW = "single", "gammon", "backgammon", "draw"

GAMES: Final[dict[str, tuple[str, str, int, int]]] = {
    "backgammon/giveaway": ("played", SINGLE, 1, 1),
    "backgammon/giveaway-left": ("left", SINGLE, 1, 1),
    "backgammon/draw": ("played", DRAW, 0, 1),
    "backgammon/draw-gammon-escaped": ("played", SINGLE, 1, 1),
    "backgammon/draw-gammon": ("played", GAMMON, 2, 1),
    "backgammon/draw-white-wins": ("played", SINGLE, 1, 1),
    "backgammon/draw-black-first": ("played", SINGLE, 1, 1),
    "backgammon/draw-last-roll-resigned": ("resigned", GAMMON, 2, 1),
    "backgammon/draw-left-before-the-last-roll": ("left", DRAW, 0, 1),
    "backgammon/jacoby": ("played", GAMMON, 1, 1),
    "backgammon/jacoby-doubled": ("played", BACKGAMMON, 6, 2),
    "backgammon/gammons-off": ("played", BACKGAMMON, 1, 1),
    "backgammon/no-triple": ("played", GAMMON, 2, 1),
    "hypergammon/single": ("played", SINGLE, 1, 1),
    "hypergammon/gammon": ("played", GAMMON, 2, 1),
    "hypergammon/backgammon": ("played", BACKGAMMON, 3, 1),
    "hypergammon/double-passed": ("passed", SINGLE, 1, 1),
    "hypergammon/resigned-gammon": ("resigned", GAMMON, 2, 1),
    "hypergammon/left": ("left", BACKGAMMON, 3, 1),
    "hypergammon/giveaway": ("played", SINGLE, 1, 1),
    "hypergammon/draw": ("played", DRAW, 0, 1),
    "hypergammon/jacoby": ("played", GAMMON, 1, 1),
    "nackgammon/single": ("played", SINGLE, 1, 1),
    "nackgammon/gammon": ("played", GAMMON, 2, 1),
    "nackgammon/backgammon": ("played", BACKGAMMON, 3, 1),
    "nackgammon/double-passed": ("passed", SINGLE, 1, 1),
    "nackgammon/resigned-gammon": ("resigned", GAMMON, 2, 1),
    "nackgammon/left": ("left", BACKGAMMON, 3, 1),
    "nackgammon/giveaway": ("played", SINGLE, 1, 1),
    "long_nardy/oin": ("played", SINGLE, 1, 1),
    "long_nardy/mars": ("played", GAMMON, 2, 1),
    "long_nardy/koks": ("played", BACKGAMMON, 3, 1),
    "long_nardy/koks-2": ("played", GAMMON, 2, 1),
    "long_nardy/double-passed": ("passed", SINGLE, 1, 1),
    "long_nardy/resigned-gammon": ("resigned", GAMMON, 2, 1),
    "long_nardy/left": ("left", BACKGAMMON, 3, 1),
    "long_nardy/opening-dice": ("left", BACKGAMMON, 3, 1),
    "long_nardy/giveaway": ("played", SINGLE, 1, 1),
    "long_nardy/draw": ("played", DRAW, 0, 1),
    "long_nardy/draw-mars-escaped": ("played", SINGLE, 1, 1),
    "plakoto/single": ("played", SINGLE, 1, 1),
    "plakoto/double": ("played", GAMMON, 2, 1),
    "plakoto/mother-caught": ("played", GAMMON, 2, 1),
    "plakoto/mothers-both": ("played", DRAW, 0, 1),
    "plakoto/resigned-gammon": ("resigned", GAMMON, 2, 1),
    "plakoto/left": ("left", GAMMON, 2, 1),
    "plakoto/opening-dice": ("left", GAMMON, 2, 1),
    "plakoto/giveaway": ("played", SINGLE, 1, 1),
    "plakoto/giveaway-mother-caught": ("played", SINGLE, 1, 1),
    "fevga/single": ("played", SINGLE, 1, 1),
    "fevga/double": ("played", GAMMON, 2, 1),
    "fevga/prime-not-closed": ("left", GAMMON, 2, 1),
    "fevga/resigned-gammon": ("resigned", GAMMON, 2, 1),
    "fevga/left": ("left", GAMMON, 2, 1),
    "fevga/opening-dice": ("left", GAMMON, 2, 1),
    "fevga/giveaway": ("played", SINGLE, 1, 1),
}
"""Single games: the cause of the end, its kind, its points, the cube."""

Row = tuple[str, str, str, int, bool]
SERIES: Final[dict[str, tuple[str, list[Row]]]] = {
    "mixed/three-games": (
        "played",
        [
            ("hypergammon", "played", GAMMON, 2, True),
            ("long_nardy", "played", SINGLE, 1, True),
            ("backgammon", "played", SINGLE, 1, True),
        ],
    ),
    "mixed/tie-break": (
        "played",
        [
            ("hypergammon", "played", GAMMON, 2, True),
            ("long_nardy", "played", SINGLE, 1, True),
            ("backgammon", "played", SINGLE, 1, True),
            ("hypergammon", "played", GAMMON, 2, True),
        ],
    ),
    "mixed/cube": (
        "passed",
        [
            ("hypergammon", "passed", SINGLE, 1, True),
            ("long_nardy", "resigned", SINGLE, 2, True),
            ("backgammon", "passed", SINGLE, 1, True),
        ],
    ),
    "mixed/roll-each-game": (
        "resigned",
        [(game, "resigned", SINGLE, 1, True) for game in ("hypergammon", "long_nardy", "backgammon")],
    ),
    "mixed/left-between": ("left", [("hypergammon", "resigned", SINGLE, 1, True)]),
    "mixed/next-expired": ("next", [("hypergammon", "resigned", SINGLE, 1, True)]),
    "mixed/lost-on-time": (
        "resigned",
        [
            ("hypergammon", "resigned", SINGLE, 1, True),
            ("long_nardy", "flag", BACKGAMMON, 3, True),
            ("backgammon", "resigned", SINGLE, 1, True),
        ],
    ),
    "mixed/ghost-tie-break": (
        "resigned",
        [
            ("hypergammon", "resigned", SINGLE, 2, True),
            ("long_nardy", "resigned", SINGLE, 1, True),
            ("backgammon", "resigned", SINGLE, 1, True),
            ("hypergammon", "played", GAMMON, 2, False),
            ("hypergammon", "resigned", SINGLE, 1, True),
        ],
    ),
    "tavli/three-games": (
        "played",
        [
            ("backgammon", "played", SINGLE, 1, True),
            ("plakoto", "played", GAMMON, 2, True),
            ("fevga", "played", SINGLE, 1, True),
        ],
    ),
    "tavli/plakoto-draw": (
        "played",
        [
            ("backgammon", "played", SINGLE, 1, True),
            ("plakoto", "played", DRAW, 0, True),
            ("fevga", "played", SINGLE, 1, True),
            ("backgammon", "played", SINGLE, 1, True),
        ],
    ),
    "tavli/left-in-plakoto": (
        "resigned",
        [
            ("backgammon", "resigned", SINGLE, 1, True),
            ("plakoto", "left", GAMMON, 2, True),
            ("fevga", "resigned", SINGLE, 1, True),
            ("backgammon", "resigned", SINGLE, 1, True),
        ],
    ),
    "tavli/kicked": (
        "resigned",
        [
            ("backgammon", "resigned", SINGLE, 1, True),
            ("plakoto", "played", GAMMON, 2, False),
            ("fevga", "resigned", SINGLE, 1, True),
            ("backgammon", "resigned", SINGLE, 1, True),
        ],
    ),
    "tavli/no-triple": ("left", [("backgammon", "played", GAMMON, 2, True)]),
}
"""Series: the cause of the match's end; for every game what was played, cause, kind, points, counted."""

FOLDERS: Final = ("hypergammon", "nackgammon", "long_nardy", "plakoto", "fevga", "mixed", "tavli")
CRAWFORD: Final = ("hypergammon/match-to-3", "nackgammon/match-to-3", "long_nardy/match-to-3")


def boards_at_the_end(name: str) -> tuple[Board, Board]:
    """The boards when the (single) game was over, by seat."""
    boards: tuple[Board, Board] = folded(name).position.boards
    return boards


def test_every_log_of_the_family_is_described_here() -> None:
    new = {name for name in golden.names() if name.partition("/")[0] in FOLDERS}
    assert new == {name for name in (*GAMES, *SERIES, *CRAWFORD) if name.partition("/")[0] in FOLDERS}


@pytest.mark.rule("N1", "N9", "N11")
@pytest.mark.parametrize("name", GAMES)
def test_a_single_game_ends_as_it_is_called(name: str) -> None:
    cause, kind, points, cube = GAMES[name]
    state = folded(name)
    (record,) = state.games
    assert (record.cause, record.kind, record.points, record.cube) == (cause, kind, points, cube)
    assert (state.phase, state.winner, state.cause) == (Phase.OVER, record.winner, cause)
    assert (record.winner is None) == (kind == DRAW)


@pytest.mark.rule("N4", "N5", "N12")
@pytest.mark.parametrize("name", SERIES)
def test_a_series_goes_and_ends_as_it_is_called(name: str) -> None:
    cause, rows = SERIES[name]
    state = folded(name)
    assert [(g.rules, g.cause, g.kind, g.points, g.counted) for g in state.games] == rows
    assert (state.phase, state.cause) == (Phase.OVER, cause)
    assert not any(game.crawford for game in state.games)
    score = [sum(g.points for g in state.games if g.winner == seat and g.counted) for seat in (0, 1)]
    assert state.score == tuple(score)


@pytest.mark.rule("N7")
@pytest.mark.parametrize("name", SERIES)
def test_one_opening_roll_in_a_series_and_alternating_starters(name: str) -> None:
    started = [event.first for _, event in told(name) if isinstance(event, GameStarted)]
    if name == "mixed/roll-each-game":
        assert started == [None] * 3
        return
    began = [game.first for game in folded(name).games]
    assert started[0] is None
    assert started[1 : len(began)] == began[1:]
    assert all(one != other for one, other in pairwise(began))
    rolled = [state.game for state, e in told(name) if isinstance(e, DiceRolled) and e.seat is None]
    assert set(rolled) == {0}, "only as the first game began"


@pytest.mark.rule("S6", "N10")
@pytest.mark.parametrize("name", CRAWFORD)
def test_a_match_to_three_with_one_crawford_game_and_a_double_right_after_it(name: str) -> None:
    crawford = [event.crawford for _, event in told(name) if isinstance(event, GameStarted)]
    assert crawford == [False, True, False, False]
    assert [state.game for state, e in told(name) if isinstance(e, DoubleOffered)] == [1, 3, 4]
    state = folded(name)
    assert [(game.rules, game.cause) for game in state.games] == [
        (name.partition("/")[0], cause) for cause in ("resigned", "resigned", "passed", "played")
    ]
    assert max(state.score) >= 3 > min(state.score)


@pytest.mark.rule("N3")
@pytest.mark.parametrize("name", [name for name in GAMES if name.endswith("/giveaway")])
def test_in_giveaway_the_loser_is_off(name: str) -> None:
    winner = folded(name).winner
    assert winner is not None
    assert sum(boards_at_the_end(name)[1 - winner][1:]) == 0
    assert sum(boards_at_the_end(name)[winner][1:]) > 0


@pytest.mark.rule("N2")
@pytest.mark.parametrize(
    ("name", "white", "black"),
    [
        ("backgammon/draw", True, True),
        ("hypergammon/draw", True, True),
        ("long_nardy/draw", True, True),
        ("backgammon/draw-gammon-escaped", True, False),
        ("long_nardy/draw-mars-escaped", True, False),
        ("backgammon/draw-gammon", True, False),
        ("backgammon/draw-white-wins", True, False),
        ("backgammon/draw-black-first", False, True),
        ("backgammon/draw-last-roll-resigned", True, False),
        ("backgammon/draw-left-before-the-last-roll", True, False),
    ],
)
def test_in_a_game_with_a_draw_it_ends_with_these_off(name: str, *, white: bool, black: bool) -> None:
    state, boards = folded(name), boards_at_the_end(name)
    first = state.games[0].first
    assert first is not None
    assert [sum(boards[seat][1:]) == 0 for seat in (first, 1 - first)] == [white, black]
    if name.endswith("escaped"):
        before = folded(name, -1).position.boards[1 - first]
        assert (before[OFF], state.winner) == (0, first), "none was off before the last roll"


@pytest.mark.parametrize("name", ["backgammon/no-triple", "long_nardy/koks-2"])
def test_what_would_have_counted_three_counts_two(name: str) -> None:
    """The loser has a checker on the bar, in the winner's home, or (Long nardy) in his first quarter."""
    winner = folded(name).winner
    assert winner is not None
    loser = boards_at_the_end(name)[1 - winner]
    assert loser[OFF] == 0
    assert any(loser[19 : BAR + 1])


@pytest.mark.rule("N11")
@pytest.mark.parametrize(
    ("name", "caught"),
    [("mother-caught", 1), ("giveaway-mother-caught", 1), ("mothers-both", 2), ("double", 0), ("single", 0)],
)
def test_in_plakoto_a_game_ends_with_so_many_mothers_caught(name: str, caught: int) -> None:
    state = folded(f"plakoto/{name}")
    pinned: tuple[tuple[int, ...], tuple[int, ...]] = state.position.pinned
    assert sum(24 in points for points in pinned) == caught
    off = [board[OFF] for board in boards_at_the_end(f"plakoto/{name}")]
    assert (max(off) == 15) == (caught == 0)


@pytest.mark.rule("N11")
def test_in_fevga_a_prime_before_all_the_opponents_checkers_may_not_be_closed() -> None:
    """Five of the six points are held, 14/6 would make the sixth and is refused."""
    name = "fevga/prime-not-closed"
    *_, (before, played) = (pair for pair in told(name) if isinstance(pair[1], MovePlayed))
    assert isinstance(played, MovePlayed)
    mine, theirs = before.position.boards
    assert theirs[24] == 15
    assert [mine[point] for point in range(6, 12)] == [0, 1, 1, 1, 1, 1]
    assert mine[14] == 1
    with pytest.raises(Refused, match="forbids where that play ends"):
        before.rules.read(before.position, 0, "14/8 8/6")
    assert before.rules.read(before.position, 0, played.move)
    after = before.rules.play(before.position, 0, played.move).boards[0]
    assert not all(after[point] for point in range(6, 12))


@pytest.mark.rule("N11")
@pytest.mark.parametrize("game", ["long_nardy", "plakoto", "fevga"])
def test_the_opening_dice_are_played_where_the_table_says_so_and_else_rolled_afresh(game: str) -> None:
    def opening(name: str) -> list[Any]:
        seats = [event.seat for _, event in told(f"{game}/{name}") if isinstance(event, DiceRolled)]
        return seats[seats.count(None) - 1 :][:2]

    first = folded(f"{game}/left").games[0].first
    assert opening("left") == [None, first]
    starter = folded(f"{game}/opening-dice").games[0].first
    assert opening("opening-dice") == [None, 1 - (starter or 0)]


def test_a_voided_tie_break_has_another_after_it() -> None:
    ends = [event for _, event in told("mixed/ghost-tie-break") if isinstance(event, GameEnded)]
    assert [(end.counted, end.score) for end in ends[2:]] == [
        (True, (2, 2)),
        (False, (2, 2)),
        (True, (2, 3)),
    ]
