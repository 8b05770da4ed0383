"""What the match makes of a result: by what is seen of its score, its cube and its terms."""

from shared.match import MatchView
from shared.series import counted

_GAMMON = 2


def away(view: MatchView, seat: int) -> int:
    """The points that ``seat`` still needs; 0 where the match is not played to points."""
    return max(view.target - view.score[seat], 1) if view.target else 0


def pass_loses_match(view: MatchView, seat: int) -> bool:
    """Whether the match is lost if ``seat`` gives up now, which costs the cube as it stands."""
    if view.cube is None:
        return False
    if view.series is not None:
        last = view.game >= len(view.series.games)
        return last and view.score[1 - seat] + view.cube.value > view.score[seat]
    return 0 < away(view, 1 - seat) <= view.cube.value


def gammon_counts(view: MatchView, seat: int) -> bool:
    """Whether a gammon of ``seat`` is worth more than a single game, with the cube as it is or is offered."""
    cube = 1 if view.cube is None else view.cube.offered or view.cube.value
    return counted(view.terms, _GAMMON, cube) > 1 and not 0 < away(view, seat) <= cube
