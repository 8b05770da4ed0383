"""The network: what is corrected is what would be made anew, what was written is what is read."""

from collections.abc import Iterator
from random import Random

import pytest

from services.ghost.players.nard import counts, network, way
from services.ghost.players.network import CELLS, PINNED, Network
from shared.rules.nard.game import Nard, State
from shared.rules.protocol import Players
from tests.support.ghosts import VARIANTS
from tests.support.plakoto import random_pins
from tests.support.playing import some_states


def rolled(rules: Nard) -> Iterator[State]:
    """Positions of a random game in which somebody is to play, and where one can pin, odd ones."""
    yield from (s for s in some_states(rules, 5) if isinstance(rules.waiting(s), Players))
    if rules.movement.pins:
        random = Random(5)
        yield from (random_pins(random) for _ in range(40))


@pytest.mark.parametrize("rules", {id(r): r for r, _ in VARIANTS.values()}.values(), ids=lambda r: r.name)
def test_sums_corrected_by_what_a_play_has_changed_are_those_made_anew(rules: Nard) -> None:
    judge = network(way(rules))
    pinned = 0
    for state in rolled(rules):
        seat = state.turn or 0
        here = judge.position(counts(state, seat))
        for move in rules.legal(state, seat)[:8]:
            then = counts(rules.play(state, seat, move), seat)
            pinned += PINNED in then
            anew = judge.position(then)
            assert judge.changed(here, then).sums == pytest.approx(list(anew.sums), abs=1e-9)
            assert all(0 <= chance <= 1 for chance in judge.chances(anew))
    assert (pinned > 0) is rules.movement.pins


def test_counts_are_the_boards_of_the_side_that_has_moved_and_of_the_other() -> None:
    state = next(s for s in rolled(VARIANTS["plakoto normal"][0]) if s.pinned and any(s.pinned[1]))
    assert state.pinned is not None
    assert len(counts(state, 0)) == CELLS
    assert counts(state, 0) == counts(state, 1)[26:] + counts(state, 1)[:26]
    assert [p for p in range(26) if counts(state, 1)[p] == PINNED] == sorted(state.pinned[1])


def test_what_is_learned_in_the_bench_is_read_as_it_was() -> None:
    numpy = pytest.importorskip("numpy", reason="the optional group engine")
    from tests.bench.learn import Learner, learn  # noqa: PLC0415 - it needs numpy

    learner = Learner.new(rows=4, hidden=8, outputs=3)
    learn("hitting_few", learner, games=60, seed=3)
    stored = learner.stored()
    judge, again = Network(stored), Learner.read(stored)
    for state in rolled(VARIANTS["hypergammon normal"][0]):
        position = counts(state, 0)
        (said,) = again.chances(numpy.array([position], numpy.uint8))
        assert judge.chances(judge.position(position)) == pytest.approx(list(said), abs=1e-4)
