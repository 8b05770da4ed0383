"""Logs written as .mat: they read back as the same match, here and in gnubg."""

import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from services.cli.importing.planning.tables import Plan, plan
from services.cli.importing.reading.mat import parse
from shared.events.codec import decode_match, encode
from shared.events.match import DoubleOffered, MatchCreated, MovePlayed, Pinned, TurnPassed
from shared.export.form import NotExportable
from shared.export.formats import FORMATS, rendered
from tests.support import golden
from tests.support.gnubg_boards import gist, imported
from tests.support.matches import MemoryGame
from tests.support.replay import played
from tests.support.told import STORIES, acted, left_after_beaver

FILES = sorted((Path(__file__).parents[1] / "data" / "backgammon").glob("*.mat"))
NAMES = ("Alfa", "Beta")
WITH_GNUBG = pytest.mark.skipif(importlib.util.find_spec("gnubg") is None, reason="needs the group oracles")


def planned(file: Path) -> Plan:
    return plan(parse(file.read_bytes(), file.name))


def written(lines: Sequence[bytes], names: Sequence[str] = NAMES) -> str:
    return rendered(FORMATS["mat"], lines, names).decode()


def ids_before_actions(lines: Sequence[bytes]) -> list[list[str]]:
    """By game, our position id before every move, dance and double: what gnubg lists."""
    return [
        [
            before.rules.position(before.position)
            for event, before in game
            if isinstance(event, MovePlayed | TurnPassed | DoubleOffered)
        ]
        for game in acted(lines)
    ]


def ids_listed(found: dict[str, Any]) -> list[list[str]]:
    return [
        [action["board"] for action in game["actions"] if action["action"] in {"move", "double"}]
        for game in found["games"]
    ]


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_reads_back_as_the_same_commands(file: Path) -> None:
    original = planned(file)
    text = written(played(original).lines)
    assert parse(text.encode(), "again.mat").names == NAMES
    again = plan(parse(text.encode(), "again.mat"))
    assert again.score == original.score
    assert again.terms == original.terms
    assert [[(s.seat, s.command) for s in g.steps] for g in again.games] == [
        [(s.seat, s.command) for s in g.steps] for g in original.games
    ]


@WITH_GNUBG
@pytest.mark.oracle
def test_gnubg_reads_the_same_positions_in_the_originals_and_in_what_we_write(tmp_path: Path) -> None:
    ours = [played(planned(file)) for file in FILES]
    copied = [tmp_path / file.name for file in FILES]
    for file, match in zip(copied, ours, strict=True):
        file.write_text(written(match.lines))
    originals, copies = imported(FILES, tmp_path), imported(copied, tmp_path)
    for match, original, copy in zip(ours, originals, copies, strict=True):
        assert ids_before_actions(match.lines) == ids_listed(original)
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
    file.write_text(written(match.lines))
    assert " Beavers => 4" in file.read_text()
    [found] = imported([file], tmp_path)
    assert [action["action"] for action in found["games"][0]["actions"]][2:6] == [
        "double",
        "double",
        "take",
        "move",
    ]
    assert found["games"][0]["info"]["points-won"] == 8
    assert ids_before_actions(match.lines)[0][-1] == found["games"][0]["actions"][-2]["board"]


@pytest.mark.rule("S10")
@pytest.mark.parametrize("story", [STORIES["beaver accepted"], STORIES["beaver refused"], left_after_beaver])
def test_a_beaver_reads_back_with_its_answer(story: Callable[[str], MemoryGame]) -> None:
    game = story("backgammon")
    [again] = plan(parse(written(game.lines).encode(), "beaver.mat")).games
    [record] = game.state.games
    assert (again.winner, again.points) == (record.winner, record.points)


def test_names_cannot_break_the_format() -> None:
    match = played(planned(FILES[2]))
    text = written(match.lines, ('Al: 3\n  "x', "Žofie Ünlü " * 9))
    assert parse(text.encode(), "x").names == ("Al 3 x", ("Žofie Ünlü " * 9)[:31].strip())


def test_a_running_match_is_written_as_far_as_it_goes() -> None:
    match = played(planned(FILES[2]))
    moves = [c.n for c in match.commits if isinstance(c.events[0], MovePlayed)]
    half = match.lines[: moves[len(moves) // 2]]
    again = plan(parse(written(half).encode(), "half.mat"))
    assert not again.complete
    assert 0 < again.plies < planned(FILES[2]).plies


def test_a_log_that_begins_elsewhere_is_refused() -> None:
    with pytest.raises(NotExportable):
        written(played(planned(FILES[2])).lines[1:])


def created(lines: Sequence[bytes], **changes: Any) -> list[bytes]:
    """The log as if its match had been created otherwise."""
    first = decode_match(lines[0])
    begun = msgspec.structs.replace(first.events[0], **changes)
    return [encode(msgspec.structs.replace(first, events=(begun,))), *lines[1:]]


@pytest.mark.parametrize(
    ("rules", "options", "reason"),
    [
        ("long_nardy", {}, "long_nardy has no form as .mat."),
        ("plakoto", {}, "plakoto has no form as .mat."),
        ("fevga", {}, "fevga has no form as .mat."),
        ("backgammon", {"mode": "giveaway"}, 'backgammon with mode "giveaway" has no form as .mat.'),
        ("backgammon", {"mode": "draw"}, 'backgammon with mode "draw" has no form as .mat.'),
    ],
)
def test_a_game_that_the_format_cannot_hold_is_refused(
    rules: str, options: dict[str, Any], reason: str
) -> None:
    lines = created(MemoryGame("refused").lines, rules=rules, rules_version=1, options=options)
    for form in ("mat", "sgf"):
        with pytest.raises(NotExportable) as refused:
            rendered(FORMATS[form], lines)
        assert str(refused.value) == f"{reason.replace('mat', form)} It can be had as ndjson."


def series_of(*games: str) -> list[bytes]:
    """A match of these games, so far without a move."""
    pinned = tuple(Pinned(name, 1) for name in games)
    return created(MemoryGame("series").lines, rules=games[0], games=pinned)


@pytest.mark.rule("N4", "N5")
def test_a_series_with_a_game_that_the_format_cannot_hold_is_refused() -> None:
    for series in (("hypergammon", "long_nardy", "backgammon"), ("backgammon", "plakoto", "fevga")):
        with pytest.raises(NotExportable, match=f"^{series[1]} has no form"):
            rendered(FORMATS["mat"], series_of(*series))


def test_only_sgf_holds_a_series_of_games_that_have_a_form_each() -> None:
    begun = decode_match(series_of("hypergammon", "backgammon")[0]).events[0]
    assert isinstance(begun, MatchCreated)
    assert FORMATS["mat"].why_not(begun) == "A series of different games has no form as .mat."
    assert FORMATS["sgf"].why_not(begun) == ""


def head(lines: Sequence[bytes]) -> dict[str, str]:
    """The tags of the file."""
    return parse(written(lines).encode(), "head.mat").headers


@pytest.mark.parametrize(
    ("rules", "variation"),
    [("backgammon", "Backgammon"), ("hypergammon", "HyperGammon (3)"), ("nackgammon", "NackGammon")],
)
def test_the_head_says_which_game_it_is_and_under_which_rules(rules: str, variation: str) -> None:
    match = head(STORIES["match"](rules).lines)
    assert (match["Variation"], match["Crawford"], match["CubeLimit"]) == (variation, "On", "64")
    assert "Jacoby" not in match  # it is for single games
    single = head(STORIES["jacoby"](rules).lines)
    assert (single["Jacoby"], single["Beaver"]) == ("On", "Off")
    assert "Crawford" not in single
    beavered = head(STORIES["beaver refused"](rules).lines)
    assert (beavered["Jacoby"], beavered["Beaver"]) == ("Off", "On")
    assert head(STORIES["without cube"](rules).lines)["CubeLimit"] == "1"


def test_agreements_that_no_program_expects_stand_in_the_head() -> None:
    game = MemoryGame("house rules", options={"triple": False, "mode": "normal"})
    game.start()
    found = {key: value for key, value in head(game.lines).items() if key.startswith("House rule")}
    assert found == {"House rule triple": "false"}


def test_a_game_that_does_not_count_is_not_said_to_be_won() -> None:
    lines = golden.stored("backgammon/blitz-kick")
    text = written(lines)
    first, second = text.split(" Game 2\n")
    assert "Wins" not in first
    assert second.startswith(" Alfa : 0 ")
    assert "Wins 2 points and the match" in second


def test_the_match_is_only_said_to_be_won_where_there_was_one_to_win() -> None:
    assert written(golden.stored("backgammon/gammon")).rstrip().endswith("Wins 2 points")
