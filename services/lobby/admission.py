"""Whom a table lets in (S1), pure: its terms against how a player stands."""

import msgspec

from shared.catalogue import MOST_EXPERIENCE, MOST_RATING
from shared.events.table import Admits
from shared.problems import Refused
from shared.wire.lobby import OpenTable


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """How a player stands in a kind of game, as far as tables ask for it.

    ``rating`` is in ``unit`` to the point, None where nothing is rated in this kind; ``experience`` counts
    the games that he has finished.
    """

    experience: int
    rating: int | None = None
    unit: int = 1


def asked(wish: OpenTable) -> Admits | None:
    """Whom the creator asks for, None for anybody; raises ``Refused("invalid_options")``."""
    low, high, most = wish.rating_min, wish.rating_max, wish.experience_max
    for name, value in (("rating_min", low), ("rating_max", high)):
        if value is not None and not 0 <= value <= MOST_RATING:
            raise Refused("invalid_options", f"{name}: 0 to {MOST_RATING} points.")
    if low is not None and high is not None and low > high:
        raise Refused("invalid_options", "rating_min: no more than rating_max.")
    if most is not None and not 0 <= most <= MOST_EXPERIENCE:
        raise Refused("invalid_options", f"experience_max: 0 to {MOST_EXPERIENCE} games.")
    if low is None and high is None and most is None:
        return None
    if wish.computer or wish.invite or wish.chance == "recorded":
        raise Refused(
            "invalid_options", "rating_min, rating_max, experience_max: only where anybody may come."
        )
    return Admits(rating_min=low, rating_max=high, experience_max=most)


def excluded(admits: Admits, standing: Standing) -> str:
    """Why ``admits`` keeps out who stands so, empty if it lets him in."""
    if admits.experience_max is not None and standing.experience > admits.experience_max:
        return f"At most {admits.experience_max} finished games; you have {standing.experience}."
    low, high = admits.rating_min, admits.rating_max
    if low is None and high is None:
        return ""
    if standing.rating is None:
        return "A rating is asked for, and there is none in this kind of game."
    # Compared in units, so that half a point above the limit is above it.
    if low is not None and standing.rating < low * standing.unit:
        return f"At least {low} points of rating are asked for."
    if high is not None and standing.rating > high * standing.unit:
        return f"At most {high} points of rating are asked for."
    return ""


def check(admits: Admits | None, standing: Standing | None) -> None:
    """Let in who stands so; raises ``terms_exclude_you``, or ``unavailable`` where it is not known."""
    if admits is None:
        return
    if standing is None:
        raise Refused("unavailable", "Ratings cannot be read right now, and this table asks for them.")
    if why := excluded(admits, standing):
        raise Refused("terms_exclude_you", why)
