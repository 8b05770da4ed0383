"""Games that the second reading plays with itself: positions that can be reached, and how."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

from tests.support.naive.common import BAR, HEAD, Dice, Game, Mode, Naive, Position

MOST_TURNS: Final = 5_000  # no playout is longer
WHIMS: Final = 0.3
"""How often a player forgets his plan; without whims two stubborn ones may block each other for long."""


@dataclass(frozen=True)
class Rolled:
    """One turn of a playout: where, with what, to where one may play, and where to it was played."""

    game: Game
    dice: Dice
    results: set[Position]
    chosen: Position

    @property
    def what(self) -> str:
        """The smallest example, should it be one."""
        return f"{self.game} rolled {self.dice}"


def random_dice(random: Random) -> Dice:
    """A roll as dice give it."""
    return random.randint(1, 6), random.randint(1, 6)


def _occupied(position: Position) -> list[bool]:
    return [count > 0 for count in position.mine[1:BAR]]


def _longest_run(position: Position) -> int:
    longest = run = 0
    for held in _occupied(position):
        run = run + 1 if held else 0
        longest = max(longest, run)
    return longest


def _depth(position: Position) -> int:
    """High where some stay far back while others run ahead."""
    return sum(point * point * count for point, count in enumerate(position.mine))


PLANS: Final[tuple[Callable[[Position], int], ...]] = (
    lambda _: 0,  # none
    _longest_run,  # to build a prime
    _depth,  # to leave the rear where it is
    lambda position: -_depth(position),  # to bring the rear on
    lambda position: sum(_occupied(position)),  # to take as many points as possible
    lambda position: -sum(_occupied(position)),  # to stack
    lambda position: len(position.their_pinned) + position.theirs[BAR],  # to pin and to hit
    lambda position: 2 * (HEAD in position.their_pinned) - position.mine[HEAD],  # Plakoto: the mother
)


def in_order(position: Position) -> tuple[object, ...]:
    """A key that puts positions into one order for ever."""
    return position.mine, position.theirs, sorted(position.my_pinned), sorted(position.their_pinned)


def choice(random: Random, plan: Callable[[Position], int], results: set[Position]) -> Position:
    """One of ``results``, by plan or by whim."""
    options = sorted(results, key=in_order)
    if random.random() >= WHIMS:
        best = max(map(plan, options))
        options = [option for option in options if plan(option) == best]
    return random.choice(options)


def playout(rules: Naive, random: Random, mode: Mode = "normal") -> Iterator[Rolled]:
    """A whole game from the start: the starter rolls afresh, both follow plans of their own."""
    starter = random.randrange(2)
    game = Game(Position(rules.start, rules.start), seat=starter, starter=starter, mode=mode)
    plans = random.choice(PLANS), random.choice(PLANS)
    for _ in range(MOST_TURNS):
        if game.ending is not None:
            return
        dice = random_dice(random)
        results = rules.results(game.position, dice)
        rolled = Rolled(game, dice, results, choice(random, plans[game.seat], results))
        yield rolled
        game = rules.played(game, rolled.chosen)
    raise AssertionError(f"a playout of {rules.name} does not end")
