"""Time in the log, judged again: what an operator could edit in clocks, flags, kicks and absence is found."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from services.audit.domain import verify
from shared.clocks import BLITZ, STANDARD, chess_clock
from shared.commands import AcceptExtension, Double, Kick, Next, OfferExtension, ReportAbsent, Take
from shared.events.match import Terms
from shared.fold import fold
from shared.match import MatchState
from shared.match.timing import CLAIM_AFTER_MS, deadline
from tests.support import golden
from tests.support.forging import Commit, edited, expect, log, where
from tests.support.matches import MemoryGame, Picker, rewritten

TIMED = (
    "blitz-kick",
    "blitz-auto-roll",
    "lost-on-time",
    "time-asked",
    "next-expired",
    "nobody-next",
    "ghost",
    "absent",
    "annulled",
    "outage",
)


def _deadline(lines: list[bytes], n: int) -> int:
    """What ran out next before commit ``n``."""
    state = fold(lines[: n - 1])
    assert state is not None
    due = deadline(state)
    assert due is not None
    return due.at_ms


def _stamped(at_ms: int) -> Callable[[Commit], None]:
    return lambda commit: commit.update(at_ms=at_ms, arrived_ms=at_ms)


@pytest.mark.parametrize("name", TIMED)
def test_every_charge_is_recomputed(name: str) -> None:
    lines = log(name)
    written = sum(line.count(b'"clock_charged"') for line in lines)
    report = verify(lines)
    assert report.ok
    assert report.charges == written > 0


@pytest.mark.parametrize("name", TIMED)
@pytest.mark.parametrize("field", ["seat", "used_ms", "left_ms", "turn_ms"])
def test_an_edited_charge(name: str, field: str) -> None:
    written = sum(line.count(b'"clock_charged"') for line in log(name))
    for nth in {0, written // 2, written - 1}:

        def change(event: Commit) -> None:
            event[field] = 1 - event["seat"] if field == "seat" else event.get(field, 0) + 1

        made, n, path = edited(name, "clock_charged", nth, change)
        expect(verify(made), n, f"{path}.{field}")


@pytest.mark.parametrize("name", TIMED)
def test_a_charge_left_out_or_added(name: str) -> None:
    lines = log(name)
    n, place = where(lines, "clock_charged", 1)
    expect(verify(rewritten(lines, n, lambda c: c["events"].pop(place))), n, f"events[{place}]")
    twice = rewritten(lines, n, lambda c: c["events"].append(c["events"][place]))
    expect(verify(twice), n, f"events[{place + 1}]")
    early = rewritten(lines, n, lambda c: c["events"].insert(1, c["events"].pop(place)))
    assert verify(early).ok == (place == 1)


def test_the_bonus_of_a_forced_pass_left_out() -> None:
    lines = log("blitz-auto-roll")
    n = next(n for n, line in enumerate(lines, 1) if line.count(b'"clock_charged"') == 2)
    place = len(msgspec.json.decode(lines[n - 1])["events"]) - 1
    expect(verify(rewritten(lines, n, lambda c: c["events"].pop())), n, f"events[{place}]")


def test_a_clock_with_other_times_than_were_played() -> None:
    for field, tag in (("budget_ms", "left_ms"), ("bonus_ms", "left_ms"), ("cap_ms", "left_ms")):
        made = rewritten(
            log("blitz-auto-roll"),
            1,
            lambda c, field=field: c["events"][0]["terms"]["clock"].update(
                {field: c["events"][0]["terms"]["clock"][field] - 1_000}
            ),
        )
        difference = verify(made).difference
        assert difference is not None
        if field == "cap_ms":  # credit would begin above its cap
            assert (difference.n, difference.field) == (1, "events[0].terms.clock")
        else:
            assert difference.field.endswith(tag)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("flag", "draw"),
        ("absence", "shrug"),
        ("grace_ms", -1),
        ("clock", {"kind": "sand", "budget_ms": 60_000}),
    ],
)
def test_terms_of_time_that_no_table_has(field: str, value: object) -> None:
    made = rewritten(log("absent"), 1, lambda c: c["events"][0]["terms"].update({field: value}))
    expect(verify(made), 1, f"events[0].terms.{field}")


def test_a_recorded_match_has_no_clock() -> None:
    clock = {"kind": "move", "budget_ms": 120_000}
    made = rewritten(log("recorded"), 1, lambda c: c["events"][0]["terms"].update(clock=clock))
    expect(verify(made), 1, "events[0].terms.clock")


@pytest.mark.parametrize("name", ["blitz-kick", "lost-on-time", "time-asked"])
def test_an_edited_deadline_of_a_flag(name: str) -> None:
    for change in (-1, 1):
        made, n, path = edited(
            name, "flag_fell", 0, lambda e, by=change: e.update(deadline_ms=e["deadline_ms"] + by)
        )
        expect(verify(made), n, f"{path}.deadline_ms")


@pytest.mark.parametrize(
    ("name", "tag"),
    [
        ("blitz-kick", "flag_fell"),
        ("blitz-kick", "seat_kicked"),
        ("lost-on-time", "flag_fell"),
        ("next-expired", "next_expired"),
        ("nobody-next", "next_expired"),
    ],
)
def test_a_deadline_is_claimed_and_kicked_on_only_from_600_ms_after_it(name: str, tag: str) -> None:
    lines = log(name)
    n, _ = where(lines, tag)
    due = _deadline(lines, n)
    assert lines == rewritten(lines, n, lambda _: None)
    expect(verify(rewritten(lines, n, _stamped(due + CLAIM_AFTER_MS - 1))), n, "at_ms")
    difference = verify(rewritten(lines, n, _stamped(due + CLAIM_AFTER_MS))).difference
    assert difference is None or difference.field != "at_ms" or difference.n > n


def test_a_move_after_the_deadline_where_that_loses() -> None:
    """The move was stamped 1 ms too late; the operator lets it stand."""
    lines = log("lost-on-time")
    n, _ = where(lines, "move_played", 7)
    due = _deadline(lines, n)
    expect(verify(rewritten(lines, n, _stamped(due))), n, "arrived_ms")
    in_time = verify(rewritten(lines, n, _stamped(due - 1))).difference
    assert in_time is not None
    assert in_time.field.endswith("used_ms")


def test_a_late_move_before_the_kick_is_good_and_after_it_is_not() -> None:
    lines = log("blitz-kick")
    kicked, _ = where(lines, "seat_kicked")
    loser = msgspec.json.decode(lines[kicked - 1])["events"][0]["seat"]
    assert verify(lines[: kicked - 1]).ok
    n = next(
        n
        for n in range(kicked + 1, len(lines))
        if msgspec.json.decode(lines[n - 1])["by"].get("for") == loser
    )
    expect(verify(rewritten(lines, n, lambda c: c.update(by={"seat": loser}))), n, "by")


def test_a_flag_is_claimed_once() -> None:
    game = golden.script("backgammon/blitz-kick")
    n, _ = where(game.lines, "flag_fell")
    claim: Commit = msgspec.json.decode(game.lines[n - 1])
    again = msgspec.json.encode(claim | {"n": n + 1, "command": "c999"})
    made = rewritten([*game.lines[:n], again], n, lambda _: None)
    difference = verify(made).difference
    assert difference is not None
    assert (difference.n, difference.field) in {(n + 1, "salt"), (n + 1, "events[0]")}


def test_what_a_flag_means_follows_the_terms() -> None:
    lines = log("blitz-kick")
    made = rewritten(lines, 1, lambda c: c["events"][0]["terms"].pop("flag"))
    n, _ = where(lines, "flag_fell")
    expect(verify(made), n, "events[1]")
    lines = log("time-asked")
    made = rewritten(lines, 1, lambda c: c["events"][0]["terms"].update(flag="kick"))
    n, _ = where(lines, "flag_fell")
    expect(verify(made), n, "events[1]")


def test_nobody_is_kicked_whose_clock_does_not_run() -> None:
    lines = log("blitz-kick")
    n, place = where(lines, "seat_kicked")
    made, n, path = edited("blitz-kick", "seat_kicked", 0, lambda e: e.update(seat=1 - e["seat"]))
    expect(verify(made), n, f"{path}.seat")
    own = rewritten(lines, n, lambda c: c["by"].update(seat=c["events"][place]["seat"]))
    expect(verify(own), n, "events[0]")


@pytest.mark.parametrize(
    ("name", "nth", "value"), [("blitz-kick", 0, True), ("ghost", 0, True), ("blitz-kick", 1, False)]
)
def test_what_the_computer_wins_is_not_counted_and_what_players_win_is(
    name: str, nth: int, *, value: bool
) -> None:
    made, n, path = edited(name, "game_ended", nth, lambda e: e.update(counted=value))
    expect(verify(made), n, f"{path}.counted")


@pytest.mark.parametrize(("name", "seats"), [("next-expired", [0, 1]), ("nobody-next", [0])])
def test_who_did_not_press_next(name: str, seats: list[int]) -> None:
    made, n, path = edited(name, "next_expired", 0, lambda e: e.update(seats=seats))
    expect(verify(made), n, f"{path}.seats")


def test_next_is_good_to_the_last_millisecond_and_not_longer() -> None:
    lines = log("next-expired")
    n, _ = where(lines, "next_pressed")
    due = _deadline(lines, n)
    assert msgspec.json.decode(lines[n - 1])["arrived_ms"] == due
    expect(verify(rewritten(lines, n, _stamped(due + 1))), n, "arrived_ms")


def test_extensions_only_where_they_are_allowed_and_of_their_size() -> None:
    for name, tag in (("lost-on-time", "extension_accepted"), ("time-asked", "time_asked")):
        made, n, path = edited(name, tag, 0, lambda e: e.update(ms=e["ms"] + 1))
        expect(verify(made), n, f"{path}.ms")
    lines = log("time-asked")
    n, _ = where(lines, "time_asked")
    seat = msgspec.json.decode(lines[n - 1])["by"].get("seat")
    later = next(n for n in range(n + 1, len(lines)) if msgspec.json.decode(lines[n])["by"] == {"seat": seat})
    asked = [{"type": "time_asked", "seat": seat, "ms": 120_000}]
    expect(verify(rewritten(lines, later + 1, lambda c: c.update(events=asked))), later + 1, "events[0]")
    offered = [{"type": "extension_offered", "seat": seat}]
    expect(verify(rewritten(lines, later + 1, lambda c: c.update(events=offered))), later + 1, "events[0]")
    lines = log("lost-on-time")
    n, _ = where(lines, "extension_accepted")
    accepted = {"by": {"seat": 0}, "events": [{"type": "extension_accepted", "seat": 0, "ms": 300_000}]}
    expect(verify(rewritten(lines, n, lambda c: c.update(accepted))), n, "events[0]")


def test_an_offer_that_lapsed_cannot_be_accepted() -> None:
    lines = log("lost-on-time")
    n, _ = where(lines, "extension_offered", 1)
    mover = msgspec.json.decode(lines[n - 1])["by"]["seat"]
    later, _ = where(lines, "move_played", 3)
    accepted = [{"type": "extension_accepted", "seat": 1 - mover, "ms": 300_000}]
    made = rewritten(lines, later, lambda c: c.update(by={"seat": 1 - mover}, events=accepted))
    expect(verify(made), later, "events[0]")


@pytest.mark.parametrize("name", TIMED)
def test_the_clock_service_says_nothing_else(name: str) -> None:
    """A player's act in a commit of the clock, and the clock's word in a commit of a player."""
    lines = log(name)
    begun, _ = where(lines, "dice_rolled", 0)
    for n in range(begun, len(lines) + 1):
        if b'"time_returned"' in lines[n - 1]:
            continue  # below
        by = msgspec.json.decode(lines[n - 1])["by"]
        theirs: dict[str, Any] = {"seat": 0} if by == {"service": "clock"} else {"service": "clock"}
        expect(verify(rewritten(lines, n, lambda c, to=theirs: c.update(by=to))), n, "events[0]")


@pytest.mark.parametrize(
    ("name", "change", "field"),
    [
        ("ghost", {"seat": 7}, "events[0].seat"),
        ("ghost", {"seat": -1}, "events[0].seat"),
        ("absent", {"seat": 1}, "events[1].winner"),
    ],
)
def test_an_edited_absence(name: str, change: Commit, field: str) -> None:
    lines = log(name)
    n, _ = where(lines, "seat_absent")
    made = rewritten(lines, n, lambda c: c["events"][0].update(change))
    difference = verify(made).difference
    assert difference is not None
    assert (difference.n, difference.field) in {(n, field), (n, "events[1].kind")}


def test_the_grace_was_given() -> None:
    made, n, path = edited("absent", "seat_absent", 0, lambda e: e.update(since_ms=e["since_ms"] + 1))
    expect(verify(made), n, f"{path}.since_ms")


@pytest.mark.rule("B12")
def test_an_absence_does_not_undo_a_flag_that_fell_before_the_grace_was_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a game service would store that forgets to look at the clock."""

    def forgetful(state: MatchState, stamp_ms: int) -> bool:
        del state, stamp_ms
        return False

    monkeypatch.setattr("services.game.absent.lost", forgetful)
    terms = Terms(clock=chess_clock(1), absence="forfeit", grace_ms=90_000)
    game, pick = MemoryGame("absent after a flag", terms), Picker("absent after a flag")
    game.start()
    game.play_on(pick.move, until=lambda state: state.half_moves == 4)
    waiting = 1 - game.demanded()[0]
    since_ms = game.state.at_ms
    game.after(90_000)
    game.hears(ReportAbsent(waiting, since_ms))
    expect(verify(game.lines), len(game.lines), "events[0]")


def test_annulled_only_where_the_silence_began_before_the_second_half_move_of_all() -> None:
    for name in ("absent", "annulled"):
        lines = log(name)
        n, _ = where(lines, "seat_absent")
        other = "match_cancelled" if name == "absent" else "game_ended"
        event = msgspec.json.decode(log("annulled" if name == "absent" else "absent")[-1])["events"][1]
        assert event["type"] == other
        made = rewritten(lines, n, lambda c, event=event: c["events"].__setitem__(1, event))
        expect(verify(made), n, "events[1]")


def test_a_ghost_plays_only_until_its_player_is_back() -> None:
    lines = log("ghost")
    n, _ = where(lines, "seat_returned")
    seat = msgspec.json.decode(lines[n - 1])["events"][0]["seat"]
    expect(verify(rewritten(lines, n, lambda c: c["events"][0].update(seat=1 - seat))), n, "events[0].seat")
    later = next(
        n for n in range(n + 1, len(lines)) if msgspec.json.decode(lines[n - 1])["by"] == {"seat": seat}
    )
    ghost = {"service": "ghost", "for": seat}
    expect(verify(rewritten(lines, later, lambda c: c.update(by=ghost))), later, "by")


def test_late_on_its_way_costs_nothing_and_the_clock_service_is_judged_when_it_speaks() -> None:
    """A take that arrived before the double was stored used 0 ms; a claim is charged at at_ms."""
    game, pick = MemoryGame("on its way", Terms(clock=BLITZ)), Picker("on its way")
    game.start()
    seat = game.to_roll(pick.move)
    game.send(seat, Double())
    game.after(100)
    game.send(1 - seat, Take(), late_ms=400)
    assert b'"used_ms":0' in game.lines[-1]
    game.at_deadline(CLAIM_AFTER_MS)
    game.hears()
    assert verify(game.lines).ok


def test_agreed_time_and_a_kick_verify_in_a_match_with_a_chess_clock() -> None:
    game, pick = MemoryGame("agreed", Terms(target=3, clock=chess_clock(1), flag="kick")), Picker("agreed")
    game.start()
    seat = game.to_roll(pick.move)
    game.send(1 - seat, OfferExtension())
    game.at_deadline(50)
    game.send(seat, AcceptExtension())
    game.at_deadline(CLAIM_AFTER_MS)
    game.send(1 - seat, Kick())
    game.play_on(pick.move)
    game.next()
    assert verify(game.lines).ok


def test_without_a_clock_next_waits_for_ever() -> None:
    game, pick = MemoryGame("patient", Terms(target=3)), Picker("patient")
    game.start()
    game.doubled(pick.move, taken=False)
    for seat in (0, 1):
        game.after(10**9)
        game.send(seat, Next())
    assert verify(game.lines).ok
    made = rewritten(
        game.lines,
        1,
        lambda c: c["events"][0]["terms"].update(clock=msgspec.to_builtins(STANDARD), flag="kick"),
    )
    assert not verify(made).ok


def test_time_given_back_follows_from_the_outage_and_comes_first() -> None:
    lines = log("outage")
    assert "130000 ms given back" in " ".join(verify(lines).notes)
    for nth in (0, 1):
        made, n, path = edited("outage", "time_returned", nth, lambda e: e.update(ms=e["ms"] + 1))
        expect(verify(made), n, f"{path}.ms")
    n, _ = where(lines, "time_returned", 1)
    moved = rewritten(lines, n, lambda c: c["events"].insert(1, c["events"].pop(0)))
    expect(verify(moved), n, "events[1]")
    without = rewritten(lines, n, lambda c: c["events"].pop(0))
    difference = verify(without).difference
    assert difference is not None
    assert difference.n == n
    charged, place = where(lines, "clock_charged", 6)
    assert place >= 1
    longer = rewritten(lines, charged, lambda c: c["events"][place].update(used_ms=1))
    expect(verify(longer), charged, f"events[{place}].used_ms")


def test_only_an_early_claim_may_do_nothing_but_give_time_back() -> None:
    lines = log("outage")
    n, _ = where(lines, "time_returned", 0)
    assert len(msgspec.json.decode(lines[n - 1])["events"]) == 1
    seat = {"seat": msgspec.json.decode(lines[n])["by"]["seat"]}
    expect(verify(rewritten(lines, n, lambda c: c.update(by=seat))), n, "events")
    due = _deadline(lines[:n], n + 1)
    expect(verify(rewritten(lines, n, _stamped(due + CLAIM_AFTER_MS))), n, "at_ms")
