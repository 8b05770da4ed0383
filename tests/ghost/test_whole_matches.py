"""Whole matches through the services as they run (game, clock, absence, ghost), time moved on by hand.

Somebody vanishes in game 2, or is thrown out; he comes back, or not; his side wins, or not. The game is
played with real dice until one side is sure to win, so that a test can say whether he who vanishes wins.
"""

from collections.abc import AsyncIterator
from typing import Final

import msgspec
import pytest

from shared.catalogue import HOUSES
from shared.clocks import BLITZ
from shared.commands import Kick, Next, Play, Roll
from shared.events.codec import MatchCommit
from shared.events.match import (
    FlagFell,
    GameStarted,
    MovePlayed,
    NextExpired,
    SeatAbsent,
    SeatGhosted,
    SeatKicked,
    SeatReturned,
)
from shared.match import Phase, demands, view
from shared.match.timing import deadline
from tests.support.evening import Evening
from tests.support.story import match_to
from tests.support.timed import to_decide
from tests.support.verdicts import CANCELLED, CLAIMED_MS, GOES_ON, NEXT_MS, WHO, End, Verdict, verdict

GHOST, OTHER = "the ghost", "the other"
PRESSES: Final = (1_000, NEXT_MS, NEXT_MS + 1, None)
"""When he who vanished presses Next, after the game's end: in time, at the last moment, too late, never."""


@pytest.fixture
async def evening() -> AsyncIterator[Evening]:
    evening = await Evening().open()
    yield evening
    await evening.close()


async def judged(
    evening: Evening, before: tuple[int, ...], *, computer: tuple[int, ...], pressed: tuple[int, ...]
) -> Verdict:
    """What the rules make of the game that has just ended; that much is in the log so far."""
    state = await evening.state()
    ended, _ = await evening.ended()
    assert ended.winner is not None
    must = verdict(
        End(
            target=state.created.terms.target,
            score=(before[0], before[1]),
            winner=ended.winner,
            points=ended.points,
            computer=computer,
            taken_over=tuple(seat for seat in (0, 1) if state.taken_over[seat] or state.kicked[seat]),
        ),
        pressed,
    )
    assert (ended.counted, state.score) == (must.counts, must.score)
    return must


async def follows(evening: Evening, must: Verdict) -> None:
    """The match stands where it must, and its whole log is in order."""
    state = await evening.state()
    assert state.phase is (Phase.PLAYING if must.follows == GOES_ON else Phase.OVER)
    if must.follows == GOES_ON:
        assert not any(state.ghosted)
        assert not any(state.kicked)
    else:
        assert state.winner == (None if must.follows == CANCELLED else must.follows)
        assert state.cause.startswith("cancelled") is (must.follows == CANCELLED)
    await evening.verified()
    assert not any(match == evening.table.match for match, _ in evening.house.timers.armed)


async def next_at(evening: Evening, seat: int, ms: int | None) -> bool:
    """The other presses Next at once, ``seat`` so long after the end; whether that was accepted."""
    _, ended_ms = await evening.ended()
    await evening.does(1 - seat, Next())
    await evening.comes(seat)
    assert (await evening.state()).phase is Phase.BETWEEN  # nobody else presses for him
    if ms is not None:
        await evening.house.at(ended_ms + ms)
        if ms <= NEXT_MS:
            await evening.does(seat, Next())
            return True
        assert await evening.refused(seat, Next()) == "flag_fallen"
    await evening.house.at(ended_ms + NEXT_MS + CLAIMED_MS - 1)
    assert (await evening.state()).phase is Phase.BETWEEN
    await evening.house.at(ended_ms + NEXT_MS + CLAIMED_MS)
    assert await evening.house.events(evening.table, NextExpired) == [NextExpired((seat,))]
    return False


def by_ghost(commits: list[MatchCommit]) -> set[int | None]:
    """The seats for which a ghost has moved; it is marked in every commit of its."""
    moved = [
        c for c in commits if c.by.service == "ghost" and any(isinstance(e, MovePlayed) for e in c.events)
    ]
    return {commit.by.for_seat for commit in moved}


@pytest.mark.rule("S5", "S7", "S8", "N13")
@pytest.mark.parametrize("house", ["duels", "nardy"])
@pytest.mark.parametrize("presses", PRESSES)
@pytest.mark.parametrize("won_by", [GHOST, OTHER])
async def test_he_vanishes_in_game_two_and_the_ghost_plays_it_to_its_end(
    evening: Evening, won_by: str, presses: int | None, house: str
) -> None:
    seat = await evening.to_a_sure_end(match_to(5, house), mover_wins=won_by == GHOST)
    before = (await evening.state()).score
    await evening.vanishes(seat)
    await evening.plays()
    assert by_ghost(await evening.commits()) == {seat}
    ended, _ = await evening.ended()
    assert (ended.winner, ended.game) == (seat if won_by == GHOST else 1 - seat, 2)
    in_time = await next_at(evening, seat, presses)
    must = await judged(evening, before, computer=(seat,), pressed=(0, 1) if in_time else (1 - seat,))
    if in_time:
        begun = (await evening.house.events(evening.table, GameStarted))[-1]
        alternate = match_to(5, house).first_move == "alternate"
        assert (begun.game, begun.first is not None) == (3, alternate)
    await follows(evening, must)


@pytest.mark.rule("S4", "S8")
async def test_who_beats_the_ghost_and_has_the_target_has_won_at_once(evening: Evening) -> None:
    for attempt in range(10):
        await evening.to_the_last_game(match_to(2, "nardy"), f"target {attempt}")
        leader = (await evening.state()).score.index(1)
        await evening.vanishes(1 - leader)
        await evening.plays()
        ended, _ = await evening.ended()
        must = await judged(
            evening, tuple(int(s == leader) for s in (0, 1)), computer=(1 - leader,), pressed=(0, 1)
        )
        if ended.winner == leader:
            assert (must.follows, (await evening.state()).phase) == (leader, Phase.OVER)
            await follows(evening, must)
            return
        assert (await evening.state()).phase is Phase.BETWEEN  # points that would have been enough
    raise AssertionError("the ghost wins every game")


@pytest.mark.rule("S7", "S8")
@pytest.mark.parametrize("turns", [0, 1, 4])
async def test_he_comes_back_in_time_plays_on_and_what_he_wins_is_his(evening: Evening, turns: int) -> None:
    seen: set[int | None] = set()
    for attempt in range(6):
        await evening.to_the_last_game(match_to(9), f"back {attempt}")
        seat, before = attempt % 2, (await evening.state()).score
        await evening.vanishes(seat)
        took_over = (await evening.state()).half_moves
        await evening.plays(lambda s, most=took_over + turns: s.half_moves >= most)
        assert view(await evening.state(), 1 - seat).seats[seat].presence == "ghost"
        await evening.comes(seat)
        assert await evening.house.events(evening.table, SeatReturned) == [SeatReturned(seat)]
        played = by_ghost(await evening.commits())
        back = (await evening.state()).n
        await evening.plays()
        assert by_ghost((await evening.commits())[back:]) == set()
        assert played <= {seat}
        must = await judged(evening, before, computer=(), pressed=(0, 1))
        seen.add((await evening.ended())[0].winner == seat)
        if must.asks:
            await evening.next_game()
        await follows(evening, must)
    assert seen == {True, False}, "he wins one and loses one"


@pytest.mark.rule("S18", "N13")
@pytest.mark.parametrize("won_by", [GHOST, OTHER])
@pytest.mark.parametrize("clock", ["blitz", "standard"])
async def test_in_a_single_game_he_stays_away(evening: Evening, clock: str, won_by: str) -> None:
    terms = HOUSES["duels"].single
    if clock == "blitz":
        terms = msgspec.structs.replace(terms, clock=BLITZ)
    seat = await evening.to_a_sure_end(terms, mover_wins=won_by == GHOST)
    await evening.vanishes(seat)
    absent, ghosted = await gone_ms(evening)
    assert terms.grace_ms <= ghosted - absent <= terms.grace_ms + 1_000
    await evening.plays()
    must = await judged(evening, (0, 0), computer=(seat,), pressed=())
    assert must.follows == (CANCELLED if won_by == GHOST else 1 - seat)
    await follows(evening, must)


async def gone_ms(evening: Evening) -> tuple[int, int]:
    """Since when somebody was away, and when a ghost took his seat."""
    (absent,) = await evening.house.events(evening.table, SeatAbsent)
    (ghosted,) = [
        c.at_ms for c in await evening.commits() if any(isinstance(e, SeatGhosted) for e in c.events)
    ]
    return absent.since_ms, ghosted


@pytest.mark.rule("S18")
async def test_in_a_single_game_of_short_grace_he_comes_back_and_stakes_go_back_if_he_wins(
    evening: Evening,
) -> None:
    terms = msgspec.structs.replace(HOUSES["duels"].single, clock=BLITZ, grace_ms=500)
    seen: set[int | str] = set()
    for attempt in range(6):
        await evening.to_the_last_game(terms, f"single {attempt}")
        await evening.vanishes(0)
        await evening.comes(0)
        await evening.plays()
        must = await judged(evening, (0, 0), computer=(), pressed=())
        seen.add(must.follows)
        await follows(evening, must)
    assert seen == {CANCELLED, 1}


@pytest.mark.rule("S5", "S8", "S13")
@pytest.mark.parametrize("presses", [1_000, None])
@pytest.mark.parametrize("won_by", [GHOST, OTHER])
async def test_he_is_thrown_out_in_game_two(evening: Evening, won_by: str, presses: int | None) -> None:
    """He sits there and does not move until his clock stands at 0:00."""
    seat = await evening.to_a_sure_end(match_to(5), mover_wins=won_by == GHOST)
    before = (await evening.state()).score
    assert await evening.refused(1 - seat, Kick()) == "too_early"
    await stands_at_nothing(evening)
    await evening.does(1 - seat, Kick())
    await evening.plays()
    assert by_ghost(await evening.commits()) == {seat}
    in_time = await next_at(evening, seat, presses)
    must = await judged(evening, before, computer=(seat,), pressed=(0, 1) if in_time else (1 - seat,))
    await follows(evening, must)


async def stands_at_nothing(evening: Evening) -> None:
    """Nobody does anything until the clock that runs stands at 0:00 and its flag is claimed."""
    due = deadline(await evening.state())
    assert due is not None
    await evening.passes(due.claim_ms - evening.house.now_ms)
    assert (await evening.house.events(evening.table, FlagFell))[-1].deadline_ms == due.at_ms


@pytest.mark.rule("S13", "S18")
async def test_in_blitz_he_is_away_and_thrown_out_before_his_two_minutes_are_over(evening: Evening) -> None:
    terms = msgspec.structs.replace(HOUSES["duels"].single, clock=BLITZ)
    winner = await evening.to_a_sure_end(terms, mover_wins=True)
    await evening.goes(winner)
    await stands_at_nothing(evening)
    await evening.does(1 - winner, Kick())
    await evening.passes(terms.grace_ms)
    await evening.comes(winner)
    await evening.plays()
    assert await evening.house.events(evening.table, SeatAbsent) == []
    assert await evening.house.events(evening.table, SeatReturned) == []
    must = await judged(evening, (0, 0), computer=(winner,), pressed=())
    assert must.follows == CANCELLED
    await follows(evening, must)


@pytest.mark.rule("S5", "S7", "S8", "S18")
@pytest.mark.parametrize("pressed", WHO)
async def test_both_vanish_and_next_is_pressed_by_whom_ever(
    evening: Evening, pressed: tuple[int, ...]
) -> None:
    """Two ghosts play game 2 to its end at once; nobody wins anything."""
    await evening.to_the_last_game(match_to(5), "both")
    before = (await evening.state()).score
    await evening.vanishes(0, 1)
    _, ended_ms = await evening.ended()
    assert by_ghost(await evening.commits()) == {0, 1}
    await evening.comes(*pressed)
    for seat in pressed:
        await evening.does(seat, Next())
    must = await judged(evening, before, computer=(0, 1), pressed=pressed)
    await evening.house.at(ended_ms + NEXT_MS + CLAIMED_MS)
    if must.follows == GOES_ON:
        # Game 3 is two minutes old by now; whoever is to move still has them.
        assert (await evening.state()).game == 3
    await follows(evening, must)


@pytest.mark.rule("S18")
async def test_both_vanish_from_a_single_game(evening: Evening) -> None:
    await evening.to_the_last_game(HOUSES["nardy"].single, "both")
    await evening.vanishes(0, 1)
    must = await judged(evening, (0, 0), computer=(0, 1), pressed=())
    assert must.follows == CANCELLED
    await follows(evening, must)


@pytest.mark.rule("S7", "S8")
async def test_both_vanish_and_one_comes_back_before_the_end(evening: Evening) -> None:
    """The ghosts are held up by the one who is back in the very moment in which the second one goes."""
    await evening.to_the_last_game(match_to(5), "one returns")
    before = (await evening.state()).score
    await evening.vanishes(0)
    await evening.goes(1)
    await evening.comes(0)
    await evening.passes(match_to(5).grace_ms + 1_000)
    state = await evening.state()
    assert (state.ghosted, state.phase) == ((False, True), Phase.PLAYING)
    await evening.plays()
    must = await judged(evening, before, computer=(1,), pressed=(0,))
    await evening.does(0, Next())
    await evening.passes(NEXT_MS + CLAIMED_MS)
    await follows(evening, must)


@pytest.mark.rule("S7", "S13")
async def test_against_a_ghost_nobody_can_let_the_game_hang(evening: Evening) -> None:
    """The other sits at 0:00 while a ghost waits for him: he is thrown out in the commit of his flag."""
    await evening.to_the_last_game(match_to(5), "hangs")
    before = (await evening.state()).score
    await evening.vanishes(0)
    assert to_decide(await evening.state()) == 1
    await stands_at_nothing(evening)
    kick = next(c for c in await evening.commits() if any(isinstance(e, SeatKicked) for e in c.events))
    assert [type(event) for event in kick.events[:2]] == [FlagFell, SeatKicked]
    assert (await evening.state()).phase is Phase.BETWEEN
    must = await judged(evening, before, computer=(0, 1), pressed=(0, 1))
    await evening.comes(0)
    await evening.next_game()
    await follows(evening, must)


@pytest.mark.rule("S7")
async def test_who_is_away_at_the_start_of_game_three_is_missed_from_there_on(evening: Evening) -> None:
    """He presses Next and vanishes again: the grace begins with the game."""
    seat = await evening.to_a_sure_end(match_to(9), mover_wins=True)
    await evening.vanishes(seat)
    await evening.plays()
    await evening.comes(seat)
    await evening.does(seat, Next())
    await evening.goes(seat)
    await evening.passes(60_000)
    await evening.does(1 - seat, Next())
    began_ms = evening.house.now_ms
    await evening.passes(match_to(9).grace_ms + 1_000)
    assert (await evening.house.events(evening.table, SeatAbsent))[-1] == SeatAbsent(seat, began_ms)
    assert (await evening.state()).ghosted[seat]
    await evening.verified()


async def test_a_turn_that_is_the_persons_again_is_no_ghosts(evening: Evening) -> None:
    """Back between turns: the ghost sends nothing more, and the person's own command is accepted."""
    await evening.to_the_last_game(match_to(9), "own")
    seat = to_decide(await evening.state())
    await evening.plays(lambda s: to_decide(s) == 1 - seat)
    await evening.vanishes(seat)
    await evening.comes(seat)
    await evening.plays(lambda s: to_decide(s) == seat)
    state = await evening.state()
    asked = demands(state)[0].commands
    legal = state.rules.legal(state.position, seat)
    await evening.does(seat, Play(legal[0]) if "play" in asked else Roll())
    assert (await evening.commits())[-1].by.seat == seat
    await evening.verified()
