"""A match as a .mat file (the Jellyfish format), written so that gnubg's importer reads it back.

Every step of a play is written on its own (``24/18* 18/13``), so that no reader has to guess a way. An
accepted beaver is told by the roll that follows it, if one does: gnubg takes the roll for the acceptance. One
that is not accepted is written as a double: after the other word gnubg reads nothing of the next game.

A game that does not count is told without what decided it, for readers count what they see borne off or
passed; the head names it, and the score above the next one stays the same.
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

import msgspec

from shared import cube as cubes
from shared.events.match import GameEnded
from shared.export import agreed, tables
from shared.export.about import SEATS
from shared.export.form import Form, begun
from shared.export.tables import Action, CubeAction, Game, TablesMatch, Turn, Verb
from shared.series import is_single, reached

NAME: Final = "mat"
_LEFT_WIDTH: Final = 38  # four steps with hits are 35 characters; gnubg splits at two blanks
_NUMBER: Final = "{:3}) "
_INDENT: Final = 5
_LONGEST_NAME: Final = 31  # gnubg cuts there
_WORDS: Final[dict[Verb, str]] = {
    "double": " Doubles => {}",
    "beaver": " Beavers => {}",
    "take": " Takes",
    "accept": " Takes",
    "drop": " Drops",
}
_OPEN: Final = ("double", "beaver", "drop")
"""What of a double does not turn the cube."""

VARIATION: Final = "Variation"
CRAWFORD: Final = "Crawford"
JACOBY: Final = "Jacoby"
BEAVER: Final = "Beaver"
CUBE_LIMIT: Final = "CubeLimit"
FIRST_MOVE: Final = "First move"
"""How it is found who begins the later games, as in ``Terms``; missing where there are none."""
NOT_COUNTED: Final = "Not counted"
"""The numbers of the games that do not count, parted by commas."""
HOUSE_RULE: Final = "House rule "
"""Before the name of each option that is not the game's default."""


def _render(stored: Sequence[bytes], names: Sequence[str]) -> bytes:
    told = tables.read(begun(stored), stored, names, NAME)
    players = [_plain(name) for name in told.names]
    lines = [*_head(told, players), "", f"{told.target} point match"]
    for game in told.games:
        left, right = (f"{name} : {points}" for name, points in zip(players, game.score, strict=True))
        lines += ["", f" Game {game.number}", f"{f' {left}':<{_INDENT + _LEFT_WIDTH}}{right}"]
        lines += _rows(told, game)
    return ("\n".join(lines) + "\n").encode()


def _head(told: TablesMatch, players: Sequence[str]) -> Iterator[str]:
    terms = told.created.terms
    tags = {
        "Site": "Kronika",
        "Match ID": told.match,
        "Player 1": players[0],
        "Player 2": players[1],
        VARIATION: told.games[0].called,
        **({CRAWFORD: "On"} if told.target else {JACOBY: _switch(on=terms.jacoby)}),
        BEAVER: _switch(on=terms.beaver),
        CUBE_LIMIT: str(cubes.LIMIT if terms.cube else 1),
    }
    if not is_single(terms):
        tags[FIRST_MOVE] = terms.first_move
    if void := [str(game.number) for game in told.games if game.void]:
        tags[NOT_COUNTED] = ", ".join(void)
    if told.day is not None:
        tags["EventDate"] = told.day.strftime("%Y.%m.%d")
    for name, value in agreed.house_rules(told.created).items():
        tags[HOUSE_RULE + name] = msgspec.json.encode(value).decode().strip('"')
    return (f'; [{key} "{value}"]' for key, value in tags.items())


def _switch(*, on: bool) -> str:
    return "On" if on else "Off"


def _plain(name: str) -> str:
    """A name that cannot be taken for a part of the format."""
    text = " ".join("".join(c if c.isprintable() and c not in ':,"' else " " for c in name).split())
    return text[:_LONGEST_NAME] or "Anonymous"


def _rows(told: TablesMatch, game: Game) -> list[str]:
    """The numbered lines, each with a left and a right cell, and who wins."""
    rows: list[list[str]] = []
    won = game.won
    for seat, cell in _cells(game):
        if not rows or len(rows[-1]) > seat:
            rows.append([])
        rows[-1] += [""] * (seat - len(rows[-1])) + [cell]
    last: list[str] = []
    if won is not None:
        if won.winner == 1 and rows and len(rows[-1]) == 1:
            rows[-1].append(f" {_wins(told, won)}")  # alone gnubg would not see a left-hand drop before it
        else:
            last = [" " * (_INDENT + (_LEFT_WIDTH if won.winner else 1)) + _wins(told, won)]
    return [_row(number, cells) for number, cells in enumerate(rows, 1)] + last


def _row(number: int, cells: Sequence[str]) -> str:
    left, right = (*cells, "")[:SEATS]
    return f"{_NUMBER.format(number)}{left:<{_LEFT_WIDTH - 2}}  {right}".rstrip()


def _cells(game: Game) -> Iterator[tuple[int, str]]:
    """Who does what, one cell each: no roll that waits for its move, no acceptance that a roll tells."""
    actions = _told(game)
    for action, following in zip_longest(actions, actions[1:]):
        if isinstance(action, Turn):
            yield action.seat, _turn(action)
        elif action.verb != "accept" or following is None:
            accepted = isinstance(following, CubeAction) and following.verb == "accept"
            verb = "double" if action.verb == "beaver" and not accepted else action.verb
            yield action.seat, _WORDS[verb].format(action.value)


def _told(game: Game) -> list[Action]:
    """The actions that a reader may see without a wrong idea of how the game ended."""
    actions = list(game.actions)
    if game.void and isinstance(game.end, GameEnded) and game.end.cause == "played":
        actions.pop()
    if (game.void or not isinstance(game.end, GameEnded)) and actions and _is_rolled(actions[-1]):
        actions.pop()
    while game.void and actions and _is_open(actions[-1]):
        actions.pop()
    return actions


def _is_rolled(action: Action) -> bool:
    return isinstance(action, Turn) and action.steps is None


def _is_open(action: Action) -> bool:
    return isinstance(action, CubeAction) and action.verb in _OPEN


def _turn(turn: Turn) -> str:
    dice = "".join(map(str, turn.dice))
    if turn.steps is None:
        return f"{dice}: ????"  # given up after the roll
    return f"{dice}: {' '.join(turn.steps) or 'Cannot Move'}"


def _wins(told: TablesMatch, won: GameEnded) -> str:
    match = " and the match" if reached(told.created.terms, won.score) is not None else ""
    return f"Wins {won.points} point{'' if won.points == 1 else 's'}{match}"


FORM: Final = Form(
    name=NAME,
    media="text/plain; charset=utf-8",
    purpose="for backgammon programs",
    named=True,
    uniform=True,
    render=_render,
)
