"""How long tables wait, as the operator says."""

from collections.abc import Mapping
from typing import Final

import msgspec

from services.lobby.gone import GRACE_MS
from shared.catalogue import LONGEST_WAIT_MS, SHORTEST_WAIT_MS
from shared.events.table import DAY_MS
from shared.settings import integer

_LEAST_GRACE_MS: Final = 1_000
_MOST_GRACE_MS: Final = 24 * 3600 * 1000


class Waits(msgspec.Struct, frozen=True, kw_only=True):
    """``expiry_ms``: how long a table waits that does not say it; ``grace_ms``: how long for the gone."""

    expiry_ms: int = DAY_MS
    grace_ms: int = GRACE_MS

    @classmethod
    def from_environment(cls, given: Mapping[str, str]) -> "Waits":
        """What ``given`` (``os.environ``) says; raises ``SettingsError``."""
        return cls(
            expiry_ms=integer(given, "KRONIKA_TABLE_EXPIRY_MS", DAY_MS, SHORTEST_WAIT_MS, LONGEST_WAIT_MS),
            grace_ms=integer(given, "KRONIKA_TABLE_GRACE_MS", GRACE_MS, _LEAST_GRACE_MS, _MOST_GRACE_MS),
        )
