"""The main job: recorded matches through the running gateway, replayed, exported, read back."""

import importlib.util
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from services.cli.importing.forms import plans
from services.cli.importing.planning.tables import plan
from services.cli.importing.reading.mat import parse
from shared.commands import Play
from shared.export.formats import FORMATS, rendered
from shared.fold import fold
from shared.match import Phase
from shared.tokens import AUDIT_FILE, BOT_FILE
from tests.support import golden
from tests.support.cluster import Cluster
from tests.support.gnubg_boards import gist, imported
from tests.support.told import LEFT, STORIES

BOARDS = Path(__file__).parents[1] / "data"
FILES = sorted((BOARDS / "backgammon").glob("*.mat"))
OPENING = "  1) 31: 8/5 6/5                   52: 24/22 13/8\n"
HEAD = "{} point match\n\n Game 1\n Alfa : 0                       Beta : 0\n"

REIMPORTED = (
    "backgammon/match-to-3",
    "backgammon/jacoby",
    "backgammon/no-triple",
    "backgammon/gammons-off",
    "hypergammon/match-to-3",
    "nackgammon/double-passed",
)


class Kronika:
    """The command line, against a running server."""

    def __init__(self, cluster: Cluster, data: Path) -> None:
        self.cluster = cluster
        self.data = data

    def __call__(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-m", "services.cli", *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
            env={**os.environ, "KRONIKA_DATA": str(self.data), "COLUMNS": "200"},
        )

    def imported(self, *files: Path) -> tuple[int, list[dict[str, Any]]]:
        """Exit status and outcomes of an import."""
        done = self("import", "--json", *files)
        assert not done.stderr, done.stderr
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    def stored(self, match: str, target: Path) -> list[bytes]:
        """The exported log of a match."""
        done = self("export", match, "-o", target)
        assert done.returncode == 0, done.stderr
        return target.read_bytes().splitlines()


@pytest.fixture(scope="module")
def kronika(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kronika]:
    directory = tmp_path_factory.mktemp("import")
    with Cluster(directory, services=("lobby", "game", "gateway")) as cluster:
        (directory / "address").write_text(cluster.address)
        for name in (BOT_FILE, AUDIT_FILE):
            assert cluster.key(name)
        yield Kronika(cluster, directory)


@pytest.mark.rule("S4")
@pytest.mark.rule("N6")
def test_all_recorded_files_import_replay_and_export(kronika: Kronika, tmp_path: Path) -> None:
    status, outcomes = kronika.imported(*FILES)
    assert status == 0, outcomes
    by_file = {Path(outcome["file"]).name: outcome for outcome in outcomes}
    assert sorted(by_file) == [file.name for file in FILES]
    copies: list[Path] = []
    for file in FILES:
        outcome = by_file[file.name]
        expected = plan(parse(file.read_bytes(), file.name))
        assert tuple(outcome["score"]) == expected.score
        assert (outcome["games"], outcome["plies"]) == (len(expected.games), expected.plies)
        stored = kronika.stored(outcome["match"], tmp_path / f"{file.stem}.ndjson")
        state = fold(stored)
        assert state is not None
        assert state.phase is Phase.OVER
        assert state.recorded
        assert state.score == expected.score
        assert [game.points for game in state.games] == [game.points for game in expected.games]
        copies.append(tmp_path / file.name)
        assert kronika("export", outcome["match"], "--format", "mat", "-o", copies[-1]).returncode == 0
    if importlib.util.find_spec("gnubg") is not None:
        originals = imported(FILES, tmp_path)
        assert [gist(found) for found in imported(copies, tmp_path)] == [gist(found) for found in originals]


def test_replay_shows_every_board_from_server_and_file(kronika: Kronika, tmp_path: Path) -> None:
    _, [outcome] = kronika.imported(FILES[2])
    stored = kronika.stored(outcome["match"], tmp_path / "log.ndjson")
    live = kronika("replay", outcome["match"])
    filed = kronika("replay", tmp_path / "log.ndjson", "--all")
    assert live.returncode == filed.returncode == 0
    assert live.stdout == filed.stdout
    assert live.stdout.count("│BAR│") > len(stored) - 15
    assert "Seat 1 played 8/5 6/5." in live.stdout
    assert "12:0" in live.stdout.splitlines()[-1]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_replay_goes_by_key_in_a_terminal(kronika: Kronika, tmp_path: Path) -> None:
    _, [outcome] = kronika.imported(FILES[2])
    kronika.stored(outcome["match"], tmp_path / "log.ndjson")
    ours, theirs = os.openpty()
    running = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-m", "services.cli", "replay", str(tmp_path / "log.ndjson")],
        stdin=theirs,
        stdout=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "200", "LINES": "40", "NO_COLOR": "1"},
    )
    os.close(theirs)
    try:
        for key, expected in (
            ("", "Game 1 begins."),
            (" ", "The opening roll is 1-3."),
            (" ", "Seat 1 played 8/5 6/5."),
            ("b", "The opening roll is 1-3."),
            ("g", "Game 2 begins."),
            ("e", "Seat 0 wins the match 12:0."),
            (" ", "The match is over: seat 0"),
        ):
            os.write(ours, key.encode())
            assert expected in shown_until(ours, expected)
        assert running.wait(10) == 0
    finally:
        running.kill()
        running.wait()
        os.close(ours)


def shown_until(terminal: int, expected: str) -> str:
    """What the terminal shows up to ``expected``, or within ten seconds."""
    shown, until = "", time.monotonic() + 10
    while expected not in shown and select.select([terminal], [], [], max(0, until - time.monotonic()))[0]:
        try:
            shown += os.read(terminal, 65536).decode(errors="replace")
        except OSError:  # the program has ended
            break
    return shown


def test_a_bad_line_is_named_and_nothing_is_begun(kronika: Kronika, tmp_path: Path) -> None:
    bad, good = tmp_path / "bad.mat", tmp_path / "good.mat"
    bad.write_text(HEAD.format(5) + OPENING + "  2) 66: 24/18(2) 13/2\n")
    good.write_text(HEAD.format(1) + OPENING + "      Wins 1 point\n")
    status, outcomes = kronika.imported(bad, good)
    assert status == 1
    [failure] = [outcome for outcome in outcomes if not outcome["ok"]]
    assert (failure["file"], failure["line"], failure["match"]) == (str(bad), 6, "")
    assert "13/2" in failure["reason"]
    [done] = [outcome for outcome in outcomes if outcome["ok"]]
    assert done["score"] == [1, 0]
    told = kronika("import", bad)
    assert told.returncode == 1
    assert told.stderr.startswith(f"{bad}:6: game 1: 66: 24/18(2) 13/2: ")


def test_a_file_that_breaks_off_is_imported_as_far_as_it_goes_and_marked(
    kronika: Kronika, tmp_path: Path
) -> None:
    file = tmp_path / "cut.mat"
    lines = FILES[1].read_text().splitlines()[:32]
    file.write_text("\n".join(lines))
    status, [failure] = kronika.imported(file)
    assert status == 1
    assert failure["line"] == 32
    assert "breaks off in game 2" in failure["reason"]
    assert failure["marked"]
    state = fold(kronika.stored(failure["match"], tmp_path / "cut.ndjson"))
    assert state is not None
    assert (state.phase, state.cause, len(state.games)) == (Phase.OVER, "left", 2)


@pytest.mark.rule("S10")
def test_a_money_session_with_a_beaver(kronika: Kronika, tmp_path: Path) -> None:
    file = tmp_path / "money.mat"
    file.write_text(
        HEAD.format(0)
        + OPENING
        + "  2)  Doubles => 2                    Beavers => 4\n"
        + "  3) 61: 13/7 8/7                     Concedes\n"
        + "      Wins 4 points\n"
        + "\n Game 2\n Alfa : 4                       Beta : 0\n"
        + OPENING
        + "  2)  Doubles => 2                    Drops\n"
    )
    status, [outcome] = kronika.imported(file)
    assert status == 0, outcome
    assert (outcome["score"], outcome["winner"]) == ([5, 0], None)
    state = fold(kronika.stored(outcome["match"], tmp_path / "money.ndjson"))
    assert state is not None
    assert (state.phase, state.cause) == (Phase.OVER, "closed")


SWAPPED = "(;GM[4]SZ[15]PB[Beta]PW[Alfa]RU[swap]RE[B+R];B[hh];W[ii];B[hi];KC[circles];W[aa];B[hj])\n"
DRAUGHTS = (
    '[GameType "29,W,8,8,A0,0"]\n\n1. e3-f4 h6-g5 2. f4xh6 b6-c5 3. d2-e3 c5-d4 4. e3xc5 d6xb4xd2 2-0\n'
)


@pytest.mark.rule("B12")
def test_board_games_import_replay_and_export(kronika: Kronika, tmp_path: Path) -> None:
    reversi = (BOARDS / "reversi-games.txt").read_text().splitlines(keepends=True)[:3]
    (tmp_path / "reversi.txt").write_text("".join(reversi))
    (tmp_path / "gomoku.sgf").write_text(SWAPPED)
    (tmp_path / "draughts.pdn").write_text(DRAUGHTS)
    written = [tmp_path / name for name in ("reversi.txt", "gomoku.sgf", "draughts.pdn")]
    files = [BOARDS / "chess-games.pgn", BOARDS / "abalone-game.json", *written]
    status, outcomes = kronika.imported(*files)
    assert status == 0, outcomes
    assert [(Path(o["file"]).name, o["line"], o["game"], o["winner"]) for o in outcomes] == [
        ("chess-games.pgn", 1, "chess", 0),
        ("chess-games.pgn", 19, "chess", 0),
        ("chess-games.pgn", 37, "chess", None),
        ("abalone-game.json", 1, "abalone", None),
        ("reversi.txt", 2, "reversi", 1),
        ("reversi.txt", 3, "reversi", 1),
        ("gomoku.sgf", 1, "gomoku", 1),
        ("draughts.pdn", 1, "draughts", 0),
    ]
    for outcome in outcomes:
        source = Path(outcome["file"])
        copy = tmp_path / f"copy-{outcome['match']}{source.suffix}"
        form = source.suffix.removeprefix(".")
        assert kronika("export", outcome["match"], "--format", form, "-o", copy).returncode == 0
        [again] = plans(copy.read_bytes(), copy.name)
        original = next(p for p in plans(source.read_bytes(), str(source)) if p.line == outcome["line"])
        moves = [
            [s.command for s in p.games[0].steps if isinstance(s.command, Play)] for p in (original, again)
        ]
        assert moves[0] == moves[1]
        assert again.position == original.position
        if original.complete:
            assert again.games[0].winner == original.games[0].winner


def test_what_the_server_writes_of_other_games_and_house_rules_it_reads_again(
    kronika: Kronika, tmp_path: Path
) -> None:
    logs = {name.replace("/", "-"): golden.stored(name) for name in REIMPORTED}
    logs |= {name.replace(" ", "-"): story("hypergammon").lines for name, story in LEFT.items()}
    logs["refused-beaver"] = STORIES["beaver refused in a match"]("hypergammon").lines
    files = [tmp_path / f"{name}.mat" for name in logs]
    for file, lines in zip(files, logs.values(), strict=True):
        file.write_bytes(rendered(FORMATS["mat"], lines, ("Alfa", "Beta")))
    status, outcomes = kronika.imported(*files)
    assert status == 0, outcomes
    for lines, outcome in zip(logs.values(), outcomes, strict=True):
        original = fold(lines)
        again = fold(kronika.stored(outcome["match"], tmp_path / "again.ndjson"))
        assert original is not None
        assert again is not None
        assert (again.score, again.winner) == (original.score, original.winner), outcome["file"]
        assert again.created.rules == original.created.rules
        assert [game.points for game in again.games] == [game.points for game in original.games]


@pytest.mark.rule("S13")
def test_of_a_match_with_a_game_that_does_not_count_nothing_is_begun(
    kronika: Kronika, tmp_path: Path
) -> None:
    file = tmp_path / "kick.mat"
    file.write_bytes(rendered(FORMATS["mat"], golden.stored("backgammon/blitz-kick")))
    status, [failure] = kronika.imported(file)
    assert (status, failure["match"]) == (1, "")
    assert "game 1: the game does not count" in failure["reason"]


def test_of_a_file_with_one_wrong_game_none_is_begun(kronika: Kronika, tmp_path: Path) -> None:
    file = tmp_path / "wrong.pgn"
    file.write_text("1. e4 e5 1-0\n\n1. e4 e5\n2. Ke3 1-0\n")
    status, [outcome] = kronika.imported(file)
    assert status == 1
    assert (outcome["line"], outcome["match"]) == (4, "")
    assert "game 2: move 3, Ke3" in outcome["reason"]
    done = kronika("import", file)
    assert done.stderr.startswith(f"{file}:4: game 2: move 3, Ke3")


def test_the_form_can_be_named(kronika: Kronika, tmp_path: Path) -> None:
    file = tmp_path / "some.sgf"
    file.write_text("1. f3 e5 2. g4 Qh4# 0-1\n")
    done = kronika("import", "--form", "pgn", file)
    assert done.returncode == 0, done.stderr
    assert "1 imported, 1 games, 4 plies" in done.stdout


def test_without_the_operators_key_nothing_is_begun(kronika: Kronika, tmp_path: Path) -> None:
    done = kronika("import", "--json", "--bot-key-file", tmp_path / "none.key", FILES[2])
    assert done.returncode == 1
    assert "bot.key" in json.loads(done.stdout)["reason"]


def test_unknown_matches_and_files_are_clear_messages(kronika: Kronika, tmp_path: Path) -> None:
    for command in ("replay", "export"):
        for wanted in ("mnobodyknowsthis", str(tmp_path / "no.ndjson")):
            done = kronika(command, wanted)
            assert done.returncode == 1
            assert wanted in done.stderr
            assert "Traceback" not in done.stderr
