"""Facts on JetStream: one message per name, written once, read by Direct Get in stored order."""

import re
from typing import Final

import msgspec

from shared import subjects
from shared.adapters import jetstream
from shared.adapters.jetstream import Patience
from shared.adapters.nats_connection import DESCRIPTION, STATUS, Broker
from shared.ports.bus import NoAnswer
from shared.ports.facts import Fact
from shared.ports.log import LogUnavailable

_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_END: Final = ("204", "404")


class NatsFacts:
    """``Facts`` over one stream of ``shared.subjects``.

    On a replicated stream a replica that is behind may answer ``after``: what was stored in the last moments
    may be missing then, never anything before it.
    """

    def __init__(self, broker: Broker, stream: str) -> None:
        """``stream`` is RATINGS."""
        self._broker = broker
        self._stream = stream
        self._prefix = subjects.PREFIX[stream]

    async def put(self, group: str, key: str, data: bytes) -> bytes:
        """See ``Facts.put``."""
        if not (_TOKEN.fullmatch(group) and _TOKEN.fullmatch(key)):
            raise ValueError(f"{group!r}, {key!r} is not the name of a fact")
        subject = f"{self._prefix}.{group}.{key}"
        return (await jetstream.store_once(self._broker, self._stream, subject, data)).data

    async def after(self, place: int, most: int) -> list[Fact]:
        """See ``Facts.after``; one request."""
        body = msgspec.json.encode({"seq": place + 1, "batch": most, "next_by_subj": f"{self._prefix}.>"})
        subject, patience = f"$JS.API.DIRECT.GET.{self._stream}", Patience()
        while True:
            try:
                replies = await self._broker.ask_many(subject, body, patience.attempt_ms())
                break
            except NoAnswer as error:
                await patience.pause(f"{self._stream}: {error}")
        end = replies.pop().headers
        if end[STATUS] not in _END:
            raise LogUnavailable(f"{self._stream}: {end.get(DESCRIPTION, end[STATUS])}")
        return [Fact(int(reply.headers["Nats-Sequence"]), reply.data) for reply in replies]
