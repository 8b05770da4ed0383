"""A player of scrabble that lays what scores most; it sees its own rack and what lies open (boardgames §9).

It knows the match's list of words by heart. By rules of thumb it knows the short ones only.
"""

from typing import Any, Final

from services.ghost.players.protocol import Seen
from shared.rules.scrabble.generator import plays
from shared.rules.scrabble.moves import ACCEPT, CHALLENGE, NO_PLAY, is_play, placement
from shared.rules.scrabble.scoring import score
from shared.rules.scrabble.tiles import BLANK, VALUES
from shared.rules.scrabble.words import LONGEST, find

_TRIED: Final = 600_000
"""How many letters are tried for a move: half a second at most, where the rack has blanks."""

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
        if CHALLENGE in seen.legal and _wrong(board):
            return CHALLENGE
        if ACCEPT in seen.legal:
            return ACCEPT
        cells = "".join(board["board"])
        found = self._plays(board, cells) or [
            move for move in seen.legal if is_play(move) and move != CHALLENGE
        ]
        if found:
            return max(found, key=lambda move: _worth(cells, move))
        return max((move for move in seen.legal if move.startswith(NO_PLAY) and BLANK not in move), key=len)

    def _plays(self, board: dict[str, Any], cells: str) -> list[str]:
        """The plays that it finds by itself."""
        lexicon = find(board["dictionary"])
        if lexicon is None:
            return []
        found = plays(lexicon, cells, board["rack"], _TRIED).plays
        return [move for move in found if len(move.partition(" ")[2]) <= self._longest]


def _wrong(board: dict[str, Any]) -> bool:
    """Whether the play before has formed a word that is not on the list."""
    lexicon, last = find(board["dictionary"]), board["last"]
    return lexicon is not None and last is not None and any(word not in lexicon for word in last["words"])


def _worth(cells: str, move: str) -> int:
    play = placement(move)
    blanks = sum(sign not in VALUES for sign in play.tiles.values())
    return score(cells, play.tiles, across=play.across).points - _BLANK_COSTS * blanks
