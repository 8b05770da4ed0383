"""A bucket on JetStream: what a key-value store of the broker is underneath, over plain requests."""

import re
from typing import Final

import msgspec

from shared.adapters import jetstream
from shared.adapters.jetstream import ApiError, Patience
from shared.adapters.nats_connection import Broker
from shared.ports.bus import NoAnswer
from shared.ports.log import LogUnavailable

_KEY: Final = re.compile(r"[A-Za-z0-9_=-]{1,128}")
_NOT_FOUND: Final = 10037


class _Deleted(msgspec.Struct, frozen=True):
    success: bool = False
    error: ApiError | None = None


class NatsBucket:
    """``Bucket`` over one bucket of ``shared.subjects``."""

    def __init__(self, broker: Broker, bucket: str) -> None:
        """``bucket`` is SECRETS, KEYS, NAMES or REFRESH; the broker's user decides what is allowed."""
        self._broker = broker
        self._bucket = bucket
        self._stream = f"KV_{bucket}"

    async def create(self, key: str, value: bytes) -> bool:
        """See ``Bucket.create``. Our own value, found there after a lost answer, counts as created."""
        return (await jetstream.store_once(self._broker, self._stream, self._subject(key), value)).ours

    async def get(self, key: str) -> bytes | None:
        """See ``Bucket.get``."""
        found = await jetstream.get(self._broker, self._stream, self._subject(key), Patience())
        return None if found is None else found[0]

    async def delete(self, key: str) -> None:
        """See ``Bucket.delete``. The value is overwritten on the broker's disk, not just hidden."""
        patience = Patience()
        subject = self._subject(key)
        while (found := await jetstream.get(self._broker, self._stream, subject, patience)) is not None:
            body = msgspec.json.encode({"seq": found[1]})
            try:
                reply = await self._broker.request(
                    f"$JS.API.STREAM.MSG.DELETE.{self._stream}", body, patience.attempt_ms()
                )
            except NoAnswer as error:
                await patience.pause(f"{self._bucket}: {error}")
                continue
            error = msgspec.json.decode(reply, type=_Deleted).error
            if error is not None and error.err_code != _NOT_FOUND:
                raise LogUnavailable(f"{self._bucket}: {error.description} ({error.err_code})")

    def _subject(self, key: str) -> str:
        if not _KEY.fullmatch(key):
            raise ValueError(f"{key!r} is not a key of a bucket")
        return f"$KV.{self._bucket}.{key}"
