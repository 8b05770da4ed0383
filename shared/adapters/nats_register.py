"""A register on JetStream: one subject of a stream that keeps its newest message, replaced by sequence."""

from typing import Final

import msgspec

from shared.adapters import jetstream
from shared.adapters.jetstream import WRONG_LAST_SEQUENCE, PubAck
from shared.adapters.nats_connection import STATUS, Broker
from shared.ports.bus import NoAnswer
from shared.ports.log import LogUnavailable
from shared.ports.register import Held

_PUB_ACK: Final = msgspec.json.Decoder(PubAck)


class NatsRegister:
    """``Register`` on one subject."""

    def __init__(self, broker: Broker, stream: str, subject: str, attempt_ms: int) -> None:
        """Every question waits at most ``attempt_ms`` for its answer; nothing is tried twice here."""
        self._broker = broker
        self._stream = stream
        self._subject = subject
        self._attempt_ms = attempt_ms

    async def read(self) -> Held:
        """See ``Register.read``."""
        try:
            found = await jetstream.get_once(self._broker, self._stream, self._subject, self._attempt_ms)
        except NoAnswer as error:
            raise LogUnavailable(str(error)) from error
        return Held(None, 0) if found is None else Held(*found)

    async def replace(self, value: bytes, revision: int) -> int | None:
        """See ``Register.replace``."""
        expect = {"Nats-Expected-Last-Subject-Sequence": str(revision)}
        try:
            message = await self._broker.ask(self._subject, value, self._attempt_ms, expect)
        except NoAnswer as error:
            raise LogUnavailable(str(error)) from error
        if message.headers and STATUS in message.headers:
            raise LogUnavailable(f"stream {self._stream}: nobody answers for it")
        answer = _PUB_ACK.decode(message.data)
        if answer.error is None:
            return answer.seq
        if answer.error.err_code in WRONG_LAST_SEQUENCE:
            return None
        raise LogUnavailable(f"stream {self._stream}: {answer.error.description} ({answer.error.err_code})")
