"""What lobby, game and gateway ask the ledger, and what it answers.

A request goes to ``cmd.<sender>.ledger.<key>``, where ``key`` is the match's id, or the player's whose
money it is about. The sender limits what may be asked. All may be asked again: what has happened once
does not happen twice.
"""

from typing import Final

import msgspec

from shared.events.staked import Staked
from shared.problems import Problem


class Hold(msgspec.Struct, frozen=True, kw_only=True, tag="hold"):
    """From the lobby: hold the stakes of both ``players`` for the match. Answer: ``Held``.

    ``base``, ``worst`` and ``fixed`` as in ``Staked``. Refused with ``no_cover`` (then nothing is held any
    more, for good), ``escrow_closed``, ``stakes_off``, ``id_reused``.
    """

    players: tuple[str, ...]
    base: int
    worst: int
    fixed: bool


class Release(msgspec.Struct, frozen=True, tag="release"):
    """From the lobby: the match will never be; everything goes back. Answer: ``Done``.

    Whatever would be held for it later is refused with ``escrow_closed``. Refused with ``match_begun`` where
    the match exists.
    """


class Afford(msgspec.Struct, frozen=True, tag="afford"):
    """From the lobby: could the player stake ``amount`` now? Answer: ``Done``; refused with ``no_cover``."""

    amount: int


class RaiseStake(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="raise_stake"):
    """From game: hold what ``player`` can lose with the cube at ``cube``. Answer: ``Done``.

    With ``dry_run`` it is only looked at. Refused with ``no_cover`` or ``escrow_closed``.
    """

    player: str
    cube: int
    dry_run: bool = False


class GetWallet(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="get_wallet"):
    """From the gateway: the player's money. Answer: ``Wallet``.

    ``before`` is the ``next`` of the page before, 0 for the newest entries; ``limit`` is 1 to 100.
    """

    before: int = 0
    limit: int = 20


LedgerRequest = Hold | Release | Afford | RaiseStake | GetWallet


class Held(msgspec.Struct, frozen=True, tag="held"):
    """Both stakes are in the escrow of the match."""

    staked: Staked


class Done(msgspec.Struct, frozen=True, tag="done"):
    """It is so."""


class WalletEntry(msgspec.Struct, frozen=True, kw_only=True):
    """Entry ``n`` of a player's account: ``amount`` came, or left (less than nothing).

    ``purpose``: ``grant`` (play money at the start), ``hold`` and ``raise`` (into the escrow of ``match``),
    ``settle`` (what came back when it was decided, 0 too), ``release`` (it was a draw, or will not be),
    ``return`` (a raise that came too late).
    """

    n: int
    at_ms: int
    purpose: str
    amount: int
    match: str


class Wallet(msgspec.Struct, frozen=True, kw_only=True, tag="wallet"):
    """A player's money in the smallest unit: ``balance`` is free, ``held`` is staked on running matches.

    ``entries`` are the newest first; ``next`` is the ``before`` of the following page, 0 on the last.
    ``stakes`` says whether this server is played for anything.
    """

    player: str
    balance: int
    held: int
    stakes: bool
    entries: tuple[WalletEntry, ...]
    next: int


class RefusedAnswer(msgspec.Struct, frozen=True, tag="refused"):
    """Refused."""

    problem: Problem


LedgerAnswer = Held | Done | Wallet | RefusedAnswer

ENCODER: Final = msgspec.json.Encoder()
LEDGER_REQUEST: Final[msgspec.json.Decoder[LedgerRequest]] = msgspec.json.Decoder(LedgerRequest)
LEDGER_ANSWER: Final[msgspec.json.Decoder[LedgerAnswer]] = msgspec.json.Decoder(LedgerAnswer)
