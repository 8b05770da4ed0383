"""Options of a game as data: what a table may choose, as a schema and as a check."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from shared.problems import Refused


class Option(NamedTuple):
    """One rule that a table may choose; the default is the first of ``values``."""

    name: str
    values: tuple[Any, ...]
    description: str

    def schema(self) -> dict[str, Any]:
        """As a JSON schema."""
        kind = {"type": "boolean"} if isinstance(self.values[0], bool) else {"enum": list(self.values)}
        return kind | {"default": self.values[0], "description": self.description}

    def check(self, value: object) -> None:
        """Raise ``Refused("invalid_options")`` unless ``value`` is one of the values."""
        if not any(type(value) is type(known) and value == known for known in self.values):
            shown = ", ".join(str(known).lower() for known in self.values)
            raise Refused("invalid_options", f"{self.name} is one of {shown}.")


def schema(offered: Sequence[Option]) -> dict[str, Any]:
    """The JSON schema of a game's options: an object that has these and no others."""
    properties = {option.name: option.schema() for option in offered}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def check(game: str, offered: Sequence[Option], given: Mapping[str, Any]) -> None:
    """Raise ``Refused("invalid_options")`` unless ``given`` are options that ``game`` offers."""
    known = {option.name: option for option in offered}
    for name, value in given.items():
        if name not in known:
            raise Refused("invalid_options", f"{game} has no option {name!r}.")
        known[name].check(value)
