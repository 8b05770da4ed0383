"""Playing games at random, with a seed that repeats them."""

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, Final

from shared.chance import Dice, Draw, Shuffle
from shared.rules.protocol import Chance, Over, Rules
from tests.support import scrabble

MOST_STEPS = 20_000  # no game of ours is longer; a walk that gets here never ends


def drawn(spec: Draw, random: Random) -> tuple[int, ...]:
    """What ``shared.draws`` could draw for ``spec``."""
    if isinstance(spec, Dice):
        return tuple(random.randint(1, spec.sides) for _ in range(spec.count))
    if isinstance(spec, Shuffle):
        cards = list(range(spec.size))
        random.shuffle(cards)
        return tuple(cards)
    return (random.randrange(spec.size),)


FINDING: Final[dict[str, Callable[[Any, int], tuple[str, ...]]]] = {"scrabble": scrabble.found}
"""By game whose moves are not listed: what finds them."""


def possible(rules: Rules[Any], state: Any, seat: int) -> tuple[str, ...]:
    """All moves of ``seat``, found where the rules do not list them."""
    return FINDING.get(rules.name, rules.legal)(state, seat)


Choose = Callable[[Any, int, tuple[str, ...]], str]
"""Which of the legal moves of a seat is played in a state."""


def walk(
    rules: Rules[Any],
    state: Any,
    random: Random,
    choose: Choose | None = None,
    moves: Callable[[Any, int], tuple[str, ...]] | None = None,
) -> Iterator[Any]:
    """Every state of a random game from ``state`` on, the last one included; moves as ``choose`` says.

    It chooses from all that are possible, unless ``moves`` gives others.
    """
    for _ in range(MOST_STEPS):
        yield state
        waiting = rules.waiting(state)
        if isinstance(waiting, Over):
            return
        if isinstance(waiting, Chance):
            state = rules.settle(state, drawn(waiting.draw, random))
        else:
            seat = random.choice(waiting.seats)
            legal = moves(state, seat) if moves else possible(rules, state, seat)
            move = choose(state, seat, legal) if choose else random.choice(legal)
            state = rules.play(state, seat, move)
    raise AssertionError(f"a random game of {rules.name} does not end")


def some_states(
    rules: Rules[Any], seed: int, seats: int | None = None, options: Mapping[str, Any] | None = None
) -> list[Any]:
    """A whole random game from the start."""
    random = Random(seed)
    low, high = rules.seats
    number = random.randint(low, high) if seats is None else seats
    first = None if rules.traits.rolled_start else random.randrange(number)
    return list(walk(rules, rules.setup(number, options or {}, first), random))
