"""What a match is made of: one game, games to a target, or a series of different games. Pure arithmetic.

Rules §3 (Crawford), §5 (matches): the winner is who first has ``target`` points; surplus earns nothing.
A series is played to its end and has no Crawford game; while it is level its tie-break is played again.
"""

from collections.abc import Mapping
from typing import Any, Final, Protocol

import msgspec

from shared import clocks
from shared.events.match import ClockTerms, MatchCreated, Pinned, Terms
from shared.problems import Refused
from shared.rules.protocol import BETWEEN_TWO, TABLE, Result, Traits
from shared.rules.registry import CURRENT, AnyRules, rules

TARGETS: Final = (2, 3, 5, 7, 9, 11, 13)
"""The lengths that a table may have; a recorded match may have any up to ``LONGEST``."""

FIRST_MOVES: Final = ("alternate", "roll_each_game")
"""Who moves first in the later games of a match."""

FLAGS: Final = ("loss", "kick")
"""What a clock at 0:00 means."""

ABSENCES: Final = ("wait", "forfeit", "ghost")
"""What follows when a player stays away."""

LONGEST: Final = 99
SESSION: Final = 0
"""The target of a recorded session without an end (money play in a file)."""


class Series(msgspec.Struct, frozen=True):
    """``games`` in their order, ``tie`` while the score is level after them; ``cube``: played with it."""

    title: str
    games: tuple[str, ...]
    tie: str
    cube: bool


SERIES: Final[dict[str, Series]] = {
    "mixed": Series(  # N4, rules §5.2
        "Mixed match", ("hypergammon", "long_nardy", "backgammon"), "hypergammon", cube=True
    ),
    "tavli": Series("Tavli", ("backgammon", "plakoto", "fevga"), "backgammon", cube=False),  # N5, rules §5.3
}
"""Every series by its name; another one is one more line here (ADR 0011), and a test."""


def title(name: str) -> str:
    """What players call the game or series ``name``; the name itself where this release does not know it."""
    known = SERIES.get(name) or CURRENT.get(name)
    return name if known is None else known.title


def pinned(name: str) -> tuple[Pinned, ...]:
    """The games of a series at the newest version of their rules, the tie-break last; () without one."""
    series = SERIES.get(name)
    if series is None:
        return ()
    newest = (rules(game) for game in (*series.games, series.tie))
    return tuple(Pinned(game.name, game.version) for game in newest)


def rules_at(created: MatchCreated, game: int) -> AnyRules:
    """The rules that game number ``game`` (from 1) of the match is played by."""
    if not created.games:
        return rules(created.rules, created.rules_version)
    of = created.games[min(game, len(created.games)) - 1]
    return rules(of.rules, of.rules_version)


def options_of(played: AnyRules, options: Mapping[str, Any]) -> dict[str, Any]:
    """``options`` as far as ``played`` knows them: a series has one set for all its games."""
    known = _schemas(played)
    return {name: value for name, value in options.items() if name in known}


def _schemas(played: AnyRules) -> dict[str, dict[str, Any]]:
    """The JSON schema of each option of a game, by its name."""
    return played.options().get("properties", {})


def pinned_options(played: AnyRules) -> dict[str, dict[str, Any]]:
    """The schemas of the options that every match must name: what their default is depends on the server."""
    return {name: schema for name, schema in _schemas(played).items() if schema.get("pinned")}


def unpinned(played: AnyRules, options: Mapping[str, Any]) -> str:
    """What is wrong with a match of ``played`` that names no more than ``options``; "" if nothing is.

    Left open, such an option would mean one thing here and another where the log is read.
    """
    missing = sorted(pinned_options(played).keys() - options.keys())
    return f"options: {', '.join(missing)} must be named: the default differs by server." if missing else ""


def agreed(created: MatchCreated, game: int) -> dict[str, Any]:
    """Every option of game number ``game`` (from 1) of the match with its value, as chosen or by default."""
    schemas = _schemas(rules_at(created, game))
    return {name: created.options.get(name, schema["default"]) for name, schema in schemas.items()}


def offered(created: MatchCreated, game: int) -> Traits:
    """What game number ``game`` (from 1) of the match is offered with under the options agreed on."""
    played = rules_at(created, game)
    return played.offers(options_of(played, created.options))


def has_cube(created: MatchCreated, game: int) -> bool:
    """Whether game number ``game`` (from 1) of the match is played with the cube, Crawford apart."""
    return created.terms.cube and offered(created, game).cube


def series_options(name: str) -> dict[str, Any]:
    """The JSON schema of the options of a series: those that leave each game that knows them the same match.

    An option whose values are not a short list is not among them: nobody could say what each of them does.
    """
    series = SERIES[name]
    properties: dict[str, Any] = {}
    other: set[str] = set()
    for played in (rules(game) for game in (*series.games, series.tie)):
        for option, schema in _schemas(played).items():
            values = _values(schema)
            if not values or not all(_is_same_match(played, {option: value}) for value in values):
                other.add(option)
            properties[option] = schema
    kept = {option: schema for option, schema in properties.items() if option not in other}
    return {"type": "object", "properties": kept, "additionalProperties": False}


def _values(schema: Mapping[str, Any]) -> tuple[Any, ...]:
    """All values that an option with this schema may have; () where they are not a list."""
    return (False, True) if schema.get("type") == "boolean" else tuple(schema.get("enum", ()))


def wrong_series(terms: Terms, options: Mapping[str, Any], games: tuple[Pinned, ...]) -> str:
    """What is wrong with these terms, options and ``games`` as a series; "" if nothing is, or it is none."""
    if not terms.series:
        return "games: only a series has several." if games else ""
    series = SERIES.get(terms.series)
    if series is None:
        return f"series is one of {', '.join(SERIES)}."
    if tuple(game.rules for game in games) != (*series.games, series.tie):
        return f"games: {series.title} is {', '.join(series.games)}, and {series.tie} while it is level."
    return _wrong_terms(series, terms) or _wrong_options(options, games)


def _wrong_terms(series: Series, terms: Terms) -> str:
    if terms.target is not None:
        return "target: a series is not played to points."
    if terms.cube is not series.cube:
        return f"cube: {series.title} is played with{'' if series.cube else 'out'} it."
    return "beaver: there is none in a series." if terms.beaver else ""


def _wrong_options(options: Mapping[str, Any], games: tuple[Pinned, ...]) -> str:
    """A series has no option that none of its games knows, or that makes another match of a game."""
    unknown = set(options)
    for game in games:
        played = rules(game.rules, game.rules_version)
        known = options_of(played, options)
        unknown -= set(known)
        try:
            same = _is_same_match(played, known)
        except Refused as refused:
            return refused.problem.detail
        if not same:
            wrong = [name for name, value in known.items() if not _is_same_match(played, {name: value})]
            return f"options: {', '.join(wrong or known)}: only in single games."
    return f"options: no game of the series has {min(unknown)!r}." if unknown else ""


def _is_same_match(played: AnyRules, options: Mapping[str, Any]) -> bool:
    """Whether a match may be made of the game with these options as without them."""
    chosen, plain = played.offers(options), played.offers({})
    return (chosen.cube, chosen.gammons, chosen.matches) == (plain.cube, plain.gammons, plain.matches)


def impossible(terms: Terms, traits: Traits, seats: int, *, recorded: bool) -> str:
    """What is wrong with ``terms`` for so many ``seats`` of a game with ``traits``; "" if nothing is."""
    target = terms.target
    if seats != BETWEEN_TWO and (traits.cube or traits.consent or traits.draws):
        return "seats: the cube, resigning by consent and agreed draws are between two."
    if target is not None and not traits.matches:
        return "target: this game is not played to points."
    if target is not None and target not in (range(SESSION, LONGEST + 1) if recorded else TARGETS):
        return f"target: no match is played to {target} points."
    if terms.first_move not in FIRST_MOVES:
        return f"first_move is one of {', '.join(FIRST_MOVES)}."
    if wrong := _impossible_worth(terms, traits):
        return wrong
    return _impossible_time(terms, traits, seats, recorded=recorded)


def _impossible_worth(terms: Terms, traits: Traits) -> str:
    if terms.jacoby and not is_single(terms):
        return "jacoby: it is for single games."
    if terms.jacoby and not (terms.cube and traits.cube):
        return "jacoby: it needs the cube."
    if not terms.gammons and not is_single(terms):
        return "gammons: in a match they always count."
    if not (terms.gammons or traits.gammons):
        return "gammons: every win of this game is a single one."
    return ""


def _impossible_time(terms: Terms, traits: Traits, seats: int, *, recorded: bool) -> str:
    if terms.flag not in FLAGS:
        return f"flag is one of {', '.join(FLAGS)}."
    if terms.flag == "kick" and seats != BETWEEN_TWO:
        return "flag: only between two can one throw the other out."
    if terms.absence not in ABSENCES:
        return f"absence is one of {', '.join(ABSENCES)}."
    if not 0 <= terms.grace_ms <= clocks.LONGEST_MS:
        return "grace_ms: at most a day."
    return "" if terms.clock is None else _impossible_clock(terms.clock, traits, recorded=recorded)


def _impossible_clock(clock: ClockTerms, traits: Traits, *, recorded: bool) -> str:
    if recorded:
        return "clock: nobody is timed in a recorded match."
    if reason := clocks.why_not(clock):
        return f"clock: {reason}"
    return "" if clock.kind in traits.clocks else f"clock: this game has none of the kind {clock.kind}."


def ends(terms: Terms) -> bool:
    """Whether nobody can keep a match on these terms from ending by playing no more.

    Only a clock forces a decision; and where its flag leaves it to the opponent, he may be away as well.
    """
    return terms.clock is not None and (terms.flag == FLAGS[0] or terms.absence != ABSENCES[0])


def why_not_for_value(terms: Terms, traits: Traits) -> str:
    """Why no match on these terms is rated or staked, as a sentence; "" if it may be.

    ``traits`` are those of its first game. Where the board games' table rates, who goes loses (B12).
    """
    if not ends(terms):
        return 'It needs a clock (and with the flag "kick" an absence that is judged), or it might never end.'
    if traits.pool.system == TABLE and (terms.flag == "kick" or terms.absence == "ghost"):
        return "In this game nobody else plays on: the flag must be loss, absence not ghost."
    return ""


class Counting(Protocol):
    """What of a match's terms says how a game counts."""

    @property
    def jacoby(self) -> bool:
        """Whether more than a single game counts only once the cube was turned."""
        ...

    @property
    def gammons(self) -> bool:
        """Whether more than a single game counts at all."""
        ...


def counted(terms: Counting, worth: int, cube: int) -> int:
    """What a game of this ``worth`` counts before ``cube`` multiplies it; a single, maybe (§2.2, §8)."""
    single = not terms.gammons or (terms.jacoby and cube == 1)
    return min(worth, 1) if single else worth


def points(terms: Terms, result: Result, cube: int) -> int:
    """The points of a game between two with the cube at ``cube`` (rules §5.1)."""
    return counted(terms, result.points, cube) * cube


def decided(created: MatchCreated, score: tuple[int, ...], game: int) -> int | None:
    """The seat that has won the match after game number ``game``; None while it goes on.

    Also None in a single game: there the game's winner is the match's.
    """
    if not created.games:
        return reached(created.terms, score)
    best = max(score)
    played = game >= len(created.games) - 1
    return score.index(best) if played and score.count(best) == 1 else None


def reached(terms: Terms, score: tuple[int, ...]) -> int | None:
    """The seat that has as many points as the match is played to; None while nobody has."""
    best = max(score)
    return score.index(best) if terms.target and best >= terms.target else None


def is_single(terms: Terms) -> bool:
    """Whether the match is one game."""
    return terms.target is None and not terms.series


def crawford_due(terms: Terms, score: tuple[int, ...], *, used: bool) -> bool:
    """Whether the next game is the Crawford game: the first in which a seat is one point short."""
    return bool(terms.target) and not used and max(score) == (terms.target or 0) - 1


def first_seat(terms: Terms, game: int, previous: int | None, seats: int, *, rolled: bool) -> int | None:
    """Who moves first in game number ``game``; None where it is rolled for.

    ``previous`` is who began the game before. Without a rolled start seat 0 begins the first game.
    """
    if game == 1 or previous is None:
        return None if rolled else 0
    if terms.first_move == "roll_each_game" and rolled:
        return None
    return (previous + 1) % seats
