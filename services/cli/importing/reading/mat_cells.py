"""One cell of a .mat file (one player's column in one line), from text to an action. Pure."""

import re
from typing import Final, Literal

import msgspec

Verb = Literal["double", "take", "drop", "beaver", "raccoon"]


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """``seat`` rolled ``dice`` and wrote ``move`` (the mover's own points; "" when nothing was written).

    ``gave_up`` marks a roll followed by ``????``: the player resigned instead of moving.
    """

    line: int
    seat: int
    dice: tuple[int, int]
    move: str = ""
    gave_up: bool = False


class CubeAction(msgspec.Struct, frozen=True, kw_only=True):
    """``seat`` doubled, took, dropped, beavered …; ``value`` is the cube as written, None if it was not."""

    line: int
    seat: int
    verb: Verb
    value: int | None = None


class Concession(msgspec.Struct, frozen=True, kw_only=True):
    """``seat`` resigned in words (``Concedes``, ``Resigns``, a roll of ``00:``)."""

    line: int
    seat: int


class Win(msgspec.Struct, frozen=True, kw_only=True):
    """``Wins n points`` stood in the column of ``seat``."""

    line: int
    seat: int
    points: int


MatAction = Turn | CubeAction | Concession
Cell = MatAction | Win


class Unreadable(Exception):  # noqa: N818 - says what the cell is; the reader adds file and line
    """A cell whose text has no meaning; the message is the reason."""


_VERBS: Final[tuple[tuple[str, Verb], ...]] = (
    ("redouble", "double"),
    ("double", "double"),
    ("take", "take"),
    ("accept", "take"),
    ("drop", "drop"),
    ("pass", "drop"),
    ("reject", "drop"),
    ("refuse", "drop"),
    ("beaver", "beaver"),
    ("raccoon", "raccoon"),
)
_WORDS: Final = "|".join(f"{word}(?:e?s|d|ed)?" for word, _ in _VERBS)
_GIVES_UP: Final = r"conced(?:e|es|ed)|resign(?:s|ed)?|gives? up"
_ROLL: Final = r"[0-6][ ,-]?[0-6]\s?:"
# Where a cell begins: a roll always opens one; a word only after a gap, or it belongs to the cell before.
START: Final = re.compile(
    rf"(?<!\S)(?:{_ROLL})|(?:(?<=\s\s)|(?<=\t)|^\s*)(?:{_WORDS}|{_GIVES_UP}|wins?)\b", re.IGNORECASE
)

_TURN = re.compile(r"([0-6])[ ,-]?([0-6])\s?:\s*(.*)", re.DOTALL)
_CUBE = re.compile(rf"({_WORDS})\b\s*(?:(?:=>|to|at|:)?\s*(\d+))?[.!]?", re.IGNORECASE)
_WIN = re.compile(r"wins?\s+(\d+)?\s*(?:points?|pts?\.?)?\b.*", re.IGNORECASE)
_CANNOT = re.compile(
    r"(?:can(?:not|'?t|no t)\s*move|no\s+(?:legal\s+)?(?:move|play)s?|dance[sd]?|forfeits?.*)[.!]?",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"(bar|\d{1,2})((?:\*?[/-](?:bar|off|\d{1,2}))+)(\*?)(\([1-4]\))?(\*?)(?=[\s,;]|$)[,;]?", re.IGNORECASE
)
_HIGHEST, _BAR = 24, 25


def read_cell(text: str, seat: int, line: int) -> Cell:
    """The action that a cell's ``text`` (stripped) means; raises ``Unreadable``."""
    if found := _TURN.fullmatch(text):
        first, second, rest = int(found[1]), int(found[2]), found[3].strip()
        return _turn(seat, line, (first, second), rest)
    if found := _CUBE.fullmatch(text):
        word = found[1].lower()
        verb: Verb = next(verb for start, verb in _VERBS if word.startswith(start))
        return CubeAction(line=line, seat=seat, verb=verb, value=int(found[2]) if found[2] else None)
    if found := _WIN.fullmatch(text):
        return Win(line=line, seat=seat, points=int(found[1] or 1))
    if re.match(_GIVES_UP, text, re.IGNORECASE):
        return Concession(line=line, seat=seat)
    raise Unreadable(f"cannot read {text!r}")


def _turn(seat: int, line: int, dice: tuple[int, int], rest: str) -> Cell:
    gave_up = re.fullmatch(rf"\?+|(?:{_GIVES_UP}).*", rest, re.IGNORECASE) is not None
    if dice == (0, 0):
        if rest and not gave_up:
            raise Unreadable(f"a move {rest!r} without dice")
        return Concession(line=line, seat=seat)
    if 0 in dice:
        raise Unreadable(f"{dice[0]}{dice[1]} are no dice")
    if gave_up:
        return Turn(line=line, seat=seat, dice=dice, gave_up=True)
    if not rest or _CANNOT.fullmatch(rest):
        return Turn(line=line, seat=seat, dice=dice)
    if rest.lower().startswith("illegal play"):
        raise Unreadable("an illegal play was recorded; it cannot be played again under the rules")
    return Turn(line=line, seat=seat, dice=dice, move=read_move(rest))


def read_move(text: str) -> str:
    """A written play with ``bar`` and ``off`` spelled out and one blank between its parts.

    Stars, repetitions and merged parts stay as they were written. Raises ``Unreadable``.
    """
    parts: list[str] = []
    at = 0
    while at < len(text):
        found = _STEP.match(text, at)
        if found is None:
            raise Unreadable(f"cannot read the move {text[at:]!r}")
        stops = re.split(r"(?<=\w)\*?[/-]", found[1] + found[2])
        stars = re.findall(r"(\*?)[/-]", found[2])
        names = [_point(stop, text) for stop in stops]
        hit = "*" if found[3] or found[5] else ""
        parts.append(
            "".join(n + s + "/" for n, s in zip(names, stars, strict=False))
            + names[-1]
            + hit
            + (found[4] or "")
        )
        at = found.end()
        while at < len(text) and text[at].isspace():
            at += 1
    return " ".join(parts)


def _point(text: str, whole: str) -> str:
    if text.lower() in {"bar", "off"}:
        return text.lower()
    number = int(text)
    if number == 0:
        return "off"
    if number == _BAR:
        return "bar"
    if number > _HIGHEST:
        raise Unreadable(f"there is no point {number} in {whole!r}")
    return str(number)
