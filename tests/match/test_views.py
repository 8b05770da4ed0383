"""What a viewer sees: never more than he may know, and all that he needs to act."""

from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.game.advance import advance, play
from services.game.draft import Draft
from shared.commands import Ready
from shared.events.match import DiceRolled, MatchCreated, MatchEvent, Seat, SeatReady, Terms
from shared.fold import step
from shared.match import MatchState, Phase, demands, view
from shared.match.applying import created
from shared.rules.registry import RULES
from tests.support import golden
from tests.support.hidden_hand import RULES as HIDDEN
from tests.support.hidden_hand import register, rehidden
from tests.support.story import Story, match_to


@pytest.fixture(autouse=True, scope="module")
def _hidden_hand_is_registered() -> object:
    with pytest.MonkeyPatch.context() as patch:
        register(patch)
        yield


def hidden_match(seats: int, seed: int) -> list[MatchState]:
    """Every state of a match of hidden hand to its end, one for each commit, played at random."""
    random = Random(seed)
    event = MatchCreated(
        rules=HIDDEN.name,
        rules_version=1,
        seats=tuple(Seat(f"pplayer{seat}234") for seat in range(seats)),
        secret_hash="",
        terms=Terms(),
    )
    state = created("mhidden23456", event)
    states = [state]

    def commit(draft: Draft) -> None:
        advance(draft)
        states.append(msgspec.structs.replace(draft.state, n=len(states), last_events=tuple(draft.events)))

    while states[-1].phase is not Phase.OVER:
        draft = Draft(states[-1], random.randbytes(32))
        seat = random.choice(demands(draft.state)).seat
        if draft.state.phase is Phase.GATHERING:
            draft.add(SeatReady(seat))
        else:
            play(draft, seat, random.choice(HIDDEN.legal(draft.state.position, seat)))
        commit(draft)
    return states


def redrawn(event: MatchEvent, random: Random) -> MatchEvent:
    """The same event with another deal; nobody may learn more of a deal than his own hand shows him."""
    if not isinstance(event, DiceRolled):
        return event
    return msgspec.structs.replace(event, dice=tuple(random.sample(event.dice, len(event.dice))))


@given(seed=st.integers(0, 2**32), seats=st.integers(2, 3))
def test_views_are_equal_where_states_differ_only_in_what_a_viewer_may_not_know(
    seed: int, seats: int
) -> None:
    random = Random(seed)
    for state in hidden_match(seats, seed):
        if state.position is None or state.phase is Phase.OVER:
            continue
        for viewer in (*range(seats), None):
            other = msgspec.structs.replace(state, position=rehidden(state.position, viewer, random))
            if state.last_move is not None:
                moved = state.last_move
                choice = other.position.chosen[moved.seat]
                if choice is not None:  # a choice that is still secret could as well be another card
                    moved = msgspec.structs.replace(moved, move=str(choice))
                    other = msgspec.structs.replace(other, last_move=moved)
            events = tuple(redrawn(event, random) for event in state.last_events)
            other = msgspec.structs.replace(other, last_events=events)
            assert msgspec.json.encode(view(state, viewer)) == msgspec.json.encode(view(other, viewer))


def test_the_secret_is_in_no_view_before_the_match_is_over() -> None:
    for state in hidden_match(2, 7):
        for viewer in (0, 1, None):
            assert bool(view(state, viewer).fairness.secret) == (state.phase is Phase.OVER)


@given(seed=st.integers(0, 2**32))
def test_only_the_seat_that_must_move_gets_legal_moves(seed: int) -> None:
    for state in hidden_match(3, seed):
        deciding = {demand.seat for demand in demands(state) if "play" in demand.commands}
        for viewer in (0, 1, 2, None):
            seen = view(state, viewer)
            assert bool(seen.legal) == (viewer in deciding)
            assert seen.legal_count == len(seen.legal or ())


@pytest.mark.rule("S17")
@pytest.mark.parametrize(
    ("game", "told"),
    [
        ("chess", ["white", "black"]),
        ("draughts", ["white", "black"]),
        ("reversi", ["black", "white"]),
        ("abalone", ["black", "white"]),
        ("gomoku", [None, None]),
        ("gomoku3d", [None, None]),
    ],
)
def test_seats_have_the_colours_of_the_board(game: str, told: list[str | None]) -> None:
    seen = view(Story(Terms(cube=False), rules=game).started().state, 0)
    assert [taken.colour for taken in seen.seats] == told


def test_a_view_tells_colours_directions_and_the_board() -> None:
    told = Story().started()
    seen = view(told.state, 0)
    assert {taken.colour for taken in seen.seats} == {"white", "black"}
    assert seen.first is not None
    assert seen.seats[seen.first].colour == "white"
    assert seen.board is not None
    assert seen.board["pips"] == [167, 167]
    assert seen.position == "4HPwATDgc/ABMA"
    assert seen.decision == told.state.n


def test_a_view_says_the_last_action_in_words() -> None:
    told = Story()
    assert "set up" in view(told.state, None).last.words
    told.when(0, Ready())
    assert view(told.state, None).last.words == "Seat 0 is ready."
    assert view(told.state, None).last.events == ("seat_ready",)


def test_every_registered_game_has_a_name_of_its_own() -> None:
    assert len({name for name, _ in RULES}) >= 2


def test_between_games_neither_ghost_nor_computer_sits_in_anybodys_seat() -> None:
    told = Story(match_to(5)).started().to_roll(1)
    told.vanishes(0)
    assert view(told.state, 1).seats[0].ghost
    told.wins(0)
    seat = view(told.state, 1).seats[0]
    assert (seat.ghost, seat.kicked) == (False, False)


@pytest.mark.parametrize(
    "name", ["backgammon/single", "chess/agreed", "prsi/out-of-cards", "battleship/fleet-sunk"]
)
def test_in_a_replay_of_what_is_over_nobody_may_do_anything(name: str) -> None:
    state = None
    running = 0
    for line in golden.stored(name)[:40]:
        state = step(state, line)
        for seat in range(state.seats):
            shown = view(state, seat, opened=True)
            running += bool(view(state, seat).may)
            assert (shown.may, shown.legal, shown.legal_count) == ((), None, 0)
            assert (shown.suggested, shown.decide) == (False, view(state, seat).decide)
    assert running
