"""What a table of prší may choose (§8)."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from shared.problems import Refused
from shared.rules.options import Option


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


def schema() -> dict[str, Any]:
    """The options as a JSON schema."""
    properties = {option.name: option.schema() for option in OFFERED}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def house(given: Mapping[str, Any]) -> House:
    """The options of a table, checked; raises ``Refused("invalid_options")``."""
    known = {option.name: option for option in OFFERED}
    for name, value in given.items():
        if name not in known:
            raise Refused("invalid_options", f"prsi has no option {name!r}.")
        known[name].check(value)
    return House(**given)
