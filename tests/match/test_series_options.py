"""Options of a series: offered where they leave every game the same match, refused by their own names."""

from collections.abc import Mapping
from typing import Any, Final

import pytest

from shared import series
from shared.events.match import Pinned
from shared.rules import registry
from shared.rules.protocol import Traits
from shared.series import SERIES, Series, series_options, wrong_series
from tests.support.hidden_hand import HiddenHand
from tests.support.story import games_of, terms_of

SWITCH: Final = {"type": "boolean", "default": False, "description": "On or off."}
HARMLESS: Final = {"enum": ["few", "many"], "default": "few", "description": "As one likes."}


class Choosy(HiddenHand):
    """A game to points whose ``alone`` options, all of them together switched on, leave single games only."""

    def __init__(self, name: str, properties: dict[str, Any], alone: tuple[str, ...]) -> None:
        self.name = name
        self.traits = Traits(matches=True)
        self._properties = properties
        self._alone = alone

    def options(self) -> dict[str, Any]:
        """As given."""
        return {"type": "object", "properties": self._properties, "additionalProperties": False}

    def offers(self, options: Mapping[str, Any]) -> Traits:
        """No matches where all that leaves single games only is on."""
        return Traits(matches=not (self._alone and all(options.get(name) for name in self._alone)))


def trial(patch: pytest.MonkeyPatch, *games: Choosy) -> tuple[Pinned, ...]:
    """A series of these games, the first of them as its tie-break; its games as they are pinned."""
    for game in games:
        patch.setitem(registry.RULES, (game.name, game.version), game)
        patch.setitem(registry.CURRENT, game.name, game)
    names = tuple(game.name for game in games)
    patch.setitem(SERIES, "trial", Series("Trial", names, names[0], cube=False))
    return series.pinned("trial")


def offered() -> set[str]:
    return set(series_options("trial")["properties"])


def test_a_switch_is_offered_only_where_it_leaves_the_same_match(monkeypatch: pytest.MonkeyPatch) -> None:
    trial(monkeypatch, Choosy("one", {"alone": SWITCH, "quiet": SWITCH, "how": HARMLESS}, ("alone",)))
    assert offered() == {"quiet", "how"}


def test_an_option_is_offered_only_if_every_game_that_knows_it_stays_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = Choosy("one", {"both": SWITCH, "how": HARMLESS}, ("both",))
    two = Choosy("two", {"both": SWITCH}, ())
    trial(monkeypatch, one, two)
    assert offered() == {"how"}
    trial(monkeypatch, two, one)
    assert offered() == {"how"}


def test_an_option_whose_values_cannot_all_be_tried_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = {"type": "integer", "minimum": 1, "default": 1, "description": "Rounds."}
    trial(monkeypatch, Choosy("one", {"rounds": rounds, "how": HARMLESS}, ()))
    assert offered() == {"how"}


@pytest.mark.rule("N4", "N5")
@pytest.mark.parametrize("name", ["mixed", "tavli"])
@pytest.mark.parametrize("mode", ["giveaway", "draw"])
def test_a_refusal_names_only_the_option_that_makes_another_match(name: str, mode: str) -> None:
    options = {"triple": True, "mode": mode, "opening_dice_played": True}
    wrong = wrong_series(terms_of(name), options, games_of(name))
    assert wrong == "options: mode: only in single games."


def test_options_that_only_together_make_another_match_are_all_named(monkeypatch: pytest.MonkeyPatch) -> None:
    games = trial(monkeypatch, Choosy("one", {"left": SWITCH, "right": SWITCH}, ("left", "right")))
    terms = terms_of("trial")
    assert wrong_series(terms, {"left": True}, games) == ""
    both = wrong_series(terms, {"left": True, "right": True}, games)
    assert both == "options: left, right: only in single games."


def test_a_title_is_found_by_the_name_of_a_game_or_series_and_is_the_name_where_nobody_knows_it() -> None:
    assert [series.title(name) for name in ("long_nardy", "gomoku3d", "mixed", "tavli", "of_the_future")] == [
        "Long nardy",
        "3D gomoku",
        "Mixed match",
        "Tavli",
        "of_the_future",
    ]
