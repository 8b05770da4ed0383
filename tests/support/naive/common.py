"""A second reading of the nardy family: the witness that the product's rules are tested against.

Written from the rules page alone, without a look at ``shared.rules``, for clarity and not for speed: every
checker is tried with every die in every order, and the page's conditions are applied one by one. A side is a
tuple of 26 counts by own point (25 the bar, 0 borne off), and a position is always told by the side on roll.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import permutations
from types import MappingProxyType
from typing import Final, Literal

OFF: Final = 0
HEAD: Final = 24
BAR: Final = 25
HOME: Final = range(1, 7)
FAR_QUARTER: Final = range(19, 25)  # the first six points of one's way; contrary players: the other's home

Side = tuple[int, ...]
Dice = tuple[int, int]
Mode = Literal["normal", "giveaway", "draw"]


def side(points: Mapping[int, int], checkers: int | None = None) -> Side:
    """These checkers by own point; the rest of ``checkers``, if it is told, borne off."""
    off = 0 if checkers is None else checkers - sum(points.values())
    return tuple(points.get(point, 0) + (off if point == OFF else 0) for point in range(26))


def moved(one: Side, source: int, target: int) -> Side:
    """``one`` after a checker went from ``source`` to ``target``."""
    counts = list(one)
    counts[source] -= 1
    counts[target] += 1
    return tuple(counts)


def pips(one: Side) -> int:
    """What a side has still to go; a checker on the bar counts 25."""
    return sum(point * count for point, count in enumerate(one))


def contrary(point: int) -> int:
    """§1.1: the other's name of my ``point`` where the players move towards each other."""
    return 25 - point


def parallel(point: int) -> int:
    """§1.1: the other's name of my ``point`` where both move the same way round (24 is 12, 1 is 13)."""
    return point + 12 if point <= 12 else point - 12


@dataclass(frozen=True)
class Position:
    """Both sides in their own points. Plakoto: the own points at which a checker of that side is pinned."""

    mine: Side
    theirs: Side
    my_pinned: frozenset[int] = field(default_factory=frozenset[int])
    their_pinned: frozenset[int] = field(default_factory=frozenset[int])

    def flipped(self) -> "Position":
        """The same position, told by the other side."""
        return Position(self.theirs, self.mine, self.their_pinned, self.my_pinned)


@dataclass(frozen=True)
class Ending:
    """Who has won, None for a draw, and what it is worth before any cube."""

    winner: int | None
    points: int


@dataclass(frozen=True)
class Game:
    """A game between two turns; ``position`` is told by ``seat``, who is on roll unless it has ended."""

    position: Position
    seat: int
    starter: int
    mode: Mode = "normal"
    last_roll: bool = False
    ending: Ending | None = None

    def sides(self) -> tuple[Side, Side]:
        """The two sides by seat."""
        mine, theirs = self.position.mine, self.position.theirs
        return (theirs, mine) if self.seat else (mine, theirs)


class Naive(ABC):
    """One variant: its start, what a single step may do, and what a win is worth."""

    name: str
    start: Side
    opposite: Callable[[int], int]
    opening_dice_played: bool
    """Whether the starter plays the two dice that made him the starter."""
    options: Mapping[str, object] = MappingProxyType({})
    """What a table sets to have this variant, beside the mode."""

    @property
    def checkers(self) -> int:
        """How many each side has."""
        return sum(self.start)

    @abstractmethod
    def step(self, now: Position, source: int, die: int, turn: "Turn") -> Position | None:
        """The position after one checker went ``die`` points from ``source``; None where it may not."""

    @abstractmethod
    def points(self, loser: Side) -> int:
        """What it is worth to have borne off everything before ``loser``."""

    @abstractmethod
    def resignation(self, mine: Side, theirs: Side) -> int:
        """§4: what resigning costs, if the other accepts."""

    @abstractmethod
    def quitting(self, mine: Side) -> int:
        """§4: what leaving the game costs."""

    def won_at_once(self, now: Position) -> Ending | None:
        """An ending in the midst of a turn, as if the side on roll were seat 0; the rest is not played."""
        del now
        return None

    def preferred(self, plays: set[Position]) -> set[Position]:
        """Those of the longest plays that the variant allows, where it asks for more than their length."""
        return plays

    def results(self, position: Position, dice: Dice) -> set[Position]:
        """§1.4: all distinct positions in which a legal play of ``dice`` can end, told by the same side.

        A play that has ended the game is complete, however many dice it has used.
        """
        turn = Turn(position, dice)
        by_length: dict[int, set[Position]] = {0: {position}}
        ended: set[Position] = set()
        for order in turn.orders():
            reached = {position}
            for used, die in enumerate(order, start=1):
                reached = {after for now in reached for after in self.steps(now, die, turn)}
                by_length.setdefault(used, set()).update(reached)
                over = {after for after in reached if self.won_at_once(after)}
                ended |= over
                reached -= over
        longest = max(length for length, plays in by_length.items() if plays)
        plays = by_length[longest]
        if longest == 1 and dice[0] != dice[1]:
            plays = set(self.steps(position, max(dice), turn)) or plays
        return self.preferred(plays) | ended

    def steps(self, now: Position, die: int, turn: "Turn") -> Iterator[Position]:
        """Every position after one step with ``die``."""
        for source in range(BAR, OFF, -1):
            if now.mine[source]:
                after = self.step(now, source, die, turn)
                if after is not None:
                    yield after

    def short_finishes(self, position: Position, dice: Dice) -> set[tuple[int, int]]:
        """§1.4, the trap: (source, die) that may take the last checker off though more could be played."""
        if sum(position.mine[1:]) != 1 or dice[0] == dice[1]:
            return set()
        source = next(point for point in range(1, 26) if position.mine[point])
        after = {die: self.step(position, source, die, Turn(position, dice)) for die in dice}
        return {(source, die) for die, then in after.items() if then and then.mine[OFF] == self.checkers}

    def given_up(self, game: Game, seat: int, cause: Literal["resigned", "left"]) -> Ending:
        """§4: what it costs ``seat`` to resign, if that is accepted, or to leave."""
        if game.last_roll and seat == game.starter:
            return Ending(None, 0)  # he is off: at worst the other draws
        mine, theirs = game.sides() if seat == 0 else game.sides()[::-1]
        points = self.quitting(mine) if cause == "left" else self.resignation(mine, theirs)
        return Ending(1 - seat, 1 if game.mode == "giveaway" else points)

    def opening(self, dice: Dice) -> tuple[int, Dice | None] | None:
        """§1.3, one die each: who starts and with which dice, None to roll afresh; None to roll again."""
        if dice[0] == dice[1]:
            return None
        return dice.index(max(dice)), dice if self.opening_dice_played else None

    def played(self, game: Game, after: Position) -> Game:
        """The game after ``game.seat`` has played to ``after``, one of the ``results`` of his roll."""
        return MODES[game.mode](self, replace(game, position=after))


@dataclass(frozen=True)
class Turn:
    """What a step may have to know of the turn that it is part of."""

    start: Position
    dice: Dice

    def orders(self) -> set[tuple[int, ...]]:
        """The orders in which the dice may be played; a double is played four times."""
        one, other = self.dice
        return {(one,) * 4} if one == other else set(permutations(self.dice))


def may_bear_off(mine: Side, source: int, die: int) -> bool:
    """§2.1, the part that all share: all home, and the exact die or nothing on a higher point."""
    if any(mine[point] for point in range(7, 26)):
        return False
    return die == source or (die > source and not any(mine[point] for point in range(source + 1, 7)))


def _next_turn(game: Game) -> Game:
    return replace(game, position=game.position.flipped(), seat=1 - game.seat)


def _ordinary(rules: Naive, game: Game) -> Game:
    """Whoever has borne off everything has won."""
    at_once = rules.won_at_once(game.position)
    if at_once is not None:
        winner = None if at_once.winner is None else game.seat
        return replace(game, ending=Ending(winner, at_once.points))
    if game.position.mine[OFF] == rules.checkers:
        return replace(game, ending=Ending(game.seat, rules.points(game.position.theirs)))
    return _next_turn(game)


def _giveaway(rules: Naive, game: Game) -> Game:
    """§2.7: whoever has borne off everything has lost, always one point.

    The moves are those of the base game, so a caught mother ends it as well, and who caught her has lost.
    """
    at_once = rules.won_at_once(game.position)
    if at_once is not None:
        drawn = at_once.winner is None
        return replace(game, ending=at_once if drawn else Ending(1 - game.seat, 1))
    if game.position.mine[OFF] == rules.checkers:
        return replace(game, ending=Ending(1 - game.seat, 1))
    return _next_turn(game)


def _last_roll(rules: Naive, game: Game) -> Game:
    """§2.8: if the starter is off first the other has one more turn; what he reaches in it counts."""
    mine = game.position.mine
    off = mine[OFF] == rules.checkers
    if game.last_roll:
        return replace(game, ending=Ending(None, 0) if off else Ending(1 - game.seat, rules.points(mine)))
    if off and game.seat != game.starter:
        return replace(game, ending=Ending(game.seat, rules.points(game.position.theirs)))
    return replace(_next_turn(game), last_roll=off)


MODES: Final[dict[Mode, Callable[[Naive, Game], Game]]] = {
    "normal": _ordinary,
    "giveaway": _giveaway,
    "draw": _last_roll,
}
