"""The golden logs of the board games show what they are called: every way in which each game can end."""

from collections import Counter
from typing import Any, Final

import pytest

from shared.events.match import (
    DrawAgreed,
    DrawClaimed,
    DrawDeclined,
    DrawOffered,
    FlagFell,
    MatchCancelled,
    MovePlayed,
    TimeAsked,
    TurnPassed,
)
from shared.match import Phase
from tests.support import golden
from tests.support.golden_reading import events, folded, told

Ending = tuple[str, str, int | None]
ENDINGS: Final[dict[str, Ending]] = {
    "chess/checkmate": ("played", "checkmate", 0),
    "chess/stalemate": ("played", "stalemate", None),
    "chess/threefold-claimed": ("claimed", "threefold repetition", None),
    "chess/threefold-announced": ("claimed", "threefold repetition", None),
    "chess/fivefold": ("played", "fivefold repetition", None),
    "chess/fifty-moves-claimed": ("claimed", "50 moves", None),
    "chess/seventy-five-moves": ("played", "75 moves", None),
    "chess/dead-position": ("played", "dead position", None),
    "chess/flag": ("flag", "forfeit", 1),
    "chess/flag-bare-king-wins": ("flag", "forfeit", 1),
    "chess/flag-fide": ("flag", "forfeit", 1),
    "chess/flag-fide-drawn": ("flag", "insufficient material", None),
    "chess/overran": ("flag", "forfeit", 1),
    "chess/resigned": ("resigned", "forfeit", 1),
    "chess/agreed": ("agreed", "draw", None),
    "chess/absent": ("absent", "forfeit", 1),
    "chess/left": ("left", "forfeit", 0),
    "draughts/no-pieces": ("played", "no pieces", 0),
    "draughts/blocked": ("played", "blocked", 1),
    "draughts/repetition": ("played", "repetition", None),
    "draughts/fifteen-moves": ("played", "fifteen moves", None),
    "draughts/three-kings": ("played", "three kings", None),
    "draughts/material": ("played", "material", None),
    "draughts/flag": ("flag", "forfeit", 0),
    "draughts/resigned": ("resigned", "forfeit", 1),
    "draughts/agreed": ("agreed", "draw", None),
    "abalone/six-marbles": ("played", "six marbles", 0),
    "abalone/six-marbles-daisy": ("played", "six marbles", 0),
    "abalone/repetition": ("played", "repetition", None),
    "abalone/repetition-daisy": ("played", "repetition", None),
    "abalone/no-ejection": ("played", "no ejection", None),
    "abalone/flag": ("flag", "forfeit", 0),
    "abalone/resigned": ("resigned", "forfeit", 1),
    "abalone/agreed": ("agreed", "draw", None),
    "reversi/full-board": ("played", "full board", 0),
    "reversi/draw": ("played", "full board", None),
    "reversi/wiped-out": ("played", "wiped out", 0),
    "reversi/mutual-block": ("played", "mutual block", 1),
    "reversi/flag": ("flag", "forfeit", 0),
    "reversi/resigned": ("resigned", "forfeit", 1),
    "reversi/agreed": ("agreed", "draw", None),
    "gomoku/five": ("played", "five in a row", 0),
    "gomoku/overline": ("played", "five in a row", 1),
    "gomoku/five-and-overline": ("played", "five in a row", 0),
    "gomoku/full-board": ("played", "full board", None),
    "gomoku/pro": ("played", "five in a row", 1),
    "gomoku/swap-circles": ("played", "five in a row", 0),
    "gomoku/swap-crosses": ("played", "five in a row", 1),
    "gomoku/swap2-circles": ("played", "five in a row", 0),
    "gomoku/swap2-crosses": ("played", "five in a row", 1),
    "gomoku/swap2-extended-circles": ("played", "five in a row", 1),
    "gomoku/swap2-extended-crosses": ("played", "five in a row", 0),
    "gomoku/flag": ("flag", "forfeit", 0),
    "gomoku/overran": ("flag", "forfeit", 1),
    "gomoku/resigned": ("resigned", "forfeit", 1),
    "gomoku/agreed": ("agreed", "draw", None),
    "gomoku3d/four": ("played", "four in a row", 0),
    "gomoku3d/full-board": ("played", "full board", None),
    "gomoku3d/flag": ("flag", "forfeit", 0),
    "gomoku3d/resigned": ("resigned", "forfeit", 1),
    "gomoku3d/agreed": ("agreed", "draw", None),
}
"""By log: the cause of the end, its kind, the winner."""

ANNULLED: Final = ("chess/annulled", "chess/left-annulled")
FOLDERS: Final = tuple(golden.BOARDS)


def shown(name: str, commits: int | None = None) -> dict[str, Any]:
    """What the rules show of the position after so many commits (at the end)."""
    state = folded(name, commits)
    return state.rules.view(state.position, None)


def test_every_log_of_the_board_games_is_described_here() -> None:
    assert {name for name in golden.names() if name.partition("/")[0] in FOLDERS} == {*ENDINGS, *ANNULLED}


@pytest.mark.rule("B1")
@pytest.mark.parametrize("name", ENDINGS)
def test_a_game_ends_as_it_is_called(name: str) -> None:
    cause, kind, winner = ENDINGS[name]
    state = folded(name)
    (record,) = state.games
    assert (record.cause, record.kind, record.winner) == (cause, kind, winner)
    assert record.points == (0 if winner is None else 1)
    assert (state.phase, state.winner, state.cause) == (Phase.OVER, winner, cause)
    assert state.score == tuple(int(seat == winner) for seat in (0, 1))


@pytest.mark.rule("B13")
@pytest.mark.parametrize("name", ANNULLED)
def test_before_the_fourth_half_move_absence_annuls(name: str) -> None:
    state = folded(name)
    assert MatchCancelled("annulled") in events(name)
    assert (state.half_moves, state.games, state.winner, state.score) == (3, (), None, (0, 0))


@pytest.mark.rule("B12", "B13")
@pytest.mark.parametrize("name", ["chess/absent", "chess/left"])
def test_from_the_fourth_half_move_on_absence_loses(name: str) -> None:
    assert folded(name).half_moves == 4


@pytest.mark.rule("B3", "B4")
@pytest.mark.parametrize("name", ["chess/overran", "gomoku/overran"])
def test_without_a_clock_two_minutes_and_once_two_more_and_who_overruns_loses(name: str) -> None:
    (asked,) = (event for event in events(name) if isinstance(event, TimeAsked))
    (fell,) = (event for event in events(name) if isinstance(event, FlagFell))
    assert (asked.seat, fell.seat) == (0, 0)
    clocks = folded(name, -1).clocks
    assert clocks is not None
    assert fell.deadline_ms == clocks.since_ms + 120_000, "what was asked for does not carry over"


@pytest.mark.rule("B5")
@pytest.mark.parametrize(
    ("game", "minutes"),
    [("draughts", 4), ("reversi", 5), ("abalone", 10), ("gomoku", 3), ("gomoku3d", 6), ("chess", 7)],
)
def test_who_runs_out_of_the_budget_of_his_game_loses(game: str, minutes: int) -> None:
    name = f"{game}/flag"
    state = folded(name)
    clock = state.created.terms.clock
    assert clock is not None
    assert (clock.kind, clock.budget_ms) == ("chess", minutes * 60_000)
    (fell,) = (event for event in events(name) if isinstance(event, FlagFell))
    assert fell.seat == 1 - (state.winner or 0)
    assert state.clocks is not None
    assert state.clocks.left_ms[fell.seat] == 0


@pytest.mark.parametrize("game", FOLDERS)
def test_an_offer_is_declined_another_lapses_and_one_out_of_turn_is_accepted(game: str) -> None:
    found = told(f"{game}/agreed")
    about = [type(event) for _, event in found if isinstance(event, DrawOffered | DrawDeclined | DrawAgreed)]
    assert about == [DrawOffered, DrawDeclined, DrawOffered, DrawOffered, DrawAgreed]
    (_, declined), (_, lapsed), (before, last) = (pair for pair in found if isinstance(pair[1], DrawOffered))
    assert before.draw_offer is None, "the second offer has lapsed"
    assert isinstance(declined, DrawOffered)
    assert isinstance(lapsed, DrawOffered)
    assert isinstance(last, DrawOffered)
    assert declined.seat == lapsed.seat
    assert last.seat != before.position.turn


@pytest.mark.parametrize(
    ("name", "occurrences", "quiet_plies"),
    [
        ("threefold-claimed", 3, 8),
        ("threefold-announced", 2, 7),
        ("fivefold", 5, 16),
        ("fifty-moves-claimed", 1, 100),
        ("seventy-five-moves", 1, 150),
    ],
)
def test_in_chess_a_draw_stands_on_these_counts(name: str, occurrences: int, quiet_plies: int) -> None:
    view = shown(f"chess/{name}")
    assert (view["occurrences"], view["quiet_plies"]) == (occurrences, quiet_plies)


def test_one_claim_announces_the_move_that_brings_the_draw_about() -> None:
    claims = {
        name: event.move for name in ENDINGS for event in events(name) if isinstance(event, DrawClaimed)
    }
    assert claims == {
        "chess/threefold-claimed": "",
        "chess/threefold-announced": "f6g8",
        "chess/fifty-moves-claimed": "",
    }


@pytest.mark.parametrize("name", ["flag-bare-king-wins", "flag-fide-drawn"])
def test_the_flag_falls_against_a_bare_king(name: str) -> None:
    pieces: dict[str, str] = shown(f"chess/{name}")["pieces"]
    theirs = [piece for piece in pieces.values() if piece.islower()]
    assert theirs == ["k"]
    assert len(pieces) > 2
    option = folded(f"chess/{name}").created.options.get("flag_fall", "loss")
    assert option == ("fide" if name == "flag-fide-drawn" else "loss")


@pytest.mark.parametrize(
    ("name", "balance", "plies"),
    [
        ("three-kings", "three kings against one off the long diagonal", 30),
        ("material", "king and man against king", 10),
        ("fifteen-moves", None, 0),
    ],
)
def test_in_draughts_a_draw_stands_on_these_counts(name: str, balance: str | None, plies: int) -> None:
    view = shown(f"draughts/{name}")
    assert (view["material"], view["draw_in"]) == (balance, 0)
    assert view["material_plies"] == plies


def test_reversi_is_played_with_passes_of_both_that_cost_no_time() -> None:
    passed = [event.seat for event in events("reversi/full-board") if isinstance(event, TurnPassed)]
    assert set(passed) == {0, 1}
    assert len([event for event in events("reversi/full-board") if isinstance(event, MovePlayed)]) == 60


@pytest.mark.parametrize(
    ("name", "counts"), [("draw", [32, 32]), ("wiped-out", [13, 0]), ("mutual-block", [1, 19])]
)
def test_reversi_ends_with_so_many_discs(name: str, counts: list[int]) -> None:
    assert shown(f"reversi/{name}")["count"] == counts


@pytest.mark.parametrize("name", ["six-marbles", "six-marbles-daisy"])
def test_abalone_is_won_by_the_sixth_marble(name: str) -> None:
    assert shown(f"abalone/{name}")["ejected"][0] == 6
    assert shown(f"abalone/{name}", -1)["ejected"][0] == 5


@pytest.mark.parametrize(("start", "folder"), [("standard", ""), ("belgian_daisy", "-daisy")])
def test_abalone_is_played_from_both_starts(start: str, folder: str) -> None:
    for ending in ("six-marbles", "repetition"):
        options = folded(f"abalone/{ending}{folder}").created.options
        assert options.get("start", "standard") == start


def test_six_in_a_row_win_nothing_and_five_beside_them_do() -> None:
    found = told("gomoku/overline")
    place = next(i for i, (_, e) in enumerate(found) if isinstance(e, MovePlayed) and e.move == "k8")
    before, _ = found[place]
    six = before.rules.play(before.position, 0, "k8")
    assert before.rules.view(six, None)["line"] == []
    assert set("hijklm") == {c[0] for c in before.rules.view(six, None)["circles"] if c.endswith("8")}
    assert shown("gomoku/five-and-overline")["line"] == ["k11", "k10", "k9", "k8", "k7"]


@pytest.mark.parametrize(
    ("name", "symbols", "has_circles"),
    [
        ("swap-circles", 3, 1),
        ("swap-crosses", 3, 0),
        ("swap2-circles", 3, 1),
        ("swap2-crosses", 3, 0),
        ("swap2-extended-circles", 5, 0),
        ("swap2-extended-crosses", 5, 1),
    ],
)
def test_each_opening_is_played_with_each_choice(name: str, symbols: int, has_circles: int) -> None:
    chosen = [
        (state.position.placed, event.seat)
        for state, event in told(f"gomoku/{name}")
        if isinstance(event, MovePlayed) and event.move in ("circles", "crosses")
    ]
    assert chosen == [(symbols, 1 if symbols == 3 else 0)]
    assert shown(f"gomoku/{name}")["has_circles"] == has_circles


def test_pro_begins_with_a_circle_in_the_middle_and_the_next_far_from_it() -> None:
    first, second, *_ = (event for event in events("gomoku/pro") if isinstance(event, MovePlayed))
    assert (first.seat, first.move, second.seat, second.move) == (1, "h9", 0, "k8")


def test_all_sixty_four_cells_are_taken_before_3d_gomoku_is_drawn() -> None:
    view = shown("gomoku3d/full-board")
    assert Counter(map(len, (view["circles"], view["crosses"]))) == {32: 2}
