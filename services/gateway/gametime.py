"""What time it is by `game`'s clock: asked twice a second, estimated from the round trip.

Deadlines are recorded in that time, so stamps are made in it, however wrong our own host's clock is. While
this gateway serves players the question is a sign of life, too: without any, nobody could have sent a move.
"""

import asyncio
from collections import deque
from operator import itemgetter
from typing import Final

import structlog
from prometheus_client import Gauge

from shared.ports.bus import Bus, NoAnswer
from shared.service import MOST_OFFSET_MS, Health, Now
from shared.subjects import TIME_OF_GAME
from shared.wire.knock import ENCODER, TIME_ANSWER, TimeQuestion

KNOCK_S: Final = 0.5
"""Between two questions: shorter than the time after a deadline in which nobody claims it."""

SAMPLES: Final = 8
"""The shortest round trip of so many says the most; older ones say nothing of a game that was restarted."""

LONGEST_MS: Final = 2 * MOST_OFFSET_MS
"""A longer round trip says nothing: half of it is how wrong the estimate may be."""

CLOCK: Final = "clock"
"""What keeps a gateway from being ready whose clock differs too much."""

UNKNOWN: Final = "game"
"""What keeps a gateway from being ready that has never been told the time."""

_ANSWER_MS: Final = 500
_AGAIN_S: Final = 0.1  # after a question without an answer, and until we serve: an outage may wait for that

OFFSET_MS: Final = Gauge("kronika_clock_offset_ms", "How far game's clock is ahead of this process's own.")

_log = structlog.get_logger("gateway")


class Offset:
    """How far game's clock is ahead of ours, from the newest samples."""

    def __init__(self) -> None:
        """Nothing is known."""
        self.ms: int | None = None
        self._samples: deque[tuple[int, int]] = deque(maxlen=SAMPLES)

    def sample(self, asked_ms: int, game_ms: int, answered_ms: int) -> None:
        """Asked and answered by our clock; in between it was ``game_ms`` by the other one."""
        round_trip_ms = answered_ms - asked_ms
        if round_trip_ms <= LONGEST_MS:
            self._samples.appendleft((round_trip_ms, game_ms - asked_ms - round_trip_ms // 2))
            self.ms = min(self._samples, key=itemgetter(0))[1]  # of equal ones the newest


class GameTime:
    """Now, by game's clock. ``known`` is set with the first answer that says anything."""

    def __init__(self, bus: Bus, now: Now, health: Health) -> None:
        """Ask over ``bus``. ``health`` says whether we serve, and learns if ``now``, our clock, is wrong."""
        self.known = asyncio.Event()
        self._bus = bus
        self._now = now
        self._health = health
        self._offset = Offset()
        self._seen_ms = 0
        self._told = False
        self._health.hinder(UNKNOWN, "it has not said yet what time it is")

    def now_ms(self) -> int:
        """Milliseconds since 1970, never behind a commit that was seen."""
        return max(self._now.own_ms() + (self._offset.ms or 0), self._seen_ms)

    def saw(self, at_ms: int) -> None:
        """A commit with this time was seen. It moves no clock: how wrong ours is, game says."""
        self._seen_ms = max(at_ms, self._seen_ms)

    async def run(self) -> None:
        """Ask until cancelled."""
        while True:
            answered = await self._asked()
            await asyncio.sleep(KNOCK_S if answered and self._serves() else _AGAIN_S)

    async def ask(self) -> None:
        """Ask once; raises ``NoAnswer``, and then everything stays as it was."""
        question = ENCODER.encode(TimeQuestion(self._serves()))
        asked_ms = self._now.own_ms()
        answer = await self._bus.request(TIME_OF_GAME, question, _ANSWER_MS)
        self._offset.sample(asked_ms, TIME_ANSWER.decode(answer).now_ms, self._now.own_ms())
        if self._offset.ms is not None:
            self._judge(self._offset.ms)

    def _serves(self) -> bool:
        """Whether players can command through us: we listen, do not drain, and nothing is in the way."""
        return not self._health.why_not_ready()

    async def _asked(self) -> bool:
        try:
            await self.ask()
        except NoAnswer as error:
            if not self._told:
                _log.warning("game does not say what time it is", why=str(error))
            self._told = True
            return False
        except Exception:  # noqa: BLE001 - a gateway that stops asking would look like an outage
            _log.exception("the time could not be asked")
            return False
        self._told = False
        return True

    def _judge(self, offset_ms: int) -> None:
        OFFSET_MS.set(offset_ms)
        self._health.clear(UNKNOWN)
        self.known.set()
        if abs(offset_ms) <= MOST_OFFSET_MS:
            self._health.clear(CLOCK)
            return
        off = f"{abs(offset_ms)} ms {'behind' if offset_ms > 0 else 'ahead of'}"
        why = f"this host's clock is {off} game's; set the hosts' clocks right and start this anew"
        if CLOCK not in self._health.why_not_ready():
            _log.error("the clocks differ", why=why, limit_ms=MOST_OFFSET_MS)
        self._health.hinder(CLOCK, why)
