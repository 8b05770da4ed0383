"""What is not judged while no gateway is heard: time that may be ours decides nothing. Pure.

How much of it was ours is known when one is heard again; so a refusal here says when to ask once more.
"""

from typing import Final

from services.game.outages import Outages
from shared.match import MatchState, Phase
from shared.match.timing import CLAIM_AFTER_MS, counts_from, deadline
from shared.problems import Refused

SILENT_AGAIN_MS: Final = 2_000
"""While no gateway is there: it takes a while to start one."""

PROOF_AGAIN_MS: Final = 500
"""While the newest sign of life is just too old: the next one comes in half a second if all is well."""


def wait_for_gateway(sender: str, state: MatchState, outages: Outages, now_ms: int) -> None:
    """Refuse to judge what no gateway has brought, while none is heard, where time or absence matters.

    How much that time is will be known when one is back. Raises ``Refused("unavailable")``.
    """
    if sender == "gateway" or not outages.open(now_ms):
        return
    if counts_from(state) is not None or (sender == "clock" and state.phase is Phase.PLAYING):
        why = "No gateway is heard; time is judged when one is."
        raise Refused("unavailable", why, n=state.n, retry_after_ms=SILENT_AGAIN_MS)


def wait_for_proof(state: MatchState, outages: Outages, now_ms: int) -> None:
    """Refuse a claim until a gateway is heard that was there at the deadline: it may be in an outage.

    Raises ``Refused("unavailable")``.
    """
    due = deadline(state)
    if due is not None and outages.proven_ms(now_ms) < due.at_ms <= now_ms - CLAIM_AFTER_MS:
        why = "No gateway has been heard since the deadline."
        raise Refused("unavailable", why, n=state.n, retry_after_ms=PROOF_AGAIN_MS)
