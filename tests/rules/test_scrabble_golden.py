"""The golden logs of scrabble show what they are called: every way in which a game can end (rules §9)."""

from typing import Any, Final

import pytest

from services.audit.domain import verify
from shared.events.codec import decode_match
from shared.events.match import MovePlayed, SeatOut
from shared.match import Phase, view
from shared.rules.scrabble.moves import FAILED, JUDGED, UPHELD, is_play, placement
from shared.rules.scrabble.words import OWN
from tests.support import golden
from tests.support.golden_reading import events, folded
from tests.support.matches import rewritten

Ending = tuple[str, str, int | None, tuple[int, ...]]
ENDINGS: Final[dict[str, Ending]] = {
    "out": ("played", "out", 0, ()),
    "out-of-four": ("played", "out", 2, (2, 3, 1, 4)),
    "out-withdrawn": ("played", "out", 0, ()),
    "stuck": ("played", "empty rounds", 0, ()),
    "stuck-of-three": ("played", "empty rounds", 0, (1, 2, 3)),
    "challenged": ("played", "empty rounds", 1, ()),
    "empty-rounds": ("played", "empty rounds", 1, ()),
    "empty-rounds-of-four": ("played", "empty rounds", 1, (2, 1, 4, 3)),
    "draw": ("played", "empty rounds", None, ()),
    "resigned": ("resigned", "forfeit", 0, ()),
    "left": ("left", "forfeit", 0, ()),
    "left-open": ("played", "empty rounds", 0, (1, 3, 2)),
    "two-of-four-left": ("played", "empty rounds", 0, (1, 4, 2, 3)),
    "three-of-four-gave-up": ("left", "forfeit", 1, (3, 1, 4, 2)),
    "one-of-three-left": ("played", "empty rounds", 2, (2, 3, 1)),
    "flag": ("flag", "forfeit", 0, ()),
    "flag-of-three": ("played", "empty rounds", 2, (2, 3, 1)),
    "absent": ("absent", "forfeit", 0, ()),
    "absent-of-three": ("played", "empty rounds", 2, (2, 3, 1)),
}
"""By log: the cause of the end, its kind, the winner, and the places where more than two play."""


def test_every_log_is_described_here() -> None:
    assert set(golden.HIDDEN["scrabble"]) == {*ENDINGS, "annulled"}


@pytest.mark.rule("B1")
@pytest.mark.parametrize("name", ENDINGS)
def test_a_game_ends_as_it_is_called(name: str) -> None:
    cause, kind, winner, places = ENDINGS[name]
    state = folded(f"scrabble/{name}")
    (record,) = state.games
    assert (record.cause, record.kind, record.winner, record.places) == (cause, kind, winner, places)
    assert (state.phase, state.winner) == (Phase.OVER, winner)
    assert state.options["dictionary"] == OWN.id


@pytest.mark.rule("B13")
def test_before_two_turns_of_each_who_goes_annuls_the_match() -> None:
    state = folded("scrabble/annulled")
    assert (state.half_moves, state.games, state.cause) == (3, (), "cancelled: annulled")


@pytest.mark.parametrize(
    ("name", "out"),
    [
        ("one-of-three-left", ["left"]),
        ("two-of-four-left", ["left", "left"]),
        ("three-of-four-gave-up", ["left", "resigned", "left"]),
        ("flag-of-three", ["flag"]),
        ("absent-of-three", ["absent"]),
    ],
)
def test_the_log_says_who_was_out_and_why(name: str, out: list[str]) -> None:
    assert [event.cause for event in events(f"scrabble/{name}") if isinstance(event, SeatOut)] == out


def test_the_play_of_who_leaves_before_it_is_challenged_stands() -> None:
    state = folded("scrabble/left-open")
    (leaver,) = state.position.gone
    moves = [event for event in events("scrabble/left-open") if isinstance(event, MovePlayed)]
    last = next(event.move for event in reversed(moves) if event.seat == leaver)
    assert is_play(last)
    assert not any(event.move in JUDGED for event in moves)
    for square, sign in placement(last).tiles.items():
        assert state.position.board[square] == sign


def test_a_withdrawn_play_is_laid_anew_or_another_in_its_place() -> None:
    moves = [event.move for event in events("scrabble/out-withdrawn") if isinstance(event, MovePlayed)]
    assert UPHELD in moves
    assert moves[-1] == "accept"


@pytest.mark.parametrize("name", ["flag", "resigned", "out", "annulled"])
def test_after_the_end_everybody_sees_the_racks_however_it_came(name: str) -> None:
    board = view(folded(f"scrabble/{name}"), None).board
    assert board is not None
    assert None not in board["racks"]


@pytest.mark.parametrize("name", [*ENDINGS, "annulled"])
def test_the_verifier_finds_every_log_in_order(name: str) -> None:
    assert verify(golden.stored(f"scrabble/{name}"), name).ok


STRANGE: Final = "other-0123456789abcdef"


def strange(name: str) -> list[bytes]:
    """A golden log whose match names a list that nobody has."""

    def change(commit: dict[str, Any]) -> None:
        commit["events"][0]["options"]["dictionary"] = STRANGE

    return rewritten(golden.stored(f"scrabble/{name}"), 1, change)


@pytest.mark.parametrize("name", ["stuck", "challenged", "out-withdrawn", "left-open"])
def test_without_the_list_the_verifier_accuses_nobody_and_a_log_is_read_to_its_end(name: str) -> None:
    report = verify(strange(name), name)
    whole = verify(golden.stored(f"scrabble/{name}"), name)
    judged = name != "left-open"  # there nobody challenged
    assert report.difference is None
    assert report.status == ("cannot judge" if judged else "ok")
    assert report.missing == ((STRANGE,) if judged else ())
    assert (report.commits, report.plies, report.score) == (whole.commits, whole.plies, whole.score)
    assert (f"list {STRANGE} is not installed here" in " ".join(report.notes)) is judged


def test_without_the_list_a_forgery_that_needs_none_is_found() -> None:
    lines = strange("stuck")

    def change(commit: dict[str, Any]) -> None:
        commit["events"][1]["winner"] = 1

    report = verify(rewritten(lines, len(lines), change), "stuck")
    assert report.status == "differs"


def test_the_verifier_finds_a_wrong_verdict() -> None:
    lines = golden.stored("scrabble/challenged")
    n = next(n for n, line in enumerate(lines, 1) if UPHELD.encode() in line)

    def change(commit: dict[str, Any]) -> None:
        commit["events"][0]["move"] = FAILED

    (found,) = [verify(rewritten(lines, n, change), "challenged").difference]
    assert found is not None
    assert (found.n, found.field, found.expected, found.found) == (n, "events[0].move", UPHELD, FAILED)


def test_the_verifier_finds_a_word_that_is_not_on_the_list() -> None:
    lines = golden.stored("scrabble/stuck")
    (n, first), *_ = [
        (n, event.move)
        for n, line in enumerate(lines, 1)
        for event in decode_match(line).events
        if isinstance(event, MovePlayed) and is_play(event.move)
    ]
    start, _, word = first.partition(" ")

    def change(commit: dict[str, Any]) -> None:
        commit["events"][0]["move"] = f"{start} {word[::-1]}"

    report = verify(rewritten(lines, n, change), "stuck")
    assert f"Not on the list of words: {word[::-1].upper()}" in str(report.difference)
