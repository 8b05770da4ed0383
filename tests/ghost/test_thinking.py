"""Whatever the engine does, there is an answer in time."""

import asyncio
import threading
from collections.abc import Iterator

import pytest
from structlog.testing import capture_logs

from services.ghost.players import Player, Seen, own_player
from services.ghost.thinking import Thinker
from shared.commands import Play
from shared.rules.backgammon import RULES
from shared.rules.nard.game import State
from tests.support.ghosts import not_installed, seen

SHOWN = seen(State(boards=RULES.setup(2, {}, 0).boards, turn=0, dice=(3, 1)), 0)
OUR_OWN = Play(own_player(RULES, {}).move(SHOWN))
THE_LAST = Play(SHOWN.legal[-1])


class Engine:
    """Plays the last legal move, or does what an engine must not do."""

    def __init__(self) -> None:
        """Well-behaved."""
        self.asked = 0
        self.fails = False
        self.free = threading.Event()
        self.free.set()

    def move(self, seen: Seen) -> str:
        """The last."""
        self.asked += 1
        self.free.wait(10)
        if self.fails:
            raise ArithmeticError("no weights")
        return seen.legal[-1]


@pytest.fixture
def engine() -> Iterator[Engine]:
    """An engine that is let go after the test."""
    engine = Engine()
    yield engine
    engine.free.set()


async def test_the_engine_answers_and_the_first_question_waits_for_it(engine: Engine) -> None:
    loading = threading.Event()

    def load() -> Player:
        loading.wait(10)
        return engine

    thinker = Thinker(load)
    thinker.start()
    loading.set()
    assert await thinker.choose(RULES, SHOWN, ("play",)) == THE_LAST
    thinker.close()


async def test_without_an_engine_our_own_player_plays_and_one_line_says_so() -> None:
    with capture_logs() as logs:
        thinker = Thinker(not_installed)
        thinker.start()
        for _ in range(3):
            assert await thinker.choose(RULES, SHOWN, ("play",)) == OUR_OWN
        thinker.close()
    assert [line["event"] for line in logs] == ["the engine is not installed, our own player plays"]


async def test_an_engine_that_cannot_be_loaded_or_fails_is_no_more_than_a_warning(engine: Engine) -> None:
    def broken() -> Player:
        raise OSError("this processor is too old")

    for load in (broken, lambda: engine):
        engine.fails = True
        thinker = Thinker(load)
        thinker.start()
        assert await thinker.choose(RULES, SHOWN, ("play",)) == OUR_OWN
        thinker.close()
    assert engine.asked == 1


async def test_nobody_waits_for_an_engine_that_is_stuck(engine: Engine) -> None:
    thinker = Thinker(lambda: engine, limit_s=0.05)
    thinker.start()
    engine.free.clear()
    assert await thinker.choose(RULES, SHOWN, ("play",)) == OUR_OWN
    assert await thinker.choose(RULES, SHOWN, ("play",)) == OUR_OWN
    assert engine.asked == 1, "while a call is overdue the engine is not asked"
    engine.free.set()
    async with asyncio.timeout(10):
        while await thinker.choose(RULES, SHOWN, ("play",)) != THE_LAST:
            pass
    thinker.close()
