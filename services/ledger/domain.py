"""An account: what its log says, and what a transfer makes of it. Pure; ADR 0019 says why it is so.

Accounts are named by whose they are: a player's id; a match's id, its escrow; ``mint_<player>``, what this
player was granted; ``house_<match>``, what the house got from this match. So no log is written by all.
"""

from typing import Final

import msgspec

from shared.events.codec import LedgerEntry, UnreadableLog
from shared.events.ledger import Credited, EscrowOpened, LedgerEvent, Leg, Transferred
from shared.events.staked import Staked
from shared.journal import Tip
from shared.problems import Refused
from shared.stakes import PERMILLE

MINT: Final = "mint_"
HOUSE: Final = "house_"
ENDS: Final = ("settle", "release")
"""The purposes that close an escrow."""


class Sent(msgspec.Struct, frozen=True):
    """A transfer that left an account, and in which entry."""

    n: int
    transfer: Transferred


class Account:
    """One account, folded from its log. An entry is counted once it is stored (``apply``)."""

    __slots__ = ("balance", "closed", "key", "opened", "paid", "received", "sent", "staked", "tip")

    def __init__(self, key: str) -> None:
        """Empty."""
        self.key = key
        self.tip = Tip()
        self.balance = 0
        self.sent: dict[str, Sent] = {}
        self.received: set[tuple[str, str]] = set()
        self.staked: dict[str, int] = {}
        """A player's: what he has in the escrow of each match that is not settled."""
        self.opened: EscrowOpened | None = None
        self.paid: dict[str, int] = {}
        """An escrow's: what each player has in it."""
        self.closed = ""
        """An escrow's: the purpose of the transfer that has emptied it."""

    @property
    def held(self) -> int:
        """What a player has in escrows."""
        return sum(self.staked.values())

    def apply(self, entry: LedgerEntry, tip: Tip) -> None:
        """Count ``entry``, after which the log ends at ``tip``; raises ``UnreadableLog``."""
        for event in entry.events:
            match event:
                case EscrowOpened():
                    self.opened = event
                case Credited():
                    self._came(event)
                case Transferred():
                    self._left(event, entry.n)
        self.tip = tip

    def _left(self, event: Transferred, n: int) -> None:
        debit = event.legs[0]
        if debit.account != self.key:
            raise UnreadableLog(f"{self.key}: entry {n} debits {debit.account}.")
        self.balance += debit.amount
        self.sent[event.id] = Sent(n, event)
        if event.purpose in ENDS:
            self.closed = event.purpose
            self.paid = {}
        elif event.purpose == "return":
            self.paid.clear()
        elif event.match:
            self.staked[event.match] = self.staked.get(event.match, 0) - debit.amount

    def _came(self, event: Credited) -> None:
        self.balance += event.amount
        self.received.add((event.source, event.id))
        if self.opened is not None:
            self.paid[event.source] = self.paid.get(event.source, 0) + event.amount
        elif event.purpose in ENDS:
            self.staked.pop(event.match, None)
        elif event.purpose == "return":
            left = self.staked.get(event.match, 0) - event.amount
            if left > 0:
                self.staked[event.match] = left
            else:
                self.staked.pop(event.match, None)


def transfer(match: str, purpose: str, legs: tuple[Leg, ...], step: str = "") -> Transferred:
    """A transfer; ``step`` tells it from others of the same match and purpose."""
    name = ".".join(part for part in (match, purpose, step) if part)
    return Transferred(id=name, purpose=purpose, match=match, legs=legs)


def move(source: str, to: str, amount: int, match: str, purpose: str, *, step: str = "") -> Transferred:
    """``amount`` from one account to another."""
    return transfer(match, purpose, (Leg(source, -amount), Leg(to, amount)), step)


def send(account: Account, wanted: Transferred) -> tuple[LedgerEvent, ...]:
    """``wanted`` leaves ``account``; nothing if it has left before.

    Raises ``Refused("no_cover")`` where the balance would go below zero. The mint alone may owe.
    """
    if wanted.id in account.sent:
        return ()
    if account.balance + wanted.legs[0].amount < 0 and not account.key.startswith(MINT):
        raise Refused("no_cover", f"You have {account.balance}; {-wanted.legs[0].amount} are needed.")
    return (wanted,)


def receive(account: Account, source: str, sent: Sent, amount: int) -> tuple[LedgerEvent, ...]:
    """A leg of ``sent``, which left ``source``, arrives; nothing if it has arrived before.

    What comes into a closed escrow goes back in the same entry.
    """
    wanted = sent.transfer
    if (source, wanted.id) in account.received:
        return ()
    came = Credited(
        source=source, n=sent.n, id=wanted.id, purpose=wanted.purpose, match=wanted.match, amount=amount
    )
    if not account.closed:
        return (came,)
    back = move(account.key, source, amount, wanted.match, "return", step=f"{source}.{sent.n}")
    return came, back


def open_escrow(escrow: Account, wanted: EscrowOpened) -> tuple[LedgerEvent, ...]:
    """The escrow opens; nothing if it is open (or has been).

    The fee is that of the first time. Raises ``Refused("id_reused")`` if it was opened for something else.
    """
    if escrow.opened is None:
        return (wanted,)
    if not escrow.opened.players:
        raise Refused("escrow_closed", "The match was called off.")
    if msgspec.structs.replace(escrow.opened, fee_permille=wanted.fee_permille) != wanted:
        raise Refused("id_reused", "The stakes of this match are others.")
    return ()


def close_unless_held(escrow: Account, of_each: int) -> tuple[LedgerEvent, ...]:
    """Everything goes back; nothing if both stakes are in after all, or the escrow is closed."""
    opened = _opened(escrow)
    complete = all(escrow.paid.get(player, 0) >= of_each for player in opened.players)
    return () if complete else close(escrow, None, 0)


def never(escrow: Account) -> tuple[LedgerEvent, ...]:
    """The escrow is closed before anything was held; nothing if it was opened meanwhile and is closed."""
    if escrow.opened is not None:
        return close(escrow, None, 0)
    nothing = EscrowOpened(players=(), base=0, worst=1, fixed=True, fee_permille=0)
    return nothing, transfer(escrow.key, "release", (Leg(escrow.key, 0),))


def close(escrow: Account, winner: int | None, points: int) -> tuple[LedgerEvent, ...]:
    """The escrow is emptied: to ``winner`` (a seat), or to whom the stakes came from; nothing if it was.

    A match's winner gets the pot less the fee; a single game's ``base`` times ``points`` of the loser, and
    both the rest of their own (rules §8). More than is held nobody loses.
    """
    if escrow.closed:
        return ()
    opened = _opened(escrow)
    shares = {player: escrow.paid.get(player, 0) for player in opened.players}
    house = 0
    if winner is not None:
        first = opened.players[winner]
        for player in opened.players:
            if player != first:
                lost = shares[player] if opened.fixed else min(opened.base * points, shares[player])
                shares[player] -= lost
                shares[first] += lost
        if opened.fixed:
            house = shares[first] * opened.fee_permille // PERMILLE
            shares[first] -= house
    legs = [Leg(escrow.key, -escrow.balance)]
    legs += [Leg(player, share) for player, share in shares.items()]
    if house:
        legs.append(Leg(HOUSE + escrow.key, house))
    return (transfer(escrow.key, "release" if winner is None else "settle", tuple(legs)),)


def staked(opened: EscrowOpened) -> Staked:
    """What the escrow was opened for, as the match's first commit says it."""
    return Staked(base=opened.base, worst=opened.worst, fixed=opened.fixed, fee_permille=opened.fee_permille)


def _opened(escrow: Account) -> EscrowOpened:
    if escrow.opened is None:
        raise Refused("escrow_closed", "Nothing is staked on this match.")
    return escrow.opened
