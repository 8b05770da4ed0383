"""Questions to the ledger: what a player has, and what became of it."""

from typing import Final

from services.gateway.questions import ask
from shared.ports.bus import Bus
from shared.wire.ledger import ENCODER, LEDGER_ANSWER, GetWallet, RefusedAnswer, Wallet

TIMEOUTS_MS: Final = (1_000, 2_000, 3_000)


async def ask_wallet(bus: Bus, player: str, request: GetWallet) -> Wallet:
    """The player's wallet; raises what the ledger refused, or ``unavailable``."""
    data = ENCODER.encode(request)
    return await ask(
        bus,
        "ledger",
        player,
        data,
        decode=LEDGER_ANSWER.decode,
        refusal=RefusedAnswer,
        answer=Wallet,
        timeouts_ms=TIMEOUTS_MS,
    )
