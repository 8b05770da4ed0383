"""From a request to its answer, from a match's end to its settlement, from a transfer to its credits."""

import asyncio
from typing import Final

import msgspec
import structlog

from services.ledger import domain
from services.ledger.bank import Bank
from services.ledger.escrow import Escrows
from services.ledger.settings import Money
from shared import subjects, telemetry
from shared.events.codec import LedgerEntry, UnreadableLog, decode_ledger, decode_match
from shared.events.ledger import Credited, Transferred
from shared.events.match import GameEnded, MatchCancelled, MatchEnded, MatchEvent
from shared.events.staked import Staked
from shared.ids import is_id
from shared.ports.creation import created_of
from shared.ports.log import EventLog, Following, LogUnavailable
from shared.problems import Refused, problem
from shared.refusals import problem_of
from shared.stakes import MOST_STAKE, SEATS, WORST
from shared.wire.ledger import (
    ENCODER,
    LEDGER_REQUEST,
    Afford,
    Done,
    GetWallet,
    Held,
    Hold,
    LedgerAnswer,
    LedgerRequest,
    RaiseStake,
    RefusedAnswer,
    Release,
    Wallet,
    WalletEntry,
)

DURABLE: Final = "ledger"
MAY_ASK: Final[dict[str, tuple[type, ...]]] = {
    "lobby": (Hold, Release, Afford),
    "game": (RaiseStake,),
    "gateway": (GetWallet,),
}
MOST_ENTRIES: Final = 100
_ENDS: Final = (b'"match_ended"', b'"match_cancelled"')

_log = structlog.get_logger("ledger")


class Ledger:
    """Answers every request exactly once, and pays every match once, whatever is delivered how often."""

    def __init__(self, matches: EventLog, accounts: EventLog, bank: Bank, money: Money) -> None:
        """Read ``matches`` and ``accounts``; ``bank`` writes the latter."""
        self._matches = matches
        self._accounts = accounts
        self.bank = bank
        self._money = money
        self.escrows = Escrows(bank, money, matches)
        self._followings: list[Following] = []

    async def start(self) -> None:
        """Take up where the durable consumers stand."""
        self._followings.append(await self._accounts.consume(DURABLE, self.on_entry))
        self._followings.append(await self._matches.consume(DURABLE, self.on_commit))

    async def close(self) -> None:
        """Take no more entries; what is begun is finished."""
        for following in self._followings:
            await following.close()

    # ---- what happens in matches and accounts

    async def on_commit(self, match: str, n: int, stored: bytes) -> None:
        """A match has moved on; returns when it is paid, if that was its end and anything was staked."""
        if not any(end in stored for end in _ENDS):
            return
        try:
            events = decode_match(stored).events
            created = await created_of(self._matches, match, n, stored)
        except UnreadableLog as error:
            # Handed back it would come again for ever; the stakes stay in escrow until somebody can read it.
            _log.error("unreadable log, not settled", match=match, n=n, error=str(error))
            return
        if created.staked is None:
            return
        over, winner, points = outcome(events)
        if over and not await self.escrows.settle(match, winner, points, "ledger"):
            _log.error("a staked match without an escrow", match=match)

    async def on_entry(self, account: str, n: int, stored: bytes) -> None:
        """Something left an account; returns when all of it has arrived."""
        try:
            entry = decode_ledger(stored)
        except UnreadableLog as error:
            _log.error("unreadable log, nothing posted", account=account, n=n, error=str(error))
            return
        for event in entry.events:
            if isinstance(event, Transferred):
                await self.bank.post(account, domain.Sent(n, event))

    # ---- requests

    async def answer(self, subject: str, data: bytes) -> bytes:
        """The encoded answer to the request ``data`` on ``subject``."""
        sender, key = subjects.sender_and_key(subject)
        answer: LedgerAnswer
        try:
            answer = await self._decided(sender, key, LEDGER_REQUEST.decode(data))
        except msgspec.MsgspecError as error:
            answer = RefusedAnswer(problem("malformed", str(error)))
        except Exception as error:  # noqa: BLE001 - nobody is left without an answer
            answer = RefusedAnswer(problem_of(error, _log, key=key, sender=sender))
        if isinstance(answer, RefusedAnswer):
            telemetry.REFUSALS.labels(answer.problem.code).inc()
        return ENCODER.encode(answer)

    async def _decided(self, sender: str, key: str, request: LedgerRequest) -> LedgerAnswer:
        if not isinstance(request, MAY_ASK.get(sender, ())):
            raise Refused("command_not_allowed")
        if not is_id(key):
            raise Refused("invalid", "The key is the id of a match or of a player.")
        match request:
            case Hold():
                return await self._hold(key, request, sender)
            case Release():
                await self.escrows.release(key, sender)
            case Afford(amount=amount):
                await self.escrows.afford(key, amount)
            case RaiseStake(player=player, cube=cube, dry_run=dry_run):
                await self.escrows.raise_stake(key, player, cube, sender, dry_run=dry_run)
            case GetWallet():
                return await self._wallet(key, request)
        return Done()

    async def _hold(self, match: str, request: Hold, sender: str) -> Held:
        players = request.players
        if len(set(players)) != len(players) or len(players) != SEATS or not all(map(is_id, players)):
            raise Refused("invalid", "players: two different ones.")
        if not 0 < request.base <= MOST_STAKE or request.worst not in (1, WORST):
            raise Refused("invalid", "base, worst: no match has such stakes.")
        wanted = Staked(base=request.base, worst=request.worst, fixed=request.fixed, fee_permille=0)
        return Held(await self.escrows.hold(match, players, wanted, sender))

    async def _entry(self, player: str, n: int) -> WalletEntry:
        entry = await self.bank.read(player, n)
        if entry is None:
            raise LogUnavailable(f"entry {n} of account {player} cannot be read yet")
        return shown(entry)

    async def _wallet(self, player: str, request: GetWallet) -> Wallet:
        if not 1 <= request.limit <= MOST_ENTRIES:
            raise Refused("invalid", f"limit: 1 to {MOST_ENTRIES}.")
        account = await self.escrows.player(player) if self._money.on else await self.bank.account(player)
        newest = account.tip.n if not request.before else min(request.before - 1, account.tip.n)
        oldest = max(1, newest - request.limit + 1)
        numbers = range(newest, oldest - 1, -1)
        entries = await asyncio.gather(*(self._entry(player, n) for n in numbers))
        return Wallet(
            player=player,
            balance=account.balance,
            held=account.held,
            stakes=self._money.on,
            entries=tuple(entries),
            next=oldest if oldest > 1 else 0,
        )


def outcome(events: tuple[MatchEvent, ...]) -> tuple[bool, int | None, int]:
    """Whether a commit ends its match, which seat has won it (None: none), and its last game's points."""
    over, winner, points = False, None, 0
    for event in events:
        match event:
            case GameEnded():
                points = event.points if event.counted else 0
            case MatchEnded():
                over, winner = True, event.winner
            case MatchCancelled():
                over, winner = True, None
            case _:
                pass
    return over, winner, points


def shown(entry: LedgerEntry) -> WalletEntry:
    """An entry of a player's account, in which one thing happened."""
    event = entry.events[0]
    match event:
        case Transferred():
            purpose, amount, of = event.purpose, event.legs[0].amount, event.match
        case Credited():
            purpose, amount, of = event.purpose, event.amount, event.match
        case _:
            raise UnreadableLog(f"{entry.key}: that is no player's account.")
    return WalletEntry(n=entry.n, at_ms=entry.at_ms, purpose=purpose, amount=amount, match=of)
