"""A match of backgammon as SGF (FF[4], GM[6]), a game tree for each game, so that gnubg loads it.

As red-bean.com describes it and gnubg writes it; where they differ, gnubg is followed, for it wrote nearly
all such files: ``MI`` numbers games from 0, and ``RU`` also names the variation and ``NoCube``. White is
seat 0. Points are letters, ``a`` White's 1 and Black's 24, ``y`` the bar, ``z`` off; hits are not marked.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from shared.events.match import GameEnded
from shared.export import agreed
from shared.export.board import SITE
from shared.export.sgf.text import CAUSES, FORFEIT, Node, text, tree
from shared.export.tables import Action, Game, TablesMatch, Turn, Verb
from shared.rules.nard.board import BAR, OFF
from shared.rules.nard.steps import STEPS

_COLOURS: Final = "WB"
_POINTS: Final = "abcdefghijklmnopqrstuvwx"
_VERBS: Final[dict[Verb, str]] = {
    "double": "double",
    "beaver": "double",  # of the player who was doubled, before he takes
    "take": "take",
    "accept": "take",
    "drop": "drop",
}


def render(told: TablesMatch) -> str:
    """The match as a collection of game trees."""
    return "".join(tree([_root(told, game), *map(_node, game.actions)]) for game in told.games)


def _root(told: TablesMatch, game: Game) -> Node:
    """The properties of the whole game."""
    return {
        "FF": ["4"],
        "GM": ["6"],
        "CA": ["UTF-8"],
        "AP": [f"{SITE}:1"],
        "MI": list(_match_info(told, game)),
        "GN": [f"{told.match} {game.number}"],
        **{f"P{colour}": [text(name)] for colour, name in zip(_COLOURS, told.names, strict=True)},
        "PC": [SITE],
        "DT": [] if told.day is None else [told.day.strftime("%Y-%m-%d")],
        "RU": [":".join(_rules(told, game))],
        "RE": [] if game.end is None else [_result(game.won)],
    }


def _match_info(told: TablesMatch, game: Game) -> Iterator[str]:
    yield f"length:{told.target}"
    yield f"game:{game.number - 1}"
    for colour, points in zip(_COLOURS.lower(), game.score, strict=True):
        yield f"{colour}s:{points}"


def _rules(told: TablesMatch, game: Game) -> Iterator[str]:
    terms = told.created.terms
    if not terms.cube:
        yield "NoCube"
    if told.target:
        yield "Crawford"
    if game.crawford:
        yield "CrawfordGame"
    if terms.jacoby:
        yield "Jacoby"
    if game.called:
        yield game.called
    for name, value in agreed.house_rules(told.created).items():
        yield f"{name}={msgspec.json.encode(value).decode()}"  # readers pass over words that they do not know


def _result(won: GameEnded | None) -> str:
    """Who wins how many points; a letter says what else than play, or a dropped double, decided."""
    if won is None or won.winner is None:
        return "Void"
    return f"{_COLOURS[won.winner]}+{won.points}{CAUSES.get(won.cause, FORFEIT)}"


def _node(action: Action) -> Node:
    colour = _COLOURS[action.seat]
    if not isinstance(action, Turn):
        return {colour: [_VERBS[action.verb]]}
    dice = "".join(map(str, action.dice))
    if action.steps is None:
        return {"PL": [colour], "DI": [dice]}
    return {colour: [dice + "".join(_step(action.seat, step) for step in action.steps)]}


def _step(seat: int, text: str) -> str:
    """A step as the letters of the two points that it leads from and to."""
    step = STEPS[text]
    return _letter(seat, step.source) + _letter(seat, step.target)


def _letter(seat: int, point: int) -> str:
    """The letter of an own point of ``seat``."""
    if point in (BAR, OFF):
        return "y" if point == BAR else "z"
    return _POINTS[point - 1] if seat == 0 else _POINTS[-point]
