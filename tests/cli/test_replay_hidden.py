"""``kronika replay`` draws cards, fleets and tiles for two to five: all that the view holds, and no more."""

import re
from pathlib import Path
from typing import Any, Final

import pytest
from typer.testing import CliRunner

from services.cli.__main__ import application
from services.cli.replay import boards, page
from shared.match import MatchState, MatchView, Phase, view
from shared.rules.battleship.board import NAMES
from shared.rules.prsi.cards import NAMES as CARDS
from tests.support import golden

EVERY: Final = 9  # of each log every so many boards, and the last
FOLDERS: Final = tuple(golden.HIDDEN)
OF_SEVERAL: Final = {
    "prsi/five-places": 5,
    "prsi/first-of-three": 3,
    "prsi/flag-of-four": 4,
    "prsi/stalemate-of-three": 3,
    "scrabble/absent-of-three": 3,
    "scrabble/out-of-four": 4,
    "scrabble/three-of-four-gave-up": 4,
}


def states(name: str) -> list[tuple[MatchState, MatchView]]:
    shown = list(boards(golden.stored(name), 1))
    return [*shown[::EVERY], shown[-1]]


def logs(folder: str) -> list[str]:
    return [name for name in golden.names() if name.startswith(f"{folder}/")]


def drawn(view_: MatchView) -> list[str]:
    """The lines of the board: without the head and without the last words."""
    return page(view_).split("\n")[2:-3]


def hands(view_: MatchView) -> list[set[str]]:
    """By seat the cards that are drawn beside it."""
    rows = [line for line in drawn(view_) if re.match(r"  [▶ ] seat \d", line)]
    return [{word for word in row.split() if word in CARDS} for row in rows]


def seas(view_: MatchView) -> list[dict[str, str]]:
    """By seat what is drawn on each cell; the two seas stand side by side."""
    rows = [cells for line in drawn(view_) if (cells := re.findall(r"[■xo#·]", line)) and len(cells) == 20]
    signs = [[row[half * 10 : half * 10 + 10] for row in rows] for half in (0, 1)]
    return [dict(zip(NAMES, (sign for row in sea for sign in row), strict=True)) for sea in signs]


def letters(view_: MatchView) -> list[str]:
    """The rows of the board, with a dot for whatever square is empty."""
    rows = [re.match(r"  [ \d]\d ((?:\S ){14}\S)", line) for line in drawn(view_)]
    return ["".join(s if s.isalpha() else "." for s in row[1].split()) for row in rows if row]


def told(view_: MatchView) -> dict[str, Any]:
    assert view_.board is not None
    return view_.board


@pytest.mark.parametrize("name", logs("prsi"))
def test_cards_are_drawn_where_they_lie_and_hidden_hands_only_as_a_number(name: str) -> None:
    for state, shown in states(name):
        if state.phase is Phase.REVEALING or shown.board is None:
            continue
        assert hands(shown) == [set(hand) for hand in told(shown)["hands"]], page(shown)
        if told(shown)["pile"]:
            assert f"[{told(shown)['top']}]" in page(shown)
        if state.phase is Phase.PLAYING:
            for viewer in (None, *range(state.seats)):
                mine = view(state, viewer)
                own: list[set[str]] = [
                    set(told(mine)["hand"] or ()) if seat == viewer else set() for seat in range(state.seats)
                ]
                assert hands(mine) == own, page(mine)
                assert "next" not in "\n".join(drawn(mine)), "the stock lies face down"


@pytest.mark.parametrize("name", logs("battleship"))
def test_both_seas_are_drawn_with_the_ships_that_the_view_holds(name: str) -> None:
    for state, shown in states(name):
        if shown.board is None:
            continue
        for one in (shown, *(view(state, viewer) for viewer in (0, 1, None))):
            board, drawn_seas = told(one), seas(one)
            for seat in (0, 1):
                found = {sign: {cell for cell, s in drawn_seas[seat].items() if s == sign} for sign in "■xo#"}
                ships = {cell for ship in board["ships"][seat] or () for cell in ship}
                sunk = {cell for ship in board["sunk"][seat] for cell in ship}
                assert found["x"] == set(board["hits"][seat])
                assert found["o"] == set(board["misses"][seat])
                assert found["#"] == sunk
                assert found["■"] == (ships - found["x"] - sunk if board["ships"][seat] else set())


@pytest.mark.parametrize("name", logs("scrabble"))
def test_the_letters_are_drawn_where_they_lie_and_hidden_racks_only_as_a_number(name: str) -> None:
    for state, shown in states(name):
        if shown.board is None:
            continue
        assert letters(shown) == told(shown)["board"], page(shown)
        for one in (shown, *(view(state, viewer) for viewer in (None, *range(state.seats)))):
            text = page(one)
            for seat, rack in enumerate(told(one)["racks"]):
                count = told(one)["tiles"][seat]
                row = next(i for i, line in enumerate(text.split("\n")) if f" seat {seat} " in line)
                below = text.split("\n")[row + 1].split("    ", 1)[-1].strip().split("   ")[0]
                hidden = {0: "no tiles", 1: "1 tile"}.get(count, f"{count} tiles")
                assert below == (rack or hidden)


def test_premium_squares_are_drawn_until_they_are_covered() -> None:
    _, first = states("scrabble/out")[0]
    assert [line[5:34] for line in drawn(first)[1:3]] == [
        "= · · ' · · · = · · · ' · · =",
        '· - · · · " · · · " · · · - ·',
    ]


@pytest.mark.parametrize(("name", "seats"), OF_SEVERAL.items())
def test_a_match_of_several_is_shown_to_its_end_with_the_places(name: str, seats: int) -> None:
    file = Path(golden.ROOT) / f"{name}.ndjson"
    done = CliRunner().invoke(application("replay"), ["replay", str(file), "--all"])
    assert done.exit_code == 0, done.output
    state, shown = states(name)[-1]
    assert state.seats == seats
    lines = done.output.splitlines()
    heads = re.split(r"  +", next(line for line in lines if line.startswith("game  ")).strip())
    assert heads[:5] == ["game", "first", "cube", "winner", "places"]
    record = state.games[-1]
    row = re.split(r"  +", next(line for line in lines if line.startswith("1  ")).strip())
    assert row[1] == f"seat {record.first}"
    assert " ".join(map(str, record.places)) in row
    assert shown.result is not None
    assert shown.result.places == record.places
    winner = "" if state.winner is None else f"seat {state.winner} has won"
    assert winner in lines[-1]


@pytest.mark.parametrize("name", ["prsi/five-places", "scrabble/out-of-four"])
def test_before_the_end_it_is_said_by_its_number_whose_the_first_move_is(name: str, tmp_path: Path) -> None:
    file = tmp_path / "log.ndjson"
    file.write_bytes(b"\n".join(golden.stored(name)[:12]))
    done = CliRunner().invoke(application("replay"), ["replay", str(file), "--all"])
    assert done.exit_code == 0, done.output
    assert re.search(r"^Game 1 is being played: .*, seat \d first\.$", done.output, re.MULTILINE)
