"""What players may agree on: a creator's wishes and his house's preset become a table's terms."""

from collections.abc import Mapping
from typing import Final

import msgspec

from services.lobby import admission
from shared.catalogue import (
    CHANCES,
    HOUSES,
    LONGEST_WAIT_MS,
    PLAIN,
    RECORDED_TARGETS,
    SHORTEST_WAIT_MS,
    House,
    clocks,
)
from shared.clocks import LONGEST_MS, PER_MOVE, why_not
from shared.events.match import ClockTerms, Level, Terms
from shared.events.table import DAY_MS, TableOpened
from shared.problems import Refused
from shared.ratings import why_unrated
from shared.rules.protocol import BETWEEN_TWO, Traits, seats_text
from shared.rules.registry import AnyRules, rules
from shared.series import (
    ABSENCES,
    FIRST_MOVES,
    FLAGS,
    SERIES,
    options_of,
    pinned,
    pinned_options,
    why_not_for_value,
    wrong_series,
)
from shared.stakes import MOST_STAKE, SEATS
from shared.tokens import BOT
from shared.wire.lobby import OpenTable

MAX_OPTIONS: Final = 32
LEVELS: Final = (Level.UNTHINKING, Level.BY_THUMB, Level.BEST)

_UNTIMED: Final = Terms()


def agree(
    wish: OpenTable, player: str, scopes: tuple[str, ...], expiry_ms: int = DAY_MS, invited: str = ""
) -> TableOpened:
    """The table that ``player`` opens.

    ``expiry_ms`` is how long it waits where he does not say, ``invited`` the id of the player that he names.

    Raises ``Refused``: ``unknown_game``, ``invalid_options`` (with the option's name), ``forbidden`` where
    a scope is missing.
    """
    house = PLAIN if not wish.house else HOUSES.get(wish.house)
    if house is None:
        raise Refused("invalid_options", f"house: there is none but {', '.join(HOUSES)}.")
    game = rules(_first_game(wish, house))
    if wish.chance not in CHANCES:
        raise Refused("invalid_options", f"chance is one of {', '.join(CHANCES)}.")
    recorded = wish.chance == "recorded"
    if recorded and BOT not in scopes:
        raise Refused("forbidden", "A recorded match needs the scope bot.")
    seats = _seats(game, wish)
    games = pinned(wish.series)
    options = _options([rules(of.rules) for of in games] or [game], wish, seats)
    terms = _terms(game, wish, house, seats, recorded=recorded)
    if wrong := wrong_series(terms, options, games):
        raise Refused("invalid_options", wrong)
    rated = _rated(wish, house, game.name, terms, seats)
    return TableOpened(
        player=player,
        rules=game.name,
        rules_version=game.version,
        seats=seats,
        terms=terms,
        options=options,
        house=wish.house,
        computer=wish.computer,
        level=_level(game, wish),
        chance=wish.chance,
        games=games,
        rated=rated,
        stake=_stake(wish, seats, why_not_for_value(terms, game.traits)),
        admits=admission.asked(wish),
        reserved=_reserved(wish, player, seats, invited),
        by_link=_by_link(wish),
        expiry_ms=_expiry_ms(wish, expiry_ms),
    )


def renewed(opened: TableOpened) -> TableOpened:
    """The same table with the rules of today; raises ``Refused`` where they do not play it any more."""
    game = rules(opened.rules)
    games = pinned(opened.terms.series)
    for name in [of.rules for of in games] or [opened.rules]:
        played = rules(name)
        options = options_of(played, opened.options)
        played.setup(opened.seats, options, None if played.traits.rolled_start else 0)
    return msgspec.structs.replace(opened, rules_version=game.version, games=games)


def _reserved(wish: OpenTable, player: str, seats: int, invited: str) -> tuple[str, ...]:
    if not invited:
        return ()
    if wish.computer or wish.link or wish.chance == "recorded":
        raise Refused("invalid_options", "invite: not with computer, link or recorded.")
    if seats != 2:  # noqa: PLR2004 - one seat is the creator's, the other one is kept
        raise Refused("invalid_options", "invite: at tables of two; others can be opened with link.")
    if invited == player:
        raise Refused("invalid_options", "invite: nobody plays against himself.")
    return (player, invited)


def _by_link(wish: OpenTable) -> bool:
    if wish.link and (wish.computer or wish.chance == "recorded"):
        raise Refused("invalid_options", "link: not with computer or recorded.")
    return wish.link


def _expiry_ms(wish: OpenTable, default_ms: int) -> int:
    if wish.expires_in_ms is None:
        return default_ms
    if not SHORTEST_WAIT_MS <= wish.expires_in_ms <= LONGEST_WAIT_MS:
        raise Refused("invalid_options", f"expires_in_ms: {SHORTEST_WAIT_MS} to {LONGEST_WAIT_MS}.")
    return wish.expires_in_ms


def _rated(wish: OpenTable, house: House, game: str, terms: Terms, seats: int) -> bool:
    """Whether the match is to be rated: as wished, or as the house does where that is possible."""
    why = why_unrated(game, terms, seats, chance=wish.chance)
    if not why and wish.computer:
        why = "A match with the computer is not rated."
    if wish.rated and why:
        raise Refused("invalid_options", f"rated: {why}")
    return not why and (house.rated if wish.rated is None else wish.rated)


def _first_game(wish: OpenTable, house: House) -> str:
    """The game that the match begins with: the one that is named, or the first of the series."""
    if not wish.series:
        return wish.game
    if wish.series not in house.series:
        offered = ", ".join(house.series) or "none"
        raise Refused("invalid_options", f"series: this house offers {offered}.")
    first = SERIES[wish.series].games[0]
    if wish.game not in ("", first):
        raise Refused("invalid_options", f"game: this series begins with {first}.")
    return first


def _seats(game: AnyRules, wish: OpenTable) -> int:
    least, most = game.seats
    seats = least if wish.seats is None else wish.seats
    if not least <= seats <= most:
        raise Refused("invalid_options", f"seats: this game is for {seats_text(game)}.")
    if wish.computer and seats != BETWEEN_TWO:  # one person, one computer
        raise Refused("invalid_options", "computer: it plays at tables of two.")
    if wish.computer and wish.chance == "recorded":
        raise Refused("invalid_options", "computer: it does not play recorded matches.")
    return seats


def _level(game: AnyRules, wish: OpenTable) -> int:
    if wish.level is None:
        return game.traits.level if wish.computer else Level.UNSAID
    if not wish.computer or wish.level not in LEVELS:
        raise Refused("invalid_options", "level: 1, 2 or 3, where the computer plays.")
    return wish.level


def _stake(wish: OpenTable, seats: int, why_not: str) -> int:
    """What the table is played for; two people must play, and nothing may be recorded (rules §8)."""
    if not 0 <= wish.stake <= MOST_STAKE:
        raise Refused("invalid_options", f"stake: 0 to {MOST_STAKE}.")
    if not wish.stake:
        return 0
    if wish.computer:
        raise Refused("invalid_options", "stake: the computer has no money.")
    if wish.chance == "recorded":
        raise Refused("invalid_options", "stake: nobody plays for anything in a recorded match.")
    if seats != SEATS:
        raise Refused("invalid_options", "stake: only two play for something.")
    if why_not:
        raise Refused("invalid_options", f"stake: {why_not}")
    return wish.stake


def _terms(game: AnyRules, wish: OpenTable, house: House, seats: int, *, recorded: bool) -> Terms:
    offered = game.offers(options_of(game, wish.options))
    _check_target(offered, wish, house, recorded=recorded)
    if not recorded:
        _check_match_game(game, wish, house)
    single = wish.target is None and not wish.series
    default = house.single if single else house.match
    if not single and not recorded:
        _check_fixed(game, wish, house)
    first_move = _first_move(game, wish, default)
    cube = _cube(offered, wish, default)
    if wish.beaver and not cube:
        raise Refused("invalid_options", "beaver: it needs the cube.")
    beaver = cube and (default.beaver if wish.beaver is None else wish.beaver)
    clock = _clock(game, wish, _UNTIMED if recorded else default, recorded=recorded)
    absence = _one_of("absence", wish.absence, ABSENCES, (_UNTIMED if recorded else default).absence)
    if recorded and absence != _UNTIMED.absence:
        raise Refused("invalid_options", "absence: nobody is away from a recorded match.")
    return Terms(
        target=wish.target,
        first_move=first_move,
        cube=cube,
        beaver=beaver,
        clock=clock,
        flag=_flag(wish, default, clock, seats),
        absence=absence,
        grace_ms=_grace_ms(wish, default, absence),
        series=wish.series,
        jacoby=_jacoby(wish, default, cube=cube) if single else False,
        gammons=_gammons(offered, wish, default) if single else True,
    )


def _jacoby(wish: OpenTable, default: Terms, *, cube: bool) -> bool:
    if wish.jacoby and not cube:
        raise Refused("invalid_options", "jacoby: it needs the cube.")
    return cube and (default.jacoby if wish.jacoby is None else wish.jacoby)


def _gammons(offered: Traits, wish: OpenTable, default: Terms) -> bool:
    if wish.gammons is False and not offered.gammons:
        raise Refused("invalid_options", "gammons: every win of this game is a single one.")
    return not offered.gammons or (default.gammons if wish.gammons is None else wish.gammons)


def _clock(game: AnyRules, wish: OpenTable, default: Terms, *, recorded: bool) -> ClockTerms | None:
    """The clock as wished, by name or in full, or the default."""
    offered = clocks(game.traits)
    clock = default.clock
    if clock is not None and clock.kind not in game.traits.clocks:
        clock = PER_MOVE  # the house's clock is another game's
    if clock is None and not recorded and (wish.stake or wish.rated):
        clock = PER_MOVE  # what counts must come to an end (``why_not_for_value``)
    if isinstance(wish.clock, str):
        if wish.clock not in offered:
            raise Refused("invalid_options", f"clock: one of {', '.join(offered)}, or one in full.")
        clock = offered[wish.clock]
    elif wish.clock is not None:
        if reason := why_not(wish.clock):
            raise Refused("invalid_options", f"clock: {reason}")
        if wish.clock.kind not in game.traits.clocks:
            raise Refused("invalid_options", f"clock: this game has none of the kind {wish.clock.kind}.")
        clock = wish.clock
    if recorded and clock is not None:
        raise Refused("invalid_options", "clock: nobody is timed in a recorded match.")
    return clock


def _flag(wish: OpenTable, default: Terms, clock: ClockTerms | None, seats: int) -> str:
    if clock is not None:
        offered = FLAGS if seats == BETWEEN_TWO else FLAGS[:1]
        if wish.flag in FLAGS and wish.flag not in offered:
            raise Refused(
                "invalid_options", f"flag: {wish.flag} is for tables of two; with {seats} it is {offered[0]}."
            )
        return _one_of("flag", wish.flag, offered, default.flag if default.flag in offered else offered[0])
    if wish.flag is not None:
        raise Refused("invalid_options", "flag: there is no clock.")
    return _UNTIMED.flag


def _grace_ms(wish: OpenTable, default: Terms, absence: str) -> int:
    if absence == _UNTIMED.absence:
        if wish.grace_ms is not None:
            raise Refused("invalid_options", "grace_ms: nobody's absence is judged at this table.")
        return _UNTIMED.grace_ms
    grace_ms = default.grace_ms if wish.grace_ms is None else wish.grace_ms
    if not 0 <= grace_ms <= LONGEST_MS:
        raise Refused("invalid_options", f"grace_ms: 0 to {LONGEST_MS}.")
    return grace_ms


def _one_of(name: str, wanted: str | None, offered: tuple[str, ...], default: str) -> str:
    if wanted is None:
        return default
    if wanted not in offered:
        raise Refused("invalid_options", f"{name} is one of {', '.join(offered)}.")
    return wanted


def _this_game(wish: OpenTable) -> str:
    return "this game with these options" if wish.options else "this game"


def _check_target(offered: Traits, wish: OpenTable, house: House, *, recorded: bool) -> None:
    if wish.target is None:
        return
    if not offered.matches:
        raise Refused("invalid_options", f"target: {_this_game(wish)} is not played to points.")
    targets = RECORDED_TARGETS if recorded else house.targets
    if wish.target not in targets:
        allowed = "0 to 99" if recorded else ", ".join(str(target) for target in house.targets)
        raise Refused("invalid_options", f"target: one of {allowed}, or null for a single game.")


def _check_match_game(game: AnyRules, wish: OpenTable, house: House) -> None:
    if wish.target is not None and house.match_games and game.name not in house.match_games:
        offered = ", ".join(house.match_games)
        raise Refused("invalid_options", f"target: this house plays to points in {offered}.")


def _check_fixed(game: AnyRules, wish: OpenTable, house: House) -> None:
    for name in house.fixed:
        wanted = getattr(wish, name)
        if wanted is None:
            continue
        if name == "clock":
            wanted = _clock(game, wish, house.match, recorded=False)
        if name == "cube" and wish.series:
            continue  # the series has it or has it not, whatever the house (``wrong_series``)
        if wanted != getattr(house.match, name):
            raise Refused("invalid_options", f"{name}: this house fixes it in a match.")


def _first_move(game: AnyRules, wish: OpenTable, default: Terms) -> str:
    if wish.first_move is None:
        return default.first_move if game.traits.rolled_start else FIRST_MOVES[0]
    first_move = _one_of("first_move", wish.first_move, FIRST_MOVES, default.first_move)
    if first_move != FIRST_MOVES[0] and not game.traits.rolled_start:
        raise Refused("invalid_options", "first_move: nothing is rolled for in this game.")
    return first_move


def _cube(offered: Traits, wish: OpenTable, default: Terms) -> bool:
    if wish.series and wish.cube is None:
        return SERIES[wish.series].cube
    if wish.cube and not offered.cube:
        raise Refused("invalid_options", f"cube: {_this_game(wish)} has none.")
    return offered.cube and (default.cube if wish.cube is None else wish.cube)


def _options(games: list[AnyRules], wish: OpenTable, seats: int) -> dict[str, object]:
    """The rules' own options as given; the rules of every game themselves judge the values."""
    if len(wish.options) > MAX_OPTIONS:
        raise Refused("invalid_options", "options: too many.")
    unknown = set(wish.options)
    for game in games:
        options = options_of(game, wish.options)
        unknown -= set(options)
        game.setup(seats, options, None if game.traits.rolled_start else 0)
    if unknown:
        raise Refused("invalid_options", f"options: this game has no option {min(unknown)[:40]!r}.")
    return _with_pinned(games, wish.options)


def _with_pinned(games: list[AnyRules], options: Mapping[str, object]) -> dict[str, object]:
    """The options given, and by default those that must be named (``pinned_options``)."""
    kept = {name: schema for game in games for name, schema in pinned_options(game).items()}
    for name, schema in kept.items():
        if name in options and options[name] not in schema["enum"]:
            raise Refused("invalid_options", f"{name}: this server has {', '.join(schema['enum'])}.")
    return {name: schema["default"] for name, schema in kept.items()} | dict(options)
