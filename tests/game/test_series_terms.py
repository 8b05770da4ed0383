"""What the game service refuses to create: every wrong combination, by the name of its option."""

import msgspec
import pytest

from services.game.domain import create
from shared.commands import CreateMatch
from shared.events.match import MatchCreated, Pinned, Terms
from shared.problems import Refused
from tests.support.story import SECRET, Story, terms_of
from tests.support.wrong_terms import WRONG


def creating(created: MatchCreated) -> CreateMatch:
    """The command whose first event would be this one."""
    return CreateMatch(
        rules=created.rules,
        rules_version=created.rules_version,
        seats=created.seats,
        terms=created.terms,
        options=created.options,
        games=created.games,
    )


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_combination_is_refused_by_the_name_of_its_option(name: str) -> None:
    wrong = WRONG[name]
    with pytest.raises(Refused) as refused:
        create(creating(wrong.created()), SECRET)
    assert refused.value.problem.code == "invalid_options"
    assert wrong.named in refused.value.problem.detail


@pytest.mark.parametrize("name", ["mixed", "tavli"])
def test_a_series_begins_with_its_first_game_and_knows_its_versions(name: str) -> None:
    created = Story(terms_of(name)).state.created
    other = msgspec.structs.replace(created, rules=created.games[1].rules)
    with pytest.raises(Refused) as refused:
        create(creating(other), SECRET)
    assert refused.value.problem.code == "invalid_options"
    unknown = (*created.games[:2], Pinned(created.games[2].rules, 99), created.games[3])
    with pytest.raises(Refused) as refused:
        create(creating(msgspec.structs.replace(created, games=unknown)), SECRET)
    assert refused.value.problem.code == "unknown_game"


@pytest.mark.rule("N6")
@pytest.mark.parametrize("rules", ["backgammon", "hypergammon", "long_nardy"])
@pytest.mark.parametrize("target", [2, 3, 5, 7, 9, 11, 13])
def test_matches_to_points_are_played_in_short_hypergammon_and_long_nardy(rules: str, target: int) -> None:
    assert Story(Terms(target=target), rules=rules).state.created.terms.target == target
