"""An auditor of the ledger's own: adds up the stored entries as plain JSON, without the service's code."""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Books:
    """What all accounts' logs say together."""

    balances: Counter[str] = field(default_factory=Counter[str])
    transit: dict[tuple[str, str, str], int] = field(default_factory=dict[tuple[str, str, str], int])
    purposes: Counter[str] = field(default_factory=Counter[str])
    lowest: dict[str, int] = field(default_factory=dict[str, int])
    closed: set[str] = field(default_factory=set[str])

    @property
    def total(self) -> int:
        """Of all accounts and of what is on its way."""
        return sum(self.balances.values()) + sum(self.transit.values())

    def of(self, kind: str) -> int:
        """All accounts whose names begin so."""
        return sum(balance for account, balance in self.balances.items() if account.startswith(kind))


def read(entries: Iterable[tuple[str, int, bytes]]) -> Books:
    """The books of ``entries`` (account, n, bytes) in any order of accounts; fails where they contradict."""
    logs: dict[str, list[bytes]] = defaultdict(list)
    for account, n, stored in entries:
        logs[account].append(stored)
        assert len(logs[account]) == n, f"{account}: entry {n} is out of order"
    books = Books()
    came: set[tuple[str, str, str]] = set()
    for account, log in logs.items():
        _account(books, account, log, came)
    for account, log in logs.items():
        for stored in log:
            for event in json.loads(stored)["events"]:
                if event["type"] == "credited":
                    leg = (event["source"], event["id"], account)
                    assert books.transit.get(leg) == event["amount"], f"{leg} came from nowhere"
                    del books.transit[leg]
    return books


def _account(books: Books, account: str, log: list[bytes], came: set[tuple[str, str, str]]) -> None:
    prev, sent = "0" * 64, set[str]()
    for stored in log:
        entry: dict[str, Any] = json.loads(stored)
        assert (entry["key"], entry["prev"]) == (account, prev)
        prev = hashlib.sha256(stored).hexdigest()
        for event in entry["events"]:
            if event["type"] == "transferred":
                assert event["id"] not in sent, f"{account}: {event['id']} twice"
                assert event["id"].startswith(event.get("match", "") or event["purpose"])
                sent.add(event["id"])
                legs = event["legs"]
                assert legs[0]["account"] == account
                assert sum(leg["amount"] for leg in legs) == 0
                books.balances[account] += legs[0]["amount"]
                books.purposes[event["purpose"]] += 1
                if event["purpose"] in ("settle", "release"):
                    assert account not in books.closed, f"{account} was closed twice"
                    books.closed.add(account)
                for leg in legs[1:]:
                    assert leg["amount"] >= 0
                    books.transit[account, event["id"], leg["account"]] = leg["amount"]
            elif event["type"] == "credited":
                leg = (event["source"], event["id"], account)
                assert leg not in came, f"{leg} came twice"
                came.add(leg)
                books.balances[account] += event["amount"]
        books.lowest[account] = min(books.lowest.get(account, 0), books.balances[account])


def sound(books: Books) -> None:
    """Money is neither made nor lost, nobody but the mint owes anything."""
    assert books.total == 0
    owing = {account for account, lowest in books.lowest.items() if lowest < 0}
    assert all(account.startswith("mint_") for account in owing), owing


def settled(books: Books) -> None:
    """As ``sound``, with nothing on its way and nothing left in any escrow."""
    sound(books)
    assert books.transit == {}
    left = {a: b for a, b in books.balances.items() if b and a.startswith("m") and not a.startswith("mint_")}
    assert left == {}
