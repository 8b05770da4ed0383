"""Which kind of tournament it is, how many rounds it has, and who meets whom in the next one."""

from services.tournament import knockout, round_robin, swiss
from services.tournament.state import KNOCK_OUT, ROUND_ROBIN, SWISS, Tournament
from shared.events.tournament import RoundPaired, TournamentOpened
from shared.problems import Refused

UP_TO = 8
"""So many play each against each unless something else is asked for (B16)."""
MOST_ROUND_ROBIN = 32


def plan(opened: TournamentOpened, players: int) -> tuple[str, int]:
    """The kind and the number of rounds; raises ``Refused`` where so many cannot play it."""
    kind = opened.kind or (ROUND_ROBIN if players <= UP_TO else SWISS)
    if kind == ROUND_ROBIN:
        if players > MOST_ROUND_ROBIN:
            raise Refused("invalid", f"At most {MOST_ROUND_ROBIN} play each against each.")
        return kind, round_robin.rounds(players)
    if kind == SWISS:
        return kind, swiss.rounds(players, opened.rounds)
    return kind, knockout.rounds(players)


def pair(tournament: Tournament) -> RoundPaired | None:
    """The next round; None where there is none any more."""
    if tournament.kind == KNOCK_OUT:
        return knockout.pair(tournament)
    if len(tournament.rounds) >= tournament.planned:
        return None
    return round_robin.pair(tournament) if tournament.kind == ROUND_ROBIN else swiss.pair(tournament)
