"""The promises that this state of the project keeps are all named by tests, and no test names another."""

from tests.house.promises import named, promised

# The whole backgammon family, its modes, matches and series; cube, clocks, absence, ghosts; no stakes yet.
KEPT = {
    *("B3", "B4", "B5", "B6", "B7", "B12", "B13"),
    *(f"S{n}" for n in range(2, 19)),
    *(f"N{n}" for n in range(1, 14)),
}


def test_every_promise_that_is_kept_is_named_by_a_test() -> None:
    assert set(named()) >= KEPT


def test_no_test_names_a_promise_that_nobody_made() -> None:
    assert set(named()) <= set(promised())
