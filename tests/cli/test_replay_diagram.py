"""Below the diagram of ``kronika replay`` stands what follows (N12); games are called by their titles."""

from io import StringIO
from pathlib import Path
from typing import Final

import msgspec
import pytest
from rich.console import Console
from typer.testing import CliRunner

from services.cli.__main__ import application
from services.cli.replay import page
from services.cli.replay_diagram import show_diagram
from shared.commands import AcceptResignation, Leave, Next, Resign
from shared.events.match import Terms
from shared.match import view
from tests.support.story import Story, match_to, terms_of

CHECKERS: Final = "●○"
SERIES: Final = {
    "mixed": ("Hypergammon", "Long nardy", "Backgammon"),
    "tavli": ("Backgammon", "Plakoto", "Fevga"),
}


def below(told: Story) -> list[str]:
    """What stands below the diagram, as far as the match has been told."""
    with StringIO() as shown:
        show_diagram(Console(file=shown, width=200), told.state)
        lines = shown.getvalue().splitlines()
    return lines[lines.index("") + 1 :]


def begins(number: int, title: str, first: int) -> str:
    """A game of a series and who begins it: the first moves alternate."""
    return f"{title}, {CHECKERS[(first + number - 1) % 2]} first."


@pytest.mark.rule("N12", "S6", "N7")
def test_it_says_which_game_is_played_and_which_follows(tmp_path: Path) -> None:
    told = Story(match_to(2, "nardy"))
    assert below(told) == ["The match is not over.", "Game 1 follows: Backgammon."]
    told.started()
    first = told.state.first
    assert first is not None
    assert below(told)[1:] == [f"Game 1 is being played: Backgammon, {CHECKERS[first]} first."]
    told.when(first, Resign())
    told.when(1 - first, AcceptResignation())
    follows = [f"Game 2 follows: Backgammon, Crawford, {CHECKERS[1 - first]} first."]
    assert below(told)[1:] == follows
    file = tmp_path / "log.ndjson"
    file.write_bytes(b"".join(line + b"\n" for line in told.log))
    printed = CliRunner().invoke(application("replay"), ["replay", str(file), "--all"])
    assert printed.exit_code == 0
    assert printed.output.splitlines()[-2:] == ["The match is not over.", *follows]


@pytest.mark.rule("N12", "N4", "N5")
@pytest.mark.parametrize("name", SERIES)
def test_of_a_series_it_lists_all_that_is_still_to_come_and_the_tie_break_if_level(name: str) -> None:
    titles = SERIES[name]
    told = Story(terms_of(name)).started()
    first = told.state.first
    assert first is not None
    rest = [f"Game {n} follows: {begins(n, titles[n - 1], first)}" for n in (2, 3)]
    tie = f"Game 4, the tie-break, if level: {begins(4, titles[0], first)}"
    assert below(told)[1:] == [f"Game 1 is being played: {begins(1, titles[0], first)}", *rest, tie]
    told.when(1, Leave())
    assert below(told)[1:] == [*rest, tie]
    told.next_game()
    assert below(told)[1:] == [f"Game 2 is being played: {begins(2, titles[1], first)}", *rest[1:], tie]
    told.when(0, Leave())
    told.next_game()
    assert below(told)[1:] == [f"Game 3 is being played: {begins(3, titles[2], first)}", tie]


@pytest.mark.rule("N12", "N4", "N5")
@pytest.mark.parametrize("name", SERIES)
def test_a_tie_break_that_is_due_follows_for_certain_and_after_the_end_nothing_does(name: str) -> None:
    told = Story(terms_of(name)).started().level()
    assert [line.rpartition(",")[0] for line in below(told)[1:]] == [f"Game 4 follows: {SERIES[name][0]}"]
    told.next_game().wins(0)
    assert [line.split(":")[0] for line in below(told)] == ["The match is over"]
    told = Story(terms_of(name)).started()
    told.when(0, Leave())
    told.when(0, Next())
    told.when(0, Leave())
    assert len(below(told)) == 1


@pytest.mark.rule("B1", "N11")
def test_a_game_is_called_by_its_title_and_by_its_name_where_only_a_newer_server_knows_it() -> None:
    shown = view(Story(Terms(cube=False), rules="gomoku3d").started().state, None)
    assert "3D gomoku, single game" in page(shown)
    newer = msgspec.structs.replace(shown, rules="of_the_future")
    assert "of_the_future, single game" in page(newer)
    mixed = view(Story(terms_of("mixed")).started().state, None)
    assert "Mixed match, game 1 of 3: Hypergammon" in page(mixed)
