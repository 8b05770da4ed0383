"""Nobody can tell two matches apart that differ only in what he may not know, at no commit (DESIGN §4).

Matches of the games with secrets are played by the real ``decide``, with people who ask for time, give up and
leave. Each is held against its twin (``tests.support.twins``), in which all that a viewer has not seen is
something else.
"""

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.game.domain import decide
from services.game.judge import timely
from shared.commands import AskTime, Leave, Play, PlayerCommand, Resign
from shared.fold import step
from shared.match import MatchState, view
from shared.match.views import legal
from shared.problems import Problem, Refused
from shared.rules.scrabble.tiles import TILES
from tests.support.scrabble import tiles_of
from tests.support.twins import GAMES, twin, unsealed
from tests.support.twins.course import TRIED, running

every_game = pytest.mark.parametrize("game", GAMES)
some = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def told(state: MatchState, viewer: int | None) -> bytes:
    """The view as it is sent; see ``unsealed``."""
    return unsealed(state, msgspec.json.encode(view(state, viewer)))


def outcome(state: MatchState, seat: int, command: PlayerCommand, secret: bytes) -> Problem | str:
    """What whoever gives the command learns of it."""
    try:
        timely(state, seat, state.n)
        decide(state, seat, command, secret)
    except Refused as refused:
        return refused.problem
    return "accepted"


@every_game
@some
@given(seed=st.integers(0, 2**32))
def test_at_no_commit_can_a_viewer_tell_twins_apart(game: str, seed: int) -> None:
    random = Random(seed)
    made = running(game, seed)
    viewer = random.choice((None, *range(made.state.seats)))
    other = twin(made.lines, viewer, random)
    one = two = None
    for line, told_again in zip(made.lines, other, strict=True):
        one, two = step(one, line), step(two, told_again)
        assert told(one, viewer) == told(two, viewer)
        assert legal(one, viewer) == legal(two, viewer)
        if viewer is None:
            continue
        commands = (AskTime(), Resign(), Leave(), Play(random.choice(TRIED[game])))
        for command in commands:
            assert outcome(one, viewer, command, made.secret) == outcome(two, viewer, command, made.secret)
    assert one is not None
    assert two is not None
    assert one.n == two.n == made.state.n


@every_game
def test_twins_do_differ(game: str) -> None:
    """Else the test above would show nothing."""
    differ = 0
    for seed in range(12):
        made = running(game, seed)
        twins = [twin(made.lines, viewer, Random(seed)) for viewer in (None, 0)]
        for lines in twins:
            state = None
            for line in lines:
                state = step(state, line)
            assert state is not None
            differ += state.position != made.state.position
    assert differ >= 20


@every_game
@some
@given(seed=st.integers(0, 2**32))
def test_cards_tiles_and_ships_are_all_there_at_every_commit(game: str, seed: int) -> None:
    """32 cards, 100 tiles, and the cells of the fleet; also when somebody has given up, and in the twin."""
    made = running(game, seed)
    for lines in (made.lines, twin(made.lines, None, Random(seed))):
        state = None
        for line in lines:
            state = step(state, line)
            if state.position is not None:
                _all_there(game, state.position)


def _all_there(game: str, position: Any) -> None:
    if game == "prsi":
        held = [card for hand in position.hands for card in hand]
        assert not position.dealt or sorted((*held, *position.stock, *position.pile)) == list(range(32))
    elif game == "scrabble":
        assert tiles_of(position) == TILES
        assert len(TILES) == 100
    else:
        cells = sum(position.lengths)
        assert cells == (17 if len(position.lengths) == 5 else 20)
        assert all(
            len({cell for ship in fleet for cell in ship}) == cells for fleet in position.fleets if fleet
        )
