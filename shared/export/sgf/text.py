"""What every SGF file is made of (FF[4]): properties, nodes, game trees, and texts that cannot break them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from shared.export.board import line

FORFEIT: Final = "F"
CAUSES: Final = {"played": "", "passed": "", "resigned": "R", "flag": "T"}
"""What stands in ``RE`` behind the plus, by what ended the game; everything else is a ``FORFEIT``."""

Node = Mapping[str, Sequence[str]]
"""Properties with their values as they stand in the file (``text`` makes one of a name)."""


def tree(nodes: Iterable[Node]) -> str:
    """A game tree without variations, each node on a line of its own.

    Properties without a value, or with "" alone, are left out, unless the node has no others.
    """
    return "(" + "\n".join(map(_node, nodes)) + ")\n"


def _node(properties: Node) -> str:
    told = {name: values for name, values in properties.items() if any(values)} or properties
    return ";" + "".join(name + "".join(f"[{value}]" for value in values) for name, values in told.items())


def text(name: str) -> str:
    """SimpleText: on one line, with a backslash before what would end it."""
    return line(name).replace("\\", "\\\\").replace("]", "\\]")
