"""The product's rules agree with a second, independently written reading of the rules page, turn by turn.

Positions are those of whole games from the start, which both sides play alike, and constructed ones near the
edges of the rules. Compared are all results of the roll, whose turn it is, how the game ends and for what,
and the price of giving up.
"""

from itertools import count, product
from random import Random
from typing import Final

import pytest

from tests.support.naive.by_option import (
    FevgaAtOnce,
    LongAtOnce,
    PlakotoAtOnce,
    WithGuardedResignation,
    WithoutKoks,
    WithoutTriple,
)
from tests.support.naive.common import Mode, Naive
from tests.support.naive.edges import edges
from tests.support.naive.fevga import Fevga
from tests.support.naive.long_nardy import Long
from tests.support.naive.plakoto import Plakoto
from tests.support.naive.playouts import playout
from tests.support.naive.product import Beside
from tests.support.naive.short import Hyper, Nack, Short

IN_THE_SUITE: Final = 500
"""Positions of games, and as many constructed ones."""
NIGHTLY: Final = 20_000
WHOLLY: Final[list[tuple[Naive, Mode]]] = [
    (Long(), "normal"),
    (Fevga(), "normal"),
    (Plakoto(), "normal"),
    (Short(), "giveaway"),
]
"""Those that have no other oracle."""
IN_PART: Final[list[tuple[Naive, Mode]]] = [
    *((naive, "normal") for naive in (Short(), Hyper(), Nack())),
    *((naive, "giveaway") for naive in (Hyper(), Nack(), Long(), Fevga(), Plakoto())),
    *((naive, "draw") for naive in (Short(), Hyper(), Long())),
    (WithoutTriple(), "normal"),
    (WithGuardedResignation(), "normal"),
    (WithoutKoks(), "normal"),
]
"""Modes and options over the same steps: a quarter as many."""
every_game = pytest.mark.parametrize(
    ("naive", "mode", "share"),
    [*((naive, mode, 4) for naive, mode in WHOLLY), *((naive, mode, 1) for naive, mode in IN_PART)],
    ids=[f"{type(naive).__name__}-{mode}" for naive, mode in (*WHOLLY, *IN_PART)],
)
every_opening = pytest.mark.parametrize(
    "naive",
    [Short(), Hyper(), Nack(), Long(), Fevga(), Plakoto(), LongAtOnce(), FevgaAtOnce(), PlakotoAtOnce()],
    ids=lambda naive: type(naive).__name__,
)


def agree_on_games(naive: Naive, mode: Mode, positions: int, seed: int) -> None:
    """Whole games until ``positions`` rolls have been compared."""
    compared = 0
    for number in count():
        random = Random(seed + number)
        beside: Beside | None = None
        for rolled in playout(naive, random, mode):
            beside = beside or Beside.at_start(naive, mode, rolled.game.starter)
            beside = beside.check(rolled)
            compared += 1
        if compared >= positions:
            return


def agree_at_the_edges(naive: Naive, mode: Mode, positions: int, seed: int) -> None:
    """Constructed positions, each by itself."""
    for _, rolled in edges(naive, Random(seed), positions, mode):
        Beside.at(naive, rolled.game).check(rolled)


@every_game
def test_both_readings_agree_on_every_turn_of_whole_games(naive: Naive, mode: Mode, share: int) -> None:
    agree_on_games(naive, mode, IN_THE_SUITE * share // 4, seed=1)


@every_game
def test_both_readings_agree_near_the_edges_of_the_rules(naive: Naive, mode: Mode, share: int) -> None:
    agree_at_the_edges(naive, mode, IN_THE_SUITE * share // 4, seed=2)


@every_opening
def test_both_readings_agree_on_who_begins_and_with_what(naive: Naive) -> None:
    beside = Beside.at_start(naive, "normal", None)
    for one, other in product(range(1, 7), repeat=2):
        beside.check_opening((one, other))


@pytest.mark.nightly
@every_game
def test_both_readings_agree_on_twenty_thousand_turns(naive: Naive, mode: Mode, share: int) -> None:
    agree_on_games(naive, mode, NIGHTLY * share // 4, seed=1_000_000)


@pytest.mark.nightly
@every_game
def test_both_readings_agree_on_twenty_thousand_edges(naive: Naive, mode: Mode, share: int) -> None:
    agree_at_the_edges(naive, mode, NIGHTLY * share // 4, seed=3)
