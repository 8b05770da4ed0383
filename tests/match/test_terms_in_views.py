"""What was agreed on stands in every view: nobody must guess what a gammon is worth."""

from typing import Any, Final

import msgspec
import pytest

from shared.catalogue import HOUSES
from shared.commands import Double, Ready
from shared.elo import OWN
from shared.events.match import MatchCreated, Seat, Terms
from shared.events.staked import Staked
from shared.match import demands, view
from shared.match.applying import created
from shared.ratings import snapshot
from tests.support.story import Story, terms_of

VIEWERS: Final = (0, 1, None)
PLAIN: Final = {"mode": "normal", "triple": True, "resign_gammon_requires_none_off": False}


def agreed(told: Story) -> tuple[dict[str, Any], dict[str, Any]]:
    """Terms and options as JSON, alike for every viewer."""
    seen: list[dict[str, Any]] = [
        msgspec.json.decode(msgspec.json.encode(view(told.state, viewer))) for viewer in VIEWERS
    ]
    found = [(shown["terms"], shown["options"]) for shown in seen]
    assert found[0] == found[1] == found[2]
    return found[0]


@pytest.mark.rule("S1", "N8")
@pytest.mark.parametrize(
    "terms",
    [
        Terms(),
        Terms(jacoby=True, beaver=True),
        Terms(gammons=False),
        Terms(target=5, first_move="roll_each_game"),
        HOUSES["duels"].match,
        HOUSES["nardy"].single,
    ],
    ids=["plain", "jacoby", "gammons off", "to 5", "duels", "nardy"],
)
def test_the_terms_stand_in_the_view_with_nothing_left_out(terms: Terms) -> None:
    told = Story(terms)
    shown, _ = agreed(told)
    assert set(shown) == set(Terms.__struct_fields__)
    assert msgspec.convert(shown, Terms) == terms
    assert agreed(told.started())[0] == shown


@pytest.mark.rule("N2", "N11")
@pytest.mark.parametrize(
    ("rules", "given", "options"),
    [
        ("backgammon", {}, PLAIN),
        ("backgammon", {"triple": False}, PLAIN | {"triple": False}),
        ("hypergammon", {"mode": "draw"}, PLAIN | {"mode": "draw"}),
        ("long_nardy", {"koks": 2}, {"mode": "normal", "koks": 2, "opening_dice_played": False}),
        ("plakoto", {"opening_dice_played": True}, {"mode": "normal", "opening_dice_played": True}),
    ],
)
def test_so_do_the_options_of_the_game_defaults_too(
    rules: str, given: dict[str, Any], options: dict[str, Any]
) -> None:
    told = Story(Terms(cube=rules != "plakoto"), rules=rules, options=given)
    assert agreed(told)[1] == options
    assert agreed(told.started())[1] == options


@pytest.mark.rule("N4")
def test_in_a_series_they_are_those_of_the_game_in_hand() -> None:
    told = Story(terms_of("mixed"), options={"koks": 2, "triple": False}).started()
    assert agreed(told)[1] == PLAIN | {"triple": False}
    told.wins(0)
    assert agreed(told)[1] == PLAIN | {"triple": False}, "until the next begins"
    assert agreed(told.next_game())[1] == {"mode": "normal", "koks": 2, "opening_dice_played": False}


def test_a_game_without_options_has_none() -> None:
    assert agreed(Story(Terms(cube=False), rules="gomoku3d"))[1] == {}


@pytest.mark.rule("N3", "S6")
def test_there_is_a_cube_where_terms_and_options_both_have_one() -> None:
    """No such match is created, but what a log says is judged in one place: by what the options offer."""
    told = Story(Terms(target=2)).started()
    assert told.state.has_cube
    giveaway = msgspec.structs.replace(told.state.created, options={"mode": "giveaway"})
    assert not created("mstory234567", giveaway).has_cube
    told = Story(Terms(target=2)).given(created=giveaway)
    told.when(0, Ready())
    told.when(1, Ready())
    assert not told.state.has_cube
    assert view(told.state, 0).cube is None
    told.to_roll(0)
    assert [d.commands for d in demands(told.state)] == [("roll",)]
    assert told.refusal(0, Double()) == "cube_unavailable"
    told.wins(0)
    following = view(told.state, 0).following
    assert following is not None
    assert not following.crawford, "there is nothing that could not be doubled"


@pytest.mark.rule("B10", "S4")
def test_what_the_match_may_change_and_is_played_for_stands_in_every_view_as_it_began() -> None:
    before = [(2400, 100), (2600, 3)]
    rated = snapshot("chess", Terms(), before, halving=OWN)
    staked = Staked(base=100, worst=1, fixed=True, fee_permille=50)
    event = MatchCreated(
        rules="chess",
        rules_version=1,
        seats=(Seat("pplayer1234"), Seat("pplayer2345")),
        secret_hash="",
        terms=Terms(),
    )
    for agreed_on, found in (
        (event, (None, None)),
        (msgspec.structs.replace(event, rated=rated, staked=staked), (rated, staked)),
    ):
        for viewer in VIEWERS:
            shown = view(created("mmatch1234", agreed_on), viewer)
            assert (shown.rated, shown.staked) == found
