"""The operator's choice where the rules leave one."""

from collections.abc import Mapping
from typing import Final

from shared.elo import HALVINGS, OWN
from shared.settings import SettingsError

NEWCOMER_HALVING: Final = "KRONIKA_NEWCOMER_HALVING"


def halving(given: Mapping[str, str]) -> str:
    """Whose changes are halved when a newcomer plays: his ``own`` (default) or ``both``.

    Raises ``SettingsError``.
    """
    chosen = given.get(NEWCOMER_HALVING, "").strip() or OWN
    if chosen not in HALVINGS:
        raise SettingsError(f"{NEWCOMER_HALVING}: {chosen!r} is none of {', '.join(HALVINGS)}.")
    return chosen
