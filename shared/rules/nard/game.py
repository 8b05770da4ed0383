"""The rules that all games of the family share: turns, obligation, ends, worth, modes (rules §1, §2, §4).

A game is a start position, a way of moving (``movement``) and the options that it offers; each is an instance
of ``Nard`` in its own folder.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from shared.chance import Dice
from shared.problems import Refused
from shared.rules.nard import options as choices
from shared.rules.nard.board import BAR, OFF, Board, is_home, pips
from shared.rules.nard.movement import Movement, Pinned, Sides
from shared.rules.nard.options import DEFAULT, Chosen
from shared.rules.nard.race import race_play
from shared.rules.nard.reading import hops, is_pass
from shared.rules.nard.scoring import lost_points, resigned_points
from shared.rules.nard.steps import compact
from shared.rules.options import Option, schema
from shared.rules.protocol import FIBS, PASS, Chance, Over, Players, Pool, Result, Traits, Waiting

TWO_DICE: Final = Dice(2)
_OPENING: Final = Chance(TWO_DICE)
_TO_ROLL: Final = (Chance(TWO_DICE, seat=0), Chance(TWO_DICE, seat=1))
_LAST_ROLL: Final = (Chance(TWO_DICE, seat=0, cube_rests=True), Chance(TWO_DICE, seat=1, cube_rests=True))
_TO_PLAY: Final = (Players((0,)), Players((1,)))
_NO_PINS: Final[tuple[Pinned, Pinned]] = ((), ())


class State(msgspec.Struct, frozen=True):
    """Both boards by seat, each in its own points; whose turn it is (None: the opening roll decides).

    ``dice`` are as drawn and empty until rolled; ``result`` is set when the game has ended. ``first`` is the
    seat that began (White), None until it is rolled for. ``pinned`` are the pinned checkers by seat, None
    where nothing is ever pinned. ``chosen`` are the options where they are not the game's own defaults.
    """

    boards: tuple[Board, Board]
    turn: int | None
    dice: tuple[int, ...] = ()
    result: Result | None = None
    first: int | None = None
    pinned: tuple[Pinned, Pinned] | None = None
    chosen: Chosen | None = None


class Nard:
    """Rules (see ``shared.rules.protocol``) of one game of the family."""

    version: int = 1
    seats: tuple[int, int] = (2, 2)

    def __init__(
        self,
        name: str,
        start: Board,
        movement: Movement,
        offered: tuple[Option, ...],
        default: Chosen = DEFAULT,
        *,
        title: str,
        cube: bool = True,
        matches: bool = True,
        exports: Mapping[str, str] | None = None,
    ) -> None:
        """The game ``name``, called ``title``, in which both sides begin with the checkers of ``start``.

        ``offered`` are its options and ``default`` what holds unless a table chooses otherwise. ``cube`` and
        ``matches`` (to a number of points) say what it is played with at most; ``exports`` are as in
        ``Traits``.
        """
        self.name = name
        self.title = title
        self.movement = movement
        self.traits = Traits(
            cube=cube,
            gammons=True,
            consent=True,
            matches=matches,
            rolled_start=True,
            open=True,
            exports=exports or {},
            pool=Pool(system=FIBS if matches else ""),
        )
        self._start = start
        self._checkers = sum(start)
        self._offered = offered
        self._default = default

    def options(self) -> dict[str, Any]:
        """The mode and the single rules that a table may choose."""
        return schema(self._offered)

    def offers(self, options: Mapping[str, Any]) -> Traits:
        """Giveaway has no cube and no gammons; it and the draw are for single games (rules §2.7, §2.8).

        Files of other programs hold neither.
        """
        mode = self._chosen(options).mode
        if mode == "normal":
            return self.traits
        single = msgspec.structs.replace(self.traits, matches=False, exports={})
        return msgspec.structs.replace(single, cube=False, gammons=False) if mode == "giveaway" else single

    def _chosen(self, options: Mapping[str, Any]) -> Chosen:
        return choices.chosen(self.name, self._offered, self._default, options)

    def setup(self, seats: int, options: Mapping[str, Any], first: int | None) -> State:
        """The start; ``first`` None waits for the opening roll, whose winner begins."""
        if seats != 2:  # noqa: PLR2004 - two sides
            raise Refused("invalid_options", f"{self.name} is played by two, not by {seats}.")
        chosen = self._chosen(options)
        if first not in (None, 0, 1):
            raise Refused("invalid_options", f"There is no seat {first} to move first.")
        return State(
            boards=(self._start, self._start),
            turn=first,
            first=first,
            pinned=_NO_PINS if self.movement.pins else None,
            chosen=None if chosen == self._default else chosen,
        )

    def waiting(self, state: State) -> Waiting:
        """The opening roll, a seat's roll, a seat's play, or the end."""
        if state.result is not None:
            return Over(state.result)
        if state.turn is None:
            return _OPENING
        if state.dice:
            return _TO_PLAY[state.turn]
        return (_LAST_ROLL if self._is_last_turn(state) else _TO_ROLL)[state.turn]

    def _is_last_turn(self, state: State) -> bool:
        """Whether the side that began has borne off everything and the other has its last turn (§2.8)."""
        return (
            state.chosen is not None
            and state.chosen.mode == "draw"
            and state.turn is not None
            and state.result is None
            and state.boards[1 - state.turn][OFF] == self._checkers
        )

    def legal(self, state: State, seat: int) -> tuple[str, ...]:
        """The plays of ``seat``, higher die and highest point first; ``PASS`` alone if nothing goes."""
        if seat != state.turn or not state.dice or state.result is not None:
            return ()
        one, two = state.dice
        if one < two:
            one, two = two, one
        return self.movement.plays(_sides(state, seat), one, two) or (PASS,)

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
        sides = _sides(state, seat)
        dice = state.dice * 2 if state.dice[0] == state.dice[1] else state.dice
        found = self.movement.meant(sides, written, dice)
        for play in found:
            if play in legal:
                return play
            after = self.movement.played(sides, play)
            if after.mine[OFF] == self._checkers or self._leads_there(sides, after, play, legal):
                return play
        raise Refused("illegal_move", _why_not(found[0], legal))

    def _leads_there(self, sides: Sides, after: Sides, play: str, legal: tuple[str, ...]) -> bool:
        """Whether a legal play of the same length has the same result."""
        length = play.count(" ")
        return any(
            other.count(" ") == length and self.movement.played(sides, other) == after for other in legal
        )

    def write(self, state: State, seat: int, move: str, viewer: int | None) -> str:  # noqa: ARG002 - nothing is hidden
        """The play with merged moves and repetitions: ``24/13``, ``13/11(2)``, ``24/18*/13``."""
        return move if move == PASS else compact(move)

    def play(self, state: State, seat: int, move: str) -> State:
        """The boards after the play, the other seat to roll, or the end."""
        sides = _sides(state, seat)
        if move != PASS:
            sides = self.movement.played(sides, move)
        by_seat = sides.swapped() if seat else sides
        return State(
            boards=(by_seat.mine, by_seat.theirs),
            turn=1 - seat,
            result=self._ended(state, seat, sides),
            first=state.first,
            pinned=by_seat.pinned,
            chosen=state.chosen,
        )

    def _ended(self, state: State, seat: int, after: Sides) -> Result | None:
        """How the game ends with the turn of ``seat`` that leads to ``after``; None if it goes on."""
        chosen = state.chosen or self._default
        finished = after.mine[OFF] == self._checkers
        if self._is_last_turn(state):
            if finished:
                return Result.drawn()
            return Result.won_by(1 - seat, min(lost_points(after.mine), chosen.most))
        if finished:
            if chosen.mode == "draw" and seat == state.first:
                return None
            points: int | None = min(lost_points(after.theirs), chosen.most)
        else:
            points = self.movement.decided(after)
        if points is None:
            return None
        if points == 0:
            return Result.drawn()
        return Result.won_by(1 - seat, 1) if chosen.mode == "giveaway" else Result.won_by(seat, points)

    def half_moves(self, state: State, move: str) -> int:  # noqa: ARG002 - every play is one
        """One."""
        return 1

    def claim(self, state: State, seat: int, move: str) -> Result | None:  # noqa: ARG002 - as above
        """Nothing is claimed in these games."""
        return None

    def settle(self, state: State, drawn: tuple[int, ...]) -> State:
        """The roll of the seat to move; in the opening the higher die starts, and equal ones roll again."""
        if state.turn is not None:
            return msgspec.structs.replace(state, dice=drawn)
        if drawn[0] == drawn[1]:
            return state
        turn = 0 if drawn[0] > drawn[1] else 1
        played = (state.chosen or self._default).opening_dice_played
        return msgspec.structs.replace(state, turn=turn, first=turn, dice=drawn if played else ())

    def forfeit(self, state: State, seat: int, cause: str) -> Result:
        """By resignation 2 or 1 (``resigned_points``); by leaving or flag the worst still possible.

        Who waits for the other side's last roll (§2.8) can lose no more: his giving up is a draw. In giveaway
        it is always 1.
        """
        chosen = state.chosen or self._default
        mine, theirs = state.boards[seat], state.boards[1 - seat]
        if seat != state.turn and self._is_last_turn(state):
            return Result.drawn()
        if chosen.mode == "giveaway":
            points = 1
        elif cause == "resigned":
            points = resigned_points(mine, theirs, none_off=chosen.resign_gammon_requires_none_off)
        else:
            points = lost_points(mine)
        return Result.won_by(1 - seat, min(points, chosen.most))

    def view(self, state: State, seat: int | None) -> dict[str, Any]:  # noqa: ARG002 - nothing is hidden
        """Everything: ``boards`` by seat in own points (0 off, 25 bar), and what a client shows beside them.

        ``directions`` is how each seat moves on a board numbered from seat 0's side; the point that seat 0
        calls n is 25 - n to seat 1 in contrary geometry, and 12 more or less in parallel. ``phases``:
        ``moving_home`` or ``bearing_off``. ``pinned`` (by seat, own points) and ``last_turn`` are there where
        the game or its mode knows them, and ``mode`` where it is not the normal one.
        """
        boards = state.boards
        over = state.result is not None
        apart = not over and self.movement.apart(_sides(state, 0))
        view: dict[str, Any] = {
            "boards": [list(b) for b in boards],
            "bar": [b[BAR] for b in boards],
            "off": [b[OFF] for b in boards],
            "pips": [pips(b) for b in boards],
            "turn": None if over else state.turn,
            "opening": state.turn is None,
            "dice": list(state.dice),
            "geometry": self.movement.geometry,
            "directions": list(self.movement.directions),
            "phases": ["bearing_off" if is_home(b) else "moving_home" for b in boards],
            "auto_finish": [apart, apart],
        }
        if state.pinned is not None:
            view["pinned"] = [list(points) for points in state.pinned]
        mode = "normal" if state.chosen is None else state.chosen.mode
        if mode != "normal":
            view["mode"] = mode
        if mode == "draw":
            view["last_turn"] = self._is_last_turn(state)
        return view

    def position(self, state: State) -> str:
        """In the movement's form, seen by the player on roll (by seat 0 before the opening roll)."""
        return self.movement.position(_sides(state, state.turn or 0))

    def finishing_move(self, state: State, seat: int) -> str | None:
        """A sensible race play (``PASS`` while ``seat`` has no dice to play); None while there is contact."""
        if state.result is not None or not self.movement.apart(_sides(state, seat)):
            return None
        legal = self.legal(state, seat)
        if not legal or legal == (PASS,):
            return PASS
        sides = _sides(state, seat)
        giveaway = (state.chosen or self._default).mode == "giveaway"
        return race_play(legal, lambda play: self.movement.played(sides, play).mine, slowly=giveaway)


def _sides(state: State, seat: int) -> Sides:
    first, second = state.boards
    if seat == 0:
        return Sides(first, second, state.pinned)
    pinned = state.pinned
    return Sides(second, first, None if pinned is None else (pinned[1], pinned[0]))


def _why_not(play: str, legal: tuple[str, ...]) -> str:
    """Why a playable text is not a legal play: it leaves dice unused, uses the lower alone, or ends badly."""
    example = max(legal, key=lambda other: other.count(" "))
    if play.count(" ") < example.count(" "):
        return f"More dice can be played and must be, for example {compact(example)}."
    if " " not in example:
        return f"Only one die can be played, so it must be the higher: {compact(example)}."
    return f"This game forbids where that play ends; for example {compact(example)} can be played."
