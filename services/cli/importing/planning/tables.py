"""From a recorded match of backgammon or a relative to the commands that play it again. Pure.

Everything is checked before anything is sent: moves against the rules, doubles against the cube, scores
against those written in the file. A file that cannot be replayed whole is refused here, so that nothing of
it is ever imported.
"""

from itertools import pairwise

import msgspec

from services.cli.importing.planning.steps import Plan, PlannedGame
from services.cli.importing.planning.tables_game import At, GamePlayer, colon
from services.cli.importing.reading.file import RecordError
from services.cli.importing.reading.mat import CubeAction, MatGame, MatMatch, Turn
from services.cli.importing.reading.mat_head import head
from shared.commands import Beaver
from shared.series import crawford_due, is_single, reached


def plan(match: MatMatch) -> Plan:
    """The commands that replay ``match``; raises ``RecordError`` with the line that stands in the way."""
    agreed = head(match, len(match.games))
    games = [
        game for game in match.games if game.actions or game.winner is not None or game.number in agreed.void
    ]
    if not games:
        raise RecordError(match.file, match.games[0].line if match.games else 1, "no game has any moves")
    terms = agreed.terms
    if not agreed.told_first and _alternates(games):
        terms = msgspec.structs.replace(terms, first_move="alternate")
    planned: list[PlannedGame] = []
    notes: list[str] = []
    score, crawford_used, first = (0, 0), False, None
    for place, game in enumerate(games):
        if reached(terms, score) is not None:
            notes.append(f"line {game.line}: the match is already over; the rest is left out")
            break
        if game.score != score:
            raise RecordError(
                match.file,
                game.line + 1,
                f"the score is written as {colon(game.score)}, but it is {colon(score)}",
            )
        crawford = crawford_due(terms, score, used=crawford_used)
        at = At(
            starter=None if first is None or terms.first_move == "roll_each_game" else 1 - first,
            crawford=crawford,
            following=games[place + 1].score if place + 1 < len(games) else None,
        )
        player = GamePlayer(match, agreed, game, at)
        done = player.run()
        notes += player.notes
        first = player.first
        planned.append(done)
        score, crawford_used = done.score, crawford_used or crawford
    complete = planned[-1].winner is not None
    over = complete and (is_single(terms) or reached(terms, score) is not None)
    if complete and not over:
        notes.append("the file ends before the match is decided")
    commands = [step.command for done in planned for step in done.steps]
    return Plan(
        file=match.file,
        game=agreed.rules.name,
        options=agreed.options,
        terms=msgspec.structs.replace(
            terms, beaver=terms.beaver or any(isinstance(command, Beaver) for command in commands)
        ),
        games=tuple(planned),
        score=score,
        complete=complete,
        over=over,
        leaves=int(score[0] > score[1]) if complete and not over else None,  # the one who is behind
        notes=tuple(notes),
    )


def _alternates(games: list[MatGame]) -> bool:
    """Whether later games begin without an opening roll, the first move alternating.

    Only a double or a cube action at the start of a later game tells; real files hardly ever do it, our
    own exports of house matches do. Games without an action tell nothing of who began them.
    """
    starts = [
        (place, game.actions[0])
        for place, game in enumerate(games)
        if game.actions and isinstance(game.actions[0], Turn | CubeAction)
    ]
    telling = any(
        isinstance(action, CubeAction) or action.dice[0] == action.dice[1]
        for place, action in starts
        if place
    )
    return telling and all(
        (one.seat != other.seat) == bool((later - earlier) % 2)
        for (earlier, one), (later, other) in pairwise(starts)
    )
