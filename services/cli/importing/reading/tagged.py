"""Tag pairs and moves: the text that PGN and PDN both are, read as tolerantly as the PGN standard asks.

Comments, variations, numeric annotations (``$1``), marks (``!?``), move numbers and lines that begin with
``%`` are passed over. A text that is none of this, nor could be a move, is refused.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from services.cli.importing.reading.boards import Ending, Ply, RecordedGame
from services.cli.importing.reading.file import MAX_GAMES, MAX_PLIES, RecordError

Results = Mapping[str, Ending]
"""What each word for a result means; the lines of the values are nothing."""

_TOKENS: Final = r"""
  (?P<space>\s++ | (?<![^\n])%[^\n]* | ;[^\n]* | \$\d+ | [!?]+ | e\.p\.)
| \{(?P<comment>[^}]*)\}
| \[\s*(?P<name>\w+)\s+"(?P<value>(?:\\.|[^"\\\n]){0,VALUE}+)"\s*\]
| (?P<paren>[()])
| (?P<result>RESULTS)(?=[\s\[\](){};]|$)
| (?P<number>\d+\s*+\.++(?:\s*+\.++)*+ | \.+ | … | \d+(?=\s))
| (?P<move>[^\s\[\](){};$"]+)
"""
_LONGEST_SHOWN: Final = 60
_LONGEST_VALUE: Final = 10_000
_UNREADABLE: Final = {
    "{": "a comment begins here that is never closed",
    "[": f'a tag is written [Name "value"], in one line, with at most {_LONGEST_VALUE} signs',
    "}": "a comment is closed that was never opened",
}


class Tag(msgspec.Struct, frozen=True):
    """The value of a tag, and where it stands."""

    value: str
    line: int


class Tagged(msgspec.Struct, frozen=True, kw_only=True):
    """One game of the text. ``result`` is the word behind the moves, "" if there is none, at ``end``.

    ``comment`` is the last one.
    """

    line: int
    tags: dict[str, Tag]
    moves: tuple[Ply, ...]
    result: str
    end: int
    comment: str

    def tag(self, name: str) -> str:
        """The value of a tag, "" if there is none."""
        found = self.tags.get(name)
        return "" if found is None else found.value.strip()

    def line_of(self, name: str) -> int:
        """Where the tag stands; where the game begins, if there is none."""
        found = self.tags.get(name)
        return self.line if found is None else found.line


def games(text: str, file: str, results: Results) -> list[Tagged]:
    """The games of a text; raises ``RecordError``."""
    found = list(_Reader(text, file, results).games())
    if not found:
        raise RecordError(file, 1, "there is no game in this file")
    return found


class _Reader:
    """Goes through the text once; the fields are what is known of the game in hand."""

    def __init__(self, text: str, file: str, results: Results) -> None:
        self.text, self.file = text, file
        words = "|".join(re.escape(word) for word in sorted(results, key=len, reverse=True))
        tokens = _TOKENS.replace("RESULTS", words).replace("VALUE", str(_LONGEST_VALUE))
        self.tokens = re.compile(tokens, re.VERBOSE)
        self.at, self.line = 0, 1
        self.found = 0
        self._new()

    def _new(self) -> None:
        self.begin = 0
        self.tags: dict[str, Tag] = {}
        self.moves: list[Ply] = []
        self.comment = ""
        self.open: list[int] = []  # where the variations begin that are open

    def fail(self, reason: str, line: int = 0) -> RecordError:
        return RecordError(self.file, line or self.line, reason)

    def games(self) -> Iterator[Tagged]:
        while self.at < len(self.text):
            token = self.tokens.match(self.text, self.at)
            if token is None:
                raise self.fail(self._unreadable())
            if token["space"] is None and not self.begin:
                self.begin = self.line
            if self._begins(token):
                yield self._game("")  # its result was left out
                self.begin = self.line
            self._take(token)
            if token["result"] and not self.open:
                yield self._game(token["result"])
            self.line += self.text.count("\n", self.at, token.end())
            self.at = token.end()
        if self.open:
            raise self.fail("a variation begins here that is never closed", self.open[-1])
        if self.tags or self.moves:
            yield self._game("")

    def _begins(self, token: re.Match[str]) -> bool:
        """Whether another game begins here, though the one before has no result behind its moves."""
        name = token["name"]
        if name is None or self.open:
            return False
        return bool(self.moves) or name == next(iter(self.tags), None)

    def _take(self, token: re.Match[str]) -> None:
        if paren := token["paren"]:
            if paren == "(":
                self.open.append(self.line)
            elif self.open:
                self.open.pop()
            else:
                raise self.fail("a variation is closed that was never opened")
        elif self.open:
            return
        elif (name := token["name"]) is not None:
            tag = Tag(re.sub(r"\\(.)", r"\1", token["value"]), self.line)
            if self.tags.setdefault(name, tag).value != tag.value:
                raise self.fail(f"the tag {name} stands there twice, and differently")
        elif (comment := token["comment"]) is not None:
            self.comment = " ".join(comment.split())
        elif move := token["move"]:
            if len(self.moves) == MAX_PLIES:
                raise self.fail(f"the game is too long (at most {MAX_PLIES} moves)")
            self.moves.append(Ply(self.line, move))

    def _unreadable(self) -> str:
        sign = self.text[self.at]
        shown = self.text[self.at :].split("\n", 1)[0][:_LONGEST_SHOWN]
        return _UNREADABLE.get(sign, f"cannot read {shown!r}")

    def _game(self, result: str) -> Tagged:
        self.found += 1
        if self.found > MAX_GAMES:
            raise self.fail(f"the file has too many games (at most {MAX_GAMES})")
        game = Tagged(
            line=self.begin,
            tags=self.tags,
            moves=tuple(self.moves),
            result=result,
            end=self.line,
            comment=self.comment,
        )
        self._new()
        return game


def recorded(game: Tagged, number: int, file: str, rules: str, results: Results) -> RecordedGame:
    """The game as everybody understands it; raises ``RecordError`` where it contradicts itself."""
    return RecordedGame(
        file=file,
        number=number,
        line=game.line,
        game=rules,
        names=(game.tag("White") or "?", game.tag("Black") or "?"),
        plies=game.moves,
        ending=_ending(game, file, results),
    )


def _ending(game: Tagged, file: str, results: Results) -> Ending:
    """What the word behind the moves and the tag ``Result`` say; one of them may be missing."""
    tag = game.tag("Result")
    if tag and tag not in (*results, "?"):
        raise RecordError(file, game.line_of("Result"), f"{tag!r} is no result: {', '.join(results)}")
    told = [(word, results[word]) for word in (game.result, tag) if word in results]
    known = [(word, ending) for word, ending in told if ending.known]
    if not known:
        return Ending(line=game.end)
    (first, ending), (last, other) = known[0], known[-1]
    if ending.winner != other.winner:
        raise RecordError(file, game.end, f"{first} stands behind the moves, but {last} in the tag Result")
    return msgspec.structs.replace(ending, line=game.end, cause=_cause(game))


def _cause(game: Tagged) -> str:
    """What else than play ended the game, as far as the file tells: ``time forfeit``, ``abandoned``."""
    told = game.tag("Termination")
    return "" if told.lower() in ("normal", "unterminated") else told
