"""Each against each: Berger's tables, the circle method with sides balanced to one."""

from services.tournament.state import Tournament
from shared.events.tournament import Pair, RoundPaired


def rounds(players: int) -> int:
    """How many rounds: one less than players, the bye counted as one."""
    return players - 1 + players % 2


def pair(tournament: Tournament) -> RoundPaired:
    """The next round of the table; who should meet one who has withdrawn has a walkover."""
    number = len(tournament.rounds) + 1
    gone = {name for name, player in tournament.players.items() if player.withdrawn}
    pairs: list[Pair] = []
    byes: list[str] = []
    walkovers: list[str] = []
    for first, second in meetings(tournament.order, number):
        there = [player for player in (first, second) if player and player not in gone]
        if len(there) > 1:
            pairs.append(Pair(first, second))
        elif "" in (first, second):
            byes += there
        else:
            walkovers += there
    return RoundPaired(round=number, pairs=tuple(pairs), byes=tuple(byes), walkovers=tuple(walkovers))


def meetings(order: tuple[str, ...], number: int) -> list[tuple[str, str]]:
    """Round ``number`` (from 1) among ``order``: (seat 0, seat 1); an empty name is the bye.

    Numbers i and j, the last excepted, meet when i + j is the round, counted in a circle without the last; if
    the sum of the two is odd the lower sits at seat 0, else the higher. The last meets who is left over, and
    sits at seat 1 against the lower half.
    """
    numbered = (*order, *([""] if len(order) % 2 else []))
    circle = len(numbered) - 1
    found: list[tuple[str, str]] = []
    for i in range(circle):
        j = (number - 1 - i) % circle
        if i == j:
            low = i < len(numbered) // 2
            found.append((numbered[i], numbered[-1]) if low else (numbered[-1], numbered[i]))
        elif i < j:
            lower = (i + j) % 2 == 1
            found.append((numbered[i], numbered[j]) if lower else (numbered[j], numbered[i]))
    return found
