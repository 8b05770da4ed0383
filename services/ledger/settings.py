"""The ledger's own settings: whether there are stakes, what a player begins with, what the house gets."""

import os
from collections.abc import Mapping
from typing import Final

import msgspec

from shared.settings import integer
from shared.stakes import PERMILLE, stakes_on

START_BALANCE: Final = 10_000
_MOST: Final = 10**14


class Money(msgspec.Struct, frozen=True):
    """``on``: there are stakes.

    ``start_balance`` is granted once to each player, ``fee_permille`` of a match's pot goes to the house.
    """

    on: bool = True
    start_balance: int = START_BALANCE
    fee_permille: int = 0


def money(given: Mapping[str, str] = os.environ) -> Money:
    """The settings in ``given``; raises ``SettingsError``."""
    return Money(
        on=stakes_on(given),
        start_balance=integer(given, "KRONIKA_START_BALANCE", START_BALANCE, 0, _MOST),
        fee_permille=integer(given, "KRONIKA_FEE_PERMILLE", 0, 0, PERMILLE),
    )
