"""Logs written as .mat: they read back as the same match, here and in gnubg."""

import importlib.util
from pathlib import Path
from typing import Any

import msgspec
import pytest

from services.cli.importer_plan import Plan, plan
from services.cli.mat import parse
from shared.events.codec import decode_match
from shared.events.match import DoubleOffered, GameStarted, MatchCreated, MovePlayed, TurnPassed
from shared.export.mat import NotExportable, render, to_mat
from shared.match import MatchState
from shared.match.applying import apply, created
from tests.support.gnubg_boards import gist, imported
from tests.support.replay import MemoryMatch, played

FILES = sorted((Path(__file__).parents[1] / "data" / "backgammon").glob("*.mat"))
NAMES = ("Alfa", "Beta")
WITH_GNUBG = pytest.mark.skipif(importlib.util.find_spec("gnubg") is None, reason="needs the group oracles")


def planned(file: Path) -> Plan:
    return plan(parse(file.read_bytes(), file.name))


def ids_before_actions(match: MemoryMatch) -> list[list[str]]:
    """By game, our position id before every move, dance and double: what gnubg lists."""
    games: list[list[str]] = []
    first = match.commits[0].events[0]
    state: MatchState = created(match.commits[0].match, first)  # pyright: ignore[reportArgumentType] - it is match_created
    for commit in match.commits:
        for event in commit.events:
            if event is first:
                continue
            if isinstance(event, GameStarted):
                games.append([])
            if isinstance(event, MovePlayed | TurnPassed | DoubleOffered):
                games[-1].append(state.rules.position(state.position))
            state = apply(state, event)
    return games


def ids_listed(found: dict[str, Any]) -> list[list[str]]:
    return [
        [action["board"] for action in game["actions"] if action["action"] in {"move", "double"}]
        for game in found["games"]
    ]


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_reads_back_as_the_same_commands(file: Path) -> None:
    original = planned(file)
    text = render(played(original).commits, NAMES)
    again = plan(parse(text.encode(), "again.mat"))
    assert again.match.names == NAMES
    assert again.score == original.score
    assert again.terms == original.terms
    assert [[(s.seat, s.command) for s in g.steps] for g in again.games] == [
        [(s.seat, s.command) for s in g.steps] for g in original.games
    ]


@WITH_GNUBG
@pytest.mark.oracle
def test_gnubg_reads_the_same_positions_in_the_originals_and_in_what_we_write(tmp_path: Path) -> None:
    ours = [played(planned(file)) for file in FILES]
    written = [tmp_path / file.name for file in FILES]
    for file, match in zip(written, ours, strict=True):
        file.write_text(to_mat(match.lines, NAMES))
    originals, copies = imported(FILES, tmp_path), imported(written, tmp_path)
    for match, original, copy in zip(ours, originals, copies, strict=True):
        assert ids_before_actions(match) == ids_listed(original)
        assert gist(copy) == gist(original)


@WITH_GNUBG
@pytest.mark.oracle
@pytest.mark.rule("S10")
def test_gnubg_reads_a_beaver_back(tmp_path: Path) -> None:
    text = (
        "0 point match\n\n Game 1\n Alfa : 0                        Beta : 0\n"
        "  1) 31: 8/5 6/5                   52: 24/22 13/8\n"
        "  2)  Doubles => 2                 Beavers => 4\n"
        "  3) 61: 13/7 8/7                  43: 13/10 13/9\n"
        "                                   Wins 8 points\n"
    )
    match = played(plan(parse(text.encode(), "beaver.mat")))
    file = tmp_path / "beaver.mat"
    file.write_text(to_mat(match.lines, NAMES))
    assert " Beavers => 4" in file.read_text()
    [found] = imported([file], tmp_path)
    assert [action["action"] for action in found["games"][0]["actions"]][2:6] == [
        "double",
        "double",
        "take",
        "move",
    ]
    assert found["games"][0]["info"]["points-won"] == 8
    assert ids_before_actions(match)[0][-1] == found["games"][0]["actions"][-2]["board"]


def test_names_cannot_break_the_format() -> None:
    match = played(planned(FILES[2]))
    text = render(match.commits, ('Al: 3\n  "x', "Žofie Ünlü " * 9))
    assert parse(text.encode(), "x").names == ("Al 3 x", ("Žofie Ünlü " * 9)[:31].strip())


def test_a_running_match_is_written_as_far_as_it_goes() -> None:
    match = played(planned(FILES[2]))
    moves = [c.n for c in match.commits if isinstance(c.events[0], MovePlayed)]
    half = match.lines[: moves[len(moves) // 2]]
    again = plan(parse(to_mat(half, NAMES).encode(), "half.mat"))
    assert not again.complete
    assert 0 < again.plies < planned(FILES[2]).plies


def test_a_log_that_begins_elsewhere_is_refused() -> None:
    with pytest.raises(NotExportable):
        to_mat(played(planned(FILES[2])).lines[1:])


@pytest.mark.parametrize(("rules", "options"), [("long_nardy", {}), ("backgammon", {"mode": "giveaway"})])
def test_a_game_that_the_format_cannot_hold_is_refused(rules: str, options: dict[str, Any]) -> None:
    first = decode_match(played(planned(FILES[2])).lines[0])
    begun = first.events[0]
    assert isinstance(begun, MatchCreated)
    other = msgspec.structs.replace(begun, rules=rules, rules_version=1, options=options)
    with pytest.raises(NotExportable, match=rules):
        render([msgspec.structs.replace(first, events=(other,))])
