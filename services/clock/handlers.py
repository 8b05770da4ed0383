"""From a commit to the one timer of its match, and from a due timer to a claim. Acknowledged after both.

A timer costs the broker as much as a commit, and most deadlines are replaced by later ones long before they
pass. So a timer that comes before the newest deadline is left as it is, and armed anew only when it comes.
"""

import asyncio
from typing import Final, NamedTuple
from weakref import WeakValueDictionary

import structlog
from prometheus_client import Counter, Histogram

from services.clock import domain
from services.clock.absence import ABSENCE, Absences
from services.clock.claims import Claims
from services.clock.domain import After
from services.clock.rearming import Rearming
from shared.events.codec import UnreadableLog, decode_match
from shared.events.match import MatchCreated
from shared.fold import fold, step
from shared.match import MatchState, Phase
from shared.match.timing import Deadline
from shared.ports.bus import Bus, NoAnswer
from shared.ports.log import EventLog, Following, LogUnavailable
from shared.ports.now import Now
from shared.ports.timers import Timers
from shared.recent import Recent
from shared.wire.match import RefusedAnswer

DURABLE: Final = "clock"
KEPT: Final = 10_000
"""So many timed matches stay in memory; a forgotten one is read again with its next commit."""
KEPT_OTHERS: Final = 200_000
"""So many are remembered to have no clock, or to be over; a forgotten one costs one read."""
EARLY_MS: Final = 100
"""What was too early does not come again sooner: the clocks of two hosts differ, and that must not spin."""
BEHIND_MS: Final = 1_000
"""A commit that is older when it comes is one of many that have waited; the newest is read at once."""
LATER_MS: Final = 5_000
"""After a fault of ours: so long until the same claim is made again."""

CLAIMS: Final = Counter("kronika_clock_claims", "Claims that were answered.", ["outcome"])
LATE_SECONDS: Final = Histogram(
    "kronika_clock_late_seconds",
    "From the first moment at which a claim is judged to the moment it is sent.",
    buckets=(0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0),
)

_log = structlog.get_logger("clock")


class Armed(NamedTuple):
    """A timer that we armed: when it comes, and its name for ``Timers.cancel``."""

    at_ms: int
    mark: int


class Known:
    """A match in memory: its state, and what we armed for it, by kind."""

    __slots__ = ("armed", "state")

    def __init__(self, state: MatchState) -> None:
        """Nothing armed by us, as far as we know."""
        self.state = state
        self.armed: dict[str, Armed] = {}


class Clock:
    """Arms the next deadline of every match that has a clock, and claims it when it is due.

    Per match one thing after the other, commits and timers alike; matches do not wait for each other.
    Several processes may share the work: a claim has the same id whoever sends it.
    """

    def __init__(
        self,
        log: EventLog,
        bus: Bus,
        timers: Timers,
        now: Now,
        *,
        kept: int = KEPT,
        kept_others: int = KEPT_OTHERS,
    ) -> None:
        """Read ``log``, arm ``timers``, send over ``bus``."""
        self._events = log
        self._claims = Claims(bus)
        self._timers = timers
        self._now = now
        self._known: Recent[Known] = Recent(kept)
        self._others: Recent[bool] = Recent(kept_others)
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._followings: list[Following] = []
        self._rearming = Rearming(timers, self.ask_the_time, self.rearm)
        self._told = False
        self.absences: Absences | None = None
        """Told of every match that moves on."""

    async def start(self) -> None:
        """Take up where the durable consumers stand.

        The broker's clock may have been set while nobody was here to see it.
        """
        self.look_again()
        self._followings.append(await self._events.consume(DURABLE, self.on_commit))
        self._followings.append(await self._timers.consume(DURABLE, self.on_due))

    async def close(self) -> None:
        """Take nothing more; let what was sent have its answer; give the rest back."""
        self._claims.close()
        await self._rearming.close()
        await asyncio.gather(*(following.close() for following in self._followings))

    async def on_commit(self, match: str, n: int, stored: bytes) -> None:
        """The match has moved on: returns when a timer is armed that comes no later than its deadline."""
        if self._others.get(match):
            return
        async with self._turn(match):
            try:
                known = await self._look(match, n, stored)
            except UnreadableLog as error:
                # Handed back it would come again for ever; whoever can read it goes on with the next commit.
                _log.error("unreadable log, not timed", match=match, n=n, error=str(error))
                self._known.forget(match)
                return
            if known is None:
                return
            await self._arm(known)
            if self.absences is not None:
                await self.absences.saw(known.state)
            if known.state.phase is Phase.OVER:
                self._forget(match)

    async def on_due(self, match: str, kind: str) -> None:
        """A timer has come: returns when its deadline is claimed, armed anew, or known to be void."""
        if self._others.get(match):
            return
        async with self._turn(match):
            try:
                known = await self._look(match)
            except UnreadableLog as error:
                _log.error("unreadable log, not claimed", match=match, kind=kind, error=str(error))
                self._known.forget(match)
                await self._timers.arm(match, kind, self._now.now_ms() + LATER_MS)
                return
            if known is None:
                return
            if self.absences is not None and kind == ABSENCE:
                await self.absences.saw(known.state, remember=True)
            came = known.armed.pop(kind, None)
            next_, now_ms = domain.due(known.state), self._now.now_ms()
            # One that we did not arm may be right, and our clock wrong: game knows what time it is.
            if next_ is not None and (next_.claim_ms <= now_ms or (came is None and kind == next_.kind)):
                await self._claim(known, next_)
            else:
                on_time = came is not None and came.at_ms <= now_ms
                await self._arm(known, 0 if on_time else now_ms + EARLY_MS)

    # ---- what is armed anew

    def look_again(self) -> None:
        """What is armed may come at a wrong time: arm all of it anew, and let the timers claim."""
        self._rearming.start()

    async def looked(self) -> None:
        """All that was armed then is armed anew."""
        await self._rearming.done()

    async def rearm(self, match: str) -> bool | None:
        """Arm anew what runs in the match; False while something else is done there, a claim for instance.

        Raises ``LogUnavailable`` and ``TimersUnavailable``.
        """
        if self._others.get(match):
            return None
        turn = self._turn(match)
        if turn.locked():
            return False
        async with turn:
            known = await self._look(match)
            if known is None:
                return None
            known.armed.clear()
            await self._arm(known)
        return True

    async def ask_the_time(self, match: str) -> bool | None:
        """Have ``game`` say what time it is, by one claim in the match; whether that is known now.

        None: nothing can be claimed there. Raises ``LogUnavailable`` and ``TimersUnavailable``.
        """
        if self._others.get(match):
            return None
        turn = self._turn(match)
        if self._told or turn.locked():
            return self._told
        async with turn:
            known = await self._look(match)
            next_ = None if known is None else domain.due(known.state)
            if known is None or next_ is None:
                return None
            try:
                refused = await self._claims.once(match, next_)
            except NoAnswer:
                return False
            if refused is not None and domain.after(refused.problem) is After.AGAIN:
                return False
            await self._judged(known, next_, refused)
            if refused is None:
                await self._catch_up(known)
                self._now.saw(known.state.at_ms)
                self._told = True
        return self._told

    # ---- what is known

    async def newest(self, match: str) -> MatchState | None:
        """The match as it is stored by now; None if none of its time concerns us.

        Raises ``LogUnavailable`` and ``UnreadableLog``.
        """
        if self._others.get(match):
            return None
        async with self._turn(match):
            known = await self._look(match)
            return None if known is None else known.state

    def _turn(self, match: str) -> asyncio.Lock:
        turn = self._turns.get(match)
        if turn is None:
            turn = self._turns[match] = asyncio.Lock()
        return turn

    async def _look(self, match: str, n: int = 0, stored: bytes = b"") -> Known | None:
        """The match at least as of commit ``n``, 0: as of now; None if it has no clock."""
        known = self._known.get(match)
        if known is None:
            first = stored if n == 1 else await self._events.get(match, 1)
            if first is None:
                _log.warning("a match without its first commit, not timed", match=match, n=n)
                return None
            created = decode_match(first).events[0]
            if not isinstance(created, MatchCreated) or not domain.concerns(created):
                self._forget(match)
                return None
            known = Known(step(None, first))
            if n != 1 or self._behind(known):
                await self._catch_up(known)
            self._known.put(match, known)
        elif n == 0:
            await self._catch_up(known)
        if n == known.state.n + 1:
            known.state = step(known.state, stored)
            if self._behind(known):
                await self._catch_up(known)
        elif n > known.state.n:
            known.armed.clear()  # another process had the commits between, and may have replaced our timer
            await self._catch_up(known)
            if known.state.n < n:
                raise LogUnavailable(f"{match}: commit {n} cannot be read yet")
        self._now.saw(known.state.at_ms)
        return known

    def _behind(self, known: Known) -> bool:
        """Whether the commit was delivered so late that it is hardly the newest: arm nothing for it then."""
        return self._now.now_ms() - known.state.at_ms > BEHIND_MS

    async def _catch_up(self, known: Known) -> None:
        """All of the match that is stored by now."""
        state = known.state
        known.state = fold(await self._events.read(state.match, state.n), state) or state

    def _forget(self, match: str) -> None:
        """No deadline will run in this match."""
        self._known.forget(match)
        self._others.put(match, value=True)

    # ---- what is armed

    async def _arm(self, known: Known, not_before_ms: int = 0) -> None:
        """Arm what runs now, unless a timer will come by then; take back what does not run any more."""
        match, next_ = known.state.match, domain.due(known.state)
        for kind in list(known.armed):
            if next_ is None or kind != next_.kind:
                await self._timers.cancel(match, kind, known.armed[kind].mark)
                del known.armed[kind]
        if next_ is None:
            return
        there = known.armed.get(next_.kind)
        if there is None or not self._now.now_ms() < there.at_ms <= next_.claim_ms:
            at_ms = max(next_.claim_ms, not_before_ms)
            known.armed[next_.kind] = Armed(at_ms, await self._timers.arm(match, next_.kind, at_ms))

    # ---- what is claimed

    async def _claim(self, known: Known, claimed: Deadline) -> None:
        """Claim until it is judged; a deadline that was moved is armed anew."""
        LATE_SECONDS.observe(max(0, self._now.now_ms() - claimed.claim_ms) / 1000)
        await self._judged(known, claimed, await self._claims.judged(known.state.match, claimed))

    async def _judged(self, known: Known, claimed: Deadline, refused: RefusedAnswer | None) -> None:
        """What follows the answer to a claim; None: it was accepted."""
        match = known.state.match
        if refused is None:
            CLAIMS.labels("accepted").inc()
            _log.info("claimed", match=match, kind=claimed.kind, deadline_ms=claimed.at_ms)
            return
        problem = refused.problem
        CLAIMS.labels(problem.code).inc()
        match domain.after(problem):
            case After.REARM:
                await self._catch_up(known)
                next_, left_ms = domain.due(known.state), problem.retry_after_ms
                if next_ is not None and left_ms is not None and problem.n == known.state.n:
                    self._now.saw(next_.claim_ms - left_ms)  # so late it was for game, which judges
                    self._told = True
                await self._arm(known, self._now.now_ms() + max(EARLY_MS, left_ms or 0))
            case After.LATER:
                _log.error("not judged, again later", match=match, code=problem.code, detail=problem.detail)
                await self._arm(known, self._now.now_ms() + LATER_MS)
            case _:
                _log.debug("nothing to claim", match=match, kind=claimed.kind, code=problem.code)
