"""Recorded matches as commands: every file is legal to the last move; what cannot be replayed is refused."""

from pathlib import Path

import pytest

from services.cli.importing.planning.tables import Plan, plan
from services.cli.importing.reading.mat import MatError, parse
from shared.commands import (
    AcceptBeaver,
    AcceptResignation,
    Beaver,
    Double,
    Pass,
    Play,
    Resign,
    Roll,
    Take,
)
from shared.match import Phase
from tests.support.replay import played

FILES = sorted((Path(__file__).parents[1] / "data" / "backgammon").glob("*.mat"))
FINAL = {
    "match-01.mat": (7, 12),
    "match-02.mat": (11, 2),
    "match-03.mat": (12, 0),
    "match-04.mat": (18, 15),
    "match-05.mat": (18, 4),
    "match-06.mat": (14, 17),
    "match-07.mat": (30, 20),
    "match-08.mat": (23, 12),
    "match-09.mat": (5, 2),
}
HEAD = " Alfa : {}                       Beta : {}\n"
OPENING = "  1) 31: 8/5 6/5                   52: 24/22 13/8\n"


def game(lines: str, number: int = 1, score: tuple[int, int] = (0, 0)) -> str:
    return f"\n Game {number}\n{HEAD.format(*score)}{lines}"


def planned(*games: str, target: int = 5) -> Plan:
    return plan(parse(f"{target} point match\n{''.join(games)}".encode(), "some.mat"))


def commands(found: Plan, number: int = 0) -> list[object]:
    return [step.command for step in found.games[number].steps]


@pytest.mark.rule("N6")
@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_recorded_match_is_legal_to_the_end_and_has_the_written_score(file: Path) -> None:
    recorded = parse(file.read_bytes(), file.name)
    found = plan(recorded)
    assert found.complete
    assert found.over
    assert found.score == FINAL[file.name]
    match = played(found)
    assert match.now.phase is Phase.OVER
    assert match.now.score == FINAL[file.name]
    assert match.now.winner == max((0, 1), key=lambda seat: found.score[seat])
    written = [g.points for g in recorded.games]
    assert [g.points for g in match.now.games][:-1] == written[:-1]


def test_opening_dice_stand_by_seat() -> None:
    right = planned(game("  1)                     13: 8/5 6/5\n  2) 52: 13/8 13/11\n"))
    assert commands(right)[0] == Roll(dice=(1, 3))
    assert [step.seat for step in right.games[0].steps] == [1, 1, 0, 0]


@pytest.mark.rule("S9")
def test_double_take_and_drop() -> None:
    found = planned(
        game(
            OPENING
            + "  2)  Doubles => 2                    Takes\n"
            + "  3) 61: 13/7 8/7                   Doubles => 4\n"
            + "  4)  Drops\n"
        ),
    )
    assert found.games[0].winner == 1
    assert found.score == (0, 2)
    assert [type(c) for c in commands(found)][4:] == [Double, Take, Roll, Play, Double, Pass]
    assert played(found).now.score == (0, 2)


def test_a_double_dropped_without_a_word() -> None:
    found = planned(game(OPENING + "  2)  Doubles => 2\n      Wins 1 point\n"))
    assert commands(found)[-1] == Pass()
    assert found.score == (1, 0)


@pytest.mark.rule("S10")
def test_beaver_accepted_by_rolling_and_by_word() -> None:
    for answer in ("", " Takes"):
        rest = f"  3) {answer:<34}\n  4) 61: 13/7 8/7\n" if answer else "  3) 61: 13/7 8/7\n"
        found = planned(
            game(OPENING + "  2)  Doubles => 2                    Beavers => 4\n" + rest), target=0
        )
        assert found.terms.beaver
        assert commands(found)[4:7] == [Double(), Beaver(), AcceptBeaver()]
        assert played(found).now.cube.value == 4


def test_beaver_dropped() -> None:
    found = planned(
        game(OPENING + "  2)  Doubles => 2                    Beavers => 4\n  3)  Drops\n"), target=0
    )
    assert found.score == (0, 2)
    assert played(found).now.score == (0, 2)


@pytest.mark.parametrize(("points", "worth"), [(1, 1), (2, 2), (3, 3)])
def test_a_resignation_is_worth_what_is_written(points: int, worth: int) -> None:
    found = planned(
        game(OPENING + f"  2) 61: ????\n                                   Wins {points} points\n")
    )
    assert commands(found)[-2:] == [Resign(confirm=True, worth=worth), AcceptResignation()]
    assert [step.seat for step in found.games[0].steps[-2:]] == [0, 1]
    assert played(found).now.score == (0, points)


def test_a_missing_wins_line_is_read_from_the_next_score() -> None:
    found = planned(game(OPENING + "  2) 61: 13/7 8/7\n"), game(OPENING + "      Wins 1 point\n", 2, (0, 2)))
    assert (found.games[0].winner, found.games[0].points) == (1, 2)
    assert found.score == (1, 2)


def test_concession_without_points_is_worth_what_the_rules_say() -> None:
    found = planned(game(OPENING + "  2) 61: 13/7 8/7                   Concedes\n"))
    assert found.score == (1, 0)


def test_a_forced_move_may_be_left_out() -> None:
    lines = (
        "  1) 64: 13/7 13/9                 62: 13/7 24/22\n"
        "  2) 56: 7/1* 8/3*                 63:\n"
        "  3)  Concedes\n"
    )
    found = planned(game(lines))
    assert Play("bar/22*") in commands(found)
    assert found.games[0].winner == 1


def test_who_gives_up_after_the_roll_does_not_play_the_only_move() -> None:
    lines = (
        "  1) 64: 13/7 13/9                 62: 13/7 24/22\n"
        "  2) 56: 7/1* 8/3*                 63: ????\n"
        "      Wins 1 point\n"
    )
    assert commands(planned(game(lines)))[-2:] == [Resign(confirm=True, worth=1), AcceptResignation()]
    assert Play("bar/22*") not in commands(planned(game(lines)))


def test_a_house_match_exported_with_alternating_first_move_reads_back() -> None:
    found = planned(
        game(OPENING + "      Wins 1 point\n"),
        game("  1)                             33: 8/5(2) 6/3(2)\n      Wins 1 point\n", 2, (1, 0)),
        game(
            "  1)  Doubles => 2             Takes\n  2) 11: 8/7(2) 6/5(2)\n      Wins 2 points\n", 3, (2, 0)
        ),
    )
    assert found.terms.first_move == "alternate"
    assert played(found).now.score == (4, 0)


def test_a_match_that_stops_before_the_target() -> None:
    found = planned(game(OPENING + "      Wins 1 point\n"))
    assert found.complete
    assert not found.over


def test_a_game_that_just_stops() -> None:
    found = planned(game(OPENING + "      Wins 1 point\n"), game(OPENING, 2, (1, 0)))
    assert not found.complete
    assert found.score == (1, 0)


def test_games_after_the_end_of_the_match_are_left_out() -> None:
    found = planned(game(OPENING + "      Wins 2 points\n"), game(OPENING, 2, (2, 0)), target=2)
    assert len(found.games) == 1
    assert "already over" in found.notes[0]


def test_a_surplus_that_is_not_written_is_noted() -> None:
    cube = "  2)  Doubles => 2                    Takes\n  3)  Concedes\n"
    found = planned(
        game(OPENING + "                                   Wins 2 points\n"),
        game(OPENING + "      Wins 1 point\n", 2, (0, 2)),
        game(OPENING + cube + "                                   Wins 1 point and the match\n", 3, (1, 2)),
        target=3,
    )
    assert found.score == (1, 4)
    assert found.over
    assert "surplus" in found.notes[0]


@pytest.mark.parametrize(
    ("games", "line", "reason"),
    [
        ((game("  1) 31: 8/5 7/5\n"),), 5, "7"),
        ((game("  1) 33: 8/5 6/3\n"),), 5, "double"),
        ((game(OPENING + "  2) 66: 24/18(2) 13/2\n"),), 6, "13/2"),
        ((game("  1) 31: 8/5 6/5                   52:\n  2) 61: 13/7 8/7\n"),), 5, "no move is written"),
        ((game(OPENING + "  2)                                 61: 13/7 8/7\n"),), 6, "not the turn"),
        ((game(OPENING + "  2)  Takes\n"),), 6, "without a double"),
        ((game(OPENING + "  2)                                  Doubles => 2\n"),), 6, "may not double"),
        ((game(OPENING + "  2)  Doubles => 4\n"),), 6, "go to 2, not to 4"),
        ((game(OPENING + "  2)  Doubles => 2\n  3)  Takes\n"),), 7, "own double"),
        ((game(OPENING + "  2)  Doubles => 2                    Raccoons => 8\n"),), 6, "raccoon"),
        ((game(OPENING + "  2)  Concedes                       52: 13/8\n"),), 6, "after a resignation"),
        ((game(OPENING, 1, (3, 2)),), 4, "3:2"),
        ((game(OPENING + "      Wins 1 point\n"), game(OPENING, 2, (2, 0))), 6, "1 points are written"),
        ((game(OPENING), game(OPENING, 2, (0, 0))), 5, "does not count"),
        ((game(OPENING), game(OPENING, 2, (1, 1))), 5, "no winner"),
        ((game(""),), 3, "no game has any moves"),
    ],
)
def test_what_cannot_be_replayed_is_named(games: tuple[str, ...], line: int, reason: str) -> None:
    with pytest.raises(MatError) as caught:
        planned(*games)
    assert caught.value.line == line, str(caught.value)
    assert reason in caught.value.reason


@pytest.mark.rule("S6")
def test_a_double_in_the_crawford_game_is_refused() -> None:
    with pytest.raises(MatError, match="Crawford"):
        planned(
            game(OPENING + "      Wins 1 point\n"),
            game(OPENING + "  2)  Doubles => 2                    Takes\n", 2, (1, 0)),
            target=2,
        )
