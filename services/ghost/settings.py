"""The ghost's own settings: an engine for chess, if the operator has one."""

import os
from collections.abc import Mapping
from pathlib import Path

from services.ghost.players.uci import Strength
from shared.settings import SettingsError, integer

_MOST_NODES = 10_000_000
_WEAKEST, _STRONGEST = 100, 4_000


def uci_engine(given: Mapping[str, str]) -> tuple[Path, Strength] | None:
    """The program in ``given`` (``os.environ``) and how strong it shall be; None: our own player plays.

    Raises ``SettingsError``.
    """
    strength = Strength(
        nodes=integer(given, "KRONIKA_UCI_NODES", Strength().nodes, 1, _MOST_NODES),
        elo=integer(given, "KRONIKA_UCI_ELO", 0, _WEAKEST, _STRONGEST) or None,
    )
    named = given.get("KRONIKA_UCI_ENGINE", "").strip()
    if not named:
        return None
    path = Path(named)
    if not path.is_file() or not os.access(path, os.X_OK):
        raise SettingsError(f"KRONIKA_UCI_ENGINE: {path} is no program that can be run.")
    return path, strength
