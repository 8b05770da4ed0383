"""A placement or a shot in words."""

from typing import Final

_ANSWERS: Final = {"miss": "a miss", "hit": "a hit", "sunk": "a ship is sunk"}


def tell(written: str, *, placed: bool) -> str:
    """What a seat did, from its move as ``write`` gives it to the viewer; ``placed``: the fleets lay already.

    Where a fleet lies is told to nobody in words: its owner sees it on his board.
    """
    if not placed:
        return "placed a fleet"
    cell, _, answer = written.partition(" ")
    return f"shot at {cell}: {_ANSWERS[answer]}"
