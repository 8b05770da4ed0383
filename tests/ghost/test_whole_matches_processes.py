"""Whole matches of people at sockets, every service a process: vanish, ghost, return, Next, throw-out.

The graces are short; everything else is as the houses have it. Every log is exported and verified in the end.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from typer.testing import CliRunner

from services.cli.__main__ import application
from shared.commands import PlayerCommand
from shared.events.match import (
    ClockTerms,
    NextExpired,
    SeatAbsent,
    SeatGhosted,
    SeatKicked,
    SeatReturned,
    Terms,
)
from shared.match import MatchView
from tests.presence.conftest import Town, cluster, http, shown, town
from tests.support.api import Api, Socket
from tests.support.endgame import answer, asked, decided, to_decide
from tests.support.player import ready_both
from tests.support.story import match_to
from tests.support.verdicts import CANCELLED, GOES_ON, NEXT_MS, End, Verdict, verdict

__all__ = ["cluster", "http", "town"]

GRACE_MS: Final = 300
GHOST, OTHER = "the ghost", "the other"
ATTEMPTS: Final = 10

Until = Callable[[MatchView], bool]


def duel(**more: Any) -> Terms:
    return msgspec.structs.replace(match_to(5), **{"grace_ms": GRACE_MS, **more})


async def watches(socket: Socket, match: str) -> None:
    """He watches, and has the first view."""
    await socket.watch(match)
    await socket.get(lambda f: f["type"] == "view" and f["match"] == match, 0)


async def newer(socket: Socket, match: str, n: int, since: int) -> None:
    """A view newer than ``n`` has come since the socket had ``since`` frames."""
    await socket.get(lambda f: f["type"] == "view" and f["match"] == match and f["n"] > n, since)


def newest(socket: Socket, match: str) -> MatchView:
    """The newest view that came."""
    return msgspec.convert(socket.views(match)[-1]["view"], MatchView)


async def sends(socket: Socket, match: str, command: PlayerCommand | str) -> MatchView:
    """He commands, against the newest view; the view that is the acceptance."""
    frame = {"type": command} if isinstance(command, str) else msgspec.to_builtins(command)
    reply = await socket.command(match, frame, newest(socket, match).n)
    assert reply["type"] == "view", (reply, command)
    return msgspec.convert(reply["view"], MatchView)


async def plays(socket: Socket, match: str, until: Until) -> MatchView:
    """He answers whatever he is asked until the game in hand is over, or ``until``."""
    while True:
        since = len(socket.frames)
        view = newest(socket, match)
        if view.phase != "playing" or until(view):
            return view
        if asked(view):
            legal = view.legal
            if legal is None:
                legal = tuple((await socket.api.get(f"/v1/matches/{match}/legal")).body["moves"])
            await sends(socket, match, answer(view, legal))
        else:
            await newer(socket, match, view.n, since)


async def turns_to(socket: Socket, match: str, until: Until) -> MatchView:
    """The first view from now on for which ``until`` holds; nobody acts here."""
    while True:
        since = len(socket.frames)
        view = newest(socket, match)
        if until(view):
            return view
        await newer(socket, match, view.n, since)


def never(_: MatchView) -> bool:
    return False


@dataclass
class Table:
    """Two people, each at a socket of his own, and their match."""

    town: Town
    people: list[Api]
    sockets: list[Socket]
    stack: AsyncExitStack
    match: str = ""

    async def sit(self, terms: Terms) -> None:
        """A match begins."""
        self.match = await self.town.match(self.people, terms)
        for socket in self.sockets:
            await watches(socket, self.match)

    async def both_play(self, until: Until = never) -> MatchView:
        """Both play to the end of the game, or until both see that ``until`` holds."""
        return (await asyncio.gather(*(plays(socket, self.match, until) for socket in self.sockets)))[0]

    async def second_game(self, terms: Terms) -> None:
        """A match whose first game is over by a pass and whose second has begun."""
        await self.sit(terms)
        view = await self.both_play(lambda v: any("double" in d.commands for d in v.decide))
        seat = to_decide(view)
        doubled = await sends(self.sockets[seat], self.match, "double")
        await turns_to(self.sockets[1 - seat], self.match, lambda v: v.n >= doubled.n)
        await sends(self.sockets[1 - seat], self.match, "pass")
        await self.presses_next(0)
        await self.presses_next(1)
        for socket in self.sockets:
            await turns_to(socket, self.match, lambda v: v.game == 2)

    async def presses_next(self, seat: int) -> None:
        """``seat`` presses Next between two games."""
        socket = self.sockets[seat]
        await turns_to(socket, self.match, lambda v: v.phase == "between")
        await sends(socket, self.match, "next")

    async def sure_end(self, begin: Callable[[], Any], *, mover_wins: bool) -> int:
        """``begin`` a match and play until it is sure who wins; the seat to move, which does or does not."""
        for _ in range(ATTEMPTS):
            await begin()
            view = await self.both_play(lambda v: decided(v, mover_wins=mover_wins))
            if view.phase == "playing":
                return to_decide(view)
        raise AssertionError("no game is decided before its end")

    async def vanishes(self, seat: int) -> None:
        """His socket closes; the other sees the ghost."""
        await self.sockets[seat].ws.close()
        await shown(self.sockets[1 - seat], seat, "ghost")

    async def comes_back(self, seat: int) -> Socket:
        """He opens another socket and watches his match."""
        socket = self.sockets[seat] = await self.stack.enter_async_context(self.people[seat].socket())
        await watches(socket, self.match)
        return socket

    async def judged(
        self, before: tuple[int, ...], computer: tuple[int, ...], pressed: tuple[int, ...]
    ) -> Verdict:
        """What the rules make of the game that has ended; everybody is shown just that."""
        view = msgspec.convert((await self.people[0].get(f"/v1/matches/{self.match}")).body, MatchView)
        game = [row for row in view.diagram if row.winner is not None][-1]
        assert game.winner is not None
        end = End(
            target=view.target,
            score=(before[0], before[1]),
            winner=game.winner,
            points=game.points,
            computer=computer,
            taken_over=computer,
        )
        must = verdict(end, pressed)
        assert (game.counted, game.score, view.score) == (must.counts, must.score, must.score)
        if must.follows == GOES_ON:
            assert (view.phase, view.game) == ("playing", game.game + 1)
        elif not must.asks or len(pressed) < 2:
            assert view.result is not None
            assert view.result.winner == (None if must.follows == CANCELLED else must.follows)
            assert view.result.cause.startswith("cancelled") is (must.follows == CANCELLED)
        return must

    async def verified(self, folder: Path) -> None:
        """Somebody leaves until the match is over; its export passes ``kronika audit verify``."""
        while (view := (await self.people[0].get(f"/v1/matches/{self.match}")).body)["result"] is None:
            left = {"expected": view["n"], "command": {"type": "leave"}}
            for person in self.people:  # who is played for cannot leave
                if (await person.post(f"/v1/matches/{self.match}/commands", left)).status == 200:
                    break
        log = folder / f"{self.match}.ndjson"
        log.write_text((await self.people[0].get(f"/v1/matches/{self.match}/export")).text)
        done = CliRunner().invoke(application("audit"), ["audit", "verify", str(log)])
        assert done.exit_code == 0, done.output


@pytest.fixture
async def table(town: Town) -> AsyncIterator[Table]:
    people = await town.guests(2)
    async with AsyncExitStack() as stack:
        sockets = [await stack.enter_async_context(person.socket()) for person in people]
        yield Table(town, people, sockets, stack)


@pytest.mark.rule("S7", "S8")
async def test_he_vanishes_in_game_two_comes_back_and_plays_on(table: Table, tmp_path: Path) -> None:
    await table.second_game(duel())
    before = (await table.both_play(lambda v: v.board is not None and to_decide(v) == 0)).score
    await table.vanishes(0)
    turns = [frame["n"] for frame in table.sockets[1].views(table.match)]
    await plays(table.sockets[1], table.match, lambda v: v.n >= turns[-1] + 6)  # the ghost answers him
    back = await table.comes_back(0)
    await turns_to(back, table.match, lambda v: not v.seats[0].ghost)
    assert len(await table.town.events(table.match, SeatReturned)) == 1
    await table.both_play()
    await table.presses_next(0)
    await table.presses_next(1)
    await table.judged(before, computer=(), pressed=(0, 1))
    await table.verified(tmp_path)


@pytest.mark.rule("S5", "S7", "S8")
@pytest.mark.parametrize("won_by", [GHOST, OTHER])
async def test_the_ghost_plays_game_two_to_its_end_and_he_presses_next_in_time(
    table: Table, tmp_path: Path, won_by: str
) -> None:
    seat = await table.sure_end(lambda: table.second_game(duel()), mover_wins=won_by == GHOST)
    before = newest(table.sockets[1 - seat], table.match).score
    await table.vanishes(seat)
    await plays(table.sockets[1 - seat], table.match, never)
    await table.presses_next(1 - seat)
    await table.comes_back(seat)
    await table.presses_next(seat)
    must = await table.judged(before, computer=(seat,), pressed=(0, 1))
    assert must.counts is (won_by == OTHER)
    await table.verified(tmp_path)


@pytest.mark.nightly
@pytest.mark.rule("S5", "S8")
@pytest.mark.parametrize("won_by", [GHOST, OTHER])
async def test_he_never_comes_back_and_the_match_is_the_others(
    table: Table, tmp_path: Path, won_by: str
) -> None:
    """Two minutes of real time; by hand they pass in ``test_whole_matches``."""
    seat = await table.sure_end(lambda: table.second_game(duel()), mover_wins=won_by == GHOST)
    before = newest(table.sockets[1 - seat], table.match).score
    await table.vanishes(seat)
    await plays(table.sockets[1 - seat], table.match, never)
    await table.presses_next(1 - seat)
    await asyncio.sleep(NEXT_MS / 1000)
    await turns_to(table.sockets[1 - seat], table.match, lambda v: v.result is not None)
    ((_, expired),) = await table.town.events(table.match, NextExpired)
    assert expired == NextExpired((seat,))
    await table.judged(before, computer=(seat,), pressed=(1 - seat,))
    await table.verified(tmp_path)


@pytest.mark.rule("S7", "S8")
async def test_both_vanish_their_ghosts_finish_game_two_and_both_press_next(
    table: Table, tmp_path: Path
) -> None:
    await table.second_game(duel())
    before = newest(table.sockets[0], table.match).score
    watching = await table.town.api.guest()
    async with watching.socket() as spectator:
        await watches(spectator, table.match)
        for socket in table.sockets:
            await socket.ws.close()
        await turns_to(spectator, table.match, lambda v: v.phase == "between")
    assert {event.seat for _, event in await table.town.events(table.match, SeatGhosted)} == {0, 1}
    for seat in (1, 0):
        await table.comes_back(seat)
        await table.presses_next(seat)
    must = await table.judged(before, computer=(0, 1), pressed=(0, 1))
    assert not must.counts
    await table.verified(tmp_path)


@pytest.mark.rule("S8", "S13")
@pytest.mark.parametrize("won_by", [GHOST, OTHER])
async def test_he_sits_there_and_is_thrown_out_of_game_two(table: Table, tmp_path: Path, won_by: str) -> None:
    clock = ClockTerms(kind="credit", budget_ms=3_000, bonus_ms=1_000, cap_ms=3_000)
    terms = duel(clock=clock, grace_ms=30_000)
    seat = await table.sure_end(lambda: table.second_game(terms), mover_wins=won_by == GHOST)
    before = newest(table.sockets[1 - seat], table.match).score
    other = table.sockets[1 - seat]
    await turns_to(other, table.match, lambda v: v.clock is not None and v.clock.flagged == seat)
    await sends(other, table.match, "kick")
    await plays(other, table.match, never)
    await table.presses_next(1 - seat)
    await table.presses_next(seat)
    assert len(await table.town.events(table.match, SeatKicked)) == 1
    must = await table.judged(before, computer=(seat,), pressed=(0, 1))
    assert must.counts is (won_by == OTHER)
    await table.verified(tmp_path)


@pytest.mark.rule("S18")
@pytest.mark.parametrize("won_by", [GHOST, OTHER])
async def test_he_vanishes_from_a_blitz_game_opened_at_a_table(
    table: Table, tmp_path: Path, won_by: str
) -> None:
    """The house's single game, by its public API; only the grace is shorter than its two minutes."""

    async def begin() -> None:
        one, two = table.people
        table.match = await one.match_with(two, house="duels", clock="blitz", grace_ms=GRACE_MS)
        for socket in table.sockets:
            await watches(socket, table.match)
        await ready_both(table.match, *table.sockets)
        for socket in table.sockets:
            await turns_to(socket, table.match, lambda v: v.phase == "playing")

    seat = await table.sure_end(begin, mover_wins=won_by == GHOST)
    await table.vanishes(seat)
    await plays(table.sockets[1 - seat], table.match, never)
    must = await table.judged((0, 0), computer=(seat,), pressed=())
    assert must.follows == (CANCELLED if won_by == GHOST else 1 - seat)
    await table.verified(tmp_path)


@pytest.mark.nightly
@pytest.mark.rule("S18")
async def test_a_blitz_game_as_the_house_has_it_waits_two_minutes(table: Table, tmp_path: Path) -> None:
    """His clock, 30 s, has run out long before; nobody throws him out."""
    one, two = table.people
    table.match = await one.match_with(two, house="duels", clock="blitz")
    for socket in table.sockets:
        await watches(socket, table.match)
    await ready_both(table.match, *table.sockets)
    view = await table.both_play(lambda v: v.n > 8)
    seat = to_decide(view)
    await table.sockets[seat].ws.close()
    await asyncio.sleep(NEXT_MS / 1000)
    await turns_to(table.sockets[1 - seat], table.match, lambda v: v.seats[seat].ghost)
    ((_, absent),) = await table.town.events(table.match, SeatAbsent)
    ((ghosted_ms, _),) = await table.town.events(table.match, SeatGhosted)
    assert ghosted_ms - absent.since_ms >= NEXT_MS
    await plays(table.sockets[1 - seat], table.match, never)
    await table.judged((0, 0), computer=(seat,), pressed=())
    await table.verified(tmp_path)
