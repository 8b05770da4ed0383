"""The one notion of now: a stepped wall clock changes nothing, and no seen commit lies in the future."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from shared.service import Now

SECOND_NS = 1_000_000_000


@dataclass
class Clocks:
    """A wall clock that can be stepped and a monotonic clock that only runs."""

    wall_ns: int = 1_700_000_000 * SECOND_NS
    monotonic_ns: int = 5 * SECOND_NS

    def now(self) -> Now:
        """A notion of now that was started by these clocks."""
        return Now(lambda: self.wall_ns, lambda: self.monotonic_ns)

    def run(self, ns: int) -> None:
        """Let ``ns`` pass."""
        self.wall_ns += ns
        self.monotonic_ns += ns


def test_it_is_the_wall_clock_at_start() -> None:
    assert Clocks().now().now_ms() == 1_700_000_000_000


def test_a_stepped_wall_clock_changes_nothing() -> None:
    clocks = Clocks()
    now = clocks.now()
    clocks.wall_ns -= 3600 * SECOND_NS
    clocks.run(SECOND_NS)
    assert now.now_ms() == 1_700_000_001_000
    clocks.wall_ns += 7200 * SECOND_NS
    assert now.now_ms() == 1_700_000_001_000


def test_it_is_never_behind_a_seen_commit_and_runs_on_from_there() -> None:
    clocks = Clocks()
    now = clocks.now()
    now.saw(1_700_000_000_080)
    assert now.now_ms() == 1_700_000_000_080
    clocks.run(SECOND_NS)
    assert now.now_ms() == 1_700_000_001_080
    now.saw(1_600_000_000_000)
    assert now.now_ms() == 1_700_000_001_080


def test_how_far_others_pushed_it_is_known_and_its_own_time_stays() -> None:
    clocks = Clocks()
    now, told = clocks.now(), list[int]()
    now.far = told.append
    now.saw(1_700_000_000_100)
    assert (now.pushed_ms(), told) == (100, [])
    clocks.run(SECOND_NS)
    now.saw(1_700_000_901_000)
    now.saw(1_700_000_902_000)
    now.saw(1_700_000_000_000)
    assert (now.pushed_ms(), told) == (901_000, [900_000]), "told once"
    assert now.now_ms() == 1_700_000_902_000
    assert now.own_ms() == 1_700_000_001_000


@given(st.lists(st.tuples(st.integers(0, 10**10), st.integers(-(10**13), 10**13), st.integers(-5000, 5000))))
def test_it_never_goes_back_and_runs_at_least_as_fast_as_time(steps: list[tuple[int, int, int]]) -> None:
    clocks = Clocks()
    now = clocks.now()
    before = now.now_ms()
    for passed_ns, step_ns, ahead_ms in steps:
        clocks.run(passed_ns)
        clocks.wall_ns += step_ns
        assert now.now_ms() >= before + passed_ns // 1_000_000
        now.saw(now.now_ms() + ahead_ms)
        assert now.now_ms() >= before
        before = now.now_ms()
