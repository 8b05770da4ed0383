"""A player of scrabble that lays what scores most; it sees its own rack and what lies open (boardgames §9).

It knows the match's list of words by heart. By rules of thumb it knows the short ones only.
"""

from typing import Any, Final

from services.ghost.players.protocol import Seen
from services.ghost.players.seeded import any_of
from shared.rules.scrabble.generator import plays
from shared.rules.scrabble.moves import ACCEPT, NO_PLAY, UPHELD, placement
from shared.rules.scrabble.scoring import score
from shared.rules.scrabble.tiles import BLANK, VALUES
from shared.rules.scrabble.words import LONGEST, find

TRIED: Final = 600_000
"""How many letters are tried for a move: half a second at most, where the rack has blanks."""

_GLANCED: Final = 60_000
"""The same for who takes any play: about a twentieth of a second."""

_BLANK_COSTS: Final = 20
"""A blank is kept for a play that earns so many points more by it."""

SHORT: Final = 4


class ScrabblePlayer:
    """``Player`` that takes the most points now."""

    def __init__(self, longest: int = LONGEST) -> None:
        """A player who knows words of up to ``longest`` letters."""
        self._longest = longest

    def move(self, seen: Seen) -> str:
        """A challenge of a wrong word, else its best play; without any it exchanges, or passes."""
        board = seen.view.board or {}
        if UPHELD in seen.legal:
            return UPHELD
        if ACCEPT in seen.legal:
            return ACCEPT
        cells = "".join(board["board"])
        found = _plays(board, cells, TRIED, self._longest)
        if found:
            return max(found, key=lambda move: _worth(cells, move))
        return max((move for move in seen.legal if move.startswith(NO_PLAY) and BLANK not in move), key=len)


class AnyWord:
    """``Player`` without understanding: any play that it comes across, else anything that is allowed."""

    def move(self, seen: Seen) -> str:
        """A legal move that depends on match, decision and seat alone.

        The play that ends the game it accepts or challenges, as it comes: nothing else is allowed.
        """
        if ACCEPT in seen.legal:
            return any_of(seen.legal, seen)
        board = seen.view.board or {}
        return any_of(_plays(board, "".join(board["board"]), _GLANCED, LONGEST) or seen.legal, seen)


def _plays(board: dict[str, Any], cells: str, tried: int, longest: int) -> list[str]:
    """The plays of up to so many letters that trying ``tried`` letters finds; none without the list."""
    lexicon = find(board["dictionary"])
    if lexicon is None or not board["rack"]:
        return []
    found = plays(lexicon, cells, board["rack"], tried).plays
    return [move for move in found if len(move.partition(" ")[2]) <= longest]


def _worth(cells: str, move: str) -> int:
    play = placement(move)
    blanks = sum(sign not in VALUES for sign in play.tiles.values())
    return score(cells, play.tiles, across=play.across).points - _BLANK_COSTS * blanks
