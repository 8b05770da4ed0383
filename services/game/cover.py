"""Money behind a double: what must be held before somebody may offer or accept it (rules §8)."""

from collections.abc import Mapping
from typing import Final, Protocol

from shared import subjects
from shared.commands import Beaver, Double, MatchCommand
from shared.match import MatchState, demands
from shared.ports.bus import Bus, NoAnswer
from shared.problems import Refused
from shared.wire.ledger import ENCODER, LEDGER_ANSWER, RaiseStake, RefusedAnswer

TIMEOUTS_MS: Final = (150, 250)
"""Together less than a stamp may be old: who waits for the ledger loses no time by it."""
_TURNED: Final[Mapping[type, int]] = {Double: 2, Beaver: 4}
"""The cube is turned on so many times, if the command and what answers it are accepted."""
_NOT_COVERED: Final = ("no_cover", "escrow_closed")


def raised(state: MatchState, seat: int, command: MatchCommand) -> int | None:
    """The cube for which more must be held of both than now, if ``command`` is accepted; None if none.

    With the offer all is held that its acceptance needs: who is to answer must be able to whatever has become
    of the ledger, for his clock runs (ADR 0008). What is not needed comes back at the end.
    """
    found, times = state.created.staked, _TURNED.get(type(command))
    if found is None or found.fixed or times is None:
        return None
    name = str(command.__struct_config__.tag)
    asked = any(demand.seat == seat and name in demand.commands for demand in demands(state))
    return times * state.cube.value if asked else None


class Covers(Protocol):
    """Whoever keeps the money."""

    async def covered(self, match: str, player: str, cube: int, *, dry_run: bool) -> bool:
        """Hold what ``player`` can lose at ``cube``, or only look; False if he cannot cover it.

        Raises ``Refused("unavailable")`` where nobody can say.
        """
        ...


class NoMoney:
    """For a game service without a ledger: nothing is covered."""

    async def covered(self, match: str, player: str, cube: int, *, dry_run: bool) -> bool:  # noqa: ARG002 - nothing depends on it
        """See ``Covers.covered``."""
        return False


class LedgerCovers:
    """Asks the ledger. What it holds and is not needed in the end goes back when the match is over."""

    def __init__(self, bus: Bus) -> None:
        """Ask over ``bus``."""
        self._bus = bus

    async def covered(self, match: str, player: str, cube: int, *, dry_run: bool) -> bool:
        """See ``Covers.covered``."""
        subject = subjects.command("game", "ledger", match)
        data = ENCODER.encode(RaiseStake(player=player, cube=cube, dry_run=dry_run))
        for timeout_ms in TIMEOUTS_MS:
            try:
                answer = LEDGER_ANSWER.decode(await self._bus.request(subject, data, timeout_ms))
            except NoAnswer:
                continue
            if not isinstance(answer, RefusedAnswer):
                return True
            if answer.problem.code in _NOT_COVERED:
                return False
            raise Refused.of(answer.problem)
        raise Refused("unavailable", "The ledger does not answer; your money cannot be looked at.")
