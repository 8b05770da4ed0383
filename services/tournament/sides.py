"""Who sits at seat 0: so that everybody does equally often, and not always twice running."""

from services.tournament.state import Tournament


def turns(tournament: Tournament, player: str) -> tuple[bool, ...]:
    """For each meeting of ``player`` whether he sat at seat 0."""
    return tuple(meeting.first == player for meeting in tournament.met(player))


def balance(sat: tuple[bool, ...]) -> int:
    """How often more at seat 0 than at seat 1."""
    return 2 * sum(sat) - len(sat)


def due(sat: tuple[bool, ...]) -> int:
    """Which side is due: above 0 seat 0, below 0 seat 1, and how urgently.

    0: no matter; 1: by turns; 2: one side was had once more; 3: twice more, or twice running.
    """
    if len(sat) == 0:
        return 0
    more = balance(sat)
    twice = len(sat) > 1 and sat[-1] == sat[-2]
    if abs(more) > 1:
        return -3 if more > 0 else 3
    if twice:
        return -3 if sat[-1] else 3
    if more:
        return -2 if more > 0 else 2
    return -1 if sat[-1] else 1


def seated(one: tuple[bool, ...], other: tuple[bool, ...], *, one_first: bool) -> bool:
    """Whether ``one`` sits at seat 0 against ``other``; ``one_first`` where nothing else decides."""
    wishes = due(one), due(other)
    if wishes[0] != wishes[1]:
        return wishes[0] > wishes[1]
    if balance(one) != balance(other):
        return balance(one) < balance(other)
    for mine, theirs in zip(reversed(one), reversed(other), strict=False):
        if mine != theirs:
            return theirs
    return one_first
