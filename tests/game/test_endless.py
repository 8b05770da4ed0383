"""No match is endless: after so many moves it is called off, and nobody has won or lost (ADR 0014)."""

import pytest

from services.audit.domain import verify
from shared.events.match import GameEnded, MatchCancelled, SecretRevealed, Terms
from shared.match import Phase, following
from tests.support.matches import MemoryGame, first_move

LONGEST_CHESS = 2 * (118 * 75) - 3
"""Half-moves of the longest game of chess under the 75-move rule, which 118 moves can begin anew."""


def begun(target: int | None = None) -> MemoryGame:
    game = MemoryGame("endless", Terms(cube=False, target=target))
    game.start()
    return game


def test_no_honest_game_comes_near() -> None:
    assert following.MOST_TURNS > LONGEST_CHESS == 17_697


@pytest.mark.parametrize("target", [None, 3])
def test_a_match_that_goes_on_and_on_is_called_off(
    monkeypatch: pytest.MonkeyPatch, target: int | None
) -> None:
    monkeypatch.setattr(following, "MOST_TURNS", 20)
    game = begun(target=target)
    game.play_on(first_move)
    state = game.state
    assert (state.phase, state.winner, state.turns) == (Phase.OVER, None, 20)
    assert state.last_events[-2] == MatchCancelled("too long")
    assert isinstance(state.last_events[-1], SecretRevealed)
    assert verify(game.lines).ok


def test_the_games_of_a_match_count_together(monkeypatch: pytest.MonkeyPatch) -> None:
    game = begun(target=13)
    game.play_on(first_move)
    assert game.state.phase is Phase.BETWEEN
    monkeypatch.setattr(following, "MOST_TURNS", game.state.turns + 5)
    game.next()
    game.play_on(first_move)
    assert (game.state.game, game.state.cause) == (2, "cancelled: too long")


def test_a_move_that_ends_the_game_decides_it_though_it_is_the_last_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = begun()
    game.play_on(first_move)
    turns = game.state.turns
    monkeypatch.setattr(following, "MOST_TURNS", turns)
    again = begun()
    again.play_on(first_move)
    assert again.state.turns == turns
    assert again.state.winner == game.state.winner is not None
    assert any(isinstance(event, GameEnded) for event in again.state.last_events)


def test_a_recorded_match_is_never_called_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "MOST_TURNS", 0)
    game = begun()
    assert following.endless(game.state)
    created = MemoryGame("recorded", Terms(cube=False), chance="recorded")
    assert not following.endless(created.state)
