"""What players may agree on: a creator's wishes and his house's preset become a table's terms."""

from shared.catalogue import CHANCES, HOUSES, PLAIN, RECORDED_TARGETS, House
from shared.events.match import Terms
from shared.events.table import TableOpened
from shared.problems import Refused
from shared.rules.registry import AnyRules, rules
from shared.series import FIRST_MOVES
from shared.tokens import BOT
from shared.wire.lobby import OpenTable

MAX_OPTIONS = 32


def agree(wish: OpenTable, player: str, scopes: tuple[str, ...]) -> TableOpened:
    """The table that ``player`` opens.

    Raises ``Refused``: ``unknown_game``, ``invalid_options`` (with the option's name), ``forbidden`` where
    a scope is missing.
    """
    game = rules(wish.game)
    if wish.chance not in CHANCES:
        raise Refused("invalid_options", f"chance is one of {', '.join(CHANCES)}.")
    recorded = wish.chance == "recorded"
    if recorded and BOT not in scopes:
        raise Refused("forbidden", "A recorded match needs the scope bot.")
    seats = _seats(game, wish)
    return TableOpened(
        player=player,
        rules=game.name,
        rules_version=game.version,
        seats=seats,
        terms=_terms(game, wish, recorded=recorded),
        options=_options(game, wish, seats),
        house=wish.house,
        computer=wish.computer,
        chance=wish.chance,
    )


def _seats(game: AnyRules, wish: OpenTable) -> int:
    least, most = game.seats
    seats = least if wish.seats is None else wish.seats
    if not least <= seats <= most:
        raise Refused("invalid_options", f"seats: this game has {least} to {most}.")
    if wish.computer and seats != 2:  # noqa: PLR2004 - one person, one computer
        raise Refused("invalid_options", "computer: it plays at tables of two.")
    if wish.computer and wish.chance == "recorded":
        raise Refused("invalid_options", "computer: it does not play recorded matches.")
    return seats


def _terms(game: AnyRules, wish: OpenTable, *, recorded: bool) -> Terms:
    house = PLAIN if not wish.house else HOUSES.get(wish.house)
    if house is None:
        raise Refused("invalid_options", f"house: there is none but {', '.join(HOUSES)}.")
    _check_target(game, wish, house, recorded=recorded)
    default = house.single if wish.target is None else house.match
    if wish.target is not None and not recorded:
        _check_fixed(wish, house)
    first_move = _first_move(game, wish, default)
    cube = _cube(game, wish, default)
    if wish.beaver and not cube:
        raise Refused("invalid_options", "beaver: it needs the cube.")
    beaver = cube and (default.beaver if wish.beaver is None else wish.beaver)
    return Terms(target=wish.target, first_move=first_move, cube=cube, beaver=beaver)


def _check_target(game: AnyRules, wish: OpenTable, house: House, *, recorded: bool) -> None:
    if wish.target is None:
        return
    if not game.traits.matches:
        raise Refused("invalid_options", "target: this game is not played to points.")
    offered = RECORDED_TARGETS if recorded else house.targets
    if wish.target not in offered:
        allowed = "0 to 99" if recorded else ", ".join(str(target) for target in house.targets)
        raise Refused("invalid_options", f"target: one of {allowed}, or null for a single game.")


def _check_fixed(wish: OpenTable, house: House) -> None:
    for name in house.fixed:
        wanted = getattr(wish, name)
        if wanted is not None and wanted != getattr(house.match, name):
            raise Refused("invalid_options", f"{name}: this house fixes it in a match.")


def _first_move(game: AnyRules, wish: OpenTable, default: Terms) -> str:
    if wish.first_move is None:
        return default.first_move if game.traits.rolled_start else FIRST_MOVES[0]
    if wish.first_move not in FIRST_MOVES:
        raise Refused("invalid_options", f"first_move is one of {', '.join(FIRST_MOVES)}.")
    if wish.first_move != FIRST_MOVES[0] and not game.traits.rolled_start:
        raise Refused("invalid_options", "first_move: nothing is rolled for in this game.")
    return wish.first_move


def _cube(game: AnyRules, wish: OpenTable, default: Terms) -> bool:
    if wish.cube and not game.traits.cube:
        raise Refused("invalid_options", "cube: there is none in this game.")
    return game.traits.cube and (default.cube if wish.cube is None else wish.cube)


def _options(game: AnyRules, wish: OpenTable, seats: int) -> dict[str, object]:
    """The rules' own options as given; the rules themselves judge the values."""
    known = game.options().get("properties", {})
    if len(wish.options) > MAX_OPTIONS:
        raise Refused("invalid_options", "options: too many.")
    for name in wish.options:
        if name not in known:
            raise Refused("invalid_options", f"options: this game has no option {name[:40]!r}.")
    game.setup(seats, wish.options, None if game.traits.rolled_start else 0)
    return dict(wish.options)
