"""Turns in a row without this or that, counted while seats leave the round."""

from collections.abc import Sequence


def others_turns(count: int, turn: int | None, playing: Sequence[int], leaver: int) -> int:
    """How many of the last ``count`` turns were not those of ``leaver``.

    ``playing`` moved one after another in this order, the leaver among them, and ``turn`` (one of them; None
    before the first turn) is next. What is left is again a row of turns in the order of those who stay.
    """
    if turn is None or not count:
        return count
    round_ = len(playing)
    back = (playing.index(turn) - playing.index(leaver) - 1) % round_ + 1
    return count - (count + round_ - back) // round_
