"""``kronika replay`` draws every game of the family: what stands is drawn, in own numbers."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from typer.testing import CliRunner

from services.cli.__main__ import application
from services.cli.replay import boards, page
from shared.match import MatchView
from tests.support import golden

CHECKERS: Final = "●○"
WIDTH: Final = 3
BOARDS: Final = 7  # of each log every so many, and the last


class Picture:
    """A board read back out of its drawing, knowing nothing of the geometry.

    ``counts`` are by seat the checkers on its own points, 25 the bar; ``pinned`` by seat its own points.
    """

    def __init__(self, text: str) -> None:
        lines = text.split("\n")
        upper = next(place for place, line in enumerate(lines) if "┌" in line)
        lower = next(place for place, line in enumerate(lines) if "└" in line)
        middle = (upper + lower) // 2
        self.counts: list[dict[int, int]] = [{}, {}]
        self.pinned: list[set[int]] = [set(), set()]
        self.numbers = [
            [_numbers(lines[upper]), _numbers(lines[lower])],
            [_numbers(lines[upper - 1]), _numbers(lines[lower + 1])],
        ]
        assert lines[upper].startswith(" ●")
        assert lines[upper - 1].startswith(" ○")
        for half, rows in enumerate((lines[upper + 1 : middle], lines[lower - 1 : middle : -1])):
            for column in range(12):
                start = 3 + WIDTH * column + (WIDTH + 2) * (column >= 6)
                cells = [row[start : start + WIDTH] for row in rows]
                self._read(cells, [self.numbers[seat][half][column] for seat in (0, 1)])
            bar = [row[22:25] for row in rows]
            self._read(bar, [25, 25])
        self.bar = lines[middle][22:25]

    def _read(self, cells: list[str], own: list[int]) -> None:
        if pinned := re.fullmatch(r"\((.)\)", cells[0]):
            seat = CHECKERS.index(pinned[1])
            self.counts[seat][own[seat]] = 1
            self.pinned[seat].add(own[seat])
            cells = cells[1:]
        if (found := cells[0].strip()) in CHECKERS and found:
            seat = CHECKERS.index(found)
            stack = [cell.strip() for cell in cells if cell.strip()]
            many = int(stack[-1]) if stack[-1].isdigit() else len(stack)
            assert set(stack) <= {found, str(many)}
            self.counts[seat][own[seat]] = self.counts[seat].get(own[seat], 0) + many


def _numbers(line: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", line[: 3 + 13 * WIDTH + 2])]


def shown(name: str) -> list[MatchView]:
    """The boards of a golden match."""
    return [view for _, view in boards(golden.stored(name), 1)]


def standing(view: MatchView) -> list[dict[int, int]]:
    """The checkers of each seat by own point, without those that are off."""
    found: list[list[int]] = (view.board or {})["boards"]
    return [{point: count for point, count in enumerate(board) if point and count} for board in found]


def some(name: str) -> Iterator[MatchView]:
    views = shown(name)
    yield from views[::BOARDS]
    yield from views[-1:]


@pytest.mark.rule("S17", "N11")
@pytest.mark.parametrize("folder", golden.SCRIPTS)
def test_what_is_drawn_is_what_stands_in_the_numbers_of_each_side(folder: str) -> None:
    for name in golden.names():
        if not name.startswith(f"{folder}/"):
            continue
        for view in some(name):
            picture = Picture(page(view))
            assert picture.counts == standing(view), page(view)
            pinned: Any = (view.board or {}).get("pinned", [[], []])
            assert picture.pinned == [set(points) for points in pinned], page(view)


def test_in_contrary_geometry_one_side_counts_as_the_other_does_backwards() -> None:
    for name in ("backgammon/single", "plakoto/single"):
        numbers = Picture(page(shown(name)[0])).numbers
        assert numbers[1] == [[25 - point for point in half] for half in numbers[0]]


@pytest.mark.rule("N11")
@pytest.mark.parametrize("name", ["long_nardy/oin", "fevga/single"])
def test_in_parallel_geometry_the_heads_stand_in_opposite_corners(name: str) -> None:
    picture = Picture(page(shown(name)[0]))
    assert picture.counts == [{24: 15}, {24: 15}]
    mine, theirs = picture.numbers
    assert mine == [list(range(13, 25)), list(range(12, 0, -1))]
    assert theirs == [list(range(1, 13)), list(range(24, 12, -1))]


def test_there_is_a_bar_where_blots_are_hit_and_only_there() -> None:
    names = {"backgammon": "single", "hypergammon": "single", "nackgammon": "single"}
    others = {"plakoto": "single", "fevga": "single", "long_nardy": "oin"}
    assert {Picture(page(shown(f"{f}/{n}")[0])).bar for f, n in names.items()} == {"BAR"}
    assert {Picture(page(shown(f"{f}/{n}")[0])).bar for f, n in others.items()} == {"   "}


def test_long_nardy_at_the_start() -> None:
    drawn = page(shown("long_nardy/oin")[0]).split("\n\n")[1]
    assert [line[:46].rstrip() for line in drawn.split("\n")] == [
        " ○  1  2  3  4  5  6       7  8  9 10 11 12",
        " ●┌13─14─15─16─17─18─┬───┬19─20─21─22─23─24─┐",
        "  │ ·  ·  ·  ·  ·  · │   │ ·  ·  ·  ·  ·  ● │",
        "  │                  │   │                ● │",
        "  │                  │   │                ● │",
        "  │                  │   │                ● │",
        "  │                  │   │               15 │",
        "  │                  │   │                  │",
        "  │15                │   │                  │",
        "  │ ○                │   │                  │",
        "  │ ○                │   │                  │",
        "  │ ○                │   │                  │",
        "  │ ○  ·  ·  ·  ·  · │   │ ·  ·  ·  ·  ·  · │",
        " ●└12─11─10──9──8──7─┴───┴─6──5──4──3──2──1─┘",
        " ○ 24 23 22 21 20 19      18 17 16 15 14 13",
    ]


@pytest.mark.rule("N11")
def test_a_pinned_checker_lies_in_brackets_under_what_holds_it() -> None:
    view = next(
        view
        for view in shown("plakoto/mother-caught")
        if view.last.move and "/1*" in view.last.move and view.last.seat == 0
    )
    lines = page(view).split("\n")
    bottom = next(place for place, line in enumerate(lines) if "└" in line)
    column = 3 + WIDTH * 11 + WIDTH + 2  # seat 0's 1 is the other side's 24
    assert lines[bottom - 1][column : column + WIDTH] == "(○)"
    assert lines[bottom - 2][column : column + WIDTH] == " ● "


def head(view: MatchView) -> str:
    return page(view).split("\n")[0].partition("   ")[2]


@pytest.mark.rule("N4", "N5")
def test_the_head_says_which_game_of_which_series_it_is() -> None:
    heads = (head(view).partition("   ")[0] for view in shown("tavli/plakoto-draw"))
    assert list(dict.fromkeys(heads)) == [
        "Tavli, game 1 of 3: Backgammon",
        "Tavli, game 2 of 3: Plakoto",
        "Tavli, game 3 of 3: Fevga",
        "Tavli, game 4, tie-break: Backgammon",
    ]
    assert head(shown("mixed/three-games")[0]).startswith("Mixed match, game 1 of 3: Hypergammon   0:0")


@pytest.mark.rule("N2", "N3")
def test_the_head_says_the_mode_and_how_long_the_match_is() -> None:
    assert head(shown("long_nardy/oin")[0]).startswith("Long nardy, single game   game 1   0:0")
    assert head(shown("hypergammon/match-to-3")[0]).startswith("Hypergammon, to 3 points   game 1   0:0")
    assert head(shown("fevga/giveaway")[0]).startswith("Fevga (giveaway), single game")
    assert head(shown("backgammon/draw")[0]).startswith("Backgammon (draw), single game")


@pytest.mark.rule("N2")
@pytest.mark.parametrize("name", ["backgammon/draw", "hypergammon/draw", "long_nardy/draw"])
def test_the_last_roll_of_a_game_with_a_draw_is_told(name: str) -> None:
    *before, rolled, last = shown(name)
    turn = (rolled.board or {})["turn"]
    assert f"the last roll of the game, for {CHECKERS[turn]}" in page(rolled)
    assert "▶ " + CHECKERS[turn] in page(rolled)
    assert "last roll" not in page(before[0]) + page(last)


def replayed(name: str) -> str:
    """All that ``kronika replay`` prints of a golden log."""
    file = Path(golden.ROOT) / f"{name}.ndjson"
    done = CliRunner().invoke(application("replay"), ["replay", str(file), "--all"])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("game", [2, 9])
def test_a_game_that_was_not_played_is_said_not_to_be_there(game: int) -> None:
    file = golden.ROOT / "backgammon" / "single.ndjson"
    done = CliRunner().invoke(application("replay"), ["replay", str(file), "--all", "--game", str(game)])
    assert done.exit_code == 1
    assert (done.stdout, done.stderr.strip()) == ("", f"there is no game {game} in this match")


@pytest.mark.rule("N12")
def test_the_diagram_of_a_series_says_what_was_played() -> None:
    rows = [re.split(r"  +", line.strip()) for line in replayed("tavli/plakoto-draw").splitlines()]
    start = rows.index(["game", "played", "first", "cube", "winner", "how", "points", "score"])
    assert [row[1] for row in rows[start + 1 : start + 5]] == ["Backgammon", "Plakoto", "Fevga", "Backgammon"]
    assert "draw, played" in rows[start + 2]


def test_points_that_do_not_count_are_marked_in_the_diagram() -> None:
    printed = replayed("backgammon/blitz-kick")
    assert re.search(r"^1 .*\(not counted\) +0:0", printed, re.MULTILINE)
    assert not re.search(r"^2 .*not counted", printed, re.MULTILINE)
