"""What a resignation may be worth, given or not, and who can lose no more (S15, N2; rules §2.7, §2.8)."""

from random import Random
from typing import Any, Final

import msgspec
import pytest

from services.audit.cause import caused
from services.audit.report import Differs
from services.game.domain import decide
from shared.commands import AcceptResignation, DeclineResignation, Leave, Play, Resign
from shared.events.match import GameEnded, ResignationOffered, Terms
from shared.match import view
from shared.match.deciding import resignable
from shared.problems import Refused
from shared.rules.protocol import KINDS
from shared.rules.registry import CURRENT
from tests.support.playing import walk
from tests.support.story import SECRET, Story, race

DRAW: Final = {"mode": "draw"}
GIVEAWAY: Final = {"mode": "giveaway"}
CHECKERS: Final = {"backgammon": 15, "hypergammon": 3, "long_nardy": 15}
VIEWERS: Final = (0, 1, None)
MODES: Final = [
    (name, mode)
    for name, game in CURRENT.items()
    if game.traits.consent
    for mode in game.options()["properties"]["mode"]["enum"]
]
with_a_draw = pytest.mark.parametrize("rules", CHECKERS)
either = pytest.mark.parametrize("white", [0, 1])


def last_roll(rules: str, white: int, chance: str = "recorded") -> Story:
    """White has borne off everything; Black, with all his checkers on his 6, has his last roll before him."""
    checkers = CHECKERS[rules]
    told = Story(Terms(), chance, rules=rules, options=DRAW).started()
    told.to_play(white, (6, 5), race({1: 1}, checkers), race({6: checkers}, checkers))
    told.given(position=msgspec.structs.replace(told.state.position, first=white))
    told.when(white, Play("1/off"))
    return told


def refused(told: Story, seat: int, command: Any) -> str:
    """The sentence of the refusal."""
    with pytest.raises(Refused) as refusal:
        decide(told.state, seat, command, SECRET)
    assert refusal.value.problem.code == told.refusal(seat, command)
    return refusal.value.problem.detail


@pytest.mark.rule("N2", "S15")
@with_a_draw
@either
@pytest.mark.parametrize("worth", [None, 1, 2, 3])
@pytest.mark.parametrize("chance", ["recorded", "committed"])
def test_who_can_lose_no_more_has_nothing_to_resign(
    rules: str, white: int, worth: int | None, chance: str
) -> None:
    told = last_roll(rules, white, chance)
    resigning = Resign(confirm=True, worth=worth)
    assert told.refusal(white, resigning) == "resignation_unavailable"
    assert refused(told, white, resigning) == "You can lose no more."
    assert "resign" not in view(told.state, white).may
    assert "resign" in view(told.state, 1 - white).may


@pytest.mark.rule("N2")
@with_a_draw
@either
def test_the_verifier_knows_no_such_resignation_either(rules: str, white: int) -> None:
    told = last_roll(rules, white)
    for worth in (0, 1, 2, 3):
        with pytest.raises(Differs):
            caused(told.state, white, ResignationOffered(white, worth))
    assert caused(told.state, 1 - white, ResignationOffered(1 - white, 2)) == ResignationOffered(1 - white, 2)


@pytest.mark.rule("N2")
@with_a_draw
@either
def test_leaving_then_is_a_draw_and_the_other_side_may_still_resign(rules: str, white: int) -> None:
    ended = next(e for e in last_roll(rules, white).when(white, Leave()) if isinstance(e, GameEnded))
    assert (ended.winner, ended.points) == (None, 0)
    told = last_roll(rules, white)
    told.when(1 - white, Resign(confirm=True))
    ended = next(e for e in told.when(white, AcceptResignation()) if isinstance(e, GameEnded))
    assert ended.winner == white


@pytest.mark.rule("N3", "S15")
@pytest.mark.parametrize("rules", ["backgammon", "long_nardy", "plakoto"])
def test_in_giveaway_a_recorded_resignation_is_never_worth_more_than_one(rules: str) -> None:
    told = Story(Terms(cube=False), "recorded", rules=rules, options=GIVEAWAY).started().to_roll(0)
    for worth in (0, 2, 3):
        assert told.refusal(0, Resign(confirm=True, worth=worth)) == "invalid"
        assert refused(told, 0, Resign(confirm=True, worth=worth)).endswith("recorded match: 1.")
        with pytest.raises(Differs) as differs:
            caused(told.state, 0, ResignationOffered(0, worth))
        assert differs.value.field == "events[0].worth"
    assert told.when(0, Resign(worth=1)) == (ResignationOffered(0, 1),)


@pytest.mark.rule("S15")
@pytest.mark.parametrize("worth", [0, 4, -1])
def test_no_other_worth_than_one_two_or_three_is_recorded(worth: int) -> None:
    told = Story(Terms(), "recorded").started().to_roll(0)
    assert told.refusal(0, Resign(confirm=True, worth=worth)) == "invalid"
    with pytest.raises(Differs):
        caused(told.state, 0, ResignationOffered(0, worth))
    assert [told.refusal(1, Resign(worth=of)) for of in (2, 3)] == ["confirmation_required"] * 2


@pytest.mark.rule("S15", "N2", "N3")
@pytest.mark.parametrize("chance", ["recorded", "committed"])
@pytest.mark.parametrize(("rules", "mode"), MODES)
def test_whatever_may_be_offered_can_be_shown_accepted_and_declined(
    rules: str, mode: str, chance: str
) -> None:
    """At every position of a game, by either seat, as far as the match lets him offer it."""
    cube = mode != "giveaway" and CURRENT[rules].traits.cube
    told = Story(Terms(cube=cube), chance, rules=rules, options={"mode": mode}).started()
    before = told.state
    offers = 0
    for position in [*walk(told.state.rules, told.state.position, Random(5))][:-1]:
        for seat in (0, 1):
            state = told.given(**msgspec.structs.asdict(before) | {"position": position}).state
            try:
                offered = decide(state, seat, Resign(confirm=True), SECRET).state
            except Refused as refusal:
                assert refusal.problem.code == "resignation_unavailable"  # noqa: PT017 - both outcomes are right
                assert "resign" not in view(state, seat).may
                continue
            offers += 1
            assert offered.resignation is not None
            assert offered.resignation.worth in resignable(state)
            assert {view(offered, viewer).resignation is None for viewer in VIEWERS} == {False}
            assert decide(offered, 1 - seat, DeclineResignation(), SECRET).state.resignation is None
            over = decide(offered, 1 - seat, AcceptResignation(), SECRET).state.games[0]
            assert (over.winner, over.kind) == (1 - seat, KINDS[offered.resignation.worth])
    assert offers
