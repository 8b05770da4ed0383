"""What log and bucket share of JetStream's wire protocol: errors, single reads, storing once.

Spoken over plain requests because nats-py's own JetStream client costs two to three times as much.
"""

import asyncio
from typing import Final, NamedTuple

import msgspec
from nats.aio.msg import Msg

from shared.adapters.nats_connection import DESCRIPTION, NO_RESPONDERS, STATUS, Broker
from shared.ports.bus import NoAnswer
from shared.ports.log import LogUnavailable

EXPECT_NOTHING: Final = {"Nats-Expected-Last-Subject-Sequence": "0"}
WRONG_LAST_SEQUENCE: Final = (10071, 10164)  # 10164 is what replicated streams mostly say
STORE_FAILED: Final = 10077  # its description says why; the stream's own guard for one subject is a conflict
FULL_SUBJECT: Final = "maximum messages per subject exceeded"
PATIENCE_MS: Final = 10_000  # how long a call tries before it says that the log is unavailable
ATTEMPT_MS: Final = 2_000  # one request
FIRST_PAUSE_S: Final = 0.005
LONGEST_PAUSE_S: Final = 0.25


class ApiError(msgspec.Struct, frozen=True):
    """What went wrong, in JetStream's own numbers."""

    err_code: int = 0
    description: str = ""
    code: int = 0


class PubAck(msgspec.Struct, frozen=True):
    """The answer to a stored (or refused) message."""

    seq: int = 0
    error: ApiError | None = None


class Refusal(NoAnswer):
    """The broker itself said that this cannot be had; nothing was lost on the way."""


_NEWEST: Final = b'{"last_by_subj":">"}'
_PUB_ACK: Final = msgspec.json.Decoder(PubAck)


class Patience:
    """A deadline with pauses that grow: ``await pause()`` or ``LogUnavailable`` when it is used up."""

    __slots__ = ("_deadline", "_loop", "_pause_s")

    def __init__(self, total_ms: int = PATIENCE_MS) -> None:
        """Starts now."""
        self._loop = asyncio.get_running_loop()
        self._deadline = self._loop.time() + total_ms / 1000
        self._pause_s = FIRST_PAUSE_S

    def attempt_ms(self) -> int:
        """How long the next request may take."""
        return max(1, min(ATTEMPT_MS, int((self._deadline - self._loop.time()) * 1000)))

    async def pause(self, why: str) -> None:
        """Wait a little longer each time; raises ``LogUnavailable(why)`` when the time is used up."""
        if self._loop.time() + self._pause_s >= self._deadline:
            raise LogUnavailable(why)
        await asyncio.sleep(self._pause_s)
        self._pause_s = min(self._pause_s * 2, LONGEST_PAUSE_S)


async def get_once(broker: Broker, stream: str, subject: str, timeout_ms: int) -> tuple[bytes, int] | None:
    """The message on ``subject`` and its sequence by Direct Get, or None; raises ``NoAnswer``."""
    return _one(stream, await broker.ask(f"$JS.API.DIRECT.GET.{stream}.{subject}", b"", timeout_ms))


async def get(broker: Broker, stream: str, subject: str, patience: Patience) -> tuple[bytes, int] | None:
    """As ``get_once``, trying until ``patience`` ends with ``LogUnavailable``."""
    while True:
        try:
            return await get_once(broker, stream, subject, patience.attempt_ms())
        except NoAnswer as error:
            await patience.pause(str(error))


async def get_last(broker: Broker, stream: str, patience: Patience) -> int | None:
    """The sequence of the newest message in ``stream``, None if it holds none; raises ``LogUnavailable``."""
    while True:
        try:
            newest = _one(
                stream,
                await broker.ask(f"$JS.API.DIRECT.GET.{stream}", _NEWEST, patience.attempt_ms()),
            )
        except NoAnswer as error:
            await patience.pause(str(error))
        else:
            return None if newest is None else newest[1]


async def unreadable(broker: Broker, stream: str) -> str | None:
    """Why ``stream`` cannot be read by Direct Get, "" if it can; None when that was not to be learnt."""
    try:
        _one(stream, await broker.ask(f"$JS.API.DIRECT.GET.{stream}", _NEWEST, ATTEMPT_MS))
    except Refusal as refusal:
        return str(refusal)
    except NoAnswer:
        return None
    return ""


def _one(stream: str, message: Msg) -> tuple[bytes, int] | None:
    headers = message.headers or {}
    status = headers.get(STATUS)
    if status is None:
        return message.data, int(headers.get("Nats-Sequence", "0"))
    if status == "404":
        return None
    why = "nobody answers for it" if status == NO_RESPONDERS else headers.get(DESCRIPTION, status)
    raise Refusal(f"stream {stream}: {why}")


class Standing(NamedTuple):
    """What stands on a subject after ``store_once``, and whether this call put it there."""

    data: bytes
    ours: bool


async def store_once(broker: Broker, stream: str, subject: str, data: bytes) -> Standing:
    """Store ``data`` on ``subject`` if nothing stands there; durable when it returns.

    When an answer is lost the subject is read back: our bytes there mean success, nothing there means that
    the same bytes may be sent again, since a late first copy then refuses the second. Raises
    ``LogUnavailable``.
    """
    patience = Patience()
    lost = False  # whether an earlier attempt of ours may be what stands there
    while True:
        try:
            refused = await _publish_once(broker, stream, subject, data, patience)
            if not refused:
                return Standing(data, ours=True)
        except NoAnswer as error:
            refused, lost = False, True
            await patience.pause(f"{subject}: {error}")
        found = await get(broker, stream, subject, patience)
        while refused and found is None:  # a replica that is behind does not show yet what refused us
            await patience.pause(f"{subject} was refused, but what stands there cannot be seen")
            found = await get(broker, stream, subject, patience)
        if found is not None:
            return Standing(found[0], ours=lost and found[0] == data)


async def _publish_once(broker: Broker, stream: str, subject: str, data: bytes, patience: Patience) -> bool:
    """Whether it was refused because something stands there; ``NoAnswer`` when it cannot be told."""
    message = await broker.ask(subject, data, patience.attempt_ms(), EXPECT_NOTHING)
    if message.headers and STATUS in message.headers:
        raise NoAnswer(f"stream {stream} does not take {subject}: nobody listens")
    error = _PUB_ACK.decode(message.data).error
    if error is None:
        return False
    if error.err_code in WRONG_LAST_SEQUENCE:
        return True
    if error.err_code == STORE_FAILED and FULL_SUBJECT in error.description:
        return True
    raise NoAnswer(f"stream {stream}: {error.description} ({error.err_code})")
