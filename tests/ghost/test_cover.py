"""A ghost whose player's money does not cover a double can only pass, and does."""

import pytest

from services.game.handlers import Game
from shared.adapters.memory_bucket import MemoryBucket
from shared.clocks import PER_MOVE
from shared.commands import CreateMatch, Double, MatchCommand, Pass, Play, Ready, ReportAbsent, Roll
from shared.events.match import Seat, Terms
from shared.events.staked import Staked
from shared.ids import new_id
from shared.match import MatchState, Phase, demands
from shared.service import Now
from shared.subjects import command as command_subject
from shared.wire.match import COMMAND_ANSWER, ENCODER, Accepted, CommandRequest
from tests.support.ghosts import House, Table

STAKED = Staked(base=5, worst=3, fixed=False, fee_permille=0)


class OnlyOne:
    """Whose money covers everything; nobody else has any."""

    def __init__(self, player: str) -> None:
        self.player = player

    async def covered(self, match: str, player: str, cube: int, *, dry_run: bool) -> bool:
        del match, cube, dry_run
        return player == self.player


async def _staked_table(house: House, seats: tuple[Seat, ...]) -> Table:
    covers = OnlyOne(seats[0].player)
    game = Game(house.log, MemoryBucket(), Now(), bytes, covers=covers)
    await house.bus.serve("cmd.*.game.*", "game", game.answer)
    table = Table(house.log, house.bus, "mghostcover0", seats)
    command = CreateMatch(
        rules="backgammon",
        rules_version=1,
        seats=seats,
        terms=Terms(absence="ghost", grace_ms=0, clock=PER_MOVE),
        staked=STAKED,
    )
    request = ENCODER.encode(CommandRequest(id="create", command=command))
    answer = await house.bus.request(command_subject("lobby", "game", table.match), request, 5_000)
    assert isinstance(COMMAND_ANSWER.decode(answer), Accepted)
    return table


def _doubling(state: MatchState) -> bool:
    return any(demand.seat == 0 and "double" in demand.commands for demand in demands(state))


def _answer(state: MatchState, seat: int) -> MatchCommand:
    asked = next(demand.commands for demand in demands(state) if demand.seat == seat)
    if "ready" in asked:
        return Ready()
    return Roll() if "roll" in asked else Play(state.rules.legal(state.position, seat)[0])


@pytest.mark.rule("S7")
async def test_a_ghost_without_cover_passes() -> None:
    house = House()
    seats = (Seat(new_id("p")), Seat(new_id("p")))
    table = await _staked_table(house, seats)
    state = await table.state()
    while not _doubling(state):
        seat = demands(state)[0].seat
        assert isinstance(await table.command(seat, _answer(state, seat)), Accepted)
        state = await table.state()
    await house.ghost().start()
    report = CommandRequest(id="away", command=ReportAbsent(seat=1, since_ms=state.at_ms))
    subject = command_subject("clock", "game", table.match)
    answer = await house.bus.request(subject, ENCODER.encode(report), 5_000)
    assert isinstance(COMMAND_ANSWER.decode(answer), Accepted)
    assert isinstance(await table.command(0, Double()), Accepted)
    over = await table.wait(lambda s: s.phase is Phase.OVER)
    assert (over.winner, over.cause) == (0, "passed")
    tried = [asked.request.command for asked in house.ghost_bus.asked]
    assert tried == [Pass()], "nothing else is asked of it"
    await house.close()
