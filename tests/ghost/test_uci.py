"""A chess engine of the operator's own: asked where it is installed, and never in the way of a match."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import chess.engine
import pytest
from structlog.testing import capture_logs

from services.ghost.players import Uci, own_player
from services.ghost.players.uci import Nonsense, Strength, repeats, uci_answers
from services.ghost.settings import uci_engine
from services.ghost.thinking import Thinker
from shared.commands import AcceptDraw, DeclineDraw, Play
from shared.rules.chess import RULES, State
from shared.rules.draughts import RULES as DRAUGHTS
from shared.settings import SettingsError
from tests.support.ghosts import not_installed, seen

SCRIPT = Path(__file__).parent.parent / "support" / "uci_engine.py"
START = seen(RULES.setup(2, {}, 0), 0, rules=RULES)
LAST = START.legal[-1]
OWN = Play(own_player(RULES, {}).move(START))


class Program:
    """The engine as a program of its own, what it was told, and what it is to do wrong."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "engine"
        self._log = folder / "told.txt"
        self.path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{SCRIPT}" "{self._log}"\n')
        self.path.chmod(0o755)

    def told(self) -> list[str]:
        return self._log.read_text().splitlines()

    def wish(self, wrong: str) -> None:
        self._log.with_suffix(".wish").write_text(wrong)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """An engine that plays the last legal move."""
    return Program(tmp_path)


@pytest.fixture
def uci(program: Program) -> Iterator[Uci]:
    """The player that asks it; let go after the test."""
    player = Uci(program.path)
    yield player
    player.close()


def test_it_plays_the_engines_move_within_its_nodes_and_remembers_nothing(program: Program, uci: Uci) -> None:
    assert uci.move(START) == LAST
    later = RULES.play(RULES.setup(2, {}, 0), 0, "e2e4")
    shown = seen(later, 1, rules=RULES)
    assert uci.move(shown) == shown.legal[-1]
    told = program.told()
    assert told.count("uci") == 1, "one process for both"
    assert told.count("ucinewgame") == 2
    assert all("nodes 2000" in line for line in told if line.startswith("go"))
    assert "setoption name Threads value 1" in told
    assert not any("UCI_LimitStrength" in line for line in told)


@pytest.mark.parametrize(("elo", "told"), [(1500, 1500), (600, 1350), (3000, 2850)])
def test_it_holds_itself_back_as_far_as_it_can(program: Program, elo: int, told: int) -> None:
    uci = Uci(program.path, Strength(nodes=7, elo=elo))
    uci.move(START)
    uci.close()
    assert "setoption name UCI_LimitStrength value true" in program.told()
    assert f"setoption name UCI_Elo value {told}" in program.told()
    assert any("nodes 7" in line for line in program.told())


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ("die", chess.engine.EngineTerminatedError),
        ("nonsense", (chess.engine.EngineError, Nonsense)),
        ("none", Nonsense),
    ],
)
def test_an_engine_that_fails_is_started_anew_for_the_next_move(
    program: Program, uci: Uci, wrong: str, error: type[Exception]
) -> None:
    program.wish(wrong)
    with pytest.raises(error):
        uci.move(START)
    program.wish("")
    assert uci.move(START) == LAST


def shuffled(fen: str, moves: str) -> State:
    """The position after these moves of kings to and fro."""
    state = State(first=0, ply=60, fen=fen)
    for move in moves.split():
        state = RULES.play(state, state.turn, move)
    return state


STOOD = shuffled("7k/8/8/8/8/8/R7/7K w - - 0 31", "h1h2 h8g8 h2h1 g8h8 h1g1 h8g8 g1h1 g8h8")
"""White is a rook ahead; h1h2, the last of its moves, brings a position back."""


@pytest.mark.parametrize(
    ("scores", "back", "asked"),
    [
        ("cp 500 400", False, 2),  # another move wins as well
        ("cp 500 -10", True, 2),  # no other move does
        ("cp -300 400", True, 1),  # who is behind may repeat
    ],
)
def test_an_engine_that_is_ahead_does_not_bring_a_position_back(
    program: Program, uci: Uci, scores: str, asked: int, *, back: bool
) -> None:
    shown = seen(STOOD, 0, rules=RULES)
    assert repeats(STOOD, shown.legal[-1])
    program.wish(scores)
    chosen = uci.move(shown)
    assert chosen in shown.legal
    assert repeats(STOOD, chosen) is back
    assert sum(line.startswith("go") for line in program.told()) == asked


async def test_whatever_the_engine_does_there_is_a_move(program: Program) -> None:
    thinker = Thinker(not_installed, uci=Uci(program.path))
    thinker.start()
    assert await thinker.choose(RULES, START, ("play",)) == Play(LAST)
    with capture_logs() as logs:
        for wrong in ("die", "nonsense", "none"):
            program.wish(wrong)
            assert await thinker.choose(RULES, START, ("play",)) == OWN
    assert [line["event"] for line in logs] == ["the engine failed"] * 3
    program.wish("")
    assert await thinker.choose(RULES, START, ("play",)) == Play(LAST)
    thinker.close()


async def test_an_engine_that_is_silent_is_waited_for_only_so_long(program: Program) -> None:
    program.wish("silence")
    thinker = Thinker(not_installed, limit_s=0.3, uci=Uci(program.path))
    thinker.start()
    with capture_logs() as logs:
        assert await thinker.choose(RULES, START, ("play",)) == OWN
    assert any(line["event"] == "the engine is stuck" for line in logs)
    thinker.close()


async def test_a_program_that_is_no_engine_is_no_more_than_a_line_in_the_log(tmp_path: Path) -> None:
    program = tmp_path / "true"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    thinker = Thinker(not_installed, uci=Uci(program))
    with capture_logs() as logs:
        thinker.start()
        assert await thinker.choose(RULES, START, ("play",)) == OWN
    assert any("cannot be loaded" in line["event"] for line in logs)
    thinker.close()


async def test_the_engine_is_asked_for_moves_of_chess_at_the_best_level_only(program: Program) -> None:
    thinker = Thinker(not_installed, uci=Uci(program.path))
    thinker.start()
    for level in (1, 2):
        own = Play(own_player(RULES, {}, level).move(START))
        assert await thinker.choose(RULES, START, ("play",), level) == own
    assert await thinker.choose(RULES, START, ("play",), 3) == Play(LAST)
    lost = State(first=0, ply=40, fen="q6k/8/8/8/8/8/8/1K6 w - - 0 20")
    asked = ("accept_draw", "decline_draw")
    assert await thinker.choose(RULES, seen(lost, 0, rules=RULES), asked) == AcceptDraw()
    assert await thinker.choose(RULES, seen(lost, 1, rules=RULES), asked) == DeclineDraw()
    assert sum(line.startswith("go") for line in program.told()) == 1
    thinker.close()
    draughts = seen(DRAUGHTS.setup(2, {}, 0), 0, rules=DRAUGHTS)
    assert not uci_answers(DRAUGHTS, draughts, ("play",))
    assert not uci_answers(RULES, START, ("play", "claim_draw")), "our own player judges claims"


def test_after_it_is_closed_it_is_not_started_again(program: Program, uci: Uci) -> None:
    uci.move(START)
    uci.close()
    with pytest.raises(chess.engine.EngineTerminatedError):
        uci.move(START)
    assert program.told().count("uci") == 1


def test_the_settings_name_the_program_and_its_strength(program: Program) -> None:
    named = {"KRONIKA_UCI_ENGINE": str(program.path)}
    assert uci_engine({}) is None
    assert uci_engine(named) == (program.path, Strength(2_000, None))
    assert uci_engine(named | {"KRONIKA_UCI_NODES": "50", "KRONIKA_UCI_ELO": "1400"}) == (
        program.path,
        Strength(50, 1400),
    )


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("KRONIKA_UCI_ENGINE", "/nowhere/stockfish"),
        ("KRONIKA_UCI_ENGINE", os.sep),
        ("KRONIKA_UCI_NODES", "0"),
        ("KRONIKA_UCI_ELO", "strong"),
    ],
)
def test_a_wrong_setting_is_named(variable: str, value: str) -> None:
    with pytest.raises(SettingsError, match=variable):
        uci_engine({variable: value})


def stockfish() -> Path:
    """The real one, where it is installed."""
    found = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
    if found is None:
        pytest.skip("stockfish is not installed")
    return Path(found)


def test_stockfish_plays_the_same_moves_every_time() -> None:
    played: list[list[str]] = []
    for _ in range(2):
        uci = Uci(stockfish())
        state, moves = RULES.setup(2, {}, 0), list[str]()
        while len(moves) < 20:
            moves.append(uci.move(seen(state, state.turn, rules=RULES)))
            state = RULES.play(state, state.turn, moves[-1])
        uci.close()
        played.append(moves)
    assert played[0] == played[1]
