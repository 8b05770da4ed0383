"""Decider and verifier, written apart, agree: whatever commands are given, the log verifies."""

import contextlib
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.audit.domain import verify
from services.cli.importing.planning.tables import plan
from services.cli.importing.reading import mat
from shared.clocks import BLITZ, CREDIT, PER_MOVE, STANDARD, chess_clock
from shared.commands import (
    AcceptBeaver,
    AcceptDraw,
    AcceptExtension,
    AcceptResignation,
    AskTime,
    AutoFinish,
    Beaver,
    ClaimDraw,
    ClaimFlag,
    ClockCommand,
    DeclineDraw,
    DeclineResignation,
    Double,
    Kick,
    Leave,
    Next,
    OfferDraw,
    OfferExtension,
    Pass,
    Play,
    PlayerCommand,
    Ready,
    ReportAbsent,
    ReportPresent,
    Resign,
    Reveal,
    Roll,
    SetAutoRoll,
    Take,
)
from shared.draws import string_hash
from shared.events.match import ClockTerms, MovePlayed, Seat, Terms
from shared.match import allowed
from shared.match.timing import deadline
from shared.problems import Refused
from tests.support.hidden_hand import HiddenHand, hidden_hand
from tests.support.matches import SEATS, MemoryGame, Picker
from tests.support.recorded import FILES
from tests.support.replay import played

__all__ = ["hidden_hand"]

STRING: Final = bytes(range(32))
SIMPLE: Final[dict[str, PlayerCommand]] = {
    "double": Double(),
    "take": Take(),
    "pass": Pass(),
    "beaver": Beaver(),
    "accept_beaver": AcceptBeaver(),
    "resign": Resign(confirm=True),
    "accept_resignation": AcceptResignation(),
    "decline_resignation": DeclineResignation(),
    "next": Next(),
    "auto_finish": AutoFinish(),
    "leave": Leave(),
    "ask_time": AskTime(),
    "offer_extension": OfferExtension(),
    "accept_extension": AcceptExtension(),
    "kick": Kick(),
    "offer_draw": OfferDraw(),
    "accept_draw": AcceptDraw(),
    "decline_draw": DeclineDraw(),
    "claim_draw": ClaimDraw(),
}
RARE: Final = {
    "leave": 60,
    "resign": 12,
    "set_auto_roll": 10,
    "auto_finish": 2,
    "kick": 2,
}
"""One in so many is given where it may be."""

RARE_ON_BOARDS: Final = {"leave": 400, "resign": 120, "accept_draw": 30}
"""Likewise, where a game of many moves would end at once."""

AROUND_MS: Final = (-500, -1, 0, 1, 99, 100, 499, 599, 600, 601, 30_000)
"""How far from what runs out next."""

LATE: Final = {"flag_fallen", "too_early"}
"""Why something is refused that would be allowed at another time."""

MOST_COMMANDS: Final = 700


def _luck(seat: int) -> bytes:
    return STRING[:-1] + bytes((seat,))


def _back(game: MemoryGame, seat: int, pick: Picker) -> str:
    """The move that takes back the seat's last one, where a board has such; else any."""
    legal = game.state.rules.legal(game.state.position, seat)
    moves = (event for commit in reversed(game.commits) for event in commit.events)
    last = next((event.move for event in moves if isinstance(event, MovePlayed) and event.seat == seat), "")
    back = "-".join(reversed(last.split("-"))) if "-" in last else last[2:] + last[:2]
    return back if back in legal else pick.move(game.state, legal) if legal else ""


def _give(game: MemoryGame, seat: int, name: str, pick: Picker) -> None:
    state = game.state
    if name == "ready":
        game.send(seat, Ready(string_hash(_luck(seat)) if pick.below(2) else ""))
    elif name == "reveal":
        game.send(seat, Reveal(_luck(seat).hex()))
    elif name == "roll":
        opening = state.recorded and state.first is None
        game.send(seat, Roll(pick.dice(opening=opening) if state.recorded else ()))
    elif name == "play":
        if state.rules.traits.draws:
            game.send(seat, Play(_back(game, seat, pick)))
        else:
            game.turn(pick.move)
    elif name == "claim_draw" and "play" in allowed(state, seat) and name not in allowed(state, seat):
        game.send(seat, ClaimDraw(_back(game, seat, pick)))
    elif name == "set_auto_roll":
        game.send(seat, SetAutoRoll(on=not state.auto_roll[seat]))
    else:
        game.send(seat, SIMPLE[name])


def _time_passes(game: MemoryGame, pick: Picker) -> None:
    """Now and then much time, often as much as brings a deadline near."""
    if deadline(game.state) is not None and pick.below(6) == 0:
        game.at_deadline(AROUND_MS[pick.below(len(AROUND_MS))])
    elif pick.below(30) == 0:
        game.outage(pick.below(20_000), 3_001 + pick.below(60_000), pick.below(2_000))
    elif pick.below(3):
        game.after(pick.below(12_000))


def _clock_speaks(game: MemoryGame, pick: Picker) -> None:
    """The clock service claims or reports something, rightly or not."""
    state, seat = game.state, pick.below(game.state.seats)
    said: tuple[ClockCommand, ...] = (
        ClaimFlag(),
        ReportAbsent(seat, state.at_ms - pick.below(60_000)),
        ReportPresent(seat),
    )
    with contextlib.suppress(Refused):
        game.hears(said[pick.below(len(said))])


def _at_random(game: MemoryGame, pick: Picker) -> None:
    for _ in range(MOST_COMMANDS):
        if game.over:
            return
        _time_passes(game, pick)
        if pick.below(12) == 0:
            _clock_speaks(game, pick)
            continue
        seat = pick.below(game.state.seats)
        may = allowed(game.state, seat)
        choices = may if pick.below(4) else tuple(SIMPLE)
        name = choices[pick.below(len(choices))]
        if pick.below((RARE_ON_BOARDS if game.state.rules.traits.draws else RARE).get(name, 1)):
            continue
        try:
            _give(game, seat, name, pick)
        except Refused as refused:
            if name in may and refused.problem.code not in LATE:
                raise AssertionError(f"{name} was allowed to seat {seat} and refused") from refused


TERMS: Final = st.builds(
    Terms,
    target=st.sampled_from([None, 2, 3, 7]),
    first_move=st.sampled_from(["alternate", "roll_each_game"]),
    cube=st.booleans(),
    beaver=st.booleans(),
    clock=st.sampled_from(
        [
            None,
            PER_MOVE,
            BLITZ,
            STANDARD,
            chess_clock(3),
            ClockTerms(kind="credit", budget_ms=7_000, bonus_ms=9_000, cap_ms=15_000),
        ]
    ),
    flag=st.sampled_from(["loss", "kick"]),
    absence=st.sampled_from(["wait", "forfeit", "ghost"]),
)


GIVEAWAY: Final = {"mode": "giveaway"}
DRAW: Final = {"mode": "draw"}
FAMILY: Final[dict[str, tuple[str, dict[str, Any], dict[str, Any]]]] = {
    **{f"{rules} to 3": (rules, {}, {"target": 3}) for rules in ("hypergammon", "nackgammon", "long_nardy")},
    **{rules: (rules, {}, {"cube": False}) for rules in ("plakoto", "fevga")},
    **{
        f"giveaway of {rules}": (rules, GIVEAWAY, {"cube": False})
        for rules in ("backgammon", "hypergammon", "plakoto", "fevga")
    },
    **{f"draw in {rules}": (rules, DRAW, {}) for rules in ("backgammon", "hypergammon", "long_nardy")},
    "jacoby": ("hypergammon", {}, {"jacoby": True}),
    "gammons off": ("backgammon", {"triple": False}, {"gammons": False}),
    "mixed": ("", {"koks": 2}, {"series": "mixed", "beaver": False}),
    "tavli": ("", {"opening_dice_played": True}, {"series": "tavli", "cube": False, "beaver": False}),
}
"""Rules, options, and the terms that are not left to chance."""

BOARDS: Final[dict[str, tuple[str, dict[str, Any], dict[str, Any]]]] = {
    **{rules: (rules, {}, {}) for rules in ("chess", "draughts", "abalone", "reversi", "gomoku3d")},
    "chess, fide": ("chess", {"flag_fall": "fide"}, {}),
    "abalone, daisy": ("abalone", {"start": "belgian_daisy"}, {}),
    **{f"gomoku, {variant}": ("gomoku", {"variant": variant}, {}) for variant in ("pro", "swap", "swap2")},
}


def _any_match(
    seed: int, terms: Terms, kind: str = "", *, recorded: bool = False, computer: bool = False
) -> None:
    rules, options, fixed = (FAMILY | BOARDS).get(kind, ("backgammon", {}, {}))
    if kind in BOARDS and terms.clock is not None and terms.clock.kind == CREDIT:
        terms = msgspec.structs.replace(terms, clock=chess_clock(1))
    if kind:
        terms = msgspec.structs.replace(terms, **{"target": None, "cube": True} | fixed)
    seats = (SEATS[0], Seat("pcomputer", bot=True)) if computer else SEATS
    name = f"agreement {seed}"
    if recorded:
        terms = msgspec.structs.replace(terms, clock=None)
    chance = "recorded" if recorded else "committed"
    game = MemoryGame(name, terms, seats=seats, chance=chance, rules=rules, options=options)
    _at_random(game, Picker(name))
    report = verify(game.lines)
    assert report.difference is None
    assert (report.outcome == "unfinished") != game.over
    assert report.score == game.state.score


anything = given(seed=st.integers(0, 2**32), terms=TERMS, recorded=st.booleans(), computer=st.booleans())
slow_allowed = [HealthCheck.too_slow]


@settings(max_examples=40, deadline=None, suppress_health_check=slow_allowed)
@anything
def test_any_match_that_was_decided_verifies(
    seed: int, terms: Terms, *, recorded: bool, computer: bool
) -> None:
    _any_match(seed, terms, recorded=recorded, computer=computer)


@pytest.mark.nightly
@settings(max_examples=500, deadline=None, suppress_health_check=slow_allowed)
@anything
def test_very_many_matches(seed: int, terms: Terms, *, recorded: bool, computer: bool) -> None:
    _any_match(seed, terms, recorded=recorded, computer=computer)


@pytest.mark.rule("N11")
@pytest.mark.parametrize("kind", FAMILY)
@settings(max_examples=4, deadline=None, suppress_health_check=slow_allowed)
@anything
def test_any_match_of_the_family_verifies(
    kind: str, seed: int, terms: Terms, *, recorded: bool, computer: bool
) -> None:
    _any_match(seed, terms, kind, recorded=recorded, computer=computer)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", FAMILY)
@settings(max_examples=100, deadline=None, suppress_health_check=slow_allowed)
@anything
def test_very_many_matches_of_the_family(
    kind: str, seed: int, terms: Terms, *, recorded: bool, computer: bool
) -> None:
    _any_match(seed, terms, kind, recorded=recorded, computer=computer)


@pytest.mark.rule("B1")
@pytest.mark.parametrize("kind", BOARDS)
@settings(max_examples=6, deadline=None, suppress_health_check=slow_allowed)
@anything
def test_any_match_of_a_board_game_verifies(
    kind: str, seed: int, terms: Terms, *, recorded: bool, computer: bool
) -> None:
    _any_match(seed, terms, kind, recorded=recorded, computer=computer)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", BOARDS)
@settings(max_examples=150, deadline=None, suppress_health_check=slow_allowed)
@anything
def test_very_many_matches_of_the_board_games(
    kind: str, seed: int, terms: Terms, *, recorded: bool, computer: bool
) -> None:
    _any_match(seed, terms, kind, recorded=recorded, computer=computer)


@pytest.mark.usefixtures("hidden_hand")
@pytest.mark.parametrize("seed", range(20))
def test_a_game_with_secrets_and_three_seats_verifies_too(seed: int) -> None:
    name = f"hidden {seed}"
    seats = (*SEATS, Seat("pcyrilcapek"))[: 2 + seed % 2]
    game = MemoryGame(name, Terms(cube=False), seats=seats, rules=HiddenHand.name, options={"rounds": 3})
    pick = Picker(name)
    game.start((STRING,))
    while not game.over:
        if pick.below(8) == 0:
            game.send(pick.below(len(seats)), Resign())
        else:
            game.turn(pick.move)
    report = verify(game.lines)
    assert report.difference is None
    assert report.outcome == "played"


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_real_matches_verify_to_their_written_score(file: Path) -> None:
    planned = plan(mat.parse(file.read_bytes(), file.name))
    report = verify(played(planned).lines)
    assert report.difference is None
    assert report.score == planned.score
    assert report.notes == ("recorded: dice not checked",)
