"""What can be played here: the games with their options, the terms of a table, the houses' presets.

A house is a set of defaults, never a branch in code: what it offers is read from ``HOUSES``.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from shared.events.match import Terms
from shared.rules.registry import CURRENT, AnyRules
from shared.series import FIRST_MOVES, LONGEST, TARGETS
from shared.settings import SettingsError

RECORDED_TARGETS: Final = range(LONGEST + 1)  # what .mat files hold; 0 is an open session
CHANCES: Final = ("committed", "recorded")
COMPUTER: Final = "pcomputer"  # the player's id of the computer, in every seat that it plays


class House(msgspec.Struct, frozen=True, kw_only=True):
    """A preset: the terms of a single game and of a match where the creator names none.

    ``targets`` are the match lengths that it offers, ``fixed`` the terms that a match may not change.
    """

    title: str
    single: Terms
    match: Terms
    targets: tuple[int, ...] = TARGETS
    fixed: tuple[str, ...] = ()


PLAIN: Final = House(title="Kronika", single=Terms(), match=Terms())
HOUSES: Final[dict[str, House]] = {
    "boards": House(
        title="Board games",
        single=Terms(cube=False),
        match=Terms(cube=False),
    ),
    "duels": House(  # S4, S10, rules §1.3
        title="Backgammon duels",
        single=Terms(first_move="roll_each_game", beaver=True),
        match=Terms(first_move="roll_each_game", beaver=True),
        targets=(3, 5, 9),
    ),
    "nardy": House(  # N6-N8
        title="Nardy",
        single=Terms(),
        match=Terms(),
        fixed=("first_move", "cube", "beaver"),
    ),
}


class Game(msgspec.Struct, frozen=True, kw_only=True):
    """One game of the catalogue: seats from least to most, JSON schemas of its terms and options.

    ``matches``: it can be played to a number of points, not as a single game only. ``cube``: it can be
    played with the doubling cube. ``consent``: a resignation is an offer that the opponent accepts or
    declines; without it, resigning ends the game at once.
    """

    name: str
    version: int
    seats: tuple[int, int]
    matches: bool
    cube: bool
    consent: bool
    terms: dict[str, Any]
    options: dict[str, Any]


class Preset(msgspec.Struct, frozen=True, kw_only=True):
    """One house of the catalogue: the defaults of its tables.

    ``single`` are the terms of a table without a target, ``match`` those of a table with one, each where
    the creator names none. ``targets`` are the numbers of points that a match may be played to here.
    ``fixed`` names the terms that a table with a target may not change. ``main_game`` is the game with
    which the list of tables opens, empty for all.
    """

    name: str
    title: str
    single: Terms
    match: Terms
    targets: tuple[int, ...]
    fixed: tuple[str, ...]
    main_game: str = ""


class Catalogue(msgspec.Struct, frozen=True):
    """What ``GET /games`` answers."""

    games: tuple[Game, ...]
    houses: tuple[Preset, ...]


def main_game(given: Mapping[str, str]) -> str:
    """KRONIKA_MAIN_GAME in ``given`` (``os.environ``): the game with which the table list opens (B2).

    Empty for all games. Raises ``SettingsError``.
    """
    name = given.get("KRONIKA_MAIN_GAME", "").strip()
    if name and name not in CURRENT:
        raise SettingsError(f"KRONIKA_MAIN_GAME: there is no game {name!r}.")
    return name


def catalogue(main_game: str = "") -> Catalogue:
    """All games at their newest rules, and all houses; ``main_game`` is the operator's setting (B2)."""
    houses = {"": PLAIN, **HOUSES}
    return Catalogue(
        games=tuple(_game(rules) for rules in CURRENT.values()),
        houses=tuple(
            Preset(
                name=name,
                title=house.title,
                single=house.single,
                match=house.match,
                targets=house.targets,
                fixed=house.fixed,
                main_game=main_game,
            )
            for name, house in houses.items()
        ),
    )


def _game(rules: AnyRules) -> Game:
    traits = rules.traits
    return Game(
        name=rules.name,
        version=rules.version,
        seats=rules.seats,
        matches=traits.matches,
        cube=traits.cube,
        consent=traits.consent,
        terms=terms_schema(rules),
        options=rules.options(),
    )


def terms_schema(rules: AnyRules) -> dict[str, Any]:
    """The JSON schema (an object) of the terms that a table of this game may name."""
    traits, default = rules.traits, Terms()
    properties: dict[str, Any] = {
        "target": {
            "enum": [None, *TARGETS] if traits.matches else [None],
            "default": None,
            "description": "Points to play to; null is a single game.",
        },
    }
    if traits.matches:
        properties["first_move"] = {
            "enum": list(FIRST_MOVES) if traits.rolled_start else [FIRST_MOVES[0]],
            "default": default.first_move,
            "description": "Who moves first in the later games of a match.",
        }
    if traits.cube:
        properties["cube"] = {
            "type": "boolean",
            "default": default.cube,
            "description": "Play with the doubling cube.",
        }
        properties["beaver"] = {
            "type": "boolean",
            "default": default.beaver,
            "description": "The doubled player may redouble at once and keep the cube.",
        }
    return {"type": "object", "additionalProperties": False, "properties": properties}
