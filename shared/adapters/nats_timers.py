"""Timers as messages that JetStream sends on at their time; stored like everything, they survive crashes."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Final, TypeVar

import msgspec
import structlog

from shared import subjects
from shared.adapters.jetstream import ApiError, Patience, PubAck
from shared.adapters.nats_connection import STATUS, Broker
from shared.adapters.nats_consumer import consume_by
from shared.ports.bus import NoAnswer
from shared.ports.log import Following, LogUnavailable
from shared.ports.now import Reading
from shared.ports.timers import OnDue, TimersUnavailable

MEASURE_S: Final = 10.0
"""So often the broker's clock is compared with ours."""

_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_STEP_MS: Final = 1_000
_MEASURE_MS: Final = 1_000

_log = structlog.get_logger("timers")


class _Fault(msgspec.Struct, frozen=True):
    error: ApiError | None = None


class _Subjects(msgspec.Struct, frozen=True):
    subjects: dict[str, int] = {}


class _Listed(msgspec.Struct, frozen=True):
    """What the stream says of itself: its time, and one page of subjects out of ``total``."""

    ts: datetime | None = None
    state: _Subjects = _Subjects()
    total: int = 0
    error: ApiError | None = None


_INFO: Final = f"$JS.API.STREAM.INFO.{subjects.TIMERS}"
_PURGE: Final = f"$JS.API.STREAM.PURGE.{subjects.TIMERS}"
_LISTED: Final = msgspec.json.Decoder(_Listed)
_PUB_ACK: Final = msgspec.json.Decoder(PubAck)
_FAULT: Final = msgspec.json.Decoder(_Fault)

T = TypeVar("T")


class NatsTimers:
    """``Timers`` over the stream TIMERS; one instance per process.

    Times are by ``now``; the broker goes by the clock of its host. What is left until a time is counted from
    the broker's clock, which is measured against our monotonic one: neither a clock that is off, nor one that
    was set while services run, nor a commit that pushes ``now`` on makes a timer late.
    """

    on_set: Callable[[], None]
    """Called when the broker's clock was set, or another one leads: what is armed comes at a wrong time."""

    def __init__(
        self, broker: Broker, now: Reading, on_consumer: Callable[[str], None] = lambda _trouble: None
    ) -> None:
        """The broker's user decides what of this is allowed; ``on_consumer`` as for ``NatsLog``."""
        self.on_set = lambda: None
        self._broker = broker
        self._on_consumer = on_consumer
        self._now = now
        self._offset_ms: int | None = None  # of the broker's clock from our monotonic one
        self._measured_at = 0.0
        self._measuring: asyncio.Task[None] | None = None

    async def arm(self, match: str, kind: str, at_ms: int) -> int:
        """See ``Timers.arm``; the result is the sequence of the stored message."""
        subject = subjects.armed(*_checked(match, kind))
        await self._compare()
        left_ms = at_ms - self._now.now_ms()
        at = _EPOCH + timedelta(milliseconds=max(0, self._broker_ms() + left_ms))
        headers = {
            "Nats-Schedule": f"@at {at.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z",
            "Nats-Schedule-Target": subjects.due(match, kind),
        }

        async def attempt(timeout_ms: int) -> int:
            answer = await self._broker.ask(subject, b"", timeout_ms, headers)
            if answer.headers and STATUS in answer.headers:
                raise NoAnswer("nobody listens")
            ack = _PUB_ACK.decode(answer.data)
            _check(ack.error)
            return ack.seq

        return await _until_done(subject, attempt)

    async def cancel(self, match: str, kind: str, armed: int) -> None:
        """See ``Timers.cancel``."""
        subject = subjects.armed(*_checked(match, kind))
        body = msgspec.json.encode({"filter": subject, "seq": armed + 1})

        async def attempt(timeout_ms: int) -> None:
            answer = await self._broker.request(_PURGE, body, timeout_ms)
            _check(_FAULT.decode(answer).error)

        await _until_done(subject, attempt)

    async def armed_for(self, kind: str) -> list[str]:
        """See ``Timers.armed_for``."""
        wanted = subjects.armed("*", _checked("any", kind)[1])
        found: list[str] = []

        async def page(timeout_ms: int) -> _Listed:
            body = msgspec.json.encode({"subjects_filter": wanted, "offset": len(found)})
            listed = _LISTED.decode(await self._broker.request(_INFO, body, timeout_ms))
            _check(listed.error)
            return listed

        while True:
            listed = await _until_done(wanted, page)
            found += listed.state.subjects
            if not listed.state.subjects or len(found) >= listed.total:
                return [subject.split(".")[2] for subject in found]

    async def consume(self, durable: str, on_due: OnDue) -> Following:
        """See ``Timers.consume``."""

        async def handle(subject: list[str], _data: bytes) -> None:
            _, _, match, kind = subject
            await on_due(match, kind)

        self._broker.spawn(self._keep_comparing())
        return await consume_by(self._broker, subjects.TIMERS, durable, 2, handle, self._on_consumer)

    # ---- the broker's clock

    async def _keep_comparing(self) -> None:
        while True:
            await self._compare()
            await asyncio.sleep(MEASURE_S)

    async def _compare(self) -> None:
        """Measure how far the broker's clock is ahead of our monotonic one, if that was long ago.

        It is waited for only as long as nothing is known; otherwise the last result is good meanwhile.
        """
        loop = asyncio.get_running_loop()
        if self._measuring is None and (
            self._offset_ms is None or loop.time() - self._measured_at >= MEASURE_S
        ):
            self._measured_at = loop.time()
            self._measuring = self._broker.spawn(self._measure())
        if self._offset_ms is None and self._measuring is not None:
            await asyncio.wait((self._measuring,))

    def _broker_ms(self) -> int:
        """What the broker's clock shows; ours, as long as that could not be asked."""
        return self._now.now_ms() if self._offset_ms is None else _monotonic_ms() + self._offset_ms

    async def _measure(self) -> None:
        try:
            sent_ms = _monotonic_ms()
            answer = await self._broker.request(_INFO, b"", _MEASURE_MS)
            ours_ms = (sent_ms + _monotonic_ms()) // 2
            ts = _LISTED.decode(answer).ts
            if ts is None:
                return
            offset_ms = (ts - _EPOCH) // timedelta(milliseconds=1) - ours_ms
            before_ms, self._offset_ms = self._offset_ms, offset_ms
            if before_ms is not None and abs(offset_ms - before_ms) > _STEP_MS:
                _log.warning("the broker's clock was set", by_ms=offset_ms - before_ms)
                self.on_set()
        except NoAnswer as error:  # armed by our own clock, and measured with the next one
            self._measured_at = 0.0
            _log.info("the broker's clock cannot be seen", why=str(error))
        finally:
            self._measuring = None


def _monotonic_ms() -> int:
    return time.monotonic_ns() // 1_000_000


async def _until_done(what: str, attempt: Callable[[int], Awaitable[T]]) -> T:
    """The result of ``attempt``, made again while nobody answers; raises ``TimersUnavailable``."""
    patience = Patience()
    while True:
        try:
            return await attempt(patience.attempt_ms())
        except NoAnswer as error:
            why = f"{what}: {error}"
        try:
            await patience.pause(why)
        except LogUnavailable as error:
            raise TimersUnavailable(why) from error


def _check(error: ApiError | None) -> None:
    if error is not None:
        raise NoAnswer(f"{error.description} ({error.err_code})")


def _checked(match: str, kind: str) -> tuple[str, str]:
    if not (_TOKEN.fullmatch(match) and _TOKEN.fullmatch(kind)):
        raise ValueError(f"{match!r}, {kind!r} are no match and kind of a timer")
    return match, kind
