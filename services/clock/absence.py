"""Who stays away from a running game, and who is back: reported to ``game``, which judges it.

Watched are the players of games in hand at tables that do not just wait. Away is who was seen to go; of whom
nothing is known is never reported, and while nobody can say who is here nothing is. After such a time, and
after a start of ours, everybody has the whole grace anew: he may have come back unseen.

Which matches are to be watched outlives this process in the timers: one of kind ``absence`` for each.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec
import structlog
from prometheus_client import Counter

from shared.commands import ReportAbsent, ReportPresent
from shared.events.codec import UnreadableLog
from shared.events.match import GameStarted, MatchCreated
from shared.match import MatchState, Phase
from shared.match.deciding import takes_part
from shared.ports.bus import Bus, NoAnswer
from shared.ports.log import LogUnavailable
from shared.ports.now import Reading
from shared.ports.presence import Presences, PresenceUnavailable
from shared.ports.timers import Timers, TimersUnavailable
from shared.subjects import command as command_subject
from shared.wire.match import COMMAND_ANSWER, ENCODER, CommandRequest, RefusedAnswer
from shared.wire.presence import AWAY, HERE, Presence

ABSENCE: Final = "absence"
"""The kind of the timers that remember which matches are watched."""

LOOK_S: Final = 1.0
"""So often all players are looked at, in one pipeline."""
LOOK_AGAIN_S: Final = 0.25
"""So often those for whom a ghost plays: who is back has his seat within a second."""
LIST_S: Final = 60.0
"""So often the timers are asked which matches are to be watched: another process may have watched them."""

_REMEMBER_MS: Final = 24 * 3_600_000
_EVER: Final = 2**53
_ANSWER_MS: Final = 2_000
_AT_ONCE: Final = 50
_SETTLED: Final = frozenset({"unchanged", "wrong_phase", "match_over", "not_your_seat", "unknown_match"})

REPORTS: Final = Counter("kronika_clock_reports", "Reports of absence and return.", ["kind", "outcome"])

_log = structlog.get_logger("clock")

Newest = Callable[[str], Awaitable[MatchState | None]]
"""The match as it is stored now, None if it is none to be watched. Raises ``LogUnavailable``."""


def concerns(created: MatchCreated) -> bool:
    """Whether anybody's absence is ever judged in the match."""
    return created.terms.absence != "wait" and created.chance != "recorded"


class Game(msgspec.Struct, frozen=True, kw_only=True):
    """A game in hand, as of commit ``n``: whom we watch by seat ("" whom not), for whom a ghost plays.

    ``began_ms`` is when it began, as far as we saw that: an absence counts from there at the earliest.
    """

    match: str
    n: int
    game: int
    began_ms: int
    grace_ms: int
    players: tuple[str, ...]
    ghosted: tuple[bool, ...]


def game_of(state: MatchState, before: Game | None) -> Game:
    """What is to be watched in ``state``; nobody between games."""
    playing = state.phase is Phase.PLAYING
    if before is not None and before.game == state.game:
        began_ms = before.began_ms
    else:
        began = any(isinstance(event, GameStarted) for event in state.last_events)
        began_ms = state.at_ms if began else 0
    return Game(
        match=state.match,
        n=state.n,
        game=state.game,
        began_ms=began_ms,
        grace_ms=state.created.terms.grace_ms,
        players=tuple(
            taken.player if playing and _may_be_missed(state, seat) else ""
            for seat, taken in enumerate(state.created.seats)
        ),
        ghosted=tuple(
            ghosted and not returning
            for ghosted, returning in zip(state.ghosted, state.returning, strict=True)
        ),
    )


def _may_be_missed(state: MatchState, seat: int) -> bool:
    """Whether the game goes on with the player of ``seat``: not the computer for good, nor without him."""
    return not state.created.seats[seat].bot and not state.kicked[seat] and takes_part(state, seat)


class Report(msgspec.Struct, frozen=True):
    """One report of ``seat``; its id is the same for the same absence, so that a repeat counts once."""

    id: str
    seat: int
    command: ReportAbsent | ReportPresent


def report(game: Game, seat: int, presence: Presence, sighted_ms: int, now_ms: int) -> Report | None:
    """What is to be said of ``seat`` now, if anything; ``sighted_ms``: since when we can see who is here."""
    if game.ghosted[seat]:
        if presence.state != HERE:
            return None
        return Report(f"present.{game.game}.{seat}.{game.n}", seat, ReportPresent(seat))
    if presence.state != AWAY or presence.since_ms is None:
        return None
    since_ms = max(presence.since_ms, game.began_ms)
    if now_ms < max(since_ms, sighted_ms) + game.grace_ms:
        return None
    return Report(f"absent.{game.game}.{seat}.{since_ms}", seat, ReportAbsent(seat, since_ms))


class Absences:
    """Watches the players of running games and reports them."""

    def __init__(self, presences: Presences, timers: Timers, bus: Bus, now: Reading, newest: Newest) -> None:
        """Nothing is watched; ``newest`` reads a match that is to be."""
        self._presences = presences
        self._timers = timers
        self._bus = bus
        self._now = now
        self._newest = newest
        self._games: dict[str, Game] = {}
        self._seats: dict[str, set[tuple[str, int]]] = {}
        self._ghosted: set[str] = set()
        self._settled: dict[tuple[str, int], str] = {}
        self._asking: set[tuple[str, int]] = set()
        self._gate = asyncio.Semaphore(_AT_ONCE)
        self._sighted_ms: int | None = None
        self._told_blind = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._loops: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Look and report until ``close``."""
        self._loops = [asyncio.create_task(work()) for work in (self._keep_looking, self._keep_listing)]

    async def close(self) -> None:
        """Look no more; what was sent has its answer, or is reported again by whoever runs next."""
        for task in self._loops:
            task.cancel()
        if self._loops:
            await asyncio.wait(self._loops)
        await self.answered()

    async def answered(self) -> None:
        """Every report that was sent has its answer."""
        if self._tasks:
            await asyncio.wait(self._tasks)

    # ---- which games

    async def saw(self, state: MatchState, *, remember: bool = False) -> None:
        """The match stands so: watch it from its first game to its end. Raises ``TimersUnavailable``.

        ``remember``: what the timers knew of it has come due.
        """
        before = self._games.get(state.match)
        if not concerns(state.created) or state.game == 0 or (before is not None and before.n > state.n):
            return
        if state.phase is Phase.OVER:
            if before is not None or remember:
                await self._timers.cancel(state.match, ABSENCE, _EVER)
            self._drop(state.match)
            return
        if before is None or remember:
            await self._timers.arm(state.match, ABSENCE, self._now.now_ms() + _REMEMBER_MS)
        self._put(game_of(state, before), before)

    def _put(self, game: Game, before: Game | None) -> None:
        self._games[game.match] = game
        if before is not None and (before.game, before.players, before.ghosted) == (
            game.game,
            game.players,
            game.ghosted,
        ):
            return
        if before is not None:
            self._unwatch(before)
        for seat, player in enumerate(game.players):
            if player:
                self._seats.setdefault(player, set()).add((game.match, seat))
                if game.ghosted[seat]:
                    self._ghosted.add(player)

    def _drop(self, match: str) -> None:
        game = self._games.pop(match, None)
        if game is not None:
            self._unwatch(game)

    def _unwatch(self, game: Game) -> None:
        for seat, player in enumerate(game.players):
            self._settled.pop((game.match, seat), None)
            seats = self._seats.get(player, set())
            seats.discard((game.match, seat))
            if not seats:
                self._seats.pop(player, None)
            if not any(self._games[m].ghosted[s] for m, s in seats if m in self._games):
                self._ghosted.discard(player)

    async def list(self) -> None:
        """Watch what the timers remember and we do not. Raises ``TimersUnavailable``, ``LogUnavailable``."""
        for match in await self._timers.armed_for(ABSENCE):
            if match in self._games:
                continue
            try:
                state = await self._newest(match)
            except UnreadableLog as error:
                _log.error("unreadable log, not watched", match=match, error=str(error))
                continue
            if state is None or state.phase is Phase.OVER:
                await self._timers.cancel(match, ABSENCE, _EVER)
            elif match not in self._games:
                self._put(game_of(state, None), None)

    async def _keep_listing(self) -> None:
        while True:
            pause_s = LIST_S
            try:
                await self.list()
            except (TimersUnavailable, LogUnavailable) as error:
                _log.warning("it is not known which matches to watch, again soon", why=str(error))
                pause_s = LOOK_S
            except Exception:  # noqa: BLE001 - one match's trouble is not the others'; logged, and again
                _log.exception("the list of watched matches could not be read")
            await asyncio.sleep(pause_s)

    # ---- who is there

    async def _keep_looking(self) -> None:
        turn, turns = 0, round(LOOK_S / LOOK_AGAIN_S)
        while True:
            try:
                await self.look(everybody=turn % turns == 0)
            except Exception:  # noqa: BLE001 - as above
                _log.exception("presence could not be looked at")
            turn += 1
            await asyncio.sleep(LOOK_AGAIN_S)

    async def look(self, *, everybody: bool = True) -> None:
        """Look at all who are watched, or only at those for whom a ghost plays; report what is due."""
        players = list(self._seats if everybody else self._ghosted)
        if not players:
            return
        try:
            found = await self._presences.of(players, self._now.now_ms())
        except PresenceUnavailable as error:
            self._sighted_ms = None
            if not self._told_blind:
                self._told_blind = True
                _log.warning("nobody can say who is here; nobody is reported", why=str(error))
            return
        now_ms = self._now.now_ms()
        if self._sighted_ms is None:
            self._sighted_ms, self._told_blind = now_ms, False
        # Whose silence began first is reported first: at some tables that decides who has lost.
        for player, presence in sorted(found.items(), key=lambda item: item[1].since_ms or 0):
            if presence.state == AWAY or (presence.state == HERE and player in self._ghosted):
                self._judge(player, presence, self._sighted_ms, now_ms)

    def _judge(self, player: str, presence: Presence, sighted_ms: int, now_ms: int) -> None:
        for match, seat in tuple(self._seats.get(player, ())):
            due = report(self._games[match], seat, presence, sighted_ms, now_ms)
            place = match, seat
            if due is None or place in self._asking or self._settled.get(place) == due.id:
                continue
            self._asking.add(place)
            task = asyncio.get_running_loop().create_task(self._report(match, due))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    # ---- what is reported

    async def _report(self, match: str, due: Report) -> None:
        """Report once; what is not settled by the answer is reported again with the next look."""
        kind = "absent" if isinstance(due.command, ReportAbsent) else "present"
        try:
            async with self._gate:
                outcome = await self._ask(match, due)
            REPORTS.labels(kind, outcome).inc()
            if outcome == "accepted" or outcome in _SETTLED:
                self._settled[match, due.seat] = due.id
                if outcome == "accepted":
                    _log.info("reported", match=match, seat=due.seat, kind=kind, id=due.id)
                # Its commit may go to another process, or have come before ours.
                state = await self._newest(match)
                if state is not None:
                    await self.saw(state)
                else:
                    self._drop(match)
                if match not in self._games:  # it was over before the answer came
                    self._settled.pop((match, due.seat), None)
            elif outcome != "too_early":
                _log.warning("not reported, again", match=match, seat=due.seat, kind=kind, why=outcome)
        except (LogUnavailable, UnreadableLog, TimersUnavailable) as error:
            _log.warning("what a report has caused cannot be read yet", match=match, why=str(error))
        except Exception:  # noqa: BLE001 - logged, and with the next look again
            _log.exception("a report failed", match=match, seat=due.seat)
        finally:
            self._asking.discard((match, due.seat))

    async def _ask(self, match: str, due: Report) -> str:
        """``accepted``, or why not."""
        data = ENCODER.encode(CommandRequest(id=due.id, command=due.command))
        try:
            answer = COMMAND_ANSWER.decode(
                await self._bus.request(command_subject("clock", "game", match), data, _ANSWER_MS)
            )
        except NoAnswer:
            return "no_answer"
        return answer.problem.code if isinstance(answer, RefusedAnswer) else "accepted"
