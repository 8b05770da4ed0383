"""What may be drawn. Rules only say which; drawing is the business of ``shared.draws``."""

import msgspec


class Dice(msgspec.Struct, frozen=True, tag="dice"):
    """``count`` dice of ``sides`` sides; the draw is their values, 1 to ``sides``."""

    count: int
    sides: int = 6


class Shuffle(msgspec.Struct, frozen=True, tag="shuffle"):
    """A permutation of 0 … ``size`` − 1."""

    size: int


class Lot(msgspec.Struct, frozen=True, tag="lot"):
    """One number from 0 to ``size`` − 1."""

    size: int


Draw = Dice | Shuffle | Lot
