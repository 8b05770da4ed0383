"""Reading a match: its state, how an event changes it, who must decide what, and what each viewer sees.

Reading is shared by every service; deciding is private to ``services.game``.
"""

from shared.match.deciding import Demand, allowed, demands
from shared.match.evolving import evolve
from shared.match.state import GameRecord, MatchState, Phase, Resignation
from shared.match.views import MatchView, Views, view

__all__ = [
    "Demand",
    "GameRecord",
    "MatchState",
    "MatchView",
    "Phase",
    "Resignation",
    "Views",
    "allowed",
    "demands",
    "evolve",
    "view",
]
