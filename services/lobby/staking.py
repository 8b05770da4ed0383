"""Who may sit down at a table that is played for something: the lobby asks the ledger, which decides."""

from typing import Final

from services.lobby.accounts import Accounts
from shared import stakes, subjects
from shared.events.staked import Staked
from shared.events.table import TableOpened
from shared.ports.bus import Bus, NoAnswer
from shared.problems import Refused
from shared.rules.registry import rules
from shared.series import options_of
from shared.wire.ledger import ENCODER, LEDGER_ANSWER, Afford, LedgerAnswer, LedgerRequest, RefusedAnswer

TIMEOUT_MS: Final = 3_000


def staked(opened: TableOpened) -> Staked | None:
    """The stakes of the match that the table becomes, None where it is played for nothing.

    The fee is the ledger's to say.
    """
    if not opened.stake:
        return None
    played = rules(opened.rules, opened.rules_version)
    offered = played.offers(options_of(played, opened.options))
    return stakes.staked(opened.stake, opened.terms, offered, 0)


class Staking:
    """Questions to the ledger."""

    def __init__(self, bus: Bus, accounts: Accounts, *, on: bool) -> None:
        """``on``: this deployment has stakes."""
        self._bus = bus
        self._accounts = accounts
        self._on = on

    async def may_sit(self, opened: TableOpened, player: str) -> None:
        """Refuse a seat to who cannot play for the table's stake: better now than when the match begins.

        Raises ``Refused`` ``stakes_off``, ``forbidden``, ``no_cover``, ``unavailable``.
        """
        found = staked(opened)
        if found is None:
            return
        if not self._on:
            raise Refused("stakes_off")
        if (await self._accounts.view(player)).guest:
            raise Refused("forbidden", "Guests do not play for stakes; register with a nickname.")
        answer = await self.ask(player, Afford(stakes.held(found, 1)))
        if answer is None:
            raise Refused("unavailable", "The ledger does not answer.")
        if isinstance(answer, RefusedAnswer):
            raise Refused.of(answer.problem)

    async def ask(self, key: str, request: LedgerRequest) -> LedgerAnswer | None:
        """The ledger's answer, None without one."""
        subject = subjects.command("lobby", "ledger", key)
        try:
            return LEDGER_ANSWER.decode(await self._bus.request(subject, ENCODER.encode(request), TIMEOUT_MS))
        except NoAnswer:
            return None
