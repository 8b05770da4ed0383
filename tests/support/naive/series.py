"""Series of games (§3 Crawford, §5), read a second time: what each game is, from the scores before it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

Outcome = tuple[int | None, int]
"""Who has won a game, None for a draw, and the points it counts: worth times cube."""


@dataclass(frozen=True)
class Plan:
    """To ``target`` points in one variant; or the ``games`` in order and then, if level, the tie-break."""

    games: tuple[str, ...]
    tie_break: str = ""
    target: int | None = None
    cube: bool = True


@dataclass(frozen=True)
class Row:
    """A game before it is played; the last row of a series has the final score and no game."""

    score: tuple[int, int]
    game: str = ""
    starter: int | None = None
    cube: bool = False
    crawford: bool = False
    winner: int | None = None


def match_to(target: int, game: str) -> Plan:
    """§5.1."""
    return Plan(games=(game,), target=target)


MIXED: Final = Plan(games=("hypergammon", "long_nardy", "backgammon"), tie_break="hypergammon")
TAVLI: Final = Plan(games=("backgammon", "plakoto", "fevga"), tie_break="backgammon", cube=False)


def _leader(score: tuple[int, int]) -> int | None:
    return None if score[0] == score[1] else score.index(max(score))


def rows(plan: Plan, first: int, outcomes: Sequence[Outcome]) -> list[Row]:
    """Every game of a series that ``first`` began and whose games ended with ``outcomes``."""
    score = (0, 0)
    table: list[Row] = []
    for number in range(len(outcomes) + 1):
        starter = (first + number) % 2
        if plan.target is not None:
            if max(score) >= plan.target:
                return [*table, Row(score, winner=_leader(score))]
            one_short = plan.target - 1 in score
            crawford = one_short and not any(row.crawford for row in table)
            table.append(Row(score, plan.games[0], starter, cube=not crawford, crawford=crawford))
        elif number < len(plan.games):
            table.append(Row(score, plan.games[number], starter, cube=plan.cube))
        elif number > len(plan.games) or _leader(score) is not None:
            return [*table, Row(score, winner=_leader(score))]
        else:
            table.append(Row(score, plan.tie_break, starter, cube=plan.cube))
        if number < len(outcomes):
            winner, points = outcomes[number]
            score = (score[0] + points * (winner == 0), score[1] + points * (winner == 1))
    return table
