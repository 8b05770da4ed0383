"""The product's rules agree with a second, independently written reading of the rules page, turn by turn.

Positions are those of whole games from the start, which both sides play alike, and constructed ones near the
edges of the rules. Compared are all results of the roll, whose turn it is, how the game ends and for what,
and the price of giving up.
"""

from itertools import count
from random import Random
from typing import Final

import pytest

from tests.support.naive.common import Mode, Naive
from tests.support.naive.fevga import Fevga
from tests.support.naive.long_nardy import Long
from tests.support.naive.plakoto import Plakoto
from tests.support.naive.playouts import playout
from tests.support.naive.product import Beside
from tests.support.naive.short import Hyper, Nack, Short

IN_THE_SUITE: Final = 1_000
NIGHTLY: Final = 20_000
GAMES: Final[list[tuple[Naive, Mode]]] = [
    (Short(), "normal"),
    (Hyper(), "normal"),
    (Nack(), "normal"),
    (Long(), "normal"),
    (Fevga(), "normal"),
    (Plakoto(), "normal"),
    (Short(), "giveaway"),
    (Hyper(), "giveaway"),
    (Nack(), "giveaway"),
    (Long(), "giveaway"),
    (Fevga(), "giveaway"),
    (Plakoto(), "giveaway"),
    (Short(), "draw"),
    (Hyper(), "draw"),
    (Long(), "draw"),
]
every_game = pytest.mark.parametrize(
    ("naive", "mode"), GAMES, ids=[f"{naive.name}-{mode}" for naive, mode in GAMES]
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


@every_game
def test_both_readings_agree_on_every_turn_of_whole_games(naive: Naive, mode: Mode) -> None:
    agree_on_games(naive, mode, IN_THE_SUITE, seed=1)


@pytest.mark.nightly
@every_game
def test_both_readings_agree_on_twenty_thousand_turns(naive: Naive, mode: Mode) -> None:
    agree_on_games(naive, mode, NIGHTLY, seed=1_000_000)
