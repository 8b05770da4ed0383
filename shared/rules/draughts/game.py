"""Czech draughts: kings before men, compulsory and whole captures, draws by rule (§4)."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from shared.rules.alternating import Alternating, Turns, occurrences
from shared.rules.draughts import reading
from shared.rules.draughts.board import CROWNING, START, names, position_text
from shared.rules.draughts.endings import QUIET_PLIES, Material, material
from shared.rules.draughts.moves import Mover, applied, moves
from shared.rules.protocol import Result

_THRICE: Final = 3
_START_MEN: Final = (START[0], START[1])


class State(Turns, frozen=True, kw_only=True):
    """Men and kings of White and Black as sets of squares; White is who began.

    ``earlier`` are the kings of each position since the last man's move or capture, oldest first: the men
    are the same in all of them. ``material_plies`` counts how long the balance of ``endings.material`` has
    stood.
    """

    men: tuple[int, int]
    kings: tuple[int, int] = (0, 0)
    earlier: tuple[tuple[int, int], ...] = ()
    material_plies: int = 0

    @property
    def mover(self) -> Mover:
        """The position as the side to move sees it."""
        side, other = self.side, 1 - self.side
        return Mover(self.men[side], self.kings[side], self.men[other] | self.kings[other], side)


class Draughts(Alternating[State]):
    """Rules (see ``shared.rules.protocol``).

    A win is of the kind ``no pieces``, ``blocked`` or ``forfeit``; a draw ``repetition``, ``fifteen moves``
    (6.2), ``three kings`` (6.3) or ``material`` (6.4).
    """

    def setup(self, seats: int, options: Mapping[str, Any], first: int | None) -> State:
        """Twelve men each; ``first`` has White."""
        self._chosen(options)
        return State(first=self._first(seats, first), men=_START_MEN)

    def legal(self, state: State, seat: int) -> tuple[str, ...]:
        """The moves in the order of the alphabet, such as ``c3-d4`` and ``c3:e5:g7``.

        Captures of one piece with the same end and the same pieces taken are one move, told by one way.
        """
        return moves(state.mover) if state.result is None and seat == state.turn else ()

    def _meant(self, state: State, text: str) -> str:
        return reading.read(state.mover, text)

    def play(self, state: State, seat: int, move: str) -> State:  # noqa: ARG002 - it is the seat to move
        """The piece moved, what it jumped over taken off, a man on the far row crowned (3.5)."""
        mover, side = state.mover, state.side
        start, end, taken = applied(mover, move)
        by_man = mover.men >> start & 1
        men, kings = list(state.men), list(state.kings)
        moved = men if by_man else kings
        moved[side] = moved[side] & ~(1 << start) | 1 << end  # a king may end where it began
        if by_man and CROWNING[side] >> end & 1:
            men[side] ^= 1 << end
            kings[side] |= 1 << end
        men[1 - side] &= ~taken
        kings[1 - side] &= ~taken
        after = (men[0], men[1]), (kings[0], kings[1])
        balance = material(*after)
        stays = balance is not None and balance is material(state.men, state.kings)
        reached = State(
            first=state.first,
            ply=state.ply + 1,
            men=after[0],
            kings=after[1],
            earlier=() if by_man or taken else (*state.earlier, state.kings),
            material_plies=state.material_plies + 1 if stays else 0,
        )
        result = _ended(reached, balance)
        return reached if result is None else msgspec.structs.replace(reached, result=result)

    def view(self, state: State, seat: int | None) -> dict[str, Any]:  # noqa: ARG002 - nothing is hidden
        """Everything: ``men`` and ``kings`` by seat, who has ``white``, and how near a draw is.

        ``occurrences`` is how often the position has stood with this side to move, ``quiet_plies`` how many
        were played without a man's move or a capture, ``material`` a balance of few pieces and
        ``material_plies`` how long it has stood; ``draw_in`` is after how many more plies of this kind the
        game is drawn.
        """
        balance = material(state.men, state.kings)
        left = QUIET_PLIES - len(state.earlier)
        if balance is not None:
            left = min(left, balance.plies - state.material_plies)
        return {
            "men": state.by_seat((names(state.men[0]), names(state.men[1]))),
            "kings": state.by_seat((names(state.kings[0]), names(state.kings[1]))),
            "white": state.first,
            "turn": state.turn if state.result is None else None,
            "occurrences": occurrences(state.earlier, state.kings),
            "quiet_plies": len(state.earlier),
            "material": balance.name if balance else None,
            "material_plies": state.material_plies,
            "draw_in": left,
        }

    def position(self, state: State) -> str:
        """Side to move, White's pieces, Black's: ``W:Wc3,Kh8:Bd4,g7``."""
        return position_text(state.men, state.kings, state.side)


def _ended(state: State, balance: Material | None) -> Result | None:
    """How the game ends before the move of the side to move: a loss (article 7) goes before a draw."""
    mover = state.mover
    if not mover.men | mover.kings:
        return Result.win(1 - state.turn, "no pieces")
    if not moves(mover):
        return Result.win(1 - state.turn, "blocked")
    if occurrences(state.earlier, state.kings) >= _THRICE:
        return Result.drawn(kind="repetition")
    if balance is not None and state.material_plies >= balance.plies:
        return Result.drawn(kind=balance.kind)
    if len(state.earlier) >= QUIET_PLIES:
        return Result.drawn(kind="fifteen moves")
    return None


RULES: Final = Draughts("draughts", "Draughts", (4, 6, 10), exports={"pdn": "29,W,8,8,A0,0"}, newcomer=20)
