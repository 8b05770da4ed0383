"""What the head of a .mat file says was agreed on: the game, its options, the terms. Pure.

A tag that is missing means what most files mean: backgammon with the cube. What is unusual in our own files
stands in tags that only we write (``shared.export.mat``).
"""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from services.cli.importing.reading.file import RecordError
from services.cli.importing.reading.mat import MatMatch
from services.cli.importing.reading.words import games_of
from shared.events.match import Terms
from shared.export import mat as written
from shared.problems import Refused
from shared.rules.registry import AnyRules
from shared.series import FIRST_MOVES, SESSION, impossible, is_single

_STANDARD: Final = "Backgammon"
_SEATS: Final = 2
_GAMMONS: Final = "gammons"
_NUMBER: Final = re.compile(r"\d{1,9}")


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """The agreements of a file.

    ``terms`` say all but whether somebody beavers without an announcement. ``told_first``: the file says how
    the later games begin; else the games tell. ``void`` are the numbers of the games that do not count.
    ``doubt`` is what was agreed on and cannot be had here, "" if nothing.
    """

    rules: AnyRules
    options: dict[str, Any]
    terms: Terms
    told_first: bool
    void: frozenset[int]
    doubt: str = ""


def head(match: MatMatch, games: int) -> Head:
    """The agreements of ``match``, in which so many ``games`` are told; raises ``RecordError``."""
    tags = {name.casefold(): value for name, value in match.headers.items()}
    try:
        return _head(match, tags, games)
    except Refused as refused:
        raise RecordError(match.file, 1, refused.problem.detail or refused.problem.title) from refused


def _head(match: MatMatch, tags: Mapping[str, str], games: int) -> Head:
    game = _game(tags.get(written.VARIATION.casefold(), _STANDARD))
    options = _house_rules(tags)
    gammons = options.pop(_GAMMONS, True) is not False
    offered = game.offers(options)
    if written.NAME not in offered.exports:
        raise Refused("invalid_options", f"{game.name} with these house rules has no form as .mat.")
    first = tags.get(written.FIRST_MOVE.casefold(), "")
    if first not in ("", *FIRST_MOVES):
        raise Refused("invalid_options", f"{written.FIRST_MOVE} is one of {', '.join(FIRST_MOVES)}.")
    terms = Terms(
        target=None if match.target == SESSION and games == 1 and not first else match.target,
        first_move=first or "roll_each_game",
        cube=tags.get(written.CUBE_LIMIT.casefold()) not in ("0", "1"),
        beaver=_is_on(tags, written.BEAVER),
        gammons=gammons,
    )
    jacoby = terms.cube and match.target == SESSION and _is_on(tags, written.JACOBY)
    if jacoby and is_single(terms):
        terms, jacoby = msgspec.structs.replace(terms, jacoby=True), False
    if wrong := impossible(terms, offered, _SEATS, recorded=True):
        raise Refused("invalid_options", wrong)
    return Head(
        rules=game,
        options=options,
        terms=terms,
        told_first=bool(first),
        void=frozenset(map(int, _NUMBER.findall(tags.get(written.NOT_COUNTED.casefold(), "")))),
        doubt="the Jacoby rule is only for single games here" if jacoby else "",
    )


def _game(variation: str) -> AnyRules:
    """The game that the format calls ``variation``, in letters of either case."""
    words = games_of(written.NAME)
    for word, game in words.items():
        if word.casefold() == variation.strip().casefold():
            return game
    raise Refused("unknown_game", f"the variation {variation!r} is not known; there are {', '.join(words)}")


def _house_rules(tags: Mapping[str, str]) -> dict[str, Any]:
    """The options that are not the game's default, and ``gammons`` where every win counts single."""
    prefix = written.HOUSE_RULE.casefold()
    return {name[len(prefix) :]: _value(tags[name]) for name in tags if name.startswith(prefix)}


def _value(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text  # a word stands there without its quotation marks


def _is_on(tags: Mapping[str, str], name: str) -> bool:
    return tags.get(name.casefold(), "").strip().casefold() == "on"
