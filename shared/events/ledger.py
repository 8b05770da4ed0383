"""The events of an account: money that left it, money that came, and an escrow that was opened.

Amounts are whole numbers of the smallest unit. An account's balance is what these say, nothing else does.
"""

import msgspec


class Leg(msgspec.Struct, frozen=True):
    """What a transfer does to one account: less than nothing is a debit."""

    account: str
    amount: int


class Transferred(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="transferred"):
    """Money left this account: all legs of the transfer, the debit of this account first; they add up to 0.

    ``purpose`` is ``grant``, ``hold``, ``raise``, ``settle``, ``release`` or ``return``; ``match`` is the
    match that it is for (none in a grant). ``id`` is made of both and unique in this log. A leg of 0 tells
    a player that his stake is settled, and that nothing comes back.
    """

    id: str
    purpose: str
    legs: tuple[Leg, ...]
    match: str = ""


class Credited(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="credited"):
    """A leg of a transfer arrived: that with this ``id`` in entry ``n`` of the account ``source``."""

    source: str
    n: int
    id: str
    purpose: str
    amount: int
    match: str = ""


class EscrowOpened(msgspec.Struct, frozen=True, kw_only=True, tag="escrow_opened"):
    """The escrow of a match exists; the first entry of its log. ``players`` are by seat.

    ``base``, ``worst``, ``fixed`` and ``fee_permille`` are those of ``Staked`` in the match's first commit.
    """

    players: tuple[str, ...]
    base: int
    worst: int
    fixed: bool
    fee_permille: int


LedgerEvent = Transferred | Credited | EscrowOpened
