"""SGF as text: the nodes of the main line of each game tree, with where they stand (FF[1] to FF[4])."""

import re
from typing import Final

import msgspec

from services.cli.importing.reading.file import MAX_GAMES, MAX_PLIES, RecordError

_PART: Final = re.compile(r"\s+|[();]|([A-Za-z]+)|\[((?:[^\]\\]++|\\.)*+)\]", re.DOTALL)
_BEGIN: Final = re.compile(r"\(\s*;")
_LONGEST_SHOWN: Final = 60


class Node(msgspec.Struct, frozen=True):
    """The properties of a node that begins at ``line``; values have their escapes taken out."""

    line: int
    properties: dict[str, list[str]]

    def value(self, name: str) -> str:
        """The first value of a property, "" if it has none or is not there."""
        values = self.properties.get(name)
        return values[0].strip() if values else ""


def trees(text: str, file: str) -> list[list[Node]]:
    """The main lines of the game trees of a text; raises ``RecordError``.

    What stands before the first tree is passed over, variations too: the first way on is the main line.
    """
    return _Reader(text, file).trees()


class _Reader:
    """Goes through the text once. ``opened`` is where the trees begin that are open.

    ``main``: what is read now belongs to the main line of the tree in hand.
    """

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.line = 1
        self.found: list[list[Node]] = []
        self.opened: list[int] = []
        self.main = True
        self.name = ""

    def fail(self, reason: str, line: int = 0) -> RecordError:
        return RecordError(self.file, line or self.line, reason)

    def trees(self) -> list[list[Node]]:
        begin = _BEGIN.search(self.text)
        if begin is None:
            raise self.fail("there is no game tree in this file: one begins with (;")
        at = begin.start()
        self.line += self.text.count("\n", 0, at)
        while at < len(self.text):
            part = _PART.match(self.text, at)
            if part is None or (not self.opened and part[0] != "(" and not part[0].isspace()):
                shown = self.text[at:].split("\n", 1)[0][:_LONGEST_SHOWN]
                raise self.fail(f"cannot read {shown!r}")
            self._take(part)
            self.line += self.text.count("\n", at, part.end())
            at = part.end()
        if self.opened:
            raise self.fail("a game tree begins here that is never closed", self.opened[-1])
        return self.found

    def _take(self, part: re.Match[str]) -> None:
        match part[0][0]:
            case "(":
                self._open()
            case ")":
                if not self.found[-1]:
                    raise self.fail("a game tree without a node")
                self.opened.pop()
                self.main = not self.opened  # whatever follows in this tree is a variation
            case ";":
                self._node()
            case "[":
                self._value(part[2])
            case sign if sign.isalpha():
                self.name = "".join(c for c in part[1] if c.isupper())  # FF[3] has small letters in names
                if self.main:
                    self._properties().setdefault(self.name, [])
            case _:
                pass

    def _open(self) -> None:
        if not self.opened:
            if len(self.found) == MAX_GAMES:
                raise self.fail(f"the file has too many games (at most {MAX_GAMES})")
            self.found.append([])
            self.main = True
        self.opened.append(self.line)
        self.name = ""

    def _node(self) -> None:
        self.name = ""
        if self.main:
            if len(self.found[-1]) > MAX_PLIES:
                raise self.fail(f"the game is too long (at most {MAX_PLIES} moves)")
            self.found[-1].append(Node(self.line, {}))

    def _value(self, raw: str) -> None:
        if not self.name:
            raise self.fail("a value stands here without the property that it belongs to")
        if self.main:
            joined = re.sub(r"\\\n", "", raw)
            self._properties()[self.name].append(re.sub(r"\\(.)", r"\1", joined, flags=re.DOTALL))

    def _properties(self) -> dict[str, list[str]]:
        if not self.found[-1]:
            raise self.fail("a property stands here before the first node")
        return self.found[-1][-1].properties
