"""What a table of prší may choose (§8)."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from shared.rules.options import Option, check


class House(msgspec.Struct, frozen=True, kw_only=True):
    """How a table plays: ``deal`` cards each, and what ``OFFERED`` says of the others."""

    deal: int = 4
    play_on: bool = True
    reshuffle: bool = False
    illegal_play_draws: bool = True


OFFERED: Final = (
    Option("deal", (4, 5), "How many cards each seat is dealt."),
    Option("play_on", (True, False), "With three or more: play on for the places after the first."),
    Option("reshuffle", (False, True), "Shuffle the discard pile before it becomes the stock."),
    Option(
        "illegal_play_draws", (True, False), "Who plays a card against the rules draws; else it is refused."
    ),
)


def house(given: Mapping[str, Any]) -> House:
    """The options of a table, checked; raises ``Refused("invalid_options")``."""
    check("prsi", OFFERED, given)
    return House(**given)
