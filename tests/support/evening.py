"""An evening at the table: game, clock, absence and ghost as they run, in memory, time moved on by hand."""

import hashlib
from collections.abc import Callable
from typing import Final

from services.audit.domain import verify
from services.audit.report import MatchReport
from services.clock.absence import Absences
from services.ghost.handlers import Ghost
from services.ghost.thinking import Thinker
from shared.adapters.memory_presence import MemoryPresence, MemoryStore
from shared.commands import Double, Leave, MatchCommand, Next, Pass
from shared.events.codec import MatchCommit, decode_match
from shared.events.match import GameEnded, Terms
from shared.match import MatchState, Phase, demands, view
from shared.match.timing import plays_itself
from shared.ports.presence import Sign, Word
from shared.wire.match import RefusedAnswer
from tests.support.endgame import answer, decided
from tests.support.ghosts import Table, not_installed
from tests.support.timed import TimedHouse, to_decide

STEP_MS: Final = 1_000
_MOST_TURNS: Final = 2_000
_ATTEMPTS: Final = 10  # most games come to such a point

Until = Callable[[MatchState], bool]


class Evening:
    """Two people at one table. Nobody but a test lets time pass."""

    def __init__(self) -> None:
        """Nothing runs yet."""
        self.house = TimedHouse()
        self._store = MemoryStore(lambda: self.house.now_ms)
        self._gateway = MemoryPresence(self._store, "g1")
        self._ghost = Ghost(self.house.log, self.house.bus, Thinker(load=not_installed))
        self._absences: Absences | None = None
        self._table: Table | None = None

    async def open(self) -> "Evening":
        """All services run."""
        await self.house.open()
        clock = self.house.clock()
        self._absences = Absences(
            MemoryPresence(self._store),
            self.house.timers,
            self.house.clock_bus,
            self.house.now(),
            clock.newest,
        )
        clock.absences = self._absences
        await clock.start()
        await self._ghost.start()
        return self

    async def close(self) -> None:
        """All services stop."""
        if self._absences is not None:
            await self._absences.close()
        await self._ghost.close()
        await self.house.close()

    @property
    def table(self) -> Table:
        """The table of the evening."""
        assert self._table is not None
        return self._table

    async def state(self) -> MatchState:
        """The match as it stands in the log."""
        return await self.table.state()

    # ---- time and people

    async def passes(self, ms: int) -> None:
        """So much time, looked at once a second as the services do."""
        end_ms = self.house.now_ms + ms
        while self.house.now_ms < end_ms:
            await self._look()
            await self.house.at(min(self.house.now_ms + STEP_MS, end_ms))
        await self._look()

    async def _look(self) -> None:
        assert self._absences is not None
        await self._gateway.say([])
        await self._absences.look()
        await self._absences.answered()
        await self.house.seen()

    async def goes(self, *seats: int) -> None:
        """The last sockets of these players close."""
        await self._says(seats, Word.AWAY)

    async def comes(self, *seats: int) -> None:
        """These players connect again."""
        await self._says(seats, Word.HERE)

    async def _says(self, seats: tuple[int, ...], word: Word) -> None:
        players = [self.table.seats[seat].player for seat in seats]
        await self._gateway.say([Sign(player, word, self.house.now_ms) for player in players])
        await self._look()

    async def vanishes(self, *seats: int) -> None:
        """These players go and stay away until ghosts play for them."""
        await self.goes(*seats)
        await self.passes((await self.state()).created.terms.grace_ms + STEP_MS)
        state = await self.state()
        assert all(state.ghosted[seat] for seat in seats), state.ghosted

    # ---- the game

    async def does(self, seat: int, command: MatchCommand) -> None:
        """``seat`` commands, and it is accepted."""
        await self.house.accepted(self.table, seat, command)

    async def refused(self, seat: int, command: MatchCommand) -> str:
        """The code with which ``seat`` is refused; fails if it is not."""
        answered = await self.house.command(self.table, seat, command)
        assert isinstance(answered, RefusedAnswer), answered
        return answered.problem.code

    async def sits_down(self, terms: Terms, name: str) -> None:
        """Both are here and the first game has begun; its dice are a matter of the match's ``name``."""
        match = "m" + hashlib.sha256(name.encode()).hexdigest()[:24]
        self._table = await self.house.begun(terms, match)
        await self.comes(0, 1)

    async def to_the_last_game(self, terms: Terms, name: str) -> None:
        """As ``sits_down``; in a match the first game is over, one point, and the second has begun."""
        await self.sits_down(terms, name)
        if terms.target is None:
            return
        await self.plays(lambda s: any("double" in d.commands for d in demands(s)))
        seat = to_decide(await self.state())
        await self.does(seat, Double())
        await self.does(1 - seat, Pass())
        await self.next_game()

    async def to_a_sure_end(self, terms: Terms, *, mover_wins: bool) -> int:
        """As ``to_the_last_game``, played until it is decided whatever falls; the seat that is to move.

        It wins, or it loses, as ``mover_wins`` says.
        """
        for attempt in range(_ATTEMPTS):
            await self.to_the_last_game(terms, f"evening {attempt}")
            state = await self.plays(lambda s: decided(view(s, None), mover_wins=mover_wins))
            if state.phase is Phase.PLAYING:
                return to_decide(state)
        raise AssertionError("no game is decided before its end")

    async def next_game(self) -> None:
        """Both press Next."""
        for seat in (0, 1):
            await self.does(seat, Next())

    async def plays(self, until: Until = lambda _: False) -> MatchState:
        """Who sits there plays, ghosts play besides, to the end of the game or as soon as ``until``."""
        for _ in range(_MOST_TURNS):
            state = await self.state()
            if state.phase is not Phase.PLAYING or until(state):
                return state
            seat = to_decide(state)
            assert not plays_itself(state, seat), f"the computer does not play {seat} at {state.n}"
            await self.passes(STEP_MS)
            await self.does(seat, answer(view(state, seat), state.rules.legal(state.position, seat)))
        raise AssertionError("the game does not end")

    async def commits(self) -> list[MatchCommit]:
        """The match's log."""
        return [decode_match(stored) for stored in await self.house.log.read(self.table.match)]

    async def ended(self) -> tuple[GameEnded, int]:
        """How the last game ended, and when."""
        return [
            (event, commit.at_ms)
            for commit in await self.commits()
            for event in commit.events
            if isinstance(event, GameEnded)
        ][-1]

    async def verified(self) -> MatchReport:
        """Somebody leaves if the match is not over; the verifier agrees with every commit of its log."""
        while (await self.state()).phase is not Phase.OVER:
            state = await self.state()
            people = [s for s in (0, 1) if state.phase is Phase.BETWEEN or not plays_itself(state, s)]
            await self.does(people[-1], Leave())
        report = verify(await self.house.log.read(self.table.match))
        assert report.ok, report.difference
        assert report.score == (await self.state()).score
        return report
