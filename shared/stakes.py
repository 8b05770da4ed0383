"""What a match is played for, and what that asks of its players. Pure arithmetic (rules §8, S4, N8)."""

from collections.abc import Mapping
from typing import Final

from shared.cube import LIMIT
from shared.events.match import MatchCreated, Terms
from shared.events.staked import Staked
from shared.ids import is_computer
from shared.rules.protocol import KINDS, Traits
from shared.series import is_single, offered, rules_at, why_not_for_value
from shared.settings import SettingsError

MOST_STAKE: Final = 10**12
"""So that ``MOST_STAKE`` times 3 times 64, for both, is still below 2^53."""

SEATS: Final = 2
"""One pays the other."""

PERMILLE: Final = 1_000
WORST: Final = max(KINDS)


def staked(base: int, terms: Terms, traits: Traits, fee_permille: int) -> Staked:
    """The stake ``base`` at a table with these ``terms``; ``traits`` as its options leave them."""
    if not is_single(terms):
        return Staked(base=base, worst=1, fixed=True, fee_permille=fee_permille)
    worst = WORST if terms.gammons and traits.gammons else 1
    return Staked(base=base, worst=worst, fixed=False, fee_permille=0)


def wrong(created: MatchCreated) -> str:
    """What is wrong with the stakes in a match's first commit; "" if nothing is, or there are none."""
    found = created.staked
    if found is None:
        return ""
    wanted = staked(found.base, created.terms, offered(created, 1), found.fee_permille)
    faults = (
        (not 0 < found.base <= MOST_STAKE, f"base: 1 to {MOST_STAKE}."),
        (not 0 <= found.fee_permille <= PERMILLE, f"fee_permille: 0 to {PERMILLE}."),
        (created.chance == "recorded", "nobody plays for anything in a recorded match."),
        (len(created.seats) != SEATS, "only two play for something."),
        (any(seat.bot or is_computer(seat.player) for seat in created.seats), "the computer has no money."),
        (bool(why_not := why_not_for_value(created.terms, rules_at(created, 1).traits)), why_not),
        (found != wanted, f"these terms make {wanted}."),
    )
    return next((f"staked: {text}" for is_so, text in faults if is_so), "")


def held(found: Staked, cube: int) -> int:
    """What is held of each seat with the cube at ``cube``: the most that it can lose."""
    return found.base if found.fixed else found.base * found.worst * min(cube, LIMIT)


def stakes_on(given: Mapping[str, str]) -> bool:
    """KRONIKA_STAKES in ``given`` (``os.environ``): ``on`` (the default) or ``off``.

    Raises ``SettingsError``.
    """
    value = given.get("KRONIKA_STAKES", "").strip().lower() or "on"
    if value not in ("on", "off"):
        raise SettingsError(f"KRONIKA_STAKES: {value!r} is neither on nor off.")
    return value == "on"
