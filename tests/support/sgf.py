"""A second reader of SGF backgammon files, made from what red-bean.com says of FF[4] and GM[6].

It is tolerant as a reader should be: unknown properties, variations and white space are passed over. It
plays what it reads on a board of its own, without our rules, and says who has won what.
"""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

Node = dict[str, list[str]]
Board = list[int]
"""Checkers by own point: 25 the bar, 0 borne off."""

_PART: Final = re.compile(r"[();]|([A-Za-z]+)((?:\s*\[(?:\\.|[^\]\\])*\])+)", re.DOTALL)
_VALUE: Final = re.compile(r"\[((?:\\.|[^\]\\])*)\]", re.DOTALL)
_STARTS: Final = {
    "Nackgammon": {24: 2, 23: 2, 13: 4, 8: 3, 6: 4},
    "Hypergammon3": {24: 1, 23: 1, 22: 1},
    "": {24: 2, 13: 5, 8: 3, 6: 5},
}
_COLOURS: Final = "WB"


class Before(msgspec.Struct, frozen=True):
    """An action (``63hefe``, ``double`` …) of a seat (White is 0), and both boards before it."""

    seat: int
    text: str
    boards: tuple[tuple[int, ...], tuple[int, ...]]


class SgfGame(msgspec.Struct, frozen=True, kw_only=True):
    """One game tree: its root, what was done in it, and what play alone says of the result.

    ``match`` are the tags of ``MI``, ``rules`` the words of ``RU``; ``rolled`` is a last roll that was not
    played (seat, dice).
    """

    root: dict[str, str]
    match: dict[str, str]
    rules: set[str]
    actions: list[Before]
    rolled: tuple[int, str] | None
    won: tuple[int, int] | None


def simple_text(value: str) -> str:
    """A SimpleText value as it was meant: without escapes, on one line."""
    joined = re.sub(r"\\(?:\r\n|\n\r|\n|\r)", "", value)
    return re.sub(r"\s", " ", re.sub(r"\\(.)", r"\1", joined, flags=re.DOTALL))


def trees(text: str) -> list[list[Node]]:
    """The nodes of the main line of each game tree, with raw values; raises ``AssertionError``."""
    found: list[list[Node]] = []
    depth, branched = 0, False
    for part in _PART.finditer(text):
        if part[0] == "(":
            if depth == 0:
                found.append([])
                branched = False
            depth += 1
        elif part[0] == ")":
            depth -= 1
            branched = True  # whatever follows in this tree is a variation
        elif branched:
            continue
        elif part[0] == ";":
            found[-1].append({})
        else:
            name = "".join(c for c in part[1] if c.isupper())
            assert name not in found[-1][-1], f"{name} twice in a node"
            found[-1][-1][name] = _VALUE.findall(part[2])
    assert depth == 0, "a tree that is not closed"
    return found


def read(text: str) -> list[SgfGame]:
    """The backgammon games of a collection, each played through."""
    return [_Game(nodes).game() for nodes in trees(text) if nodes[0].get("GM") == ["6"]]


class _Game:
    """Plays one game tree; ``cube`` counts, ``offered`` while a double or beaver waits for its answer."""

    def __init__(self, nodes: list[Node]) -> None:
        root, *self.nodes = nodes
        assert root["FF"] == ["4"]
        self.root = {name: simple_text(values[0]) for name, values in root.items()}
        self.match = dict(value.split(":") for value in root.get("MI", []))
        self.rules = set(self.root.get("RU", "").split(":")) - {""}
        start = _STARTS[next((word for word in self.rules if word in _STARTS), "")]
        self.checkers = sum(start.values())
        self.boards: list[Board] = [[start.get(point, 0) for point in range(26)] for _ in _COLOURS]
        self.cube, self.offered = 1, False
        self.won: tuple[int, int] | None = None
        self.rolled: tuple[int, str] | None = None

    def game(self) -> SgfGame:
        actions = list(self._actions())
        return SgfGame(
            root=self.root,
            match=self.match,
            rules=self.rules,
            actions=actions,
            rolled=self.rolled,
            won=self.won,
        )

    def _actions(self) -> Iterator[Before]:
        for node in self.nodes:
            assert self.won is None, "the game goes on after it was won"
            assert self.rolled is None, "somebody acts after a roll that was not played"
            if "DI" in node:
                self.rolled = _COLOURS.index(node["PL"][0]), node["DI"][0]
                continue
            colour, text = next((name, node[name][0]) for name in _COLOURS if name in node)
            seat = _COLOURS.index(colour)
            white, black = map(tuple, self.boards)
            yield Before(seat, text, (white, black))
            if text[:2].isdigit():
                self._move(seat, text)
            else:
                self._cube(seat, text)

    def _cube(self, seat: int, text: str) -> None:
        match text:
            case "double" if self.offered:  # a beaver: taken, and turned on at once
                self.cube *= 2
            case "double":
                self.offered = True
            case "take":
                assert self.offered
                self.cube *= 2
                self.offered = False
            case "drop":
                assert self.offered
                self.won = 1 - seat, self.cube
            case _:
                raise AssertionError(text)

    def _move(self, seat: int, text: str) -> None:
        assert not self.offered, "a roll while a double waits for its answer"
        assert re.fullmatch("[1-6]{2}([a-y][a-xz]){0,4}", text), text
        mine, theirs = self.boards[seat], self.boards[1 - seat]
        for letters in re.findall("..", text[2:]):
            source, target = (_point(seat, letter) for letter in letters)
            assert mine[source], f"nothing to move in {text}"
            mine[source] -= 1
            mine[target] += 1
            if target and theirs[25 - target]:
                assert theirs[25 - target] == 1, f"{text} lands on a block"
                theirs[25 - target] -= 1
                theirs[25] += 1
        if mine[0] == self.checkers:
            self.won = seat, self._worth(theirs) * self.cube

    def _worth(self, loser: Board) -> int:
        if loser[0] or ("Jacoby" in self.rules and self.cube == 1):
            return 1
        return 3 if any(loser[19:]) else 2


def _point(seat: int, letter: str) -> int:
    """The own point of ``seat`` that a letter means; 25 the bar, 0 off."""
    if letter in "yz":
        return 25 if letter == "y" else 0
    of_white = "abcdefghijklmnopqrstuvwx".index(letter) + 1
    return of_white if seat == 0 else 25 - of_white
