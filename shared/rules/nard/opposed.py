"""The rules of games in which two sides move towards each other and hit (rules §1, §2.1).

Such games differ in their start position only; each is an instance of ``Opposed`` in its own folder.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from shared.chance import Dice
from shared.problems import Refused
from shared.rules.nard.board import BAR, OFF, Board, is_home, is_race, pips, position_id
from shared.rules.nard.hitting import played, plays, step
from shared.rules.nard.race import race_play
from shared.rules.nard.reading import hops, is_pass, possible_plays
from shared.rules.nard.scoring import lost_points, resigned_points
from shared.rules.nard.steps import compact
from shared.rules.protocol import PASS, Chance, Over, Players, Result, Traits, Waiting

TWO_DICE: Final = Dice(2)
_OPENING: Final = Chance(TWO_DICE)
_TO_ROLL: Final = (Chance(TWO_DICE, seat=0), Chance(TWO_DICE, seat=1))
_TO_PLAY: Final = (Players((0,)), Players((1,)))


class State(msgspec.Struct, frozen=True):
    """Both boards by seat, each in its own points; whose turn it is (None: the opening roll decides).

    ``dice`` are as drawn and empty until rolled; ``result`` is set when the last checker is off.
    """

    boards: tuple[Board, Board]
    turn: int | None
    dice: tuple[int, ...] = ()
    result: Result | None = None


class Opposed:
    """Rules (see ``shared.rules.protocol``) of one game of this kind."""

    version: int = 1
    seats: tuple[int, int] = (2, 2)
    traits: Traits = Traits(cube=True, consent=True, matches=True, rolled_start=True, open=True)

    def __init__(self, name: str, start: Board) -> None:
        """The game ``name``, in which both sides begin with the checkers of ``start``."""
        self.name = name
        self._start = start
        self._checkers = sum(start)

    def options(self) -> dict[str, Any]:
        """No options of its own."""
        return {"type": "object", "properties": {}, "additionalProperties": False}

    def setup(self, seats: int, options: Mapping[str, Any], first: int | None) -> State:
        """The start; ``first`` None waits for the opening roll, which its winner then plays."""
        if seats != 2:  # noqa: PLR2004 - two sides
            raise Refused("invalid_options", f"{self.name} is played by two, not by {seats}.")
        if options:
            raise Refused("invalid_options", f"{self.name} has no option {min(options)!r}.")
        if first not in (None, 0, 1):
            raise Refused("invalid_options", f"There is no seat {first} to move first.")
        return State(boards=(self._start, self._start), turn=first)

    def waiting(self, state: State) -> Waiting:
        """The opening roll, a seat's roll, a seat's play, or the end."""
        if state.result is not None:
            return Over(state.result)
        if state.turn is None:
            return _OPENING
        return _TO_PLAY[state.turn] if state.dice else _TO_ROLL[state.turn]

    def legal(self, state: State, seat: int) -> tuple[str, ...]:
        """The plays of ``seat``, higher die and highest point first; ``PASS`` alone if nothing goes."""
        if seat != state.turn or not state.dice or state.result is not None:
            return ()
        return _plays(state, seat) or (PASS,)

    def read(self, state: State, seat: int, text: str) -> str:
        """The canonical play in the player's order; ``reading`` says what is understood.

        A last checker may be borne off by one die although two could be played: the game is over (§1.4).
        """
        legal = self.legal(state, seat)
        if text in legal:
            return text
        if not legal:
            raise Refused("illegal_move", "There is nothing to play for this seat now.")
        if is_pass(text):
            if legal == (PASS,):
                return PASS
            raise Refused("illegal_move", f"A pass is not possible: {compact(legal[0])} can be played.")
        written = hops(text)
        if legal == (PASS,):
            raise Refused("illegal_move", "Nothing can be played with this roll; the turn passes.")
        mine, theirs = state.boards[seat], state.boards[1 - seat]
        dice = state.dice * 2 if state.dice[0] == state.dice[1] else state.dice
        found = possible_plays((mine, theirs), written, dice, step)
        length = legal[0].count(" ") + 1
        for play in found:
            if play in legal or (length > 1 and play.count(" ") + 1 == length):
                return play
            if played(mine, theirs, play)[0][OFF] == self._checkers:
                return play
        raise Refused("illegal_move", _too_short(found[0], length, legal[0]))

    def write(self, state: State, seat: int, move: str, viewer: int | None) -> str:  # noqa: ARG002 - nothing is hidden
        """The play with merged moves and repetitions: ``24/13``, ``13/11(2)``, ``24/18*/13``."""
        return move if move == PASS else compact(move)

    def play(self, state: State, seat: int, move: str) -> State:
        """The boards after the play, the other seat to roll, or the end."""
        other = 1 - seat
        if move == PASS:
            return State(boards=state.boards, turn=other)
        mine, theirs = played(state.boards[seat], state.boards[other], move)
        result = Result.won_by(seat, lost_points(theirs)) if mine[OFF] == self._checkers else None
        return State(boards=(theirs, mine) if seat else (mine, theirs), turn=other, result=result)

    def settle(self, state: State, drawn: tuple[int, ...]) -> State:
        """The roll of the seat to move; in the opening the higher die starts, and equal ones roll again."""
        turn = state.turn
        if turn is None:
            if drawn[0] == drawn[1]:
                return state
            turn = 0 if drawn[0] > drawn[1] else 1
        return State(boards=state.boards, turn=turn, dice=drawn)

    def forfeit(self, state: State, seat: int, cause: str) -> Result:
        """By resignation 2 or 1 (``resigned_points``); by leaving or flag the worst still possible."""
        mine, theirs = state.boards[seat], state.boards[1 - seat]
        points = resigned_points(mine, theirs) if cause == "resigned" else lost_points(mine)
        return Result.won_by(1 - seat, points)

    def view(self, state: State, seat: int | None) -> dict[str, Any]:  # noqa: ARG002 - nothing is hidden
        """Everything: ``boards`` by seat in own points (0 off, 25 bar), and what a client shows beside them.

        ``directions`` is how each seat moves on a board numbered from seat 0's side; the point that seat 0
        calls n is 25 - n to seat 1. ``phases``: ``moving_home`` or ``bearing_off``.
        """
        boards = state.boards
        over = state.result is not None
        race = not over and is_race(*boards)
        return {
            "boards": [list(b) for b in boards],
            "bar": [b[BAR] for b in boards],
            "off": [b[OFF] for b in boards],
            "pips": [pips(b) for b in boards],
            "turn": None if over else state.turn,
            "opening": state.turn is None,
            "dice": list(state.dice),
            "geometry": "contrary",
            "directions": [-1, 1],
            "phases": ["bearing_off" if is_home(b) else "moving_home" for b in boards],
            "auto_finish": [race, race],
        }

    def position(self, state: State) -> str:
        """Gnubg's position ID, seen by the player on roll (by seat 0 before the opening roll)."""
        turn = state.turn or 0
        return position_id(state.boards[turn], state.boards[1 - turn])

    def finishing_move(self, state: State, seat: int) -> str | None:
        """A sensible race play (``PASS`` while ``seat`` has no dice to play); None while there is contact."""
        if state.result is not None or not is_race(*state.boards):
            return None
        legal = self.legal(state, seat)
        if not legal or legal == (PASS,):
            return PASS
        mine, theirs = state.boards[seat], state.boards[1 - seat]
        return race_play(legal, lambda play: played(mine, theirs, play)[0])


def _plays(state: State, seat: int) -> tuple[str, ...]:
    one, two = state.dice
    mine, theirs = state.boards[seat], state.boards[1 - seat]
    return plays(mine, theirs, one, two) if one > two else plays(mine, theirs, two, one)


def _too_short(play: str, length: int, example: str) -> str:
    """Why a playable text is not a legal play: it leaves dice unused, or uses the lower alone."""
    if play.count(" ") + 1 < length:
        return f"More dice can be played and must be, for example {compact(example)}."
    return f"Only one die can be played, so it must be the higher: {compact(example)}."
