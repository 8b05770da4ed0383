"""Which seats the ghost plays and what it answers without thinking."""

import msgspec
import pytest

from services.ghost.domain import Turn, command_id, concerns, level, open_position, plain_answer, turns
from shared.commands import AcceptResignation, Next, Play, Ready, Roll
from shared.cube import Cube
from shared.events.match import Level, MatchCreated, Seat, Terms
from shared.match import MatchState, Phase, Resignation
from shared.recent import Recent
from shared.rules.registry import CURRENT
from tests.support.boards import to_play
from tests.support.ghosts import COMPUTER, PERSON
from tests.support.story import Story


def created(*sitting: str, chance: str = "committed") -> MatchCreated:
    return MatchCreated(
        rules="backgammon",
        rules_version=1,
        seats=tuple(Seat(f"pplayer{seat}", bot=who == COMPUTER) for seat, who in enumerate(sitting)),
        secret_hash="",
        terms=Terms(),
        chance=chance,
    )


def with_bot(story: Story, seat: int = 1) -> MatchState:
    """The story's match with the computer at ``seat``."""
    return story.given(created=created(*(COMPUTER if s == seat else PERSON for s in (0, 1)))).state


def only(state: MatchState) -> Turn:
    (turn,) = turns(state)
    return turn


def test_only_matches_with_a_seat_of_ours_concern_us() -> None:
    assert concerns(created(PERSON, COMPUTER))
    assert concerns(created(COMPUTER, COMPUTER, COMPUTER))
    assert not concerns(created(PERSON, PERSON))
    assert not concerns(created(COMPUTER, PERSON, chance="recorded")), "the importer plays every seat"


def test_nothing_is_asked_of_us_while_a_person_must_decide() -> None:
    state = Story().started().to_roll(0)
    assert turns(with_bot(state)) == ()
    assert turns(with_bot(state.given(phase=Phase.OVER))) == ()


def test_every_question_that_needs_no_thought_has_its_answer() -> None:
    ready = only(with_bot(Story()))
    assert plain_answer(ready, ()) == Ready(), "without a hash: the computer trusts the others"
    roll = only(with_bot(Story().started().to_roll(1)))
    assert roll.commands == ("roll", "double")
    assert plain_answer(roll, ()) == Roll(), "it never doubles"
    between = Story().started().given(phase=Phase.BETWEEN)
    assert plain_answer(only(with_bot(between)), ()) == Next()


@pytest.mark.rule("S7", "S13", "S18")
@pytest.mark.parametrize("gone", ["ghosted", "kicked"])
def test_in_the_place_of_one_who_is_away_we_play_by_rules_of_thumb_where_no_dice_fall(gone: str) -> None:
    for game in ("chess", "scrabble", "prsi", "battleship"):
        away = Story().started().given(rules=CURRENT[game], **{gone: (False, True)}).state
        assert level(away, 1) == Level.BY_THUMB, game
    dice = Story().started().given(**{gone: (False, True)}).state
    assert level(dice, 1) == Level.UNSAID, "with dice as well as we can"


def test_our_own_seats_are_played_as_it_was_agreed_at_the_table() -> None:
    for agreed in Level:
        seats = (Seat("pplayer0"), Seat("pplayer1", bot=True, level=agreed))
        state = Story(rules="chess").started().given(ghosted=(False, True)).state
        created = msgspec.structs.replace(state.created, seats=seats)
        assert level(msgspec.structs.replace(state, created=created), 1) == agreed


def test_the_position_is_shown_where_two_move_in_turn_in_the_open() -> None:
    chess = Story(rules="chess").started().state
    assert open_position(chess) is chess.position
    assert open_position(Story().started().state) is None
    assert open_position(Story(rules="chess").state) is None, "no game has begun"


@pytest.mark.rule("S15")
def test_a_resignation_is_always_accepted() -> None:
    offered = Story().started().to_roll(0).given(resignation=Resignation(0, 2))
    assert plain_answer(only(with_bot(offered)), ()) == AcceptResignation()


def test_a_single_legal_move_needs_no_thought_and_a_choice_does() -> None:
    forced = only(with_bot(Story().started().given(position=to_play({6: 1}, {6: 1}, (6, 1), seat=1))))
    assert plain_answer(forced, ("6/off",)) == Play("6/off")
    assert plain_answer(forced, ("6/off", "6/5 5/off")) is None
    doubled = only(with_bot(Story().started().to_roll(0).given(cube=Cube(offered=2, by=0))))
    assert plain_answer(doubled, ()) is None


def test_the_command_id_depends_on_match_decision_and_seat_alone() -> None:
    story = Story().started().to_roll(1)
    before = only(with_bot(story))
    side_commit = only(with_bot(story.given(n=story.state.n + 1, auto_roll=(True, False))))
    assert command_id("m1", before) == command_id("m1", side_commit)
    later = only(with_bot(story.given(decisions=(9, 9))))
    ids = {command_id(m, t) for m in ("m1", "m2") for t in (before, later)}
    assert len(ids) == 4
    assert all(len(command_id("m" * 40, t)) <= 64 for t in (before, later))


def test_memory_is_bounded_and_forgets_the_longest_unused() -> None:
    memory: Recent[int] = Recent(2)
    memory.put("a", 1)
    memory.put("b", 2)
    assert memory.get("a") == 1
    memory.put("c", 3)
    assert (memory.get("a"), memory.get("b"), memory.get("c")) == (1, None, 3)
    assert len(memory) == 2
    memory.forget("a")
    memory.forget("a")
    assert len(memory) == 1
