"""Battleship as matches: how each golden one ends, what is sealed, what nobody sees too early (rules §7)."""

from random import Random
from typing import Any, Final

import msgspec
import pytest

from services.audit.domain import verify
from shared.commands import Play
from shared.events.base import chain_hash
from shared.events.codec import decode_match
from shared.events.match import ChoiceExpired, FlagFell, MovePlayed, SeatKicked
from shared.fold import fold
from shared.match import MatchState, Phase, evolve, view
from shared.rules.battleship.fleets import commitment
from tests.support import golden
from tests.support.battleship import rehidden
from tests.support.matches import MemoryGame, rewritten
from tests.support.scripts.battleship import ONE, SCRIPTS, TWO, begun, placed, resigned

ENDINGS: Final[dict[str, tuple[str, str, int | None]]] = {
    "fleet-sunk": ("played", "fleet sunk", 1),
    "extra-shot": ("played", "fleet sunk", 0),
    "five-ships": ("played", "fleet sunk", 0),
    "not-placed": ("flag", "forfeit", 1),
    "thrown-out": ("played", "fleet sunk", 0),
    "flag": ("flag", "forfeit", 0),
    "resigned": ("resigned", "forfeit", 1),
    "left": ("left", "forfeit", 1),
    "absent": ("absent", "forfeit", 0),
}
MOVED: Final = TWO.removesuffix("g1") + "h1"
CANCELLED: Final = {
    "nobody-placed": "cancelled: not chosen",
    "left-annulled": "cancelled: annulled",
    "left-placing": "cancelled: annulled",
    "absent-placing": "cancelled: annulled",
}


def states(name: str) -> list[MatchState]:
    """The match after each of its commits."""
    found: list[MatchState] = []
    state: MatchState | None = None
    for line in golden.stored(f"battleship/{name}"):
        state = evolve(state, decode_match(line), chain_hash(line))
        found.append(state)
    return found


def events(name: str, kind: type) -> list[Any]:
    """The events of a kind in a golden log."""
    commits = map(decode_match, golden.stored(f"battleship/{name}"))
    return [event for commit in commits for event in commit.events if isinstance(event, kind)]


def test_every_golden_log_is_told_here() -> None:
    assert set(SCRIPTS) == {*ENDINGS, *CANCELLED}


@pytest.mark.parametrize("name", ENDINGS)
def test_a_golden_match_ends_as_it_is_called(name: str) -> None:
    last = states(name)[-1]
    assert last.phase is Phase.OVER
    (game,) = last.games
    assert (game.cause, game.kind, game.winner) == ENDINGS[name]


@pytest.mark.rule("B13")
@pytest.mark.parametrize("name", CANCELLED)
def test_a_match_is_cancelled_before_the_fourth_shot_and_where_nobody_placed(name: str) -> None:
    last = states(name)[-1]
    assert (last.cause, last.winner, last.games) == (CANCELLED[name], None, ())


def test_who_is_late_is_late_in_the_log() -> None:
    assert events("not-placed", ChoiceExpired) == [ChoiceExpired((0,))]
    assert events("nobody-placed", ChoiceExpired) == [ChoiceExpired((0, 1))]
    assert events("thrown-out", SeatKicked) == [SeatKicked(1)]
    assert [event.seat for event in events("flag", FlagFell)] == [1]


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_golden_log_is_what_its_script_plays_now_and_verifies(name: str) -> None:
    stored = golden.stored(f"battleship/{name}")
    assert SCRIPTS[name]().lines == stored
    report = verify(stored)
    assert report.ok, report.difference


# ---- what is sealed


def _board(game: MemoryGame, seat: int | None) -> dict[str, Any]:
    board = view(game.state, seat).board
    assert board is not None
    return board


def test_the_opponent_has_the_hash_in_his_hands_before_he_places_himself() -> None:
    game, _ = begun("sealed")
    game.send(1, Play(TWO))
    seen = _board(game, 0)["commitments"][1]
    game.send(0, Play(ONE))
    game.play_on(lambda _, legal: legal[0])
    shown = _board(game, 0)
    assert shown["commitments"][1] == seen == commitment(shown["nonces"][1], TWO)


def test_the_verifier_refuses_a_moved_ship() -> None:
    """Given a log in which a fleet lies elsewhere, chained anew, then the seal beside it gives it away."""
    game, _ = placed("moved", 20)

    def moves(commit: dict[str, Any]) -> None:
        event = commit["events"][0]
        assert event["move"] == TWO
        event["move"] = MOVED

    report = verify(rewritten(game.lines, _commit_of(game, TWO), moves))
    assert report.difference is not None
    assert report.difference.field == "events[0].position"


def test_who_forges_the_seals_too_cannot_take_back_the_one_that_was_seen() -> None:
    """Given a server that moves a ship and writes the whole log anew, then all its seals are others."""
    game, _ = placed("forged", 4)
    seen = _board(game, 0)["commitments"][1]
    forged = MemoryGame("forged", game.state.created.terms, rules="battleship")
    forged.start()
    forged.send(1, Play(MOVED))
    forged.send(0, Play(ONE))
    assert verify(forged.lines).ok
    assert _board(forged, 0)["commitments"][1] != seen
    assert _board(forged, 0)["commitments"][0] == _board(game, 0)["commitments"][0]


def test_the_verifier_refuses_a_nonce_that_was_not_drawn() -> None:
    def draws(commit: dict[str, Any]) -> None:
        dice = commit["events"][-1]["dice"]
        dice[0] = dice[0] % 256 + 1

    game = resigned("nonce")
    begins = next(c.n for c in game.commits if any(type(e).__name__ == "DiceRolled" for e in c.events))
    report = verify(rewritten(game.lines, begins, draws))
    assert report.difference is not None


def _commit_of(game: MemoryGame, move: str) -> int:
    return next(
        commit.n
        for commit in game.commits
        for event in commit.events
        if isinstance(event, MovePlayed) and event.move == move
    )


# ---- what is seen


@pytest.mark.parametrize("name", ["fleet-sunk", "five-ships", "thrown-out", "not-placed"])
def test_no_view_tells_more_than_the_shots_until_the_game_is_over(name: str) -> None:
    """Given the same match with the hidden ships elsewhere, then who may not see them sees the same."""
    random, hidden = Random(name), 0
    for state in states(name):
        if state.phase is not Phase.PLAYING:
            continue
        for viewer in (0, 1, None):
            other = msgspec.structs.replace(state, position=rehidden(state.position, viewer, random))
            hidden += other.position != state.position
            assert msgspec.json.encode(view(other, viewer)) == msgspec.json.encode(view(state, viewer))
    assert hidden


@pytest.mark.parametrize("name", ["resigned", "flag", "left", "absent", "left-annulled", "not-placed"])
def test_however_it_ended_all_see_what_lay_where(name: str) -> None:
    last = states(name)[-1]
    for viewer in (0, 1, None):
        board = view(last, viewer).board
        assert board is not None
        assert board["phase"] == "over"
        assert all(board["nonces"])
        assert [ships is not None for ships in board["ships"]] == [True, True]
        for seat in (0, 1):
            assert bool(board["ships"][seat]) == board["placed"][seat]


def test_a_placement_is_told_in_words_and_moves_to_its_own_seat_alone() -> None:
    game, _ = begun("words")
    game.send(1, Play(TWO))
    assert view(game.state, 1).last.move == TWO
    for viewer in (0, None):
        last = view(game.state, viewer).last
        assert (last.move, last.words) == ("a fleet", "Seat 1 placed a fleet.")
    game.send(0, Play(ONE))
    game.send(0, Play("a1"))
    assert view(game.state, None).last.words == "Seat 0 shot at a1: a ship is sunk."


def test_a_view_says_that_fleets_are_only_suggested_and_shots_are_all_there() -> None:
    game, _ = begun("suggested")
    for seat, place in ((0, ONE), (1, TWO)):
        seen = view(game.state, seat)
        assert seen.suggested
        assert seen.legal_count == 8
        game.send(seat, Play(place))
    seen = view(game.state, 0)
    assert not seen.suggested
    assert seen.legal_count == 100
    assert not view(game.state, None).suggested


def test_a_placement_of_one_leaves_the_others_decision_as_it_was() -> None:
    game, _ = begun("decisions")
    before = game.state.decisions
    game.send(1, Play(TWO))
    assert game.state.decisions[0] == before[0]
    assert game.state.decisions[1] == game.state.n


def test_a_log_is_folded_to_what_was_played() -> None:
    game, _ = placed("folded", 9)
    folded = fold(game.lines)
    assert folded is not None
    assert folded.position == game.state.position
    assert folded.half_moves == 9
