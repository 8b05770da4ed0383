"""The event log on JetStream: one message per entry, written once, read by Direct Get, republished live."""

import re
from collections.abc import Callable
from typing import Final

import msgspec
import structlog

from shared import subjects
from shared.adapters import jetstream
from shared.adapters.jetstream import Patience
from shared.adapters.nats_connection import DESCRIPTION, NO_RESPONDERS, STATUS, Broker, Reply
from shared.adapters.nats_consumer import consume
from shared.adapters.nats_follow import LiveLogs
from shared.ports.bus import NoAnswer
from shared.ports.log import Conflict, Following, Handler, LogUnavailable, OnEntry

PAGE: Final = 1_024  # the most subjects that one multi_last request may return
_TAIL: Final = 32  # the first page of a tail, which is nearly always short
_SCAN_BATCH: Final = 4_096
_REMEMBERED: Final = 10_000  # conflicts whose winner the next read must show
_KEY: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")

_log = structlog.get_logger("log")


class NatsLog:
    """``EventLog`` over one stream of ``shared.subjects``; one instance per process and stream."""

    def __init__(
        self, broker: Broker, stream: str, on_consumer: Callable[[str], None] = lambda _trouble: None
    ) -> None:
        """``stream`` is GAMES or that of another log; the broker's user decides what of this is allowed.

        ``on_consumer`` is told why a consumer of this log gets nothing, and "" when it does again.
        """
        self._broker = broker
        self._stream = stream
        self._on_consumer = on_consumer
        self._multi = f"$JS.API.DIRECT.GET.{stream}"
        self._prefix = f"{subjects.PREFIX[stream]}."
        self._beaten: dict[str, int] = {}
        self._live = LiveLogs(broker, stream, self.read, self._present)

    async def append(self, key: str, n: int, data: bytes) -> None:
        """See ``EventLog.append``; after ``Conflict`` the next ``read`` shows the entry that stands there."""
        standing = await jetstream.store_once(self._broker, self._stream, self._subject(key, n), data)
        if standing.data != data:
            if len(self._beaten) >= _REMEMBERED:
                self._beaten.pop(next(iter(self._beaten)))
            self._beaten[key] = max(n, self._beaten.get(key, 0))
            raise Conflict(f"{key} has another entry {n}")

    async def get(self, key: str, n: int) -> bytes | None:
        """See ``EventLog.get``."""
        found = await jetstream.get(self._broker, self._stream, self._subject(key, n), Patience())
        return None if found is None else found[0]

    async def read(self, key: str, after: int = 0) -> list[bytes]:
        """See ``EventLog.read``. A replica that is behind what this process knows is asked again."""
        patience = Patience()
        self._subject(key, 1)
        while True:
            try:
                entries = await self._read_once(key, after, patience)
            except NoAnswer as error:
                await patience.pause(f"{self._stream} {key}: {error}")
                continue
            least = self._beaten.get(key, 0)
            if after + len(entries) >= least:
                self._beaten.pop(key, None)
                return entries
            await patience.pause(f"{self._stream} {key}: entry {least} cannot be seen")

    async def follow(self, key: str, after: int, on_entry: OnEntry) -> Following:
        """See ``EventLog.follow``. All followed logs share one live subscription and one probing loop."""
        self._subject(key, 1)
        return await self._live.follow(key, after, on_entry)

    async def consume(self, durable: str, handler: Handler) -> Following:
        """See ``EventLog.consume``.

        After a crash, or when several processes share ``durable``, an entry may come again behind a newer
        one of the same key: handlers are idempotent by (key, n).
        """
        return await consume(self._broker, self._stream, durable, handler, self._on_consumer)

    async def scan(self, on_entry: Callable[[str, int, bytes], None]) -> None:
        """See ``EventLog.scan``; by Direct Get in batches, so it needs no right to make consumers."""
        last = await jetstream.get_last(self._broker, self._stream, Patience())
        at, patience = 1, Patience()
        while last is not None and at <= last:
            replies = await self._scan_batch(at, patience)
            if not replies:  # a replica that is behind
                await patience.pause(f"{self._stream}: message {last} cannot be seen")
                continue
            patience = Patience()
            for reply in replies:
                sequence = int(reply.headers["Nats-Sequence"])
                at = sequence + 1
                if sequence > last:  # what is stored later is not ours to wait for
                    return
                key, n = _key_and_n(reply.headers["Nats-Subject"])
                on_entry(key, n, reply.data)

    # ---- inside

    def _subject(self, key: str, n: int) -> str:
        if not _KEY.fullmatch(key):
            raise ValueError(f"{key!r} is not the key of a log")
        return f"{self._prefix}{key}.{n}"

    async def _read_once(self, key: str, after: int, patience: Patience) -> list[bytes]:
        entries: list[bytes] = []
        if after == 0:
            whole = await self._multi_last([f"{self._prefix}{key}.>"], patience)
            if whole is not None:
                return _in_order(key, 0, whole)
        size = PAGE if after == 0 else _TAIL
        while True:
            first = after + len(entries) + 1
            wanted = [f"{self._prefix}{key}.{n}" for n in range(first, first + size)]
            page = _in_order(key, first - 1, await self._multi_last(wanted, patience) or [])
            entries += page
            if len(page) < size:
                return entries
            size = PAGE

    async def _multi_last(self, wanted: list[str], patience: Patience) -> list[Reply] | None:
        """The last message of each subject, in stored order; None when there are more than ``PAGE``."""
        body = msgspec.json.encode({"multi_last": wanted, "batch": PAGE})
        replies = await self._broker.ask_many(self._multi, body, patience.attempt_ms())
        end = replies.pop().headers
        match end[STATUS]:
            case "204" | "404":
                return replies
            case "413":
                return None
            case status:
                raise NoAnswer(
                    "nobody answers for it" if status == NO_RESPONDERS else end.get(DESCRIPTION, status)
                )

    async def _present(self, wanted: list[tuple[str, int]]) -> list[tuple[str, int]]:
        """Which of these entries (at most ``PAGE``) exist; raises ``NoAnswer``."""
        if not wanted:
            return []
        found = await self._multi_last([f"{self._prefix}{key}.{n}" for key, n in wanted], Patience())
        return [_key_and_n(reply.headers["Nats-Subject"]) for reply in found or []]

    async def _scan_batch(self, at: int, patience: Patience) -> list[Reply]:
        """The next messages from sequence ``at``, in stored order; none when there are no more."""
        body = msgspec.json.encode({"seq": at, "batch": _SCAN_BATCH, "next_by_subj": f"{self._prefix}>"})
        while True:
            try:
                replies = await self._broker.ask_many(self._multi, body, patience.attempt_ms())
                break
            except NoAnswer as error:
                await patience.pause(f"{self._stream}: {error}")
        end = replies.pop().headers
        if end[STATUS] not in ("204", "404"):
            raise LogUnavailable(f"{self._stream}: {end.get(DESCRIPTION, end[STATUS])}")
        return replies


def _key_and_n(subject: str) -> tuple[str, int]:
    _, key, n = subject.split(".")
    return key, int(n)


def _in_order(key: str, after: int, replies: list[Reply]) -> list[bytes]:
    """The entries after ``after``, in order; raises ``LogUnavailable`` where one is missing between them.

    A replica that is behind lacks the newest ones, never one in between: such a hole is damage, and whoever
    took it for the end of the log would write into it.
    """
    numbered = sorted((int(r.headers["Nats-Subject"].rpartition(".")[2]), r.data) for r in replies)
    entries: list[bytes] = []
    for n, data in numbered:
        if n != after + len(entries) + 1:
            missing = after + len(entries) + 1
            _log.error("the log has a hole", key=key, missing=missing)
            raise LogUnavailable(f"{key}: entry {missing} is missing, though {n} is there")
        entries.append(data)
    return entries
