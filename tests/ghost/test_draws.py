"""Draws at the computer's tables: an offer has its answer, a claim is made, and nothing waits for either."""

from typing import Any

import msgspec
import pytest

from services.audit.domain import verify
from services.ghost.domain import Turn, command_id, plain_answer, superseded, turns
from services.ghost.players import Drawing, Seen, own_player
from services.ghost.thinking import Thinker
from shared.commands import MatchCommand, OfferDraw, Play, PlayerCommand, Ready
from shared.events.codec import decode_match
from shared.events.match import DrawAgreed, DrawDeclined, DrawOffered, MatchCreated, MatchEvent, Seat, Terms
from shared.match import MatchState, Phase, demands
from shared.match.deciding import may_offer_draw
from shared.problems import problem
from shared.rules.chess import State
from shared.rules.draughts import RULES as DRAUGHTS
from shared.rules.gomoku.reading import SIDES
from shared.rules.registry import AnyRules
from shared.wire.match import Accepted
from tests.support.ghosts import COMPUTER, PERSON, House, Table, not_installed
from tests.support.ghosts import seen as shown
from tests.support.story import Story


async def events(house: House, table: Table) -> list[MatchEvent]:
    commits = [decode_match(stored) for stored in await house.log.read(table.match)]
    return [event for commit in commits for event in commit.events]


async def one_move(table: Table, seat: int, move: str = "") -> None:
    """``seat`` plays when it is its turn."""
    state = await table.wait(
        lambda s: s.phase is Phase.OVER or any(d.seat == seat and "play" in d.commands for d in demands(s))
    )
    chosen = move or state.rules.legal(state.position, seat)[0]
    assert isinstance(await table.command(seat, Play(chosen)), Accepted)


async def at_board(house: House, rules: str) -> tuple[Table, int]:
    """A table at which a person plays against the computer; and whose seat is the person's."""
    await house.ghost().start()
    table = await house.table(PERSON, COMPUTER, rules=rules, terms=Terms())
    assert isinstance(await table.command(0, Ready()), Accepted)
    return table, 0


@pytest.mark.parametrize("game", ["gomoku", "gomoku3d", "reversi"])
async def test_an_offer_that_is_early_is_declined_and_play_goes_on(house: House, game: str) -> None:
    table, person = await at_board(house, game)
    await one_move(table, person)
    state = await table.wait(lambda s: s.half_moves >= 2 and any(d.seat == person for d in demands(s)))
    assert isinstance(await table.command(person, OfferDraw()), Accepted)
    state = await table.wait(lambda s: s.draw_offer is None)
    assert state.phase is Phase.PLAYING
    await one_move(table, person)
    await table.wait(lambda s: s.phase is Phase.OVER or s.half_moves >= 4)
    kinds = [type(event) for event in await events(house, table)]
    assert kinds.index(DrawOffered) < kinds.index(DrawDeclined)
    assert DrawAgreed not in kinds


async def test_an_offer_while_sides_are_open_is_declined(house: House) -> None:
    await house.ghost().start()
    table = await house.table(COMPUTER, PERSON, rules="gomoku", options={"variant": "swap2"})
    assert isinstance(await table.command(1, Ready()), Accepted)
    state = await table.wait(lambda s: any(d.seat == 1 and "play" in d.commands for d in demands(s)))
    assert state.position.placed == 3, "the computer began"
    beside = next(move for move in state.rules.legal(state.position, 1) if move not in SIDES)
    await one_move(table, 1, beside)
    state = await table.state()
    assert state.position.circles is None
    assert isinstance(await table.command(1, OfferDraw()), Accepted)
    state = await table.wait(lambda s: s.draw_offer is None)
    assert state.phase is Phase.PLAYING
    await one_move(table, 1)
    state = await table.wait(lambda s: s.phase is Phase.OVER or s.position.circles is not None)
    assert state.phase is Phase.PLAYING


def with_computer(story: Story, seat: int = 1) -> MatchState:
    """The story's match with the computer at ``seat``."""
    created: MatchCreated = story.state.created
    seats = tuple(Seat(taken.player, bot=at == seat) for at, taken in enumerate(created.seats))
    return msgspec.structs.replace(story.state, created=msgspec.structs.replace(created, seats=seats))


def chess(position: State, **changes: Any) -> Story:
    return Story(rules="chess").started().given(position=position, half_moves=40, **changes)


LOST = State(first=0, ply=40, fen="q6k/8/8/8/8/8/8/1K6 w - - 0 20")


@pytest.mark.parametrize("position", [LOST, msgspec.structs.replace(LOST, first=1)])
def test_an_offer_is_asked_about_on_both_turns_and_before_all_else(position: State) -> None:
    state = with_computer(chess(position, draw_offer=0))
    (turn,) = turns(state)
    assert turn.seat == 1
    assert turn.drawing
    assert turn.commands == ("accept_draw", "decline_draw")
    assert plain_answer(turn, ()) is None
    asked = turns(msgspec.structs.replace(state, draw_offer=None))
    assert command_id("m", turn) not in {command_id("m", other) for other in asked}


def test_nobody_answers_an_offer_of_the_computer_or_of_the_absent_for_a_person() -> None:
    assert not any(turn.drawing for turn in turns(with_computer(chess(LOST, draw_offer=1))))


def test_an_offer_that_has_lapsed_is_no_fault() -> None:
    drawing = Turn(1, "pplayer1", 7, ("accept_draw", "decline_draw"))
    assert superseded(problem("nothing_offered"), drawing)
    moving = Turn(1, "pplayer1", 7, ("play",))
    assert not superseded(problem("nothing_offered"), moving), "no offer can have lapsed there"


def test_where_a_draw_can_be_claimed_even_a_single_move_is_thought_about() -> None:
    claimable = State(first=1, ply=200, fen="k7/7R/8/1K6/8/8/8/8 w - - 100 100")
    (turn,) = turns(with_computer(chess(claimable)))
    assert turn.commands == ("play", "claim_draw")
    assert plain_answer(turn, ("b5b6",)) is None


class Careless(Thinker):
    """Moves without understanding, but knows how it stands when it is asked."""

    async def choose(
        self, rules: AnyRules, seen: Seen, commands: tuple[str, ...], level: int = 0
    ) -> PlayerCommand:
        return await super().choose(rules, seen, commands, 1 if "play" in commands else level)


@pytest.mark.rule("B11")
async def test_the_computer_agrees_to_a_draw_once_it_stands_clearly_worse(house: House) -> None:
    await house.ghost(Careless(not_installed)).start()
    table = await house.table(PERSON, COMPUTER, rules="draughts", match="mworse234567")
    person = own_player(DRAUGHTS, {}, 2)

    def choose(state: MatchState, seat: int) -> MatchCommand:
        if state.phase is Phase.GATHERING:
            return Ready()
        if may_offer_draw(state, seat):
            return OfferDraw()
        return Play(person.move(shown(state.position, seat, rules=DRAUGHTS)))

    state = await table.play(choose)
    report = verify(await house.log.read(table.match))
    assert report.difference is None
    told = await events(house, table)
    answers = [event for event in told if isinstance(event, DrawAgreed | DrawDeclined)]
    assert {event.seat for event in answers} == {1}
    assert isinstance(answers[-1], DrawAgreed)
    assert len(answers) > 1, "while it was even it declined"
    assert state.winner is None
    assert state.games[-1].cause == "agreed"
    best = own_player(DRAUGHTS, {})
    assert isinstance(best, Drawing)
    assert not best.accepts_draw(shown(state.position, 0, rules=DRAUGHTS)), "the person would have played on"
