"""The promises that this state of the project keeps are all named by tests, and no test names another."""

from tests.house.promises import named, promised

# A match of backgammon with cube, Crawford, Next, clocks, absence and ghosts; not yet stakes and variants.
KEPT = {
    *("B3", "B4", "B5", "B6", "B7", "B12", "B13"),
    *(f"S{n}" for n in range(2, 19)),
    *("N1", "N6", "N7", "N8", "N9", "N10", "N12", "N13"),
}


def test_every_promise_that_is_kept_is_named_by_a_test() -> None:
    assert set(named()) >= KEPT


def test_no_test_names_a_promise_that_nobody_made() -> None:
    assert set(named()) <= set(promised())
