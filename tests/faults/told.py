"""What clients were told, and whether the logs bear it out: the check behind the tests of this folder."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from time import monotonic

from services.audit.domain import verify
from shared import subjects
from shared.adapters.nats_connection import Broker
from shared.adapters.nats_log import NatsLog
from shared.events.codec import decode_match

Given = tuple[str, int, str]
"""A command as its identity: match, seat, id."""
Figures = Callable[[str], None]
"""Takes what a test measured."""


@dataclass
class Told:
    """Every answer that the clients of one test got. ``wrong`` holds what no client may ever see."""

    sent: set[Given] = field(default_factory=set[Given])
    accepted: dict[Given, int] = field(default_factory=dict[Given, int])
    wrong: list[str] = field(default_factory=list[str])
    again: Counter[str] = field(default_factory=Counter[str])
    reconnects: int = 0
    longest_s: float = 0.0
    _last: float = 0.0
    _waiting: list[tuple[int, asyncio.Future[None]]] = field(
        default_factory=list[tuple[int, "asyncio.Future[None]"]]
    )

    def accept(self, given: Given, n: int) -> None:
        """A client was told that its command is commit ``n``."""
        if given in self.accepted:
            self.wrong.append(f"{given} was accepted twice: as {self.accepted[given]} and as {n}")
        self.accepted[given] = n
        now = monotonic()
        if self._last:
            self.longest_s = max(self.longest_s, now - self._last)
        self._last = now
        for least, future in self._waiting:
            if len(self.accepted) >= least and not future.done():
                future.set_result(None)

    async def more(self, moves: int, within_s: float = 60) -> None:
        """Return when so many more commands were accepted."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((len(self.accepted) + moves, future))
        try:
            async with asyncio.timeout(within_s):
                await future
        except TimeoutError:
            why = f"not {moves} more moves in {within_s} s: {self.figures()}"
            raise AssertionError(f"{why}; {self.wrong[:3]}") from None
        self._waiting = [(least, waiting) for least, waiting in self._waiting if waiting is not future]

    def figures(self) -> str:
        """In one line."""
        return (
            f"{len(self.accepted)} commands accepted, {self.reconnects} reconnects, asked to try again"
            f" {dict(self.again)}, longest without an accepted command {self.longest_s:.2f} s"
        )


async def bear_out(audit: Broker, told: Told, matches: Iterable[str]) -> int:
    """Check the logs against what was told; how many commits were checked.

    Every log is gapless and verifies; every accepted command stands in the log once, where it was said to
    stand; nothing stands there that nobody sent.
    """
    assert not told.wrong, (told.wrong[:5], len(told.wrong), told.figures())
    wanted = set(matches)
    logs: dict[str, dict[int, bytes]] = {match: {} for match in wanted}

    def on_entry(match: str, n: int, stored: bytes) -> None:
        if match in wanted:
            assert n not in logs[match], f"{match} has two commits {n}"
            logs[match][n] = stored

    await NatsLog(audit, subjects.GAMES).scan(on_entry)
    where: dict[Given, int] = {}
    for match, entries in logs.items():
        numbers = sorted(entries)
        assert numbers == list(range(1, len(numbers) + 1)), f"{match} has gaps: {numbers}"
        report = await asyncio.to_thread(verify, [entries[n] for n in numbers])
        assert report.ok, report.difference
        for n in numbers:
            commit = decode_match(entries[n])
            if commit.by.seat is None:
                continue
            given = match, commit.by.seat, commit.command
            assert given not in where, f"{given} stands in commits {where[given]} and {n}"
            assert given in told.sent, f"nobody sent {given}"
            where[given] = n
    lost = {given: n for given, n in told.accepted.items() if where.get(given) != n}
    assert not lost, f"acknowledged, but not in the log there: {lost}"
    return sum(len(entries) for entries in logs.values())
