"""What a cheating operator could edit in events though the chain is made anew: found, at its place."""

import msgspec
import pytest

from services.audit.domain import verify
from shared.chance import Dice
from shared.commands import Leave, Ready, Reveal
from shared.draws import NO_STRING, draw, secret_hash, string_hash
from shared.events.base import salt
from shared.fold import fold
from shared.rules.registry import CURRENT
from tests.support import golden
from tests.support.forging import Commit, edited, expect, log, where
from tests.support.matches import MemoryGame, rewritten


def test_edited_dice() -> None:
    def change(event: Commit) -> None:
        event["dice"] = [6, 6] if event["dice"] != [6, 6] else [5, 5]

    made, n, path = edited("single", "dice_rolled", 4, change)
    expect(verify(made), n, f"{path}.dice")


def test_a_roll_is_drawn_again_with_the_next_number() -> None:
    lines = log("single")
    n, place = where(lines, "dice_rolled", 6)
    game = golden.script("backgammon/single")

    def again(commit: Commit) -> None:
        event = commit["events"][place]
        event["draw"] += 1
        event["dice"] = list(draw(game.secret, game.match, (NO_STRING,) * 2, event["draw"], Dice(2)))

    expect(verify(rewritten(lines, n, again)), n, f"events[{place}].draw")


def test_an_illegal_move_in_place_of_the_played_one() -> None:
    made, n, path = edited("single", "move_played", 8, lambda e: e.update(move="24/23 24/22"))
    expect(verify(made), n, f"{path}.move")


def test_another_legal_move_does_not_fit_the_position() -> None:
    game = golden.script("backgammon/single")
    lines = log("single")
    n, place = where(lines, "move_played", 0)
    state = fold(lines[: n - 1])
    assert state is not None
    seat = msgspec.json.decode(lines[n - 1])["events"][place]["seat"]
    other = game.state.rules.legal(state.position, seat)[-1]
    made = rewritten(lines, n, lambda commit: commit["events"][place].update(move=other))
    expect(verify(made), n, f"events[{place}].position")


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
    made, n, path = edited("single", "game_ended", 0, lambda e: e.update({field: value}))
    expect(verify(made), n, f"{path}.{field}")


@pytest.mark.parametrize(("field", "value"), [("winner", 1), ("score", [0, 1]), ("cause", "left")])
def test_an_edited_result_of_a_match(field: str, value: object) -> None:
    made, n, path = edited("single", "match_ended", 0, lambda e: e.update({field: value}))
    expect(verify(made), n, f"{path}.{field}")


def test_a_dropped_crawford_flag() -> None:
    made, n, path = edited("match-to-3", "game_started", 1, lambda e: e.pop("crawford"))
    expect(verify(made), n, f"{path}.crawford")


def test_another_starter() -> None:
    made, n, path = edited("match-to-3", "game_started", 1, lambda e: e.update(first=1 - e.get("first", 0)))
    expect(verify(made), n, f"{path}.first")


def test_a_match_played_on_after_its_target() -> None:
    lines = log("match-to-3")
    made = rewritten(lines, 1, lambda commit: commit["events"][0]["terms"].update(target=2))
    n, place = where(lines, "game_ended", 0)
    expect(verify(made), n, f"events[{place + 1}]")


def test_a_seats_string_swapped() -> None:
    made, n, path = edited("luck-strings", "string_revealed", 1, lambda e: e.update(string="ab" * 32))
    expect(verify(made), n, f"{path}.string")


def test_a_secret_swapped() -> None:
    made, n, path = edited("single", "secret_revealed", 0, lambda e: e.update(secret="ab" * 32))
    expect(verify(made), n, f"{path}.secret")


def test_a_secret_and_its_hash_swapped() -> None:
    lines = rewritten(
        log("single"), 1, lambda c: c["events"][0].update(secret_hash=secret_hash(bytes([0xAB] * 32)))
    )
    made = rewritten(lines, len(lines), lambda c: c["events"][-1].update(secret="ab" * 32))
    expect(verify(made), 1, "salt")


def test_the_published_hash_edited() -> None:
    made, n, path = edited("single", "match_created", 0, lambda e: e.update(secret_hash="ab" * 32))
    expect(verify(made), n, f"{path}.secret_hash")


def test_another_players_act_in_a_players_commit() -> None:
    lines = log("single")
    n, _ = where(lines, "move_played", 3)
    other = msgspec.json.decode(lines[n])["events"][0]
    assert other["type"] == "dice_rolled"
    made = rewritten(lines, n, lambda commit: commit["events"].append(other))
    expect(verify(made), n, "events[1]")


def test_a_player_acts_in_anothers_name() -> None:
    lines = log("single")
    n, _ = where(lines, "move_played", 3)
    made = rewritten(lines, n, lambda commit: commit["by"].update(seat=1 - commit["by"].get("seat", 0)))
    expect(verify(made), n, "events[0].seat")


@pytest.mark.parametrize(
    "by",
    [{}, {"service": "lobby"}, {"service": "ghost", "for": 0}, {"seat": 0, "service": "ghost"}, {"seat": -1}],
)
def test_a_person_is_not_played_by_a_service(by: Commit) -> None:
    lines = log("against-the-computer")
    n = next(n for n, line in enumerate(lines, 1) if msgspec.json.decode(line)["by"] == {"seat": 0})
    expect(verify(rewritten(lines, n, lambda commit: commit.update(by=by))), n, "by")


def test_the_computers_seat_is_played_by_the_ghost_alone() -> None:
    lines = log("against-the-computer")
    n = next(n for n, line in enumerate(lines, 1) if b'"service":"ghost"' in line)
    expect(verify(rewritten(lines, n, lambda commit: commit.update(by={"seat": 1}))), n, "by")


def test_only_the_lobby_creates() -> None:
    expect(verify(rewritten(log("single"), 1, lambda c: c.update(by={"seat": 0}))), 1, "by")


def test_a_fault_of_the_verifier_is_a_difference_and_no_end_of_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> str:
        raise ZeroDivisionError

    lines = log("single")
    n, _ = where(lines, "move_played")
    monkeypatch.setattr(type(CURRENT["backgammon"]), "read", fail)
    report = verify(lines)
    expect(report, n, "events")
    assert report.difference is not None
    assert "ZeroDivisionError" in report.difference.sentence


def test_an_event_after_the_end() -> None:
    lines = log("single")
    extra = {"type": "next_pressed", "seat": 0}
    made = rewritten(lines, len(lines), lambda commit: commit["events"].append(extra))
    expect(verify(made), len(lines), f"events[{len(msgspec.json.decode(made[-1])['events']) - 1}]")


def test_a_commit_after_the_end() -> None:
    lines = log("single")
    game = golden.script("backgammon/single")
    last: Commit = msgspec.json.decode(lines[-1])
    after = last | {
        "n": last["n"] + 1,
        "command": "c999",
        "salt": salt(game.secret, game.match, last["n"] + 1),
        "events": [{"type": "auto_roll_set", "seat": last["by"].get("seat", 0), "on": True}],
    }
    made = [*lines, msgspec.json.encode(after)]
    expect(verify(rewritten(made, 1, lambda _: None)), len(made), "n")


@pytest.mark.parametrize("tag", ["game_ended", "match_ended", "secret_revealed"])
def test_an_end_that_is_left_out(tag: str) -> None:
    lines = log("single")
    n, place = where(lines, tag)
    made = rewritten(lines, n, lambda commit: commit["events"].pop(place))
    report = verify(made)
    assert report.difference is not None
    assert (report.difference.n, report.difference.field) == (n, f"events[{place}]")


@pytest.mark.parametrize("nth", range(3))
def test_a_switch_that_stands_so_already(nth: int) -> None:
    made, n, path = edited("auto-roll", "auto_roll_set", nth, lambda e: e.update(on=not e["on"]))
    expect(verify(made), n, f"{path}.on")


def test_an_automatic_roll_that_is_left_out() -> None:
    lines = log("auto-roll")
    n = next(n for n, line in enumerate(lines, 1) if b'"move_played"' in line and b'"dice_rolled"' in line)
    made = rewritten(lines, n, lambda commit: commit["events"].__delitem__(slice(1, None)))
    expect(verify(made), n, "events[1]")


def test_a_pass_that_was_not_forced() -> None:
    lines = log("single")
    n, _ = where(lines, "move_played", 3)
    seat = msgspec.json.decode(lines[n - 1])["events"][0]["seat"]
    made = rewritten(
        lines, n - 1, lambda commit: commit["events"].append({"type": "turn_passed", "seat": seat})
    )
    expect(verify(made), n - 1, "events[1]")


def test_a_double_in_the_crawford_game() -> None:
    lines = log("match-to-3")
    started, _ = where(lines, "game_started", 1)
    n = next(n for n in range(started + 1, len(lines)) if b'"dice_rolled"' in lines[n - 1])
    seat = msgspec.json.decode(lines[n - 1])["events"][0]["seat"]
    doubled = [{"type": "double_offered", "seat": seat, "value": 2}]
    expect(verify(rewritten(lines, n, lambda commit: commit.update(events=doubled))), n, "events[0]")


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
    made, n, path = edited(name, tag, 0, lambda e: e.update(value=2 * e["value"]))
    expect(verify(made), n, f"{path}.value")


def test_a_resignation_worth_less_than_the_rules_say() -> None:
    made, n, path = edited("resigned-gammon", "resignation_offered.v2", 0, lambda e: e.update(worth=1))
    expect(verify(made), n, f"{path}.worth")


def test_a_committed_match_cannot_pass_as_recorded() -> None:
    made = rewritten(log("single"), 1, lambda c: c["events"][0].update(chance="recorded"))
    n, place = where(made, "dice_rolled")
    expect(verify(made), n, f"events[{place}]")


def test_a_match_cancelled_when_its_dice_could_be_known_is_told() -> None:
    game = MemoryGame("cancelled late")
    for seat in (0, 1):
        game.send(seat, Ready(string_hash(bytes(31) + bytes((seat,)))))
    game.send(0, Reveal(bytes(32).hex()))
    game.send(1, Leave())
    report = verify(game.lines)
    assert report.ok
    assert report.outcome == "cancelled"
    assert len(report.notes) == 1
    assert verify(log("cancelled")).notes == ()
