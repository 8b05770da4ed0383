"""Questions to the ledger: what a player has, and what became of it."""

from typing import Final

from services.gateway.commands import SENDER
from shared import subjects
from shared.ports.bus import Bus, NoAnswer
from shared.problems import Refused
from shared.wire.ledger import ENCODER, LEDGER_ANSWER, GetWallet, RefusedAnswer, Wallet

TIMEOUTS_MS: Final = (1_000, 2_000, 3_000)


async def ask_wallet(bus: Bus, player: str, request: GetWallet) -> Wallet:
    """The player's wallet; raises what the ledger refused, or ``unavailable``."""
    subject, data = subjects.command(SENDER, "ledger", player), ENCODER.encode(request)
    for timeout_ms in TIMEOUTS_MS:
        try:
            got = LEDGER_ANSWER.decode(await bus.request(subject, data, timeout_ms))
        except NoAnswer:
            continue
        if isinstance(got, RefusedAnswer):
            raise Refused.of(got.problem)
        if not isinstance(got, Wallet):
            raise TypeError(f"the ledger answered {type(got).__name__} instead of a wallet")
        return got
    raise Refused("unavailable")
