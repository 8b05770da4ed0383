"""What the open board games promise alike: the house's tables, clocks, single games, half-moves (§0)."""

from collections.abc import Callable
from random import Random
from typing import Any, Final

import msgspec
import pytest

from services.lobby.terms import agree
from shared.clocks import PER_MOVE, chess_clock
from shared.problems import Refused
from shared.rules.alternating import Alternating
from shared.rules.protocol import PASS, TABLE, Players, Pool, Rules, Traits
from shared.rules.registry import CURRENT
from shared.wire.lobby import OpenTable
from tests.support.playing import some_states

MINUTES: Final = {
    "chess": (7, 10, 15),
    "draughts": (4, 6, 10),
    "abalone": (7, 10, 15),
    "reversi": (4, 5, 8),
    "gomoku": (3, 4, 6),
    "gomoku3d": (3, 4, 6),
}
OPTIONS: Final[dict[str, list[dict[str, Any]]]] = {
    "chess": [{"flag_fall": "loss"}, {"flag_fall": "fide"}],
    "draughts": [],
    "abalone": [{"start": "standard"}, {"start": "belgian_daisy"}],
    "reversi": [],
    "gomoku": [
        *({"variant": variant} for variant in ("standard", "pro", "swap", "swap2")),
        *({"size": size} for size in (15, 19, 20)),
        {"variant": "pro", "size": 19},
    ],
    "gomoku3d": [],
}
every_game = pytest.mark.parametrize("game", MINUTES)


def table(game: str, **wish: Any) -> Any:
    """The terms of a table of the house of board games."""
    return agree(OpenTable(game=game, house="boards", **wish), "pjanajana", ("play", "watch")).terms


NEWCOMER: Final = {"gomoku": 20, "gomoku3d": 20, "chess": 10, "draughts": 20, "reversi": 20, "abalone": 5}
"""For so many games a newcomer plays for half (B14)."""

BEGINS: Final = {
    "chess": "white",
    "draughts": "white",
    "reversi": "black",
    "abalone": "black",
} | dict.fromkeys(("gomoku", "gomoku3d"), "")


@pytest.mark.rule("B1")
def test_these_games_are_in_the_registry_and_so_in_every_test_that_runs_over_it() -> None:
    assert {name for name, rules in CURRENT.items() if isinstance(rules, Alternating)} == set(MINUTES)


@pytest.mark.rule("B5")
@every_game
def test_it_is_a_single_game_on_the_clocks_of_the_house_without_cube_and_with_draws_by_agreement(
    game: str,
) -> None:
    plain = Traits(
        open=True,
        draws=True,
        clocks=("move", "chess"),
        minutes=MINUTES[game],
        begins=BEGINS[game],
        pool=Pool(system=TABLE, newcomer=NEWCOMER[game]),
    )
    for options in ({}, *OPTIONS[game]):
        offered = CURRENT[game].offers(options)
        assert msgspec.structs.replace(offered, exports={}) == plain


@every_game
def test_it_has_these_options_and_no_others(game: str) -> None:
    rules = CURRENT[game]
    offered = {name: option["enum"] for name, option in rules.options()["properties"].items()}
    named = {name for options in OPTIONS[game] for name in options}
    assert set(offered) == named
    for name, values in offered.items():
        assert set(values) == {options[name] for options in OPTIONS[game] if name in options}
    for options in ({"flag_fal": "loss"}, {"size": 10}, {"variant": "swap3"}, {"start": ""}):
        with pytest.raises(Refused) as refused:
            rules.setup(2, options, 0)
        assert refused.value.problem.code == "invalid_options"


@pytest.mark.rule("B3", "B12")
@every_game
def test_a_table_has_two_minutes_a_move_and_who_overruns_or_stays_away_loses(game: str) -> None:
    terms = table(game)
    assert (terms.clock, terms.flag, terms.absence, terms.grace_ms) == (PER_MOVE, "loss", "forfeit", 30_000)
    assert (terms.target, terms.series) == (None, "")


@pytest.mark.rule("B5")
@every_game
def test_a_table_with_a_clock_has_the_minutes_of_its_game(game: str) -> None:
    for speed, minutes in zip(("fast", "normal", "slow"), MINUTES[game], strict=True):
        terms = table(game, clock=speed)
        assert (terms.clock, terms.flag) == (chess_clock(minutes), "loss")
    with pytest.raises(Refused, match="clock"):
        table(game, clock="blitz")


@every_game
def test_no_match_of_several_games_is_made_of_it(game: str) -> None:
    with pytest.raises(Refused, match="not played to points"):
        table(game, target=3)


def walked(rules: Rules[Any], options: dict[str, Any], seed: int) -> tuple[int, list[str], Any]:
    """A random game: its half-moves, its moves, and its last state."""
    random = Random(seed)
    state = rules.setup(2, options, seed % 2)
    half_moves, moves = 0, list[str]()
    while isinstance(waiting := rules.waiting(state), Players):
        (seat,) = waiting.seats
        move = random.choice(rules.legal(state, seat))
        half_moves += rules.half_moves(state, move)
        moves.append(move)
        state = rules.play(state, seat, move)
    return half_moves, moves, state


def _symbols(view: dict[str, Any]) -> int:
    return len(view["circles"]) + len(view["crosses"])


BY_BOARD: Final[dict[str, Callable[[dict[str, Any]], int]]] = {
    "reversi": lambda view: sum(view["count"]) - 4,
    "gomoku": _symbols,
    "gomoku3d": _symbols,
}
"""What lies on the board at the end says how many half-moves were made."""


@pytest.mark.rule("B13")
@every_game
def test_a_move_is_a_half_move_but_for_passes_and_choices_and_an_automatic_symbol_is_one(game: str) -> None:
    for seed, options in enumerate([{}, *OPTIONS[game]] * 3):
        half_moves, moves, last = walked(CURRENT[game], options, seed)
        plain = [move for move in moves if move not in (PASS, "circles", "crosses")]
        automatic = options.get("variant") == "pro"
        assert half_moves == len(plain) + automatic
        if game in BY_BOARD:
            assert half_moves == BY_BOARD[game](CURRENT[game].view(last, None))


@pytest.mark.rule("B13")
@pytest.mark.parametrize(
    ("game", "moves"),
    [
        ("chess", "e4 d5 exd5 Qxd5 Nc3 Qa5 Nf3 Nf6 Bc4 e6 O-O"),
        ("draughts", "e3-d4 b6-a5 a3-b4 d6-c5 d4:b6 a7:c5:a3"),
    ],
)
def test_a_castling_a_capture_and_a_capture_of_several_are_one_half_move(game: str, moves: str) -> None:
    rules = CURRENT[game]
    state = rules.setup(2, {}, 0)
    for text in moves.split():
        move = rules.read(state, state.turn, text)
        assert rules.half_moves(state, move) == 1
        state = rules.play(state, state.turn, move)


@every_game
def test_random_games_are_open_to_all_alike(game: str) -> None:
    rules = CURRENT[game]
    for state in some_states(rules, 1):
        assert rules.view(state, 0) == rules.view(state, 1) == rules.view(state, None)
