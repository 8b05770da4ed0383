"""``kronika replay`` shows, with each board, the clocks and who does not play himself."""

import msgspec
import pytest

from services.cli.replay import boards, page
from services.cli.replay_seat import beside
from shared.match import MatchView
from shared.wire.presence import Presence
from tests.support import golden


def shown(name: str) -> list[MatchView]:
    """The boards of a golden match."""
    return [view for _, view in boards(golden.stored(f"backgammon/{name}"), 1)]


def after(name: str, event: str) -> MatchView:
    """The board after the first commit in which ``event`` happened."""
    return next(view for view in shown(name) if event in view.last.events)


def present(view: MatchView, seat: int, presence: Presence) -> MatchView:
    """``view`` with what is known of who is there."""
    seats = list(view.seats)
    seats[seat] = msgspec.structs.replace(seats[seat], presence=presence.state, since_ms=presence.since_ms)
    return msgspec.structs.replace(view, seats=tuple(seats))


@pytest.mark.rule("B6", "S17")
def test_the_remaining_time_stands_beside_each_seat_to_ten_seconds() -> None:
    first = shown("blitz-kick")[0]
    assert [beside(first, seat) for seat in (0, 1)] == ["0:30", "0:30 running"]
    lines = page(first).splitlines()
    assert [line.split("off")[1].strip() for line in lines if " pips" in line] == ["0:30 running", "0:30"]


def test_nothing_stands_there_where_nobody_is_timed_and_nobody_away() -> None:
    assert {beside(view, seat) for view in shown("single") for seat in (0, 1)} == {""}


@pytest.mark.rule("S13")
def test_a_clock_at_zero_may_be_thrown_out_and_then_the_computer_plays() -> None:
    fallen = after("blitz-kick", "flag_fell")
    assert fallen.clock is not None
    seat = fallen.clock.flagged
    assert seat is not None
    assert beside(fallen, seat) == "0:00, may be thrown out"
    assert beside(after("blitz-kick", "seat_kicked"), seat) == "0:00   thrown out, the computer plays"


@pytest.mark.rule("S7")
def test_a_ghost_is_told_from_its_player_and_since_when_he_is_away() -> None:
    ghosted = after("ghost", "seat_ghosted")
    (seat,) = [seat for seat in (0, 1) if ghosted.seats[seat].ghost]
    assert beside(ghosted, seat).endswith("   a ghost plays")
    live = beside(present(ghosted, seat, Presence("ghost", 1_700_000_000_000)), seat)
    assert "a ghost plays, the player is away since " in live
    assert live.endswith(":20")
    away = beside(present(ghosted, 1 - seat, Presence("away", 1_700_000_000_000)), 1 - seat)
    assert "   away since " in away
    for state in ("here", "unknown"):
        assert "away" not in beside(present(ghosted, 1 - seat, Presence(state)), 1 - seat)


@pytest.mark.rule("B7")
def test_an_offer_of_more_time_stands_beside_who_made_it() -> None:
    view = shown("blitz-kick")[0]
    assert view.clock is not None
    offered = msgspec.structs.replace(view, clock=msgspec.structs.replace(view.clock, extension=0))
    assert beside(offered, 0) == "0:30, offers 5 minutes more to both"
    assert beside(offered, 1) == "0:30 running"


def test_a_position_without_a_drawing_has_the_seats_below_it() -> None:
    view = msgspec.structs.replace(shown("blitz-kick")[0], board={"squares": []}, position="e4 e5")
    assert "  e4 e5\n  seat 0   0:30\n  seat 1   0:30 running\n" in page(view)
