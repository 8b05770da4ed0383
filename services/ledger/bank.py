"""The accounts' logs: read, decide, append, again on a conflict; and every leg of a transfer on its way.

A transfer is one entry of the account that pays. What it is to bring to others is posted from there, by
whoever sent it and by whoever reads the stream afterwards: each leg arrives once, however often it is tried.
"""

import asyncio
import hashlib
from collections.abc import Callable
from typing import Final
from weakref import WeakValueDictionary

import msgspec

from services.ledger.domain import Account, Sent, receive, send
from shared.events.codec import LedgerEntry, decode_ledger
from shared.events.ledger import LedgerEvent, Transferred
from shared.journal import Cause, Written, follow, write
from shared.ports.log import Conflict, EventLog, LogUnavailable
from shared.recent import Recent

KEPT: Final = 20_000
"""So many accounts stay in memory; a forgotten one is read again when needed."""
TRIES: Final = 20
_BACK_OFF_S: Final = 0.005  # a replica that answers reads may be behind the one that refused the append

_ENCODER: Final = msgspec.json.Encoder()

Decide = Callable[[Account], tuple[LedgerEvent, ...]]


class Bank:
    """All accounts, on any number of instances: the log decides races."""

    def __init__(self, log: EventLog, now_ms: Callable[[], int], kept: int = KEPT) -> None:
        """``log`` holds the accounts' logs."""
        self._log = log
        self._now_ms = now_ms
        self._known: Recent[Account] = Recent(kept)
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def account(self, key: str) -> Account:
        """The account as it is stored by now; raises ``LogUnavailable`` and ``UnreadableLog``."""
        async with self._turn(key):
            return await self._caught_up(key)

    async def write(self, key: str, by: str, command: str, decide: Decide) -> Account:
        """Append what ``decide`` makes of the account, and give it as it is then.

        Nothing is appended where that is nothing. Raises what ``decide`` raises, ``LogUnavailable`` and
        ``UnreadableLog``.
        """
        async with self._turn(key):
            for attempt in range(TRIES):
                account = await self._caught_up(key)
                events = decide(account)
                if not events or await self._append(account, by, command, events):
                    return account
                await asyncio.sleep(_BACK_OFF_S * attempt)
        raise LogUnavailable(f"account {key} is contended: {TRIES} attempts")

    async def pay(self, wanted: Transferred, by: str) -> None:
        """Send ``wanted`` and let it arrive. Raises ``Refused("no_cover")``, else as ``write``."""
        account = await self.write(wanted.legs[0].account, by, wanted.id, lambda a: send(a, wanted))
        await self.post(account.key, account.sent[wanted.id])

    async def post(self, source: str, sent: Sent) -> None:
        """Let every leg of what left ``source`` arrive; what comes back from there, too."""
        for leg in sent.transfer.legs[1:]:
            known = self._known.get(leg.account)
            if known is None or (source, sent.transfer.id) not in known.received:
                amount = leg.amount
                known = await self.write(
                    leg.account, "ledger", sent.transfer.id, lambda a, m=amount: receive(a, source, sent, m)
                )
            back = known.sent.get(f"{sent.transfer.match}.return.{source}.{sent.n}")
            if back is not None:
                await self.post(known.key, back)

    async def read(self, key: str, n: int) -> LedgerEntry | None:
        """One entry of an account's log; raises ``LogUnavailable`` and ``UnreadableLog``."""
        stored = await self._log.get(key, n)
        return None if stored is None else decode_ledger(stored)

    def _turn(self, key: str) -> asyncio.Lock:
        turn = self._turns.get(key)
        if turn is None:
            turn = self._turns[key] = asyncio.Lock()
        return turn

    async def _caught_up(self, key: str) -> Account:
        account = self._known.get(key) or Account(key)
        try:
            for stored in await self._log.read(key, account.tip.n):
                entry = decode_ledger(stored)
                account.apply(entry, follow(account.tip, key, entry, stored))
        except Exception:
            self._known.forget(key)  # it may be half counted
            raise
        self._known.put(key, account)
        return account

    async def _append(self, account: Account, by: str, command: str, events: tuple[LedgerEvent, ...]) -> bool:
        """Whether it is stored; False if somebody else's entry came first."""
        cause = Cause(command, hashlib.sha256(_ENCODER.encode(events)).hexdigest(), by)
        written: Written[LedgerEvent] = write(account.tip, account.key, self._now_ms(), cause, events)
        try:
            await self._log.append(account.key, written.entry.n, written.stored)
        except Conflict:
            return False
        account.apply(written.entry, written.tip)
        return True
