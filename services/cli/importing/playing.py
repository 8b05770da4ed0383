"""Playing a planned match through the gateway: two clients, move for move, with the dice that fell."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Final

import msgspec

from services.cli.client import Client
from services.cli.client_rest import Unreachable
from services.cli.importing.planning.steps import Plan
from services.cli.importing.reading.file import RecordError
from shared.commands import Leave, Next, PlayerCommand
from shared.match import MatchView
from shared.problems import Refused
from shared.wire.lobby import OpenTable

_LEAVE_S: Final = 10.0

OnStep = Callable[[int], None]
"""Told after every command how many rolls and cube actions of the file are done."""


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a match at ``line`` of a file: the ``match`` it was played as, ``score``, time in ms.

    ``target`` is None for a single game. ``winner`` is the seat that won the match, None for a draw, a
    session, or a match that stops before its end.
    """

    file: str
    line: int
    game: str
    match: str
    target: int | None
    games: int
    plies: int
    commands: int
    score: tuple[int, int]
    winner: int | None
    notes: tuple[str, ...]
    took_ms: int


class Incomplete(Exception):  # noqa: N818 - what the match is now
    """The match was begun and could not be played to its end; ``match`` names it, ``error`` says why."""

    def __init__(self, match: str, error: RecordError, *, marked: bool) -> None:
        """``marked``: a seat has left, so that the log itself says that it is incomplete."""
        self.match, self.error, self.marked = match, error, marked
        super().__init__(str(error))


async def play(plan: Plan, seats: tuple[Client, Client], on_step: OnStep) -> Imported:
    """Open a table, play the whole plan, compare the scores.

    ``seats`` are signed in with scope ``bot``. Raises ``RecordError`` (nothing was begun) or ``Incomplete``.
    """
    try:
        table = await seats[0].open_table(
            OpenTable(
                game=plan.game,
                options=plan.options,
                target=plan.terms.target,
                first_move=plan.terms.first_move,
                cube=plan.terms.cube,
                beaver=plan.terms.beaver,
                jacoby=plan.terms.jacoby,
                gammons=plan.terms.gammons,
                chance=plan.chance,
            )
        )
        await seats[1].join(table.id)
        match = await seats[0].match_of(table.id)
    except (Refused, Unreachable) as error:
        raise RecordError(plan.file, plan.line, f"no match could be opened: {error}") from error
    game = _Game(plan, seats, match, on_step)
    try:
        return await game.run()
    except (Refused, Unreachable, RecordError, asyncio.CancelledError) as error:
        marked = await game.leave()
        if isinstance(error, asyncio.CancelledError):
            why = RecordError(plan.file, game.line, "interrupted")
        else:
            why = error if isinstance(error, RecordError) else RecordError(plan.file, game.line, str(error))
        raise Incomplete(match, why, marked=marked) from error


class _Game:
    """One match under way; ``line`` is the line of the file that is being played."""

    def __init__(self, plan: Plan, seats: tuple[Client, Client], match: str, on_step: OnStep) -> None:
        self.plan, self.seats, self.match, self.on_step = plan, seats, match, on_step
        self.line = plan.line
        self.commands = 0
        self.n = 0

    async def run(self) -> Imported:
        began = monotonic()
        plan = self.plan
        left, _ = await asyncio.gather(*(client.watch(self.match) for client in self.seats))
        await asyncio.gather(*(client.ready(self.match) for client in self.seats))
        self.n = (await left.until(lambda view: view.phase == "playing")).n
        plies = 0
        for place, game in enumerate(plan.games):
            if place:
                for seat in (0, 1):
                    await self._give(seat, Next())
            for done, step in enumerate(game.steps, 1):
                self.line = step.line
                await self._give(step.seat, step.command)
                self.on_step(plies + game.plies * done // len(game.steps))
            plies += game.plies
            self._compare(await left.until(self._seen), game.score, game.winner)
        if plan.leaves is not None:
            await self._give(plan.leaves, Leave())
        elif not plan.complete:
            last = plan.games[-1]
            raise RecordError(plan.file, last.last_line, f"the file breaks off in game {last.number}")
        view = await left.until(lambda view: view.phase == "over")
        self._compare_end(view)
        return Imported(
            file=plan.file,
            line=plan.line,
            game=plan.game,
            match=self.match,
            target=plan.terms.target,
            games=len(plan.games),
            plies=plan.plies,
            commands=self.commands,
            score=(view.score[0], view.score[1]),
            winner=view.result.winner if view.result and plan.over else None,
            notes=plan.notes,
            took_ms=int((monotonic() - began) * 1000),
        )

    async def _give(self, seat: int, command: PlayerCommand) -> None:
        # The next command is made against this one's commit, whether or not its view is here yet.
        self.n = await self.seats[seat].command(self.match, command, expected=self.n)
        self.commands += 1

    def _seen(self, view: MatchView) -> bool:
        return view.n >= self.n

    def _compare(self, view: MatchView, score: tuple[int, int], winner: int | None) -> None:
        if winner is not None and view.score != score:
            reason = f"the score is {view.score[0]}:{view.score[1]} instead of {score[0]}:{score[1]}"
            raise RecordError(self.plan.file, self.line, reason)

    def _compare_end(self, view: MatchView) -> None:
        winner = view.result.winner if view.result else None
        if self.plan.over and winner != self.plan.games[-1].winner:
            said = "nobody" if winner is None else f"seat {winner}"
            raise RecordError(self.plan.file, self.line, f"{said} has won instead of what the file says")
        if self.plan.position not in ("", view.position):
            raise RecordError(
                self.plan.file, self.line, f"the last position is {view.position}, not {self.plan.position}"
            )

    async def leave(self) -> bool:
        """End the match visibly; whether that could be done.

        The first ``leave`` ends the game under way, the second one, between the games, the match.
        """
        with suppress(Refused, Unreachable, TimeoutError):
            async with asyncio.timeout(_LEAVE_S):
                watched = await self.seats[0].watch(self.match)
                view = await watched.until(self._seen)
                while view.phase != "over":
                    self.n = await self.seats[0].command(self.match, Leave(), expected=view.n)
                    view = await watched.until(self._seen)
                return True
        return False
