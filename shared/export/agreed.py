"""What a match was agreed to be: its games, whether a form can hold them, what is unusual in them."""

from collections.abc import Mapping
from typing import Any

import msgspec

from shared.events.match import MatchCreated
from shared.rules.registry import AnyRules
from shared.series import options_of, rules_at


def kinds(created: MatchCreated) -> list[AnyRules]:
    """The games of the match: one, or those of its series with the tie-break."""
    return [rules_at(created, game) for game in range(1, max(1, len(created.games)) + 1)]


def exports(game: AnyRules, created: MatchCreated) -> Mapping[str, str]:
    """The forms that can hold this game under the match's options, with their words for it."""
    return game.offers(options_of(game, created.options)).exports


def words(created: MatchCreated, form: str) -> set[str]:
    """What a form that can hold the match calls its games."""
    return {exports(game, created)[form] for game in kinds(created)}


def why_not(created: MatchCreated, form: str) -> str:
    """Why a form that holds some games cannot hold this match; "" if it can."""
    for game in kinds(created):
        if form in exports(game, created):
            continue
        if form in game.traits.exports:
            return f"{game.name} with {_listed(options_of(game, created.options))} has no form as .{form}."
        return f"{game.name} has no form as .{form}."
    return ""


def house_rules(created: MatchCreated) -> dict[str, Any]:
    """What was agreed on that no program expects: options that are not the game's default, by name.

    ``gammons`` stands among them where every win counts single.
    """
    agreed: dict[str, Any] = {} if created.terms.gammons else {"gammons": False}
    for game in kinds(created):
        schemas: dict[str, Any] = game.options().get("properties", {})
        agreed |= {
            name: value
            for name, value in options_of(game, created.options).items()
            if value != schemas[name].get("default")
        }
    return agreed


def _listed(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {msgspec.json.encode(value).decode()}" for name, value in options.items())
