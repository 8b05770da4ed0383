"""Moves as people and programs write them, and why one cannot be made (§9).

Besides the canonical texts: tiles that lie on the board by their letter or in brackets, ``8D K(O)LO``; small
letters throughout, ``8d kolo``, where the rack has not so many blanks; ``pass``, ``exch ABC``, ``- abc``.
"""

import re
import unicodedata
from typing import Final

from shared.problems import Refused
from shared.rules.protocol import PASS
from shared.rules.scrabble.board import CENTRE, EMPTY, SIZE, START, beside, laid, line, name, run
from shared.rules.scrabble.moves import ACCEPT, CHALLENGE, JUDGED, NO_PLAY, Placement, exchange
from shared.rules.scrabble.tiles import BLANK, CAPITAL, RACK, without

_LONGEST: Final = 60
_PLAY: Final = re.compile(r"(?:([1-9][0-9]?)([a-oA-O])|([a-oA-O])([1-9][0-9]?))[\s:]+(\S+)")
_EXCHANGE: Final = re.compile(r"(?:-|(?:exch|exchange)(?=\s))\s*(\S+)", re.IGNORECASE)
_PASSES: Final = frozenset({NO_PLAY, PASS, "skip"})
_BRACKETS: Final = str.maketrans("", "", "()[]")
_LEAST_IN_BAG: Final = RACK
_LEAST_FIRST: Final = 2

_HOW: Final = (
    "Write where the word begins and its letters: 8D KOLO goes across from D8, D8 KOLO down; "
    "-ABC exchanges, - passes."
)


def special(text: str) -> str | None:
    """The pass, challenge or acceptance that ``text`` means; None if it is something else.

    Whoever writes a verdict challenges, whichever it is: else a refusal of the wrong one told the right.
    """
    plain = " ".join(text.lower().split()) if len(text) <= _LONGEST else ""
    if plain in _PASSES:
        return NO_PLAY
    if plain in (CHALLENGE, *JUDGED):
        return CHALLENGE
    return plain if plain == ACCEPT else None


def exchanged(text: str, rack: str, bag: int) -> str | None:
    """The exchange that ``text`` means, ``bag`` tiles lying in the bag; None if it means none.

    Raises ``Refused``.
    """
    found = _EXCHANGE.fullmatch(_composed(text))
    if found is None:
        return None
    tiles = "".join(CAPITAL.get(sign, sign) for sign in found[1])
    if any(sign != BLANK and sign not in CAPITAL for sign in tiles):
        raise Refused("unreadable_move", "Write the tiles that you exchange, a blank as ?: -ABC.")
    if bag < _LEAST_IN_BAG:
        raise Refused(
            "illegal_move", f"Tiles are exchanged only while the bag holds {_LEAST_IN_BAG} or more."
        )
    if without(rack, tiles) is None:
        raise Refused("illegal_move", "You do not have all these tiles.")
    return exchange(tiles)


def placed(text: str, board: str, rack: str) -> Placement:
    """The play that ``text`` means, laid by the law but its words unchecked; raises ``Refused``."""
    found = _PLAY.fullmatch(_composed(text))
    if found is None:
        raise Refused("unreadable_move", _HOW)
    across = found[1] is not None
    column = ord((found[2] or found[3]).upper()) - ord("A")
    row = int(found[1] or found[4]) - 1
    if row >= SIZE:
        raise Refused("unreadable_move", f"There are rows 1 to {SIZE}.")
    signs = found[5].translate(_BRACKETS)
    if not signs or any(sign != EMPTY and sign not in CAPITAL for sign in signs):
        raise Refused("unreadable_move", _HOW)
    start = row * SIZE + column
    tiles = _tiles(signs, start, board, across=across)
    if without(rack, BLANK * sum(sign not in CAPITAL.values() for sign in tiles.values())) is None:
        if all(sign not in CAPITAL.values() for sign in tiles.values()):
            tiles = {square: CAPITAL[sign] for square, sign in tiles.items()}
        else:
            raise Refused("illegal_move", "A small letter is a blank, and you have not so many.")
    play = Placement(tiles, across)
    if without(rack, play.from_rack) is None:
        missing = next(tile for tile in play.from_rack if play.from_rack.count(tile) > rack.count(tile))
        hint = (
            f" Write {missing.lower()} to lay a blank for it." if BLANK in rack and missing != BLANK else ""
        )
        held = rack.count(missing)
        have = f"You have only {held} {missing}." if held else f"You have no {missing}."
        raise Refused("illegal_move", have + hint)
    _check_lie(play, len(signs), start, board)
    return play


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip() if len(text) <= _LONGEST else ""


def _tiles(signs: str, start: int, board: str, *, across: bool) -> dict[int, str]:
    """The signs that are to be laid; those of tiles that lie there are compared."""
    squares = line(start, across=across)
    squares = squares[squares.index(start) :]
    if len(signs) > len(squares):
        raise Refused("illegal_move", "The word does not fit on the board.")
    tiles: dict[int, str] = {}
    for square, sign in zip(squares, signs, strict=False):
        there = board[square]
        if there == EMPTY:
            if sign == EMPTY:
                raise Refused("illegal_move", f"There is no tile on {name(square)}: write a letter.")
            tiles[square] = sign
        elif sign != EMPTY and CAPITAL[sign] != CAPITAL[there]:
            raise Refused("illegal_move", f"On {name(square)} lies {CAPITAL[there]}.")
    if not tiles:
        raise Refused("illegal_move", "This lays no tile.")
    return tiles


def _check_lie(play: Placement, length: int, start: int, board: str) -> None:
    """The tiles touch what lies there, or the first of them the centre, and the word is written whole."""
    cells = laid(board, play.tiles)
    squares = run(cells, start, across=play.across)
    if len(squares) > length:
        word = "".join(cells[square] for square in squares).upper()
        raise Refused("illegal_move", f"With the tiles that lie there the word is {word}: write it whole.")
    if board == START:
        if CENTRE not in play.tiles:
            raise Refused("illegal_move", f"The first word covers the centre, {name(CENTRE)}.")
        if len(play.tiles) < _LEAST_FIRST:
            raise Refused("illegal_move", "The first word has two letters or more.")
    elif not any(beside(board, square) for square in play.tiles):
        raise Refused("illegal_move", "The tiles touch none of those on the board.")
