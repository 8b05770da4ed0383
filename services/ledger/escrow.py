"""The stakes of a match: held, raised, settled or released. Each step may be done again, from any point."""

from services.ledger import domain
from services.ledger.bank import Bank
from services.ledger.domain import MINT, Account
from services.ledger.settings import Money
from shared.cube import LIMIT
from shared.events.ledger import EscrowOpened
from shared.events.staked import Staked
from shared.ports.log import EventLog
from shared.problems import Refused
from shared.stakes import held


class Escrows:
    """What happens to the money of players and matches."""

    def __init__(self, bank: Bank, money: Money, matches: EventLog) -> None:
        """``bank`` keeps the accounts; ``matches`` are the matches' logs, only read."""
        self._matches = matches
        self._bank = bank
        self._money = money

    async def player(self, player: str) -> Account:
        """The player's account, with what every player is granted once."""
        account = await self._bank.account(player)
        if self._money.start_balance == 0 or (MINT + player, "grant") in account.received:
            return account
        granted = domain.move(MINT + player, player, self._money.start_balance, "", "grant")
        await self._bank.pay(granted, "ledger")
        return await self._bank.account(player)

    async def afford(self, player: str, amount: int) -> None:
        """Raises ``Refused`` ``no_cover`` or ``stakes_off``."""
        self._must_be_on()
        account = await self.player(player)
        if account.balance < amount:
            raise Refused("no_cover", f"You have {account.balance}; {amount} are needed.")

    async def hold(self, match: str, players: tuple[str, ...], wanted: Staked, by: str) -> Staked:
        """Hold of each of ``players`` what he can lose at the start; all of it, or nothing.

        The fee is this server's; in ``wanted`` it means nothing. Raises ``Refused``.
        """
        escrow = await self._bank.account(match)
        if escrow.opened is None:
            self._must_be_on()
        fee = self._money.fee_permille if wanted.fixed else 0
        opening = EscrowOpened(
            players=players, base=wanted.base, worst=wanted.worst, fixed=wanted.fixed, fee_permille=fee
        )
        escrow = await self._bank.write(match, by, f"{match}.open", lambda a: domain.open_escrow(a, opening))
        if escrow.closed:
            await self._bring_home(escrow)
            raise Refused("escrow_closed")
        of_each = held(wanted, 1)
        try:
            for player in players:
                await self.player(player)
                await self._bank.pay(domain.move(player, match, of_each, match, "hold"), by)
        except Refused:
            await self._bank.write(
                match, by, f"{match}.release", lambda a: domain.close_unless_held(a, of_each)
            )
        escrow = await self._bank.account(match)
        await self._bring_home(escrow)
        if escrow.closed or escrow.opened is None:
            raise Refused("no_cover", "One of the players cannot cover the stake.")
        return domain.staked(escrow.opened)

    async def raise_stake(
        self, match: str, player: str, cube: int, by: str, *, dry_run: bool = False
    ) -> None:
        """Hold what ``player`` can lose with the cube at ``cube``; what is held already counts.

        Raises ``Refused`` ``no_cover``, ``escrow_closed``, ``not_your_seat``.
        """
        escrow = await self._bank.account(match)
        opened = escrow.opened
        if opened is None or escrow.closed:
            raise Refused("escrow_closed")
        if player not in opened.players or not 1 <= cube <= LIMIT:
            raise Refused("not_your_seat")
        account = await self._bank.account(player)
        more = held(domain.staked(opened), cube) - account.staked.get(match, 0)
        if more <= 0:
            return
        raised = domain.move(player, match, more, match, "raise", step=str(cube))
        if dry_run:
            domain.send(account, raised)
            return
        await self._bank.pay(raised, by)
        if (await self._bank.account(match)).closed:
            raise Refused("escrow_closed")

    async def settle(self, match: str, winner: int | None, points: int, by: str) -> bool:
        """The match is over: ``winner`` (a seat) has won ``points``, or, None, the stakes go back.

        False if nothing was staked. What is on its way into the escrow is waited for.
        """
        escrow = await self._bank.account(match)
        opened = escrow.opened
        if opened is None:
            return False
        if not escrow.closed:
            for player in opened.players:
                await self._bring_in(player, escrow)
            command = f"{match}.{'release' if winner is None else 'settle'}"
            escrow = await self._bank.write(match, by, command, lambda a: domain.close(a, winner, points))
        await self._bring_home(escrow)
        return True

    async def release(self, match: str, by: str) -> None:
        """The match will never be: everything goes back, and nothing is held for it any more.

        Raises ``Refused("match_begun")`` where it has begun: then its end alone decides.
        """
        if await self._matches.get(match, 1) is not None:
            raise Refused("match_begun")
        if not await self.settle(match, None, 0, by):
            # A request to hold may still be on its way: it must find the escrow closed.
            await self._bank.write(match, by, f"{match}.release", domain.never)

    async def _bring_in(self, player: str, escrow: Account) -> None:
        """Let arrive what of the player's is still on its way into the escrow."""
        payer = await self._bank.account(player)
        if payer.staked.get(escrow.key, 0) > escrow.paid.get(player, 0):
            for sent in tuple(payer.sent.values()):
                if sent.transfer.match == escrow.key:
                    await self._bank.post(player, sent)

    async def _bring_home(self, escrow: Account) -> None:
        """Let everything arrive that has left the escrow."""
        for sent in tuple(escrow.sent.values()):
            await self._bank.post(escrow.key, sent)

    def _must_be_on(self) -> None:
        if not self._money.on:
            raise Refused("stakes_off")
