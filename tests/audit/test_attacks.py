"""What a cheating operator could edit, even if he makes the whole chain anew: found, at its place."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from services.audit.domain import verify
from services.audit.report import MatchReport
from shared.chance import Dice
from shared.commands import Leave, Ready, Reveal
from shared.draws import NO_STRING, draw, secret_hash, string_hash
from shared.events.base import salt
from shared.fold import fold
from tests.support import golden
from tests.support.matches import MemoryGame, numbered, rewritten

Commit = dict[str, Any]


def _log(name: str) -> list[bytes]:
    return golden.stored(name)


def _where(lines: list[bytes], tag: str, nth: int = 0) -> tuple[int, int]:
    """(n, place) of the nth event with this tag."""
    found = [
        (n, place)
        for n, line in enumerate(lines, 1)
        for place, event in enumerate(msgspec.json.decode(line)["events"])
        if event["type"] == tag
    ]
    return found[nth]


def _expect(report: MatchReport, n: int, field: str) -> None:
    assert not report.ok
    assert report.difference is not None
    assert (report.difference.n, report.difference.field) == (n, field), report.difference
    assert report.difference.sentence
    assert report.commits == n - 1
    assert msgspec.json.encode(report)


def _edited(name: str, tag: str, nth: int, change: Callable[[Commit], None]) -> tuple[list[bytes], int, str]:
    """The log with one event changed and the chain made anew; where that was."""
    lines = _log(name)
    n, place = _where(lines, tag, nth)
    made = rewritten(lines, n, lambda commit: change(commit["events"][place]))
    assert made != lines
    return made, n, f"events[{place}]"


def test_a_flipped_byte_is_found_in_the_commit_or_by_the_next() -> None:
    lines = _log("single")
    n, _ = _where(lines, "move_played", 5)
    for place in range(0, len(lines[n - 1]), 7):
        line = bytearray(lines[n - 1])
        line[place] ^= 1
        report = verify([*lines[: n - 1], bytes(line), *lines[n:]])
        assert report.difference is not None
        assert report.difference.n in (n, n + 1)
        if report.difference.n == n + 1:
            assert report.difference.field == "prev"


def test_a_byte_flipped_in_a_text_that_means_nothing_breaks_the_chain() -> None:
    lines = _log("single")
    lines[30] = lines[30].replace(b'"command":"c31"', b'"command":"c3x"')
    _expect(verify(lines), 32, "prev")


def test_a_commit_removed_from_the_middle() -> None:
    lines = _log("single")
    _expect(verify(lines[:20] + lines[21:]), 21, "n")


def test_a_commit_removed_and_the_rest_numbered_anew() -> None:
    lines = _log("single")
    _expect(verify(numbered(lines[:20] + lines[21:])), 21, "salt")


def test_the_newest_commits_cut_off_is_an_unfinished_match() -> None:
    lines = _log("single")
    report = verify(lines[:-1])
    assert report.ok
    assert report.outcome == "unfinished"
    assert report.checked_draws == 0
    assert any(note.startswith("unfinished") for note in report.notes)


def test_edited_dice() -> None:
    def change(event: Commit) -> None:
        event["dice"] = [6, 6] if event["dice"] != [6, 6] else [5, 5]

    made, n, path = _edited("single", "dice_rolled", 4, change)
    _expect(verify(made), n, f"{path}.dice")


def test_a_roll_is_drawn_again_with_the_next_number() -> None:
    lines = _log("single")
    n, place = _where(lines, "dice_rolled", 6)
    game = golden.single()

    def again(commit: Commit) -> None:
        event = commit["events"][place]
        event["draw"] += 1
        event["dice"] = list(draw(game.secret, game.match, (NO_STRING,) * 2, event["draw"], Dice(2)))

    _expect(verify(rewritten(lines, n, again)), n, f"events[{place}].draw")


def test_an_illegal_move_in_place_of_the_played_one() -> None:
    made, n, path = _edited("single", "move_played", 8, lambda e: e.update(move="24/23 24/22"))
    _expect(verify(made), n, f"{path}.move")


def test_another_legal_move_does_not_fit_the_position() -> None:
    game = golden.single()
    lines = _log("single")
    n, place = _where(lines, "move_played", 0)
    state = fold(lines[: n - 1])
    assert state is not None
    seat = msgspec.json.decode(lines[n - 1])["events"][place]["seat"]
    other = game.state.rules.legal(state.position, seat)[-1]
    made = rewritten(lines, n, lambda commit: commit["events"][place].update(move=other))
    _expect(verify(made), n, f"events[{place}].position")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("winner", 1),
        ("kind", "backgammon"),
        ("points", 8),
        ("score", [8, 0]),
        ("cause", "resigned"),
        ("game", 2),
        ("counted", False),
    ],
)
def test_an_edited_result_of_a_game(field: str, value: object) -> None:
    made, n, path = _edited("single", "game_ended", 0, lambda e: e.update({field: value}))
    _expect(verify(made), n, f"{path}.{field}")


@pytest.mark.parametrize(("field", "value"), [("winner", 1), ("score", [0, 1]), ("cause", "left")])
def test_an_edited_result_of_a_match(field: str, value: object) -> None:
    made, n, path = _edited("single", "match_ended", 0, lambda e: e.update({field: value}))
    _expect(verify(made), n, f"{path}.{field}")


def test_a_dropped_crawford_flag() -> None:
    made, n, path = _edited("match-to-3", "game_started", 1, lambda e: e.pop("crawford"))
    _expect(verify(made), n, f"{path}.crawford")


def test_another_starter() -> None:
    made, n, path = _edited("match-to-3", "game_started", 1, lambda e: e.update(first=1 - e.get("first", 0)))
    _expect(verify(made), n, f"{path}.first")


def test_a_match_played_on_after_its_target() -> None:
    lines = _log("match-to-3")
    made = rewritten(lines, 1, lambda commit: commit["events"][0]["terms"].update(target=2))
    n, place = _where(lines, "game_ended", 0)
    _expect(verify(made), n, f"events[{place + 1}]")


def test_a_seats_string_swapped() -> None:
    made, n, path = _edited("luck-strings", "string_revealed", 1, lambda e: e.update(string="ab" * 32))
    _expect(verify(made), n, f"{path}.string")


def test_a_secret_swapped() -> None:
    made, n, path = _edited("single", "secret_revealed", 0, lambda e: e.update(secret="ab" * 32))
    _expect(verify(made), n, f"{path}.secret")


def test_a_secret_and_its_hash_swapped() -> None:
    lines = rewritten(
        _log("single"), 1, lambda c: c["events"][0].update(secret_hash=secret_hash(bytes([0xAB] * 32)))
    )
    made = rewritten(lines, len(lines), lambda c: c["events"][-1].update(secret="ab" * 32))
    _expect(verify(made), 1, "salt")


def test_the_published_hash_edited() -> None:
    made, n, path = _edited("single", "match_created", 0, lambda e: e.update(secret_hash="ab" * 32))
    _expect(verify(made), n, f"{path}.secret_hash")


def test_a_wrong_salt() -> None:
    made = rewritten(_log("single"), 12, lambda c: c.update(salt="0" * 32))
    _expect(verify(made), 12, "salt")


def test_the_salt_of_another_commit() -> None:
    game = golden.single()
    made = rewritten(_log("single"), 12, lambda c: c.update(salt=salt(game.secret, game.match, 13)))
    _expect(verify(made), 12, "salt")


def test_a_key_that_stands_twice() -> None:
    lines = _log("single")
    lines[9] = lines[9].replace(b'"n":10,', b'"n":10,"n":10,')
    _expect(verify(lines), 10, "n")
    lines = _log("single")
    lines[0] = lines[0].replace(b'"rules_version":1', b'"rules_version":1,"rules_version":1')
    _expect(verify(lines), 1, "events[0].rules_version")


LONG_NUMBERS = {"2^53": b"9007199254740992", "2^63": b"9223372036854775808", "10^5000": b"1" + b"0" * 5000}


@pytest.mark.parametrize("text", LONG_NUMBERS.values(), ids=LONG_NUMBERS)
def test_an_integer_that_not_every_reader_reads_alike(text: bytes) -> None:
    lines = _log("single")
    at = msgspec.json.decode(lines[9])["at_ms"]
    lines[9] = lines[9].replace(b'"at_ms":%d' % at, b'"at_ms":' + text)
    _expect(verify(lines), 10, "at_ms")


def test_a_float_even_if_it_is_whole() -> None:
    lines = _log("single")
    lines[9] = lines[9].replace(b'"n":10,', b'"n":10.0,')
    _expect(verify(lines), 10, "n")


@pytest.mark.parametrize(
    "line",
    [b"", b"{", b"[]", b"null", b'{"v":NaN}', b"\xff\xfe", b"[" * 100_000],
    ids=["empty", "cut off", "list", "null", "NaN", "no text", "deep"],
)
def test_a_line_that_is_no_commit(line: bytes) -> None:
    lines = _log("single")
    lines[9] = line
    _expect(verify(lines), 10, "line")


def test_a_carriage_return_is_not_in_the_stored_bytes() -> None:
    lines = [line + b"\r" for line in _log("single")]
    _expect(verify(lines), 1, "line")


def test_another_players_act_in_a_players_commit() -> None:
    lines = _log("single")
    n, _ = _where(lines, "move_played", 3)
    other = msgspec.json.decode(lines[n])["events"][0]
    assert other["type"] == "dice_rolled"
    made = rewritten(lines, n, lambda commit: commit["events"].append(other))
    _expect(verify(made), n, "events[1]")


def test_a_player_acts_in_anothers_name() -> None:
    lines = _log("single")
    n, _ = _where(lines, "move_played", 3)
    made = rewritten(lines, n, lambda commit: commit["by"].update(seat=1 - commit["by"].get("seat", 0)))
    _expect(verify(made), n, "events[0].seat")


@pytest.mark.parametrize(
    "by",
    [{}, {"service": "lobby"}, {"service": "ghost", "for": 0}, {"seat": 0, "service": "ghost"}, {"seat": -1}],
)
def test_a_person_is_not_played_by_a_service(by: Commit) -> None:
    lines = _log("against-the-computer")
    n = next(n for n, line in enumerate(lines, 1) if msgspec.json.decode(line)["by"] == {"seat": 0})
    _expect(verify(rewritten(lines, n, lambda commit: commit.update(by=by))), n, "by")


def test_the_computers_seat_is_played_by_the_ghost_alone() -> None:
    lines = _log("against-the-computer")
    n = next(n for n, line in enumerate(lines, 1) if b'"service":"ghost"' in line)
    _expect(verify(rewritten(lines, n, lambda commit: commit.update(by={"seat": 1}))), n, "by")


def test_only_the_lobby_creates() -> None:
    _expect(verify(rewritten(_log("single"), 1, lambda c: c.update(by={"seat": 0}))), 1, "by")


def test_an_event_after_the_end() -> None:
    lines = _log("single")
    extra = {"type": "next_pressed", "seat": 0}
    made = rewritten(lines, len(lines), lambda commit: commit["events"].append(extra))
    _expect(verify(made), len(lines), f"events[{len(msgspec.json.decode(made[-1])['events']) - 1}]")


def test_a_commit_after_the_end() -> None:
    lines = _log("single")
    game = golden.single()
    last: Commit = msgspec.json.decode(lines[-1])
    after = last | {
        "n": last["n"] + 1,
        "command": "c999",
        "salt": salt(game.secret, game.match, last["n"] + 1),
        "events": [{"type": "auto_roll_set", "seat": last["by"].get("seat", 0), "on": True}],
    }
    made = [*lines, msgspec.json.encode(after)]
    _expect(verify(rewritten(made, 1, lambda _: None)), len(made), "n")


@pytest.mark.parametrize("tag", ["game_ended", "match_ended", "secret_revealed"])
def test_an_end_that_is_left_out(tag: str) -> None:
    lines = _log("single")
    n, place = _where(lines, tag)
    made = rewritten(lines, n, lambda commit: commit["events"].pop(place))
    report = verify(made)
    assert report.difference is not None
    assert (report.difference.n, report.difference.field) == (n, f"events[{place}]")


def test_an_automatic_roll_that_is_left_out() -> None:
    lines = _log("auto-roll")
    n = next(n for n, line in enumerate(lines, 1) if b'"move_played"' in line and b'"dice_rolled"' in line)
    made = rewritten(lines, n, lambda commit: commit["events"].__delitem__(slice(1, None)))
    _expect(verify(made), n, "events[1]")


def test_a_pass_that_was_not_forced() -> None:
    lines = _log("single")
    n, _ = _where(lines, "move_played", 3)
    seat = msgspec.json.decode(lines[n - 1])["events"][0]["seat"]
    made = rewritten(
        lines, n - 1, lambda commit: commit["events"].append({"type": "turn_passed", "seat": seat})
    )
    _expect(verify(made), n - 1, "events[1]")


def test_a_double_in_the_crawford_game() -> None:
    lines = _log("match-to-3")
    started, _ = _where(lines, "game_started", 1)
    n = next(n for n in range(started + 1, len(lines)) if b'"dice_rolled"' in lines[n - 1])
    seat = msgspec.json.decode(lines[n - 1])["events"][0]["seat"]
    doubled = [{"type": "double_offered", "seat": seat, "value": 2}]
    _expect(verify(rewritten(lines, n, lambda commit: commit.update(events=doubled))), n, "events[0]")


@pytest.mark.parametrize(
    ("name", "tag"),
    [
        ("cube-at-64", "double_offered"),
        ("cube-at-64", "double_taken"),
        ("beaver-accepted", "double_beavered"),
        ("beaver-accepted", "beaver_accepted"),
    ],
)
def test_an_edited_cube(name: str, tag: str) -> None:
    made, n, path = _edited(name, tag, 0, lambda e: e.update(value=2 * e["value"]))
    _expect(verify(made), n, f"{path}.value")


def test_a_resignation_worth_less_than_the_rules_say() -> None:
    made, n, path = _edited("resigned-gammon", "resignation_offered.v2", 0, lambda e: e.update(worth=1))
    _expect(verify(made), n, f"{path}.worth")


def test_time_that_goes_back() -> None:
    lines = _log("single")
    before = msgspec.json.decode(lines[10])["at_ms"]
    made = rewritten(lines, 12, lambda c: c.update(at_ms=before - 1, arrived_ms=before - 1))
    _expect(verify(made), 12, "at_ms")


@pytest.mark.parametrize("off", [1, -501])
def test_an_arrival_that_cannot_have_counted(off: int) -> None:
    made = rewritten(_log("single"), 12, lambda c: c.update(arrived_ms=c["at_ms"] + off))
    _expect(verify(made), 12, "arrived_ms")


def test_one_command_that_acted_twice() -> None:
    lines = _log("single")
    n = next(
        n
        for n in range(12, len(lines))
        if msgspec.json.decode(lines[n - 1])["by"] == msgspec.json.decode(lines[9])["by"]
    )
    _expect(verify(rewritten(lines, n, lambda c: c.update(command="c10"))), n, "command")


def test_a_commit_of_another_match() -> None:
    made = rewritten(_log("single"), 12, lambda c: c.update(match="manothermatch"))
    _expect(verify(made), 12, "match")


def test_an_unknown_event_is_not_guessed_at() -> None:
    made = rewritten(_log("single"), 12, lambda c: c["events"][0].update(type="dice_rolled.v9"))
    report = verify(made)
    assert report.difference is not None
    assert (report.difference.n, report.difference.field) == (12, "events[0].type")


def test_an_unknown_field_is_noticed_and_does_no_harm() -> None:
    made = rewritten(_log("single"), 12, lambda c: c["events"][0].update(mood="fine"))
    report = verify(made)
    assert report.ok
    assert report.notes == ("commit 12: events[0].mood is unknown to this version and was not checked",)


def test_a_committed_match_cannot_pass_as_recorded() -> None:
    made = rewritten(_log("single"), 1, lambda c: c["events"][0].update(chance="recorded"))
    n, place = _where(made, "dice_rolled")
    _expect(verify(made), n, f"events[{place}]")


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
    lines = _log("single")[:1]
    made = rewritten(lines, 1, lambda c: c["events"][0].update({field: value}))
    expected = "events[0].rules" if field == "rules_version" else f"events[0].{field}"
    _expect(verify(made), 1, expected)


@pytest.mark.parametrize(
    ("terms", "field"),
    [({"target": 4}, "target"), ({"target": 0}, "target"), ({"first_move": "loser"}, "first_move")],
)
def test_terms_that_no_table_has(terms: Commit, field: str) -> None:
    made = rewritten(_log("single")[:1], 1, lambda c: c["events"][0].update(terms=terms))
    _expect(verify(made), 1, f"events[0].terms.{field}")


def test_one_player_on_both_seats() -> None:
    made = rewritten(
        _log("single")[:1], 1, lambda c: c["events"][0].update(seats=[{"player": "psameplayer"}] * 2)
    )
    _expect(verify(made), 1, "events[0].seats[1].player")


def test_a_match_cancelled_when_its_dice_could_be_known_is_told() -> None:
    game = MemoryGame("cancelled late")
    for seat in (0, 1):
        game.send(seat, Ready(string_hash(bytes(32))))
    game.send(0, Reveal(bytes(32).hex()))
    game.send(1, Leave())
    report = verify(game.lines)
    assert report.ok
    assert report.outcome == "cancelled"
    assert len(report.notes) == 1
    assert verify(_log("cancelled")).notes == ()


def test_an_empty_log() -> None:
    _expect(verify([]), 1, "line")
