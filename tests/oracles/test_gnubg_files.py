"""gnubg reads the .mat and SGF files that we write, and finds the same match in both (rules §11, §12)."""

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from services.cli.importing.planning.tables import plan
from services.cli.importing.reading.mat import parse
from shared.events.codec import decode_match
from shared.events.match import (
    BeaverAccepted,
    DoubleBeavered,
    DoubleOffered,
    DoublePassed,
    DoubleTaken,
    GameStarted,
    MovePlayed,
    TurnPassed,
)
from shared.export import agreed
from shared.export.form import begun
from shared.export.formats import FORMATS, rendered
from shared.export.tables import read as recorded
from shared.fold import fold
from shared.match.state import GameRecord
from tests.support import golden
from tests.support.gnubg_boards import PROGRAM, gist, imported, loaded
from tests.support.matches import MemoryGame
from tests.support.recorded import FILES
from tests.support.replay import played
from tests.support.sgf import SgfGame, read
from tests.support.told import GAMES, LEFT, STORIES, VOID, acted

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(importlib.util.find_spec("gnubg") is None, reason="needs the group oracles"),
]

NAMES = ("Alfa", "Beta")
WORDS = {
    MovePlayed: "move",
    TurnPassed: "move",
    DoubleOffered: "double",
    DoubleBeavered: "double",
    DoubleTaken: "take",
    BeaverAccepted: "take",
    DoublePassed: "drop",
}
VARIATIONS = {"backgammon": "Standard", "hypergammon": "Hypergammon3", "nackgammon": "Nackgammon"}
GOLDEN = [
    name
    for name in golden.names()
    if name.split("/")[0] in GAMES
    and any(isinstance(e, GameStarted) for line in golden.stored(name) for e in decode_match(line).events)
    and not FORMATS["mat"].why_not(begun(golden.stored(name)))
    and not agreed.house_rules(begun(golden.stored(name)))
]
"""The golden matches that have a game to be written, without agreements that gnubg does not know."""

PLAYED = [(rules, story) for rules in GAMES for story in STORIES]


@pytest.fixture(scope="module")
def told() -> list[MemoryGame]:
    """The matches of ``PLAYED``."""
    return [STORIES[story](rules) for rules, story in PLAYED]


def files(logs: Sequence[Sequence[bytes]], form: str, folder: Path) -> list[Path]:
    """Each log as a file of this form."""
    made: list[Path] = []
    for number, lines in enumerate(logs):
        made.append(folder / f"{number}.{form}")
        made[-1].write_bytes(rendered(FORMATS[form], lines, NAMES))
    return made


def actions(game: dict[str, Any]) -> list[tuple[str, int, str | None]]:
    """What was done by whom, and the position id before moves and doubles; gnubg's X is our seat 0."""
    return [
        (
            action["action"],
            "XO".index(action["player"]),
            action["board"] if action["action"] in {"move", "double"} else None,
        )
        for action in game["actions"]
        if action["action"] not in {"resign", "set"}
    ]


def our_actions(lines: Sequence[bytes]) -> list[list[tuple[str, int, str | None]]]:
    """The same from our log. The id is for the player on roll, who does not change while cubes are turned."""
    return [
        [
            (
                WORDS[type(event)],
                event.seat,
                _id(before) if isinstance(event, MovePlayed | TurnPassed | DoubleOffered) else None,
            )
            for event, before in game
        ]
        for game in acted(lines)
    ]


def _id(before: Any) -> str:
    return before.rules.position(before.position)


def result(game: dict[str, Any]) -> tuple[int, int, int | None, int, bool]:
    """The score before the game, who won it, points, and whether by a resignation."""
    info = game["info"]
    winner = None if info["winner"] is None else "XO".index(info["winner"])
    return (
        info["score-X"],
        info["score-O"],
        winner,
        info.get("points-won", 0),
        bool(info.get("resigned", False)),
    )


def our_results(records: Sequence[GameRecord]) -> list[tuple[int, int, int | None, int, bool]]:
    found: list[tuple[int, int, int | None, int, bool]] = []
    score = (0, 0)
    for record in records:
        given_up = record.cause not in ("played", "passed")  # gnubg knows no other end
        if record.counted:
            found.append((score[0], score[1], record.winner, record.points, given_up))
        else:
            found.append((score[0], score[1], None, 0, False))
        score = (record.score[0], record.score[1])
    return found


def without_beavers(found: list[tuple[str, int, str | None]]) -> list[tuple[str, int, str | None]]:
    """Gnubg gives a beaver the position too; we ask for it only where somebody is on roll."""
    return [
        (word, seat, None if word == "double" and place and found[place - 1][0] == "double" else position)
        for place, (word, seat, position) in enumerate(found)
    ]


def assert_same(told: list[MemoryGame], found: list[dict[str, Any]]) -> None:
    for (rules, story), game, match in zip(PLAYED, told, found, strict=True):
        assert match["variation"] == VARIATIONS[rules], (rules, story)
        assert match["target"] == (game.state.created.terms.target or 0)
        assert match["names"] == list(NAMES)
        ours = our_actions(game.lines)
        assert [without_beavers(actions(g)) for g in match["games"]] == ours, (rules, story)
        ended = [result(g) for g in match["games"]][: len(game.state.games)]
        assert ended == our_results(game.state.games), (rules, story)


def test_gnubg_imports_every_variation_with_its_moves_cubes_and_scores(
    told: list[MemoryGame], tmp_path: Path
) -> None:
    assert_same(told, imported(files([game.lines for game in told], "mat", tmp_path), tmp_path))


@pytest.mark.rule("S8", "S10", "S13")
def test_gnubg_finds_games_scores_and_winners_of_every_golden_match_and_unusual_end(tmp_path: Path) -> None:
    logs = [golden.stored(name) for name in GOLDEN]
    logs += [story(rules).lines for story in (*VOID.values(), *LEFT.values()) for rules in GAMES]
    for lines, match in zip(logs, imported(files(logs, "mat", tmp_path), tmp_path), strict=True):
        state = fold(lines)
        assert state is not None
        results, told = our_results(state.games), our_actions(lines)
        written = recorded(begun(lines), lines, NAMES, "mat").games
        for number, (theirs, ours) in enumerate(zip(match["games"], told, strict=True)):
            where = (state.match, number)
            found = without_beavers(actions(theirs))
            ended = number < len(results)
            void = ended and not state.games[number].counted
            assert found == (ours[: len(found)] if void else ours), where
            if ended and written[number].actions:
                assert result(theirs) == results[number], where
            elif ended:  # given up before anything was done: gnubg goes by the next score alone
                assert result(theirs) == (*results[number][:2], None, 0, False), where


@pytest.mark.skipif(PROGRAM is None, reason="needs the program gnubg: its package cannot load SGF")
def test_gnubg_loads_what_we_write_as_sgf(told: list[MemoryGame], tmp_path: Path) -> None:
    logs = [game.lines for game in told]
    found = loaded(files(logs, "sgf", tmp_path), tmp_path)
    assert_same(told, found)
    crawford = [[bool(g["info"].get("crawford")) for g in match["games"]] for match in found]
    ours = [[record.crawford for record in game.state.games] for game in told]
    assert [c[: len(o)] for c, o in zip(crawford, ours, strict=True)] == ours


@pytest.mark.skipif(PROGRAM is None, reason="needs the program gnubg: its package cannot load SGF")
def test_gnubg_finds_the_same_in_the_real_matches_and_in_our_sgf_of_them(tmp_path: Path) -> None:
    logs = [played(plan(parse(file.read_bytes(), file.name))).lines for file in FILES]
    originals, ours = imported(FILES, tmp_path), loaded(files(logs, "sgf", tmp_path), tmp_path)
    assert [gist(one) for one in ours] == [gist(one) for one in originals]


def saved_alike(ours: SgfGame, theirs: SgfGame) -> None:
    """What gnubg saves of a game is what we write of it; a .mat file told it nothing of some rules."""
    assert ours.match == theirs.match
    assert ours.root.get("RE") == theirs.root.get("RE")
    assert ours.won == theirs.won
    assert theirs.rules <= ours.rules
    assert {word for word in ours.rules - theirs.rules if "=" not in word} <= {"NoCube"}
    assert [(a.seat, a.boards, _gist(a.text)) for a in ours.actions] == [
        (a.seat, a.boards, _gist(a.text)) for a in theirs.actions
    ]


def _gist(text: str) -> str:
    """An action but for the order of its dice and the way of its steps; the boards tell where they lead."""
    return "".join(sorted(text[:2])) if text[:2].isdigit() else text


def test_gnubg_saves_the_same_sgf_from_our_mat(told: list[MemoryGame], tmp_path: Path) -> None:
    logs = [game.lines for game in told]
    found = imported(files(logs, "mat", tmp_path), tmp_path)
    for lines, match in zip(logs, found, strict=True):
        ours, theirs = read(rendered(FORMATS["sgf"], lines, NAMES).decode()), read(match["sgf"])
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            saved_alike(one, other)


def test_gnubg_saves_the_same_sgf_from_real_matches(tmp_path: Path) -> None:
    for file, match in zip(FILES, imported(FILES, tmp_path), strict=True):
        lines = played(plan(parse(file.read_bytes(), file.name))).lines
        ours, theirs = read(rendered(FORMATS["sgf"], lines, NAMES).decode()), read(match["sgf"])
        for one, other in zip(ours, theirs, strict=True):
            saved_alike(one, other)
