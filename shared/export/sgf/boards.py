"""Games with stones as SGF: gomoku (GM[4]) and reversi (GM[2]), a game for each.

Squares are written as in Go, two letters from the top left corner: column, row. Black is who has the first
stone, the circles of gomoku. A pass is an empty move. ``RU`` says which opening was agreed on; a symbol that
was chosen is told by a comment and by the private property ``KC`` (``circles``, ``crosses``).
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from shared.export.about import SEATS
from shared.export.board import SITE, BoardGame, seconds
from shared.export.sgf.text import CAUSES, FORFEIT, Node, text, tree
from shared.rules.protocol import PASS

LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
CHOICE: Final = "KC"
_COLOURS: Final = "BW"


class Kind(NamedTuple):
    """How SGF knows a game: its number, and whether row 1 is the top one.

    ``alternating``: stones are black and white in turn, whoever lays them; else each side lays its own.
    """

    number: int
    from_top: bool
    alternating: bool


KINDS: Final[dict[str, Kind]] = {
    "Gomoku": Kind(4, from_top=False, alternating=True),
    "Othello": Kind(2, from_top=True, alternating=False),
}
"""By the game's word for this form."""


def render(game: BoardGame) -> str:
    """The game as a game tree."""
    kind, shown = KINDS[game.word], game.rules.view(game.position, None)
    size = shown.get("size", 8)
    return tree([_root(game, kind, size, shown), *_nodes(game, kind, size)])


def _root(game: BoardGame, kind: Kind, size: int, shown: dict[str, Any]) -> Node:
    """The properties of the whole game."""
    black = _black(game, shown)
    clock = seconds(game.created)
    timed = {} if clock is None else {"OT" if clock[1] else "TM": [_time(clock)]}
    return {
        "FF": ["4"],
        "GM": [str(kind.number)],
        "CA": ["UTF-8"],
        "AP": [f"{SITE}:1"],
        "SZ": [str(size)],
        "GN": [game.match],
        "PB": [text(game.names[black])],
        "PW": [text(game.names[1 - black])],
        "PC": [SITE],
        "DT": [] if game.day is None else [game.day.strftime("%Y-%m-%d")],
        "RU": [text(str(game.options.get("variant", "")))],
        **timed,
        "RE": [_result(game, black, shown)],
        "GC": [text(game.how)],
        **_start(game, kind, size),
    }


def _time(clock: tuple[int, bool]) -> str:
    return f"{clock[0]} seconds per move" if clock[1] else str(clock[0])


def _black(game: BoardGame, shown: Mapping[str, Any]) -> int:
    """The seat that has the first stone; who began where that is not chosen yet."""
    chosen = shown.get("has_circles", game.first)
    return game.first if chosen is None else chosen


def _result(game: BoardGame, black: int, shown: Mapping[str, Any]) -> str:
    """Who has won and by how many, or by what else than play; "" while the game is played."""
    if game.end is None:
        return ""
    if game.ended is None:
        return "Void"
    if game.ended.winner is None:
        return "Draw"
    colour = _COLOURS[int(game.ended.winner != black)]
    margin = shown.get("margin") if game.ended.cause == "played" else None
    return f"{colour}+{margin or CAUSES.get(game.ended.cause, FORFEIT)}"


def _start(game: BoardGame, kind: Kind, size: int) -> Node:
    """The stones of both sides that lie there before the first move."""
    if kind.alternating:
        return {}  # the first one may lie there: that is the first move
    discs = game.rules.view(_begun(game), None)["discs"]
    sides = zip(_COLOURS, (discs[game.first], discs[1 - game.first]), strict=True)
    return {f"A{colour}": [point(cell, size, kind) for cell in cells] for colour, cells in sides}


def _begun(game: BoardGame) -> Any:
    return game.rules.setup(SEATS, game.options, game.first)


def _nodes(game: BoardGame, kind: Kind, size: int) -> Iterator[Node]:
    """The moves and the choices; a first stone that the rules themselves lay is a move too."""
    laid: list[str] = game.rules.view(_begun(game), None)["circles"] if kind.alternating else []
    for cell in laid:
        yield {_COLOURS[0]: [point(cell, size, kind)], "C": ["laid by the rules"]}
    stones = len(laid)
    for ply in game.plies:
        if ply.move.isalpha() and ply.move != PASS:
            yield {CHOICE: [ply.move], "C": [text(f"{game.names[ply.seat]} chooses the {ply.move}.")]}
            continue
        colour = stones % 2 if kind.alternating else int(ply.seat != game.first)
        yield {_COLOURS[colour]: ["" if ply.move == PASS else point(ply.move, size, kind)]}
        stones += 1


def point(cell: str, size: int, kind: Kind) -> str:
    """The two letters of a square that is called ``h8``."""
    row = int(cell[1:]) - 1 if kind.from_top else size - int(cell[1:])
    return cell[0] + LETTERS[row]
