"""The pulse: how game instances know, before they judge anything, when moves could not be accepted.

All instances replace one durable value in turn. Each beat holds its moment and every known outage; a beat
that comes long after the one before has found an outage and holds it itself. So the outage is stored with
the same write that ends it, and whose own beat was acknowledged knows every outage up to that beat.

Gateways knock: while they serve players they ask every instance what time it is. A knock that comes long
after the newest one that is known has found the time in which there was no gateway, and nothing is judged
before a beat holds that, too.
"""

import asyncio
import secrets
from contextlib import suppress
from typing import Final

import msgspec
import structlog

from services.game.outages import GAP_MS, NONE, Outage, Outages, heard, joined
from shared.ports.log import LogUnavailable
from shared.ports.now import Now
from shared.ports.register import Held, Register
from shared.service import Health
from shared.wire.knock import ENCODER, TIME_QUESTION, TimeAnswer

BEAT_MS: Final = 1_000
"""Between two beats of one instance."""

FRESH_MS: Final = 2_000
"""Commands are judged only so long after the instance's own last acknowledged beat."""

ATTEMPT_MS: Final = 1_500
"""So long a beat waits for its acknowledgement: one that comes later would hardly be fresh any more."""

KEPT: Final = 200
KEPT_MS: Final = 8 * 86_400_000
"""So many outages are known, and for so long: no clock runs for more than a day or so."""

PULSE_LOST: Final = "pulse"
"""What keeps a game service from being ready whose beats are not acknowledged."""

_AGAIN_S: Final = 0.25  # after a beat that failed: the next one that works says when the outage ended
_TRIES: Final = 10  # so often another instance may come first
_CONTENDED_S: Final = 0.005
_FRESHENING: Final = 3  # beats: one may say that none was heard, one be under way that knows no knock yet

_log = structlog.get_logger("game")


class Beat(msgspec.Struct, frozen=True):
    """The stored value: ``by`` could store at ``at_ms``, and the last one before at ``before_ms``.

    ``knocked_ms`` is the newest knock of a gateway that is known; None before the first one of all.
    """

    at_ms: int
    before_ms: int
    by: str
    outages: tuple[Outage, ...] = ()
    knocked_ms: int | None = None


_BEAT: Final = msgspec.json.Decoder(Beat)
_ENCODER: Final = msgspec.json.Encoder()


def following(last: Beat | None, at_ms: int, by: str, before_ms: int, knocks: tuple[int, ...] = ()) -> Beat:
    """The beat of ``by`` at ``at_ms`` after ``last``, when ``before_ms`` is the newest one that counts.

    ``knocks`` were heard since, oldest first; ``last`` may know newer ones.
    """
    known, knocked_ms = (last.outages, last.knocked_ms) if last else ((), None)
    # One that began then stands there already if its beat was stored, but never acknowledged.
    known = joined(known, before_ms, at_ms)
    if knocked_ms is not None:
        known, knocked_ms = heard(known, knocked_ms, knocks)
    elif knocks:
        knocked_ms = at_ms  # silence is measured from here on
    kept = tuple(outage for outage in known if outage.to_ms > at_ms - KEPT_MS)
    return Beat(at_ms, before_ms, by, kept[-KEPT:], knocked_ms)


class Pulse:
    """This instance's part in the pulse.

    ``outages`` are those that its last acknowledged beat held. Knocks count at once, but for one that ends an
    outage: that counts when it is stored.
    """

    def __init__(self, register: Register, now: Now, health: Health | None = None) -> None:
        """Nothing is written before ``start`` or the first ``fresh``."""
        self.outages: Outages = NONE
        self._register = register
        self._now = now
        self._health = health or Health()
        self._by = secrets.token_hex(6)
        self._held: Held | None = None  # what the register holds, as far as we know
        self._acknowledged_ms: int | None = None
        self._knocks: list[int] = []  # that no acknowledged beat of ours holds: the first and the newest
        self._alone = False  # no gateway is heard, and that was said
        self._beating: asyncio.Task[None] | None = None
        self._running: asyncio.Task[None] | None = None
        self._first = asyncio.Event()

    async def fresh(self, *, by_gateway: bool = False) -> Outages:
        """The outages known now, good for what is judged before anything is awaited.

        ``by_gateway``: it came through a gateway, which proves that there is one; if none was heard for long,
        the outage that this ends is stored first. Raises ``LogUnavailable`` when no beat can be made: then
        nothing may be judged.
        """
        for _ in range(_FRESHENING):
            if self._is_good(by_gateway=by_gateway):
                return self.outages
            if by_gateway and self.outages.open(self._now.now_ms()):
                self.knock()
            await self.beat()
        if not self._is_good(by_gateway=by_gateway):
            raise LogUnavailable("the pulse is acknowledged too late")
        return self.outages

    def knock(self) -> int:
        """A gateway is there that serves: when that was heard."""
        now_ms = self._now.now_ms()
        self._knocks[1:] = [now_ms]
        self._heard(now_ms)
        return now_ms

    async def on_question(self, _subject: str, data: bytes) -> bytes:
        """The answer to a gateway that asks what time it is; only one that serves is a sign of life."""
        now_ms = self.knock() if TIME_QUESTION.decode(data).serving else self._now.now_ms()
        return ENCODER.encode(TimeAnswer(now_ms))

    async def beat(self) -> None:
        """Make a beat; whoever asks while one is made waits for that one. Raises ``LogUnavailable``."""
        if self._beating is None or self._beating.done():
            self._beating = asyncio.get_running_loop().create_task(self._beat())
        await asyncio.shield(self._beating)

    async def start(self) -> None:
        """Make the first beat, however long that takes, and one every second from then on."""
        self._running = asyncio.get_running_loop().create_task(self._run())
        await self._first.wait()

    async def close(self) -> None:
        """No more beats: what comes from here to another beat, of any instance, is our outage."""
        for task in (self._running, self._beating):
            if task is not None:
                task.cancel()
                with suppress(asyncio.CancelledError, LogUnavailable):
                    await task

    # ---- inside

    def _is_good(self, *, by_gateway: bool) -> bool:
        if self._acknowledged_ms is None:
            return False
        now_ms = self._now.now_ms()
        return now_ms - self._acknowledged_ms <= FRESH_MS and not (by_gateway and self.outages.open(now_ms))

    def _heard(self, knock_ms: int) -> None:
        """Let a knock count that ends no outage."""
        if self.outages.heard_ms is not None and not self.outages.open(knock_ms):
            self.outages = msgspec.structs.replace(self.outages, heard_ms=knock_ms)

    async def _run(self) -> None:
        while True:
            made = await self._made()
            await asyncio.sleep(BEAT_MS / 1000 if made else _AGAIN_S)

    async def _made(self) -> bool:
        try:
            await self.beat()
        except LogUnavailable as error:
            self._health.hinder(PULSE_LOST, f"no beat can be stored: {error}")
            return False
        except Exception:  # noqa: BLE001 - whatever it was, a pulse that ends would look like an outage
            _log.exception("a beat failed")
            self._health.hinder(PULSE_LOST, "a beat failed, see the log")
            return False
        self._health.clear(PULSE_LOST)
        self._first.set()
        return True

    async def _beat(self) -> None:
        for attempt in range(_TRIES):
            held = self._held or await self._register.read()
            self._held = None  # until we know what came of it
            last = None if held.value is None else _BEAT.decode(held.value)
            if last is not None:
                self._now.saw(last.at_ms)
            at_ms = self._now.now_ms()
            beat = following(last, at_ms, self._by, self._counts(last, at_ms), tuple(self._knocks))
            value = _ENCODER.encode(beat)
            revision = await self._register.replace(value, held.revision)
            if revision is not None:
                self._acknowledge(beat, Held(value, revision))
                return
            await asyncio.sleep(_CONTENDED_S * attempt)  # a replica that is behind may need a while
        raise LogUnavailable(f"the pulse is contended: {_TRIES} attempts")

    def _counts(self, last: Beat | None, at_ms: int) -> int:
        """The newest moment at which storing is known to have worked; our own beat only if we know of it."""
        if last is None:
            return at_ms
        unknown = last.by == self._by and last.at_ms != self._acknowledged_ms
        return last.before_ms if unknown else last.at_ms

    def _acknowledge(self, beat: Beat, held: Held) -> None:
        self._held = held
        self._acknowledged_ms = beat.at_ms
        self._tell(beat)
        self.outages = Outages(beat.outages, beat.knocked_ms)
        self._knocks = [at_ms for at_ms in self._knocks if beat.knocked_ms is None or at_ms > beat.knocked_ms]
        if self._knocks:
            self._heard(self._knocks[-1])

    def _tell(self, beat: Beat) -> None:
        """Say what the operator should know, once; ``outages`` is still what was known before."""
        alone = Outages(beat.outages, beat.knocked_ms).open(beat.at_ms)
        newest = beat.outages[-1] if beat.outages else None
        if not alone and newest and newest.to_ms > beat.before_ms and newest not in self.outages.known:
            lasted_ms = newest.to_ms - newest.from_ms
            _log.warning("an outage is over", from_ms=newest.from_ms, to_ms=newest.to_ms, lasted_ms=lasted_ms)
        if beat.at_ms - beat.before_ms > GAP_MS:
            return  # after an outage of ours no gateway may have been heard yet
        if alone and not self._alone:
            _log.warning("no gateway is heard: no time is judged until one is", since_ms=beat.knocked_ms)
        self._alone = alone
