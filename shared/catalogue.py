"""What can be played here: the games with their options, the terms of a table, the houses' presets.

A house is a set of defaults, never a branch in code: what it offers is read from ``HOUSES``.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from shared.clocks import (
    BLITZ,
    LONGEST_MS,
    MINUTE_MS,
    PER_MOVE,
    SHORTEST_MS,
    STANDARD,
    chess_clock,
)
from shared.events.match import ClockTerms, Terms
from shared.export.formats import forms_of
from shared.ids import COMPUTER, is_computer
from shared.ratings import Kind
from shared.rules.protocol import BETWEEN_TWO, TABLE, Traits
from shared.rules.registry import CURRENT, SHARING, AnyRules
from shared.series import ABSENCES, FIRST_MOVES, FLAGS, LONGEST, SERIES, TARGETS, series_options
from shared.settings import SettingsError

RECORDED_TARGETS: Final = range(LONGEST + 1)  # what .mat files hold; 0 is an open session
CHANCES: Final = ("committed", "recorded")


def computer(number: int) -> str:
    """The id of one of several computers that play in the same tournament; ``number`` from 1."""
    return f"{COMPUTER}{number}"


def computer_name(player: str) -> str | None:
    """What the computer with this id is called; None if the id is a person's (these are longer)."""
    return f"Computer {player.removeprefix(COMPUTER)}".rstrip() if is_computer(player) else None


CLOCKS: Final[dict[str, ClockTerms]] = {"move": PER_MOVE, "blitz": BLITZ, "standard": STANDARD}
"""The clocks that have the same times in every game, by name."""

MOST_RATING: Final = 10_000  # points that a table may ask for
MOST_EXPERIENCE: Final = 1_000_000  # finished games, likewise
SHORTEST_WAIT_MS: Final = MINUTE_MS
LONGEST_WAIT_MS: Final = 7 * 24 * 60 * MINUTE_MS  # so long a table may wait for its players

NO_CLOCK: Final = "none"
SPEEDS: Final = ("fast", "normal", "slow")
"""The names of a game's own chess clocks, in the order of ``Traits.minutes``."""


def clocks(traits: Traits) -> dict[str, ClockTerms | None]:
    """The clocks by name of a game with these ``traits``; None is a table where nobody is timed."""
    speeds = {speed: chess_clock(minutes) for speed, minutes in zip(SPEEDS, traits.minutes, strict=False)}
    suitable = {name: terms for name, terms in CLOCKS.items() if terms.kind in traits.clocks}
    return {NO_CLOCK: None, **suitable, **speeds}


class House(msgspec.Struct, frozen=True, kw_only=True):
    """A preset: the terms of a single game and of a match where the creator names none.

    ``rated``: where a table says nothing, its match changes ratings, if it can.
    ``targets`` are the match lengths and ``series`` the series that it offers, ``match_games`` the games of
    its matches to points (none: all that have such), ``fixed`` the terms that a match (a series is one) may
    not change.
    """

    title: str
    single: Terms
    match: Terms
    targets: tuple[int, ...] = TARGETS
    match_games: tuple[str, ...] = ()
    series: tuple[str, ...] = tuple(SERIES)
    fixed: tuple[str, ...] = ()
    rated: bool = True


_SINGLE_GRACE_MS: Final = 2 * MINUTE_MS  # S18: so long an absent player may come back himself

PLAIN: Final = House(title="Kronika", single=Terms(), match=Terms(), rated=False)
HOUSES: Final[dict[str, House]] = {
    "boards": House(  # B3, B12
        title="Board games",
        single=Terms(cube=False, clock=PER_MOVE, absence="forfeit"),
        match=Terms(cube=False, clock=PER_MOVE, absence="forfeit"),
        series=(),
    ),
    "duels": House(  # S3, S4, S7, S10, S13, S18, rules §1.3, §5.1
        title="Backgammon duels",
        single=Terms(
            first_move="roll_each_game",
            beaver=True,
            clock=STANDARD,
            flag="kick",
            absence="ghost",
            grace_ms=_SINGLE_GRACE_MS,
        ),
        match=Terms(first_move="roll_each_game", beaver=True, clock=STANDARD, flag="kick", absence="ghost"),
        targets=(3, 5, 9),
        series=(),
        fixed=("cube", "clock", "flag", "absence"),
    ),
    "nardy": House(  # N6-N8, N13
        title="Nardy",
        single=Terms(clock=STANDARD, flag="kick", absence="ghost", grace_ms=_SINGLE_GRACE_MS),
        match=Terms(clock=STANDARD, flag="kick", absence="ghost"),
        match_games=("backgammon", "hypergammon", "long_nardy"),
        fixed=("first_move", "cube", "beaver", "clock", "flag", "absence"),
    ),
}


HEADINGS: Final = {"boards": HOUSES["boards"].title, "dice": "Backgammon and nardy"}
"""Under what a player's page shows his results (B15), by name."""


def heading(kind: Kind) -> str:
    """The heading of ``kind``: what the board house's table rates stands under the board games."""
    return "boards" if kind.system == TABLE else "dice"


class Game(msgspec.Struct, frozen=True, kw_only=True):
    """One game of the catalogue: seats from least to most, JSON schemas of its terms and options.

    ``title`` is what players call it. ``matches``: it can be played to a number of points, not as a single
    game only. ``cube``: it can be played with the doubling cube. ``consent``: a resignation is an offer that
    the opponent accepts or declines; without it, resigning ends the game at once. ``clocks`` are those that
    it offers by name, null where nobody is timed. ``level`` is how well the computer plays where a table
    does not say (null: as well as it can), and ``computer_seats`` at tables of how many it plays.
    ``exports`` are the forms in which its matches can be had (``GET /matches/{id}/export``); under some
    options there are fewer. ``kind`` is that of its ratings and
    experience, and ``rating`` how it is rated: ``table`` (single games between two, newcomers for half in
    their first ``newcomer`` games), ``fibs`` (matches to points), or "" for experience only.
    """

    name: str
    title: str
    version: int
    seats: tuple[int, int]
    matches: bool
    cube: bool
    consent: bool
    clocks: dict[str, ClockTerms | None]
    level: int | None
    computer_seats: tuple[int, ...]
    exports: tuple[str, ...]
    kind: str
    rating: str
    newcomer: int
    terms: dict[str, Any]
    options: dict[str, Any]


class Preset(msgspec.Struct, frozen=True, kw_only=True):
    """One house of the catalogue: the defaults of its tables.

    ``single`` are the terms of a table without a target, ``match`` those of a table with one, each where
    the creator names none. ``targets`` are the numbers of points that a match may be played to here,
    ``match_games`` the games in which it may (none: all that have matches), and ``series`` the series that
    are offered; a series has the terms of a match.
    ``fixed`` names the terms that a match may not change. ``rated``: its matches change ratings, where a
    table does not say otherwise and the match can be rated. ``main_game`` is the game with which the list
    of tables opens, empty for all.
    """

    name: str
    title: str
    single: Terms
    match: Terms
    targets: tuple[int, ...]
    match_games: tuple[str, ...]
    series: tuple[str, ...]
    fixed: tuple[str, ...]
    rated: bool
    main_game: str = ""


class SeriesOffer(msgspec.Struct, frozen=True, kw_only=True):
    """One series of the catalogue: its ``games`` in order, and ``tie``, played while the score is level.

    ``cube``: it is played with the cube, always. ``terms`` and ``options`` are JSON schemas as for a game;
    each of its games heeds those options that it knows.
    """

    name: str
    title: str
    games: tuple[str, ...]
    tie: str
    cube: bool
    terms: dict[str, Any]
    options: dict[str, Any]


class Catalogue(msgspec.Struct, frozen=True):
    """What ``GET /games`` answers; ``tables`` is the JSON schema of who may come to a table, of any game."""

    games: tuple[Game, ...]
    series: tuple[SeriesOffer, ...]
    houses: tuple[Preset, ...]
    tables: dict[str, Any]


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
        series=tuple(_series(name) for name in SERIES),
        houses=tuple(
            Preset(
                name=name,
                title=house.title,
                single=house.single,
                match=house.match,
                targets=house.targets,
                series=house.series,
                match_games=house.match_games,
                fixed=house.fixed,
                rated=house.rated,
                main_game=main_game,
            )
            for name, house in houses.items()
        ),
        tables=guests_schema(),
    )


def guests_schema() -> dict[str, Any]:
    """The JSON schema (an object) of who may come to a table and how long it waits, of any game."""

    def whole(most: int, description: str, least: int = 0) -> dict[str, Any]:
        bounds = {"type": ["integer", "null"], "minimum": least, "maximum": most}
        return {**bounds, "default": None, "description": description}

    return _schema(
        {
            "rating_min": whole(MOST_RATING, "The least rating of an opponent, in points."),
            "rating_max": whole(MOST_RATING, "The greatest rating of an opponent, in points."),
            "experience_max": whole(
                MOST_EXPERIENCE, "The most finished games of this kind that he may have."
            ),
            "invite": {
                "type": "string",
                "default": "",
                "description": "Keep the other seat of a table of two for this player (nickname or id).",
            },
            "link": {
                "type": "boolean",
                "default": False,
                "description": "Unlisted: only who has the link of the answer can come.",
            },
            "expires_in_ms": whole(
                LONGEST_WAIT_MS, "How long it waits for players; null: as the server does.", SHORTEST_WAIT_MS
            ),
        }
    )


def _game(rules: AnyRules) -> Game:
    traits = rules.traits
    return Game(
        name=rules.name,
        title=rules.title,
        version=rules.version,
        seats=rules.seats,
        matches=traits.matches,
        cube=traits.cube,
        consent=traits.consent,
        clocks=clocks(traits),
        level=int(traits.level) or None,
        computer_seats=(BETWEEN_TWO,) if rules.seats[0] <= BETWEEN_TWO <= rules.seats[1] else (),
        exports=forms_of(traits),
        kind=SHARING.get(rules.name, rules.name),
        rating=traits.pool.system,
        newcomer=traits.pool.newcomer,
        terms=terms_schema(rules),
        options=rules.options(),
    )


def _series(name: str) -> SeriesOffer:
    series = SERIES[name]
    first = CURRENT[series.games[0]]
    return SeriesOffer(
        name=name,
        title=series.title,
        games=series.games,
        tie=series.tie,
        cube=series.cube,
        terms=_schema({"first_move": _first_move_schema(first.traits), **_time_schema(first)}),
        options=series_options(name),
    )


def _schema(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": properties}


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
        properties["first_move"] = _first_move_schema(traits)
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
        properties["jacoby"] = {
            "type": "boolean",
            "default": default.jacoby,
            "description": "A gammon counts only after a double; for single games, ignored in a match.",
        }
    if traits.gammons:
        properties["gammons"] = {
            "type": "boolean",
            "default": default.gammons,
            "description": "A gammon counts double; for single games, ignored in a match.",
        }
    if traits.pool.system:
        properties["rated"] = {
            "type": "boolean",
            "default": PLAIN.rated,
            "description": "The result changes ratings: matches to points in games that have them, single "
            "games in the others; between two, not with the computer or a guest.",
        }
    return _schema(properties | _time_schema(rules))


def _first_move_schema(traits: Traits) -> dict[str, Any]:
    return {
        "enum": list(FIRST_MOVES) if traits.rolled_start else [FIRST_MOVES[0]],
        "default": Terms().first_move,
        "description": "Who moves first in the later games of a match.",
    }


def _time_schema(rules: AnyRules) -> dict[str, Any]:
    default = Terms()
    ms = {"type": "integer", "minimum": SHORTEST_MS, "maximum": LONGEST_MS}
    own = {
        "type": "object",
        "required": ["kind", "budget_ms"],
        "additionalProperties": False,
        "properties": {
            "kind": {"enum": list(rules.traits.clocks)},
            "budget_ms": ms,
            "bonus_ms": ms,
            "cap_ms": ms,
        },
    }
    return {
        "clock": {
            "anyOf": [{"enum": list(clocks(rules.traits))}, own],
            "default": NO_CLOCK,
            "description": "A clock of the catalogue by its name, or one's own: a limit for every move "
            "(move), a budget for the game (chess), or credit with a bonus for quick turns (credit; "
            "bonus_ms and cap_ms are for it alone, and budget_ms is at most cap_ms). A table that asks for a "
            "stake or a rating and names no clock has the house's, or move.",
        },
        "flag": {
            "enum": list(FLAGS if rules.seats[0] == BETWEEN_TWO else FLAGS[:1]),
            "default": default.flag,
            "description": "A clock at 0:00 means a lost game (loss), or that the opponent may kick"
            + (", at tables of two only." if rules.seats[1] > BETWEEN_TWO else "."),
        },
        "absence": {
            "enum": list(ABSENCES),
            "default": default.absence,
            "description": "When a player is away: nothing, he loses, or a ghost plays on for him.",
        },
        "grace_ms": {
            "type": "integer",
            "minimum": 0,
            "maximum": LONGEST_MS,
            "default": default.grace_ms,
            "description": "For so long nobody counts as away.",
        },
    }
