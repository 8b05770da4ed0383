"""The constructed positions are where the rules bite: without one of them, the second reading sees others."""

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Final

import pytest

from tests.support.naive.common import Naive, Position, Turn
from tests.support.naive.edges import edges
from tests.support.naive.fevga import Fevga
from tests.support.naive.long_nardy import Long
from tests.support.naive.plakoto import Plakoto
from tests.support.naive.playouts import Rolled
from tests.support.naive.short import Short

POSITIONS: Final = 500
"""As many as the suite compares with the product's."""
LONG, FEVGA, PLAKOTO = Long(), Fevga(), Plakoto()


@cache
def some_edges(rules: Naive) -> list[Rolled]:
    return [rolled for _, rolled in edges(rules, Random(2), POSITIONS)]


class UnlimitedHead(Long):
    """Nobody minds the head."""

    def step(self, now: Position, source: int, die: int, turn: Turn) -> Position | None:
        return super().step(now, source, die, Turn(now, turn.dice))


class FreeCheckers(Plakoto):
    """Pinned ones bear off others."""

    def step(self, now: Position, source: int, die: int, turn: Turn) -> Position | None:
        if now.my_pinned and source <= die and source not in now.my_pinned:
            return super().step(Position(now.mine, now.theirs), source, die, turn)
        return super().step(now, source, die, turn)


def never(*_: object) -> bool:
    return False


def always(*_: object) -> bool:
    return True


@pytest.mark.parametrize(
    ("rules", "condition", "instead", "fewest"),
    [
        (LONG, "has_forbidden_block", never, 10),
        (LONG, "may_bear_off", always, 50),
        (LONG, "TWO_FROM_THE_HEAD", (), 5),
        (FEVGA, "imprisons_all", never, 20),
        (FEVGA, "has_first_checker_round", always, 10),
        (FEVGA, "FAR_QUARTER", range(18, 25), 5),
        (PLAKOTO, "may_bear_off", always, 50),
    ],
)
def test_many_edges_depend_on_each_rule(
    rules: Naive,
    condition: str,
    instead: Callable[..., bool] | tuple[()] | range,
    fewest: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    positions = some_edges(rules)
    monkeypatch.setattr(f"{type(rules).__module__}.{condition}", instead)
    changed = sum(rules.results(one.game.position, one.dice) != one.results for one in positions)
    assert changed >= fewest


@pytest.mark.parametrize(
    ("rules", "looser", "fewest"),
    [(LONG, UnlimitedHead(), 20), (PLAKOTO, FreeCheckers(), 3)],
)
def test_many_edges_depend_on_heads_and_pins(rules: Naive, looser: Naive, fewest: int) -> None:
    positions = some_edges(rules)
    changed = sum(looser.results(one.game.position, one.dice) != one.results for one in positions)
    assert changed >= fewest


@pytest.mark.parametrize(
    ("rules", "ends", "fewest"),
    [
        (Short(), {1, 2, 3}, 5),
        (LONG, {1, 2, 3}, 5),
        (FEVGA, {1, 2}, 5),
        (PLAKOTO, {0, 1, 2}, 3),
    ],
)
def test_many_edges_end_the_game_in_each_way(rules: Naive, ends: set[int], fewest: int) -> None:
    seen = dict.fromkeys(ends, 0)
    for rolled in some_edges(rules):
        endings = {rules.played(rolled.game, after).ending for after in rolled.results}
        for points in {ending.points for ending in endings if ending}:
            seen[points] += 1
    assert min(seen.values()) >= fewest, seen
