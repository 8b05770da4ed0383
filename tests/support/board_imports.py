"""Plans of board games played in memory, by the same decisions as on a server."""

from services.cli.importing.planning.steps import Plan
from shared.commands import Leave
from shared.events.match import MovePlayed
from tests.support.matches import MemoryGame


def replayed(plan: Plan) -> MemoryGame:
    """The match of ``plan`` to its end."""
    game = MemoryGame(
        f"{plan.file} {plan.line}", plan.terms, rules=plan.game, options=plan.options, chance=plan.chance
    )
    game.start()
    [planned] = plan.games
    for step in planned.steps:
        game.send(step.seat, step.command)
    if plan.leaves is not None:
        game.send(plan.leaves, Leave())
    return game


def moves(game: MemoryGame) -> list[str]:
    """What was played, as it is stored, without passes."""
    events = (event for commit in game.commits for event in commit.events)
    return [event.move for event in events if isinstance(event, MovePlayed)]
