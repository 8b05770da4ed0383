"""How well the computer players play: games of one against another, in every variant and mode.

``python -m tests.bench.strength 100`` plays so many games of each pair and prints how many were won and how
many drawn, and the points won a game with their standard error. It plays about ten games a second, of the
board games one in a few seconds.
"""

import sys
from collections.abc import Callable, Iterator
from statistics import mean, stdev
from typing import Any, Final

from services.ghost.players import Heuristic, Player, Sage, own_player
from shared.rules.nard.game import Nard
from shared.rules.nard.hitting import HITS
from shared.rules.registry import AnyRules
from tests.support.ghosts import BOARD_GAMES, VARIANTS, RandomPlayer, meetings

GAMES: Final = 100

Make = Callable[[int], Player]


def _pairs(rules: Nard, options: dict[str, Any], sage: Player) -> Iterator[tuple[str, Make, Make]]:
    ours = own_player(rules, options)
    yield "own - random", lambda _: ours, RandomPlayer
    if rules.movement is HITS and options["mode"] == "normal":
        heuristic = Heuristic()
        yield "own - heuristic", lambda _: ours, lambda _: heuristic
        yield "engine - random", lambda _: sage, RandomPlayer
        yield "engine - heuristic", lambda _: sage, lambda _: heuristic
        yield "own - engine", lambda _: ours, lambda _: sage


def _board_pairs(rules: AnyRules, options: dict[str, Any]) -> Iterator[tuple[str, Make, Make]]:
    best, shallow = own_player(rules, options), own_player(rules, options, 2)
    yield "own - random", lambda _: best, RandomPlayer
    yield "own - shallow", lambda _: best, lambda _: shallow


def run(games: int = GAMES) -> Iterator[tuple[str, list[int]]]:
    """By variant and pair: the points of every game, as the first of the pair won or lost them."""
    sage = Sage.load()
    for name, (rules, options) in VARIANTS.items():
        for pair, first, second in _pairs(rules, options, sage):
            yield f"{name}: {pair}", list(meetings(first, second, games, rules, options))
    for name, (board_game, options) in BOARD_GAMES.items():
        for pair, first, second in _board_pairs(board_game, options):
            yield f"{name}: {pair}", list(meetings(first, second, games, board_game, options))


def main() -> None:
    """Print the figures."""
    for name, points in run(int(sys.argv[1]) if len(sys.argv) > 1 else GAMES):
        won, drawn = sum(p > 0 for p in points), sum(p == 0 for p in points)
        error = stdev(points) / len(points) ** 0.5
        print(  # noqa: T201 - a report
            f"{name:44} {won:4} won, {drawn:2} drawn of {len(points)}: {mean(points):+.2f} ± {error:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
