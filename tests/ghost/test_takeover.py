"""The ghost in an absent player's place: it plays ordinary commands, hands back, and presses no Next."""

from random import Random

import pytest

from services.ghost.players import Seen
from services.ghost.thinking import Thinker
from shared.commands import Next, Play, PlayerCommand, Ready, ReportAbsent, ReportPresent, Roll
from shared.events.codec import decode_match
from shared.events.match import GameEnded, Level, Terms
from shared.match import MatchState, Phase, demands
from shared.rules.registry import AnyRules
from shared.subjects import command as command_subject
from shared.wire.match import COMMAND_ANSWER, ENCODER, Accepted, CommandRequest, RefusedAnswer
from tests.support.ghosts import PERSON, House, Table, not_installed

GHOSTLY = Terms(target=5, absence="ghost", grace_ms=0)


async def clock_says(house: House, table: Table, command: ReportAbsent | ReportPresent, name: str) -> object:
    """The clock service reports; its answer."""
    request = ENCODER.encode(CommandRequest(id=name, command=command))
    subject = command_subject("clock", "game", table.match)
    return COMMAND_ANSWER.decode(await house.bus.request(subject, request, 5_000))


async def begun(house: House) -> Table:
    """A match of two people, the first game begun."""
    table = await house.table(PERSON, PERSON, terms=GHOSTLY)
    for seat in (0, 1):
        assert isinstance(await table.command(seat, Ready()), Accepted)
    return table


async def one_move(table: Table, seat: int, random: Random) -> None:
    """``seat`` does what is demanded of it, once."""
    state = await table.wait(
        lambda s: s.phase is not Phase.PLAYING or any(d.seat == seat for d in demands(s))
    )
    if state.phase is not Phase.PLAYING:
        return
    commands = next(d.commands for d in demands(state) if d.seat == seat)
    move = random.choice(state.rules.legal(state.position, seat)) if "play" in commands else ""
    assert isinstance(await table.command(seat, Play(move) if move else Roll()), Accepted)


def between(state: MatchState) -> bool:
    return state.phase is not Phase.PLAYING


@pytest.mark.rule("S7", "S8")
async def test_the_ghost_finishes_the_game_of_one_who_stays_away_and_leaves_next_to_him(house: House) -> None:
    await house.ghost().start()
    table = await begun(house)
    assert isinstance(await clock_says(house, table, ReportAbsent(0, 1), "away"), Accepted)
    random = Random(5)
    while not between(await table.state()):
        await one_move(table, 1, random)
    state = await table.state()
    commits = [decode_match(stored) for stored in await house.log.read(table.match)]
    played = {commit.by.for_seat for commit in commits if commit.by.service == "ghost"}
    assert played == {0}
    ended = next(e for commit in commits for e in commit.events if isinstance(e, GameEnded))
    assert ended.counted == (ended.winner == 1)
    if state.phase is Phase.BETWEEN:
        assert isinstance(await table.command(1, Next()), Accepted)
        assert not (await table.state()).next_pressed[0]
        assert isinstance(await table.command(0, Next()), Accepted)
        assert not any((await table.state()).ghosted)


@pytest.mark.rule("S7")
async def test_who_comes_back_plays_on_himself_and_a_ghosted_seat_takes_no_commands_of_its_player(
    house: House,
) -> None:
    table = await begun(house)
    state = await table.state()
    seat = demands(state)[0].seat
    assert isinstance(await clock_says(house, table, ReportAbsent(seat, 1), "away"), Accepted)
    move = Play(state.rules.legal(state.position, seat)[0])
    refused = await table.command(seat, move)
    assert isinstance(refused, RefusedAnswer)
    assert refused.problem.code == "ghost_plays"
    await house.ghost().start()
    await table.wait(lambda s: all(d.seat != seat for d in demands(s)))
    assert isinstance(await clock_says(house, table, ReportPresent(seat), "back"), Accepted)
    await one_move(table, 1 - seat, Random(1))
    await one_move(table, 1 - seat, Random(1))
    state = await table.wait(lambda s: any(d.seat == seat for d in demands(s)))
    assert not state.ghosted[seat]
    assert isinstance(await table.command(seat, Roll()), Accepted)


class Noting(Thinker):
    """Remembers at which levels it was asked to play."""

    def __init__(self) -> None:
        super().__init__(not_installed)
        self.levels: list[int] = []

    async def choose(
        self, rules: AnyRules, seen: Seen, commands: tuple[str, ...], level: int = Level.UNSAID
    ) -> PlayerCommand:
        self.levels.append(level)
        return await super().choose(rules, seen, commands, level)


@pytest.mark.rule("S18")
async def test_nobody_gains_by_leaving_an_open_game_rules_of_thumb_play_on_for_him(house: House) -> None:
    thinker = Noting()
    await house.ghost(thinker).start()
    table = await house.table(PERSON, PERSON, rules="chess", terms=Terms(absence="ghost", grace_ms=0))
    for seat in (0, 1):
        assert isinstance(await table.command(seat, Ready()), Accepted)
    (asked,) = demands(await table.state())
    assert isinstance(await clock_says(house, table, ReportAbsent(asked.seat, 1), "away"), Accepted)
    await table.wait(lambda s: all(d.seat != asked.seat for d in demands(s)))
    assert thinker.levels == [Level.BY_THUMB]
