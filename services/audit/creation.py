"""What the first commit may say: a game that exists, on terms that a table may have."""

import msgspec

from services.audit.chain import is_hash
from services.audit.report import Differs
from shared import clocks, stakes
from shared.catalogue import CHANCES
from shared.events.match import MatchCreated, MatchEvent, Pinned, Terms
from shared.ids import is_id
from shared.problems import Refused
from shared.ratings import wrong_rating
from shared.rules.protocol import BETWEEN_TWO, Traits
from shared.rules.registry import AnyRules, rules
from shared.series import (
    ABSENCES,
    FIRST_MOVES,
    FLAGS,
    LONGEST,
    SESSION,
    TARGETS,
    options_of,
    rules_at,
    unpinned,
    wrong_series,
)


def check_creation(events: tuple[MatchEvent, ...]) -> MatchCreated:
    """The one event of commit 1; raises ``Differs``."""
    created = events[0] if len(events) else None
    if not isinstance(created, MatchCreated):
        raise Differs("events[0]", "match_created", "another event", "A log begins with match_created.")
    if len(events) > 1:
        raise Differs("events[1]", None, "another event", "Nothing else happens in the first commit.")
    _known(created)
    if wrong := wrong_series(created.terms, created.options, created.games):
        raise Differs("events[0].terms.series", "a series, or none", created.terms.series, wrong)
    if created.games and created.games[0] != Pinned(created.rules, created.rules_version):
        first = created.games[0]
        raise Differs("events[0].rules", first.rules, created.rules, "A series begins with its first game.")
    if not is_hash(created.secret_hash):
        raise Differs(
            "events[0].secret_hash", "32 bytes in hex", created.secret_hash, "No hash can look like this."
        )
    if created.chance not in CHANCES:
        raise Differs("events[0].chance", CHANCES, created.chance, "There is no such kind of chance.")
    for number in range(1, max(1, len(created.games)) + 1):
        _check_game(created, rules_at(created, number))
    if wrong := wrong_rating(created):
        found = msgspec.to_builtins(created.rated)
        raise Differs("events[0].rated", "numbers that follow from each other", found, wrong)
    if wrong := stakes.wrong(created):
        found = msgspec.to_builtins(created.staked)
        raise Differs("events[0].staked", "stakes that these terms can have", found, wrong)
    return created


def _known(created: MatchCreated) -> None:
    """Every game of the match at its version is one that this version knows."""
    named = [("events[0].rules", created.rules, created.rules_version)]
    named += [(f"events[0].games[{i}]", of.rules, of.rules_version) for i, of in enumerate(created.games)]
    for path, name, version in named:
        try:
            rules(name, version)
        except Refused as refused:
            detail = refused.problem.detail
            raise Differs(path, "a game that this version knows", f"{name} {version}", detail) from refused


def _check_game(created: MatchCreated, game: AnyRules) -> None:
    _seats(created, game)
    options = options_of(game, created.options) if created.games else created.options
    if wrong := unpinned(game, options):
        raise Differs("events[0].options", "every option that must be named", created.options, wrong)
    try:
        game.setup(len(created.seats), options, 0)
    except Refused as refused:
        detail = refused.problem.detail
        raise Differs("events[0].options", "possible options", created.options, detail) from refused
    offered = game.offers(options)
    _terms(created.terms, offered, len(created.seats), recorded=created.chance == "recorded")
    if created.terms.cube and game.traits.cube and not offered.cube:
        raise Differs("events[0].terms.cube", "no cube", "a cube", "With these options there is none.")


def _seats(created: MatchCreated, game: AnyRules) -> None:
    least, most = game.seats
    if not least <= len(created.seats) <= most:
        raise Differs(
            "events[0].seats", f"{least} to {most}", len(created.seats), f"So many cannot play {game.name}."
        )
    seen: set[str] = set()
    for seat, taken in enumerate(created.seats):
        path = f"events[0].seats[{seat}].player"
        if not is_id(taken.player):
            raise Differs(path, "a player's id", taken.player, "Nothing but ids of players may stand here.")
        if taken.player in seen:
            raise Differs(path, "another player", taken.player, "One player holds two seats.")
        seen.add(taken.player)


def _terms(terms: Terms, traits: Traits, seats: int, *, recorded: bool) -> None:
    if seats != BETWEEN_TWO and (traits.cube or traits.consent or traits.draws):
        raise Differs("events[0].seats", BETWEEN_TWO, seats, "What this game has is between two.")
    target = terms.target
    if target is not None:
        fits = SESSION <= target <= LONGEST if recorded else target in TARGETS
        if not (fits and traits.matches):
            raise Differs("events[0].terms.target", TARGETS, target, "No match has this length.")
    if terms.first_move not in FIRST_MOVES:
        raise Differs(
            "events[0].terms.first_move", FIRST_MOVES, terms.first_move, "There is no such way to begin."
        )
    single = terms.target is None and not terms.series
    if terms.jacoby and not (single and terms.cube and traits.cube):
        raise Differs("events[0].terms.jacoby", "off", "on", "It is for single games with the cube.")
    if not (terms.gammons or (single and traits.gammons)):
        raise Differs("events[0].terms.gammons", "on", "off", "They count, or there are none.")
    _time(terms, traits, seats, recorded=recorded)


def _time(terms: Terms, traits: Traits, seats: int, *, recorded: bool) -> None:
    path = "events[0].terms"
    if terms.flag == "kick" and seats != BETWEEN_TWO:
        raise Differs(f"{path}.flag", "loss", terms.flag, "Only between two can one throw the other out.")
    if terms.flag not in FLAGS:
        raise Differs(f"{path}.flag", FLAGS, terms.flag, "A clock at 0:00 cannot mean that.")
    if terms.absence not in ABSENCES:
        raise Differs(f"{path}.absence", ABSENCES, terms.absence, "Absence cannot mean that.")
    if not 0 <= terms.grace_ms <= clocks.LONGEST_MS:
        raise Differs(f"{path}.grace_ms", "at most a day", terms.grace_ms, "No table has this grace.")
    if terms.clock is None:
        return
    if recorded:
        raise Differs(f"{path}.clock", None, terms.clock.kind, "A recorded match has no clock.")
    if clocks.why_not(terms.clock) or terms.clock.kind not in traits.clocks:
        raise Differs(f"{path}.clock", "a possible clock", terms.clock.kind, "There is no such clock.")
