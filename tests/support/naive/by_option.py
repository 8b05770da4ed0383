"""The variants as a table's options change them, read a second time."""

from types import MappingProxyType

from tests.support.naive.common import OFF, Side
from tests.support.naive.fevga import Fevga
from tests.support.naive.long_nardy import Long
from tests.support.naive.plakoto import Plakoto
from tests.support.naive.short import Hyper, Short


class WithoutTriple(Short):
    """§5.3: the traditional most of two points."""

    options = MappingProxyType({"triple": False})

    def quitting(self, mine: Side) -> int:
        return min(2, super().quitting(mine))


class WithGuardedResignation(Hyper):
    """§4: a resigned gammon only of one who has borne off none."""

    options = MappingProxyType({"resign_gammon_requires_none_off": True})

    def resignation(self, mine: Side, theirs: Side) -> int:
        return 1 if mine[OFF] else super().resignation(mine, theirs)


class WithoutKoks(Long):
    """§2.4: koks counts 2."""

    options = MappingProxyType({"koks": 2})

    def quitting(self, mine: Side) -> int:
        return min(2, super().quitting(mine))


class LongAtOnce(Long):
    """§1.3: who has won the opening roll plays its dice."""

    options = MappingProxyType({"opening_dice_played": True})
    opening_dice_played = True


class FevgaAtOnce(Fevga):
    """As ``LongAtOnce``."""

    options = LongAtOnce.options
    opening_dice_played = True


class PlakotoAtOnce(Plakoto):
    """As ``LongAtOnce``."""

    options = LongAtOnce.options
    opening_dice_played = True
