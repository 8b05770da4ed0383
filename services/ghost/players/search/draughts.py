"""What a player knows of draughts: men and kings, how far the men have come, and captures to their end."""

from collections.abc import Hashable, Sequence
from typing import Final

from services.ghost.players.search.alphabeta import Loud
from shared.rules.draughts.board import CROWNING, LONG_DIAGONAL, NAMES, mask
from shared.rules.draughts.game import State
from shared.rules.draughts.moves import CAPTURES

MAN: Final = 100
KING: Final = 320
_STEP: Final = 4  # a man's every step towards the far row
_HOME: Final = 8  # a man at home keeps the other's men from crowning
_CENTRE: Final = 5
_LONG: Final = 15  # a king on the long diagonal
_WEARING: Final = 3  # each quiet ply: who is ahead must get on before the game is drawn

_ROWS: Final = tuple(mask(*(name for name in NAMES if name[1] == str(row))) for row in range(1, 9))
_MIDDLE: Final = mask("c3", "e3", "d4", "f4", "c5", "e5", "d6", "f6")
_STILL: Final[Loud[str]] = Loud((), forced=False)


def _worth(men: int, kings: int, colour: int) -> int:
    found = MAN * men.bit_count() + KING * kings.bit_count()
    for row, squares in enumerate(_ROWS):
        found += _STEP * (7 - row if colour else row) * (men & squares).bit_count()
    found += _HOME * (men & CROWNING[1 - colour]).bit_count()
    found += _CENTRE * ((men | kings) & _MIDDLE).bit_count()
    return found + _LONG * bool(kings & LONG_DIAGONAL)


class DraughtsJudgement:
    """``Judgement``."""

    def value(self, state: State) -> int:
        """Material and where it stands, less what the quiet plies have worn away of a lead.

        Few pieces make a lead count for more, so that exchanges are sought.
        """
        side = state.side
        mine = _worth(state.men[side], state.kings[side], side)
        theirs = _worth(state.men[1 - side], state.kings[1 - side], 1 - side)
        lead = mine - theirs
        lead += lead * 200 // (mine + theirs)
        worn = min(_WEARING * len(state.earlier), abs(lead) // 2)
        return lead - worn if lead > 0 else lead + worn

    def ordered(self, state: State, legal: Sequence[str]) -> Sequence[str]:
        """The longest captures first; else as they come."""
        del state
        return sorted(legal, key=len, reverse=True)

    def loud(self, state: State, legal: Sequence[str]) -> Loud[str]:
        """Captures: they are compulsory."""
        del state
        return Loud(legal, forced=True) if CAPTURES in legal[0] else _STILL

    def key(self, state: State) -> Hashable:
        """Men, kings, and how near the draws are that are counted."""
        return state.men, state.kings, len(state.earlier), state.material_plies
