"""SGF: gomoku (GM[4]) and reversi (GM[2]). Writing is ``shared.export.sgf.boards``.

Black has the first stone. Where symbols were chosen and the file says so (``KC``), seat 0 is who opened,
else seat 0 is Black.
"""

import re
from typing import Any, Final

from services.cli.importing.reading.boards import Ending, Ply, RecordedGame
from services.cli.importing.reading.file import RecordError, text_of
from services.cli.importing.reading.nodes import Node, trees
from services.cli.importing.reading.words import game_of
from shared.export.sgf.boards import CHOICE, KINDS, LETTERS, Kind
from shared.problems import Refused
from shared.rules.protocol import PASS
from shared.rules.registry import AnyRules

NAME: Final = "sgf"
_COLOURS: Final = "BW"
_WORDS: Final = {str(kind.number): word for word, kind in KINDS.items()}
_LETTERED: Final = re.compile(r"([a-z])([a-z])")
_NAMED: Final = re.compile(r"([a-z])(\d{1,2})", re.IGNORECASE)
_RESULT: Final = re.compile(r"([BW])\+(.*)", re.IGNORECASE)
_CAUSES: Final = {"R": "resigned", "RESIGN": "resigned", "T": "time", "TIME": "time", "F": "forfeit"}
_DRAWS: Final = ("0", "draw", "jigo")
_TT: Final = "tt"  # a pass as FF[3] has it
_LARGEST_WITH_TT: Final = 19
_CIRCLES: Final = "circles"
_FIRST_CHOICE: Final = 3  # so many stones lie there when symbols are first chosen
_FEW: Final = 6  # nodes of a game whose symbols may not be chosen yet
_LONGEST_SHOWN: Final = 40
_BACKGAMMON: Final = "6"
_SIDE: Final = 8  # of a board whose size is no option


def read(data: bytes, file: str) -> tuple[RecordedGame, ...]:
    """The games in a file's bytes; raises ``RecordError``."""
    return tuple(_Game(nodes, number, file).game() for number, nodes in enumerate(_trees(data, file), 1))


def _trees(data: bytes, file: str) -> list[list[Node]]:
    found = trees(text_of(data, file), file)
    for nodes in found:
        number = nodes[0].value("GM") or "1"
        if number not in _WORDS:
            words = (f"GM[{kind}] ({game_of(NAME, word).name})" for kind, word in _WORDS.items())
            known = ", ".join(words)
            instead = "; of backgammon its .mat" if number == _BACKGAMMON else ""
            reason = f"GM[{number}] is another game; {known} can be read{instead}"
            raise RecordError(file, nodes[0].line, reason)
    return found


class _Game:
    """One game tree on its way to a recorded game."""

    def __init__(self, nodes: list[Node], number: int, file: str) -> None:
        self.root, self.nodes = nodes[0], nodes
        self.number, self.file = number, file
        word = _WORDS[self.root.value("GM")]
        self.kind: Kind = KINDS[word]
        self.rules: AnyRules = game_of(NAME, word)
        self.notes: list[str] = []
        self.options = self._options()
        try:
            self.begun = self.rules.setup(2, self.options, 0)
        except Refused as refused:
            raise self.fail(self.root, refused.problem.detail) from refused
        self.size = self._size()

    def fail(self, node: Node, reason: str) -> RecordError:
        return RecordError(self.file, node.line, reason)

    def game(self) -> RecordedGame:
        """The whole game; raises ``RecordError``."""
        self._check_start()
        plies = self._plies()
        black, white = (self.root.value("PB") or "?", self.root.value("PW") or "?")
        return RecordedGame(
            file=self.file,
            number=self.number,
            line=self.root.line,
            game=self.rules.name,
            names=(white, black) if self._black_seat() else (black, white),
            plies=tuple(plies),
            ending=self._ending(),
            options=self.options,
            notes=tuple(self.notes),
        )

    def _options(self) -> dict[str, Any]:
        """The size of the board, and the opening where the file tells all that it needs."""
        schemas: dict[str, Any] = self.rules.options().get("properties", {})
        options: dict[str, Any] = {}
        if "size" in schemas:
            options["size"] = self._board(schemas["size"]["enum"])
        else:
            self._told([_SIDE])
        variant = self.root.value("RU").lower()
        if variant in schemas.get("variant", {}).get("enum", ()):
            chosen = any(CHOICE in node.properties for node in self.nodes)
            told = chosen or not (self.root.value("RE") or len(self.nodes) > _FEW)
            if variant.startswith("swap") and not told:
                self.notes.append(f"RU[{variant}], but no choice is told; played without an opening rule")
            else:
                options["variant"] = variant
        return options

    def _board(self, sizes: list[int]) -> int:
        """The size that ``SZ`` tells, else the smallest board that has all the points."""
        if told := self._told(sizes):
            return told
        points = (node.value(colour) for node in self.nodes for colour in _COLOURS)
        letters = [letter for point in points if _LETTERED.fullmatch(point) for letter in point]
        needed = 1 + max(map(LETTERS.index, letters), default=0)
        return next((size for size in sizes if size >= needed), sizes[-1])

    def _told(self, sizes: list[int]) -> int | None:
        """What ``SZ`` tells, if it is there: one of ``sizes``."""
        told = self.root.value("SZ")
        found = next((size for size in sizes if told in (str(size), f"{size}:{size}")), None)
        if told and found is None:
            known = ", ".join(map(str, sizes))
            shown = told[:_LONGEST_SHOWN]
            raise self.fail(self.root, f"SZ[{shown}] is no board of {self.rules.name}: {known}")
        return found

    def _size(self) -> int:
        shown: dict[str, Any] = self.rules.view(self.begun, None)
        return shown.get("size", _SIDE)

    def _black_seat(self) -> int:
        """Who has the first stones: seat 0, unless they were given to the other by a choice."""
        stones = 0
        for node in self.nodes:
            if choice := node.value(CHOICE):
                chooser = int(stones <= _FIRST_CHOICE)  # after the second choice's stones it is who opened
                return chooser if choice == _CIRCLES else 1 - chooser
            stones += any(colour in node.properties for colour in _COLOURS)
        return 0

    def _check_start(self) -> None:
        """The stones that are set up at the root must be those of the game; nothing is set up later."""
        own = self.rules.view(self.begun, None).get("discs", ([], []))
        for colour, cells in zip(_COLOURS, own, strict=True):
            told = {self._cell(self.root, value) for value in self.root.properties.get(f"A{colour}", [])}
            if told and told != set(cells):
                raise self.fail(self.root, "the game does not begin from the starting position")
        for node in self.nodes[1:]:
            if name := next((name for name in ("AB", "AW", "AE") if name in node.properties), ""):
                raise self.fail(node, f"{name}: stones are set up in the middle of the game")

    def _plies(self) -> list[Ply]:
        """What was played, without a first stone that the rules lay themselves."""
        plies: list[Ply] = []
        laid: list[str] = self.rules.view(self.begun, None)["circles"] if self.kind.alternating else []
        stones = 0
        for node in self.nodes:
            if choice := node.value(CHOICE):
                plies.append(Ply(node.line, choice))
            colours = [colour for colour in _COLOURS if colour in node.properties]
            if len(colours) > 1:
                raise self.fail(node, "Black and White move in one node")
            for colour in colours:
                seat = _COLOURS.index(colour)
                if self.kind.alternating and seat != stones % 2:
                    raise self.fail(node, f"it is not {colour}'s turn: stones are black and white in turn")
                cell = self._cell(node, node.value(colour))
                stones += 1
                if stones > len(laid):
                    plies.append(Ply(node.line, cell, None if self.kind.alternating else seat))
                elif cell != laid[stones - 1]:
                    raise self.fail(node, f"the first stone lies on {laid[stones - 1]}, not on {cell}")
        return plies

    def _cell(self, node: Node, value: str) -> str:
        """The square that a value means, in two letters or by its name; or a pass."""
        if not value or (value == _TT and self.size <= _LARGEST_WITH_TT):
            return PASS
        if found := _LETTERED.fullmatch(value):
            column, row = (LETTERS.index(letter) for letter in found.groups())
            number = row + 1 if self.kind.from_top else self.size - row
            if column < self.size and row < self.size:
                return f"{LETTERS[column]}{number}"
        elif found := _NAMED.fullmatch(value):
            return value.lower()
        raise self.fail(node, f"{value[:_LONGEST_SHOWN]!r} is no point of a board of {self.size}")

    def _ending(self) -> Ending:
        """What ``RE`` says."""
        told, line = self.root.value("RE"), self.root.line
        if told.lower() in _DRAWS:
            return Ending(line=line, known=True)
        found = _RESULT.fullmatch(told)
        if found is None:
            if told.lower() not in ("", "?", "void"):
                raise self.fail(self.root, f"RE[{told[:_LONGEST_SHOWN]}] is no result: B+, W+, Draw or Void")
            return Ending(line=line)
        black = self._black_seat()
        winner = black if found[1].upper() == "B" else 1 - black
        return Ending(line=line, known=True, winner=winner, cause=_CAUSES.get(found[2].upper(), ""))
