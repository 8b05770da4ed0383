"""Lines, numbers, times, salts and first commits that cannot have been stored: found, at their place."""

import msgspec
import pytest

from services.audit.domain import verify
from shared.events.base import salt
from tests.support import golden
from tests.support.forging import Commit, expect, log, where
from tests.support.matches import numbered, rewritten


def test_a_flipped_byte_is_found_in_the_commit_or_by_the_next() -> None:
    lines = log("single")
    n, _ = where(lines, "move_played", 5)
    for place in range(0, len(lines[n - 1]), 7):
        line = bytearray(lines[n - 1])
        line[place] ^= 1
        report = verify([*lines[: n - 1], bytes(line), *lines[n:]])
        assert report.difference is not None
        assert report.difference.n in (n, n + 1)
        if report.difference.n == n + 1:
            assert report.difference.field == "prev"


def test_a_byte_flipped_in_a_text_that_means_nothing_breaks_the_chain() -> None:
    lines = log("single")
    lines[30] = lines[30].replace(b'"command":"c31"', b'"command":"c3x"')
    expect(verify(lines), 32, "prev")


def test_a_commit_removed_from_the_middle() -> None:
    lines = log("single")
    expect(verify(lines[:20] + lines[21:]), 21, "n")


def test_a_commit_removed_and_the_rest_numbered_anew() -> None:
    lines = log("single")
    expect(verify(numbered(lines[:20] + lines[21:])), 21, "salt")


def test_the_newest_commits_cut_off_is_an_unfinished_match() -> None:
    lines = log("single")
    report = verify(lines[:-1])
    assert report.ok
    assert report.outcome == "unfinished"
    assert report.checked_draws == 0
    assert any(note.startswith("unfinished") for note in report.notes)


def test_a_wrong_salt() -> None:
    made = rewritten(log("single"), 12, lambda c: c.update(salt="0" * 32))
    expect(verify(made), 12, "salt")


def test_the_salt_of_another_commit() -> None:
    game = golden.script("backgammon/single")
    made = rewritten(log("single"), 12, lambda c: c.update(salt=salt(game.secret, game.match, 13)))
    expect(verify(made), 12, "salt")


def test_a_key_that_stands_twice() -> None:
    lines = log("single")
    lines[9] = lines[9].replace(b'"n":10,', b'"n":10,"n":10,')
    expect(verify(lines), 10, "n")
    lines = log("single")
    lines[0] = lines[0].replace(b'"rules_version":1', b'"rules_version":1,"rules_version":1')
    expect(verify(lines), 1, "events[0].rules_version")


LONG_NUMBERS = {"2^53": b"9007199254740992", "2^63": b"9223372036854775808", "10^5000": b"1" + b"0" * 5000}


@pytest.mark.parametrize("text", LONG_NUMBERS.values(), ids=LONG_NUMBERS)
def test_an_integer_that_not_every_reader_reads_alike(text: bytes) -> None:
    lines = log("single")
    at = msgspec.json.decode(lines[9])["at_ms"]
    lines[9] = lines[9].replace(b'"at_ms":%d' % at, b'"at_ms":' + text)
    expect(verify(lines), 10, "at_ms")


def test_a_float_even_if_it_is_whole() -> None:
    lines = log("single")
    lines[9] = lines[9].replace(b'"n":10,', b'"n":10.0,')
    expect(verify(lines), 10, "n")


@pytest.mark.parametrize(
    "line",
    [b"", b"{", b"[]", b"null", b'{"v":NaN}', b"\xff\xfe", b"[" * 100_000],
    ids=["empty", "cut off", "list", "null", "NaN", "no text", "deep"],
)
def test_a_line_that_is_no_commit(line: bytes) -> None:
    lines = log("single")
    lines[9] = line
    expect(verify(lines), 10, "line")


def test_a_carriage_return_is_not_in_the_stored_bytes() -> None:
    lines = [line + b"\r" for line in log("single")]
    expect(verify(lines), 1, "line")


def test_time_that_goes_back() -> None:
    lines = log("single")
    before = msgspec.json.decode(lines[10])["at_ms"]
    made = rewritten(lines, 12, lambda c: c.update(at_ms=before - 1, arrived_ms=before - 1))
    expect(verify(made), 12, "at_ms")


@pytest.mark.parametrize("off", [1, -501])
def test_an_arrival_that_cannot_have_counted(off: int) -> None:
    made = rewritten(log("single"), 12, lambda c: c.update(arrived_ms=c["at_ms"] + off))
    expect(verify(made), 12, "arrived_ms")


def test_one_command_that_acted_twice() -> None:
    lines = log("single")
    n = next(
        n
        for n in range(12, len(lines))
        if msgspec.json.decode(lines[n - 1])["by"] == msgspec.json.decode(lines[9])["by"]
    )
    expect(verify(rewritten(lines, n, lambda c: c.update(command="c10"))), n, "command")


def test_a_commit_of_another_match() -> None:
    made = rewritten(log("single"), 12, lambda c: c.update(match="manothermatch"))
    expect(verify(made), 12, "match")


def test_an_unknown_event_is_not_guessed_at() -> None:
    made = rewritten(log("single"), 12, lambda c: c["events"][0].update(type="dice_rolled.v9"))
    report = verify(made)
    assert report.difference is not None
    assert (report.difference.n, report.difference.field) == (12, "events[0].type")


def test_an_unknown_field_is_noticed_and_does_no_harm() -> None:
    made = rewritten(log("single"), 12, lambda c: c["events"][0].update(mood="fine"))
    report = verify(made)
    assert report.ok
    assert report.notes == ("commit 12: events[0].mood is unknown to this version and was not checked",)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("rules", "tiddlywinks"),
        ("rules_version", 99),
        ("chance", "loaded"),
        ("options", {"jacoby": True}),
        ("secret_hash", "AB" * 32),
    ],
)
def test_a_match_that_cannot_have_been_created(field: str, value: object) -> None:
    lines = log("single")[:1]
    made = rewritten(lines, 1, lambda c: c["events"][0].update({field: value}))
    expected = "events[0].rules" if field == "rules_version" else f"events[0].{field}"
    expect(verify(made), 1, expected)


@pytest.mark.parametrize(
    ("terms", "field"),
    [({"target": 4}, "target"), ({"target": 0}, "target"), ({"first_move": "loser"}, "first_move")],
)
def test_terms_that_no_table_has(terms: Commit, field: str) -> None:
    made = rewritten(log("single")[:1], 1, lambda c: c["events"][0].update(terms=terms))
    expect(verify(made), 1, f"events[0].terms.{field}")


def test_one_player_on_both_seats() -> None:
    made = rewritten(
        log("single")[:1], 1, lambda c: c["events"][0].update(seats=[{"player": "psameplayer"}] * 2)
    )
    expect(verify(made), 1, "events[0].seats[1].player")


def test_an_empty_log() -> None:
    expect(verify([]), 1, "line")
