"""Series of different games: their order, the tie-break, who begins, what is shown, the cube (§5.2–§5.4)."""

from typing import Any, Final

import msgspec
import pytest

from shared.commands import Beaver, Double, Next, Roll, SetAutoRoll, Take
from shared.events.match import DiceRolled, GameStarted, MatchEnded, NextPressed, SecretRevealed, Terms
from shared.match import Phase, demands, view
from shared.match.shapes import NextGame, SeriesView
from tests.support.story import SECRET, Story, terms_of

A, B = 0, 1
GAMES: Final = {
    "mixed": ["hypergammon", "long_nardy", "backgammon"],
    "tavli": ["backgammon", "plakoto", "fevga"],
}
OPENING_PLAYED: Final = ("backgammon", "hypergammon", "nackgammon")
ROLLED_AFRESH: Final = ("long_nardy", "plakoto", "fevga")
both = pytest.mark.parametrize("name", GAMES)


def told_of(name: str, **others: Any) -> Story:
    """A series, its first game begun."""
    return Story(terms_of(name), **others).started()


def finished(told: Story) -> list[str]:
    """The games that were played to their end, in their order."""
    return [record.rules for record in told.state.games]


def began(told: Story) -> list[int | None]:
    """Who began the finished games."""
    return [record.first for record in told.state.games]


@pytest.mark.rule("N4")
def test_a_mixed_match_is_hypergammon_long_nardy_short_and_one_more_hypergammon_if_level() -> None:
    """The row of §5.4: 2-0 by a gammon, 2-1, 2-2; who wins the fourth game wins the match."""
    told = told_of("mixed")
    assert told.wins(A, worth=2).score == (2, 0)
    assert told.begins().rules == "long_nardy"
    assert told.wins(B).score == (2, 1)
    assert told.begins().rules == "backgammon"
    assert told.wins(B).score == (2, 2)
    assert told.begins().rules == "hypergammon"
    told.wins(B)
    ended = MatchEnded(winner=B, score=(2, 3), cause="played")
    assert {ended, SecretRevealed(SECRET.hex())} <= {*told.events[-3:]}
    assert finished(told) == [*GAMES["mixed"], "hypergammon"]


@pytest.mark.rule("N5", "N11")
def test_tavli_is_short_plakoto_fevga_and_one_more_short_if_level() -> None:
    """The row of §5.4: 1-0, a drawn Plakoto counts as played, 1-1, and another Short decides."""
    told = told_of("tavli")
    assert told.wins(A).score == (1, 0)
    assert told.begins().rules == "plakoto"
    drawn = told.catches_both_mothers(B)
    assert (drawn.winner, drawn.kind, drawn.points, drawn.counted) == (None, "draw", 0, True)
    assert drawn.score == (1, 0)
    assert told.begins().rules == "fevga"
    assert told.wins(B).score == (1, 1)
    assert told.begins().rules == "backgammon"
    told.wins(A)
    assert (told.state.phase, told.state.winner, told.state.score) == (Phase.OVER, A, (2, 1))
    assert finished(told) == [*GAMES["tavli"], "backgammon"]


@pytest.mark.rule("N4", "N5")
@both
@pytest.mark.parametrize("worth", [1, 2, 3])
def test_all_three_games_are_played_whatever_the_score_and_then_the_leader_has_won(
    name: str, worth: int
) -> None:
    told = told_of(name)
    for _ in range(2):
        told.wins(A, worth)
        assert told.state.phase is Phase.BETWEEN
        told.next_game()
    told.wins(A, worth)
    assert (told.state.phase, told.state.winner) == (Phase.OVER, A)
    assert finished(told) == GAMES[name]


@pytest.mark.rule("N9", "N5")
@pytest.mark.parametrize(
    ("name", "options", "points"),
    [
        ("mixed", {}, [3, 3, 3]),
        ("mixed", {"koks": 2}, [3, 2, 3]),
        ("mixed", {"triple": False}, [2, 3, 2]),
        ("tavli", {}, [3, 2, 2]),
        ("tavli", {"triple": False}, [2, 2, 2]),
    ],
)
def test_a_backgammon_counts_three_where_the_game_knows_it_and_the_table_has_not_said_otherwise(
    name: str, options: dict[str, Any], points: list[int]
) -> None:
    told = told_of(name, options=options)
    won = [told.wins(B, worth=3).points]
    won += [told.next_game().wins(B, worth=3).points for _ in range(2)]
    assert won == points


@pytest.mark.rule("N7")
@both
def test_the_first_move_is_rolled_for_once_and_alternates_through_the_tie_break(name: str) -> None:
    told = told_of(name).level()
    tie_break = told.begins()
    first = began(told)[0]
    assert first is not None
    assert [*began(told), tie_break.first] == [first, 1 - first, first, 1 - first]
    started = [event.first for event in told.events if isinstance(event, GameStarted)]
    assert started == [None, 1 - first, first, 1 - first]
    rolls = [event.seat for event in told.events if isinstance(event, DiceRolled)]
    assert rolls.count(None) == len(rolls), "nobody has rolled for himself in this story"
    assert demands(told.state)[0].seat == 1 - first, "no opening roll in the tie-break"


@both
def test_a_series_may_roll_for_the_first_move_of_every_game(name: str) -> None:
    terms = msgspec.structs.replace(terms_of(name), first_move="roll_each_game")
    told = Story(terms).started()
    for _ in range(2):
        told.wins(A)
        rolls = len([event for event in told.events if isinstance(event, DiceRolled)])
        assert told.begins().first is None
        fell = [event for event in told.events if isinstance(event, DiceRolled)][rolls:]
        assert {event.seat for event in fell} == {None}
        afresh = told.state.rules.name in ROLLED_AFRESH
        assert ("roll" in demands(told.state)[0].commands) == afresh


@pytest.mark.rule("N7", "N11")
@pytest.mark.parametrize("rules", [*OPENING_PLAYED, *ROLLED_AFRESH])
@pytest.mark.parametrize("secret", [bytes([n]) * 32 for n in range(4)])
def test_the_starter_plays_the_opening_dice_or_rolls_both_afresh(rules: str, secret: bytes) -> None:
    told = Story(Terms(cube=False), rules=rules, secret=secret).started()
    opening = [event for event in told.events if isinstance(event, DiceRolled)][-1]
    first = 0 if opening.dice[0] > opening.dice[1] else 1
    assert (opening.seat, told.state.first) == (None, first)
    if rules in OPENING_PLAYED:
        assert told.state.position.dice == opening.dice
        return
    assert [(d.seat, d.commands) for d in demands(told.state)] == [(first, ("roll",))]
    (rolled,) = told.when(first, Roll())
    assert isinstance(rolled, DiceRolled)
    assert (rolled.seat, rolled.draw) == (first, (opening.draw or 0) + 1)


@pytest.mark.rule("N11")
@pytest.mark.parametrize("rules", ROLLED_AFRESH)
def test_with_auto_roll_the_starter_has_rolled_afresh_at_once(rules: str) -> None:
    told = Story(Terms(cube=False), rules=rules)
    for seat in (0, 1):
        told.when(seat, SetAutoRoll(on=True))
    told.started()
    rolls = [event.seat for event in told.events if isinstance(event, DiceRolled)]
    assert rolls[-2:] == [None, told.state.first]
    assert told.state.position.dice


@pytest.mark.rule("N7")
@pytest.mark.parametrize("rules", ROLLED_AFRESH)
def test_a_table_may_have_the_opening_dice_played_there_too(rules: str) -> None:
    told = Story(Terms(cube=False), rules=rules, options={"opening_dice_played": True}).started()
    assert told.state.position.dice
    assert demands(told.state)[0].commands == ("play",)


@pytest.mark.rule("N4")
def test_a_mixed_match_has_the_cube_no_beaver_and_no_crawford_game_at_any_score() -> None:
    told = told_of("mixed")
    for game in range(3):
        if game:
            assert not told.begins().crawford
        told.to_roll(A)
        told.when(A, Double())
        assert demands(told.state)[0].commands == ("take", "pass")
        assert told.refusal(B, Beaver()) == "beaver_unavailable"
        told.when(B, Take())
        told.wins(A if game == 1 else B, worth=game + 1, cube=64 if game == 1 else 2)
        assert not told.state.crawford_used
    assert [record.points for record in told.state.games] == [2, 128, 6]
    assert not any(record.crawford for record in told.state.games)


@pytest.mark.rule("N4")
@pytest.mark.parametrize("score", [(0, 0), (1, 0), (2, 1), (4, 8), (12, 12), (0, 191)])
def test_at_no_score_of_a_mixed_match_is_its_next_game_a_crawford_game(score: tuple[int, int]) -> None:
    told = told_of("mixed").given(score=score)
    told.wins(A)
    assert not told.begins().crawford
    told.to_roll(B)
    assert told.when(B, Double())


@pytest.mark.rule("N5")
def test_no_game_of_a_tavli_has_the_cube() -> None:
    games = [told_of("tavli"), told_of("tavli").level().next_game()]
    for played in (1, 2):
        games.append(told_of("tavli"))
        for _ in range(played):
            games[-1].wins(B)
            games[-1].next_game()
    assert {told.state.rules.name for told in games} == set(GAMES["tavli"])
    for told in games:
        told.to_roll(A)
        assert [d.commands for d in demands(told.state)] == [("roll",)]
        assert told.refusal(A, Double()) == "cube_unavailable"
        assert view(told.state, A).cube is None


@pytest.mark.rule("S5", "N12")
@both
def test_between_its_games_both_press_next_and_see_what_follows(name: str) -> None:
    told = told_of(name)
    shown = view(told.state, None)
    assert shown.series == SeriesView(name, tuple(GAMES[name]), GAMES[name][0])
    assert (shown.rules, shown.target, shown.following) == (GAMES[name][0], None, None)
    told.wins(A)
    first = told.state.first
    shown = view(told.state, B)
    assert shown.following == NextGame(2, GAMES[name][1], 1 - (first or 0), crawford=False)
    assert [(d.seat, d.commands) for d in shown.decide] == [(0, ("next",)), (1, ("next",))]
    assert told.when(B, Next()) == (NextPressed(B),)
    assert told.refusal(B, Next()) == "unchanged"
    assert told.refusal(A, Roll()) == "wrong_phase"
    pressed, started = told.when(A, Next())
    assert (pressed, type(started)) == (NextPressed(A), GameStarted)
    shown = view(told.state, None)
    assert (shown.rules, shown.game, shown.following) == (GAMES[name][1], 2, None)


@pytest.mark.rule("N12")
@both
def test_the_diagram_of_a_series_says_what_was_played_and_what_the_tie_break_will_be(name: str) -> None:
    told = told_of(name).level()
    shown = view(told.state, None)
    assert [row.rules for row in shown.diagram] == GAMES[name]
    assert shown.following is not None
    assert (shown.following.game, shown.following.rules) == (4, GAMES[name][0])
    told.next_game().wins(B)
    shown = view(told.state, None)
    assert [row.rules for row in shown.diagram] == [*GAMES[name], GAMES[name][0]]
    assert shown.following is None
    assert shown.result is not None
    assert shown.result.winner == B


@both
def test_auto_roll_stays_on_from_game_to_game(name: str) -> None:
    told = told_of(name)
    for seat in (0, 1):
        told.when(seat, SetAutoRoll(on=True))
    told.wins(A)
    assert told.next_game().state.position.dice, "the next game's first roll has fallen by itself"
