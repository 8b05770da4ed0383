"""A staked table, from its opening to the money of its match: lobby, game and ledger in memory."""

import pytest

from services.audit.domain import verify
from services.game import handlers
from shared.commands import (
    AcceptBeaver,
    Beaver,
    CreateMatch,
    Double,
    Leave,
    Pass,
    Play,
    PlayerCommand,
    Ready,
    Roll,
    Take,
)
from shared.events.codec import decode_match
from shared.events.match import MatchCreated
from shared.events.staked import Staked
from shared.ids import match_of
from shared.match import Phase, demands
from shared.problems import Refused, problem
from shared.wire.ledger import Done, Hold, Release
from shared.wire.lobby import GetTable, JoinTable, LeaveTable, OpenTable, Session
from shared.wire.match import ENCODER, Accepted, RefusedAnswer
from tests.support.books import settled, sound
from tests.support.ledgers import START, Killed, ask
from tests.support.ledgers import code as ledger_code
from tests.support.lobby import code, table
from tests.support.staked import StakedHouse

GAME = OpenTable(game="backgammon", beaver=True, stake=10)
DUEL = OpenTable(game="backgammon", target=3, stake=100)


async def _match(house: StakedHouse, wish: OpenTable, one: Session, two: Session) -> str:
    """A staked match whose first player is to roll, or whoever has won the opening roll."""
    joined = table(await house.seated(wish, one, two))
    assert joined.state == "match"
    for who in (one, two):
        assert isinstance(await house.gives(joined.match, who.player.id, Ready()), Accepted)
    return joined.match


async def _to_double(house: StakedHouse, match: str) -> int:
    """Played until somebody may double; who."""
    while True:
        state = await house.state(match)
        demand = demands(state)[0]
        if "double" in demand.commands:
            return demand.seat
        legal = state.rules.legal(state.position, demand.seat)
        await house.gives(match, state.created.seats[demand.seat].player, Play(legal[0]))


async def _says(house: StakedHouse, match: str, seat: int, command: PlayerCommand) -> str:
    """The code of the refusal, "" for none."""
    player = (await house.state(match)).created.seats[seat].player
    answer = await house.gives(match, player, command)
    return answer.problem.code if isinstance(answer, RefusedAnswer) else ""


async def test_a_staked_table_shows_its_stake_and_becomes_a_match_that_says_so() -> None:
    house = await StakedHouse().reborn()
    one, two = await house.registered(), await house.registered()
    opened = table(await house.lobby.ask(GAME, one))
    assert opened.stake == 10
    joined = table(await house.lobby.ask(JoinTable(opened.id), two))
    created = decode_match((await house.matches.read(joined.match))[0]).events[0]
    assert isinstance(created, MatchCreated)
    assert created.staked == Staked(base=10, worst=3, fixed=False, fee_permille=0)
    assert house.books.balances[joined.match] == 60
    plain = table(await house.seated(OpenTable(game="backgammon"), one, two))
    first = (await house.matches.read(plain.match))[0]
    assert b"staked" not in first, "what is played for nothing has the bytes it always had"


@pytest.mark.rule("S9", "S10", "N9")
@pytest.mark.parametrize(
    ("answers", "won"),
    [
        ((Double(), Pass()), 10),
        ((Double(), Take(), None), 20),
        ((Double(), Beaver(), Pass()), -20),
        ((Double(), Beaver(), AcceptBeaver(), None), 40),
    ],
    ids=["pass", "take", "beaver refused", "beaver accepted"],
)
async def test_what_the_cube_costs(answers: tuple[PlayerCommand | None, ...], won: int) -> None:
    """``won`` by the doubler; in the end (None) the other one leaves, at a gammon or more."""
    house = await StakedHouse().reborn()
    match = await _match(house, GAME, await house.registered(), await house.registered())
    doubler = await _to_double(house, match)
    for turn, command in enumerate(answers):
        seat = doubler if command is not None and turn % 2 == 0 else 1 - doubler
        assert not await _says(house, match, seat, command or Leave())
    state = await house.state(match)
    assert state.phase is Phase.OVER
    worth = state.games[0].points // state.games[0].cube if answers[-1] is None else 1
    await house.consumed()
    settled(house.books)
    players = [seat.player for seat in state.created.seats]
    assert house.books.balances[players[doubler]] == START + won * worth
    assert house.books.balances[players[1 - doubler]] == START - won * worth
    assert verify(await house.matches.read(match)).ok


async def test_who_cannot_cover_a_double_may_not_offer_it_and_whom_it_is_offered_can_only_pass() -> None:
    house = await StakedHouse().reborn()
    wish = OpenTable(game="backgammon", beaver=True, stake=150)  # 450 of 1,000 are held of each
    rich, poor = await house.registered(), await house.registered()
    match = await _match(house, wish, rich, poor)
    doubler = await _to_double(house, match)
    seats = (await house.state(match)).created.seats
    spender, other = poor, rich
    if seats[doubler].player == poor.player.id:
        spender, other = rich, poor
    # The answerer spends what a take would need; then the doubler doubles, and he can only pass.
    third = await house.registered()
    second = await _match(house, OpenTable(game="backgammon", stake=101, target=3), spender, third)
    assert not await _says(house, match, doubler, Double())
    before = house.books.purposes["raise"]
    for refused in (Take(), Beaver()):
        assert await _says(house, match, 1 - doubler, refused) == "no_cover"
    assert house.books.purposes["raise"] == before == 1
    assert not await _says(house, match, 1 - doubler, Pass())
    await house.consumed()
    sound(house.books)
    assert house.books.balances[match] == 0
    assert house.books.balances[other.player.id] == START + 150, "what was held for his offer came back"
    assert not await _says(house, second, 0, Leave())
    third_match = await _match(house, OpenTable(game="backgammon", stake=200), spender, third)
    assert await _says(house, third_match, await _to_double(house, third_match), Double()) == "no_cover"


async def test_a_dry_run_of_a_double_moves_no_money() -> None:
    house = await StakedHouse().reborn()
    match = await _match(house, GAME, await house.registered(), await house.registered())
    doubler = await _to_double(house, match)
    player = (await house.state(match)).created.seats[doubler].player
    assert isinstance(await house.gives(match, player, Double(), dry_run=True), Accepted)
    assert house.books.purposes["raise"] == 0


async def test_while_the_ledger_is_away_nobody_doubles_and_the_game_goes_on() -> None:
    house = await StakedHouse().reborn()
    match = await _match(house, GAME, await house.registered(), await house.registered())
    doubler = await _to_double(house, match)
    await house.away("ledger")
    assert await _says(house, match, doubler, Double()) == "unavailable"
    assert not await _says(house, match, doubler, Roll())


async def test_a_ledger_that_is_away_costs_nobody_the_game_he_would_take() -> None:
    house = await StakedHouse().reborn()
    match = await _match(house, GAME, await house.registered(), await house.registered())
    doubler = await _to_double(house, match)
    assert not await _says(house, match, doubler, Double())
    assert house.books.balances[match] == 2 * 60, "for both, with the offer"
    await house.away("ledger")
    assert await _says(house, match, 1 - doubler, Beaver()) == "unavailable"
    assert not await _says(house, match, 1 - doubler, Take())


async def test_who_waits_for_a_silent_ledger_can_leave_and_what_was_held_comes_back() -> None:
    house = await StakedHouse().reborn()
    one, two, three = [await house.registered() for _ in range(3)]
    opened = table(await house.lobby.ask(DUEL, one))
    late = table(await house.lobby.ask(DUEL, three))
    for waits in (opened, late):
        house.fate.die_at = house.fate.appends + 6  # the seat is taken, a stake is held, no word of it
        with pytest.raises(Killed):
            await house.lobby.ask(JoinTable(waits.id), two)
        await house.reborn()
    assert house.books.purposes["hold"] >= 1
    await house.away("ledger")
    left = table(await house.lobby.ask(LeaveTable(opened.id), two))
    assert (left.state, left.cause) == ("closed", "left")
    house.clock.ms += 25 * 3600 * 1000
    await house.lobby.tables.sweep()
    assert table(await house.lobby.ask(GetTable(late.id), two)).cause == "expired"
    await house.reborn()
    await house.lobby.tables.sweep()
    await house.consumed()
    settled(house.books)
    assert house.matches.entries == []
    entries = len(house.tables.entries)
    await house.lobby.tables.sweep()
    assert len(house.tables.entries) == entries, "nothing is left to do"


async def test_who_may_not_play_for_something() -> None:
    house = await StakedHouse().reborn()
    one, guest = await house.registered(), await house.lobby.player()
    for wrong in (
        OpenTable(game="backgammon", stake=10, computer=True),
        OpenTable(game="backgammon", stake=-1),
        OpenTable(game="backgammon", stake=10**12 + 1),
        OpenTable(game="prsi", stake=10, seats=3),
    ):
        assert code(await house.lobby.ask(wrong, one)) == "invalid_options", wrong
    bot = await house.lobby.bot()
    recorded = OpenTable(game="backgammon", stake=10, chance="recorded", clock="none", absence="wait")
    assert code(await house.lobby.ask(recorded, bot)) == "invalid_options"
    assert code(await house.lobby.ask(GAME, guest)) == "forbidden"
    opened = table(await house.lobby.ask(GAME, one))
    assert code(await house.lobby.ask(JoinTable(opened.id), guest)) == "forbidden"
    assert code(await house.lobby.ask(JoinTable(opened.id), one)) == "already_at_table"
    dear = OpenTable(game="backgammon", stake=START // 3 + 1)
    assert code(await house.lobby.ask(dear, one)) == "no_cover"
    assert (table(await house.lobby.ask(GetTable(opened.id)))).state == "open"


async def test_where_stakes_are_off_there_are_none() -> None:
    house = await StakedHouse(stakes=False).reborn()
    one, two = await house.registered(), await house.registered()
    assert code(await house.lobby.ask(GAME, one)) == "stakes_off"
    assert table(await house.seated(OpenTable(game="backgammon"), one, two)).state == "match"
    assert house.accounts.entries == []


async def test_a_stake_that_is_gone_when_the_match_begins_closes_the_table() -> None:
    """He could pay when he sat down at both, but not both."""
    house = await StakedHouse().reborn()
    one, two, three = [await house.registered() for _ in range(3)]
    wish = OpenTable(game="backgammon", target=3, stake=600)
    first, second = [table(await house.lobby.ask(wish, one)) for _ in range(2)]
    assert table(await house.lobby.ask(JoinTable(first.id), two)).state == "match"
    closed = table(await house.lobby.ask(JoinTable(second.id), three))
    assert (closed.state, closed.cause, closed.match) == ("closed", "stake_refused", "")
    sound(house.books)
    assert house.books.balances[three.player.id] == START
    assert len({match for match, _n, _data in house.matches.entries}) == 1


async def test_a_match_that_is_refused_for_good_leaves_nothing_held() -> None:
    house = await StakedHouse().reborn()
    one, two = await house.registered(), await house.registered()
    await house.away("game")

    async def refuse(_subject: str, _data: bytes) -> bytes:
        return ENCODER.encode(RefusedAnswer(problem("invalid_options")))

    serving = await house.bus.serve("cmd.*.game.*", "game", refuse)
    closed = table(await house.seated(DUEL, one, two))
    assert (closed.state, closed.cause) == ("closed", "match_refused")
    settled(house.books)
    assert house.books.purposes == {"grant": 2, "hold": 2, "release": 1}
    await serving.close()


async def test_a_match_that_exists_keeps_its_stakes_whatever_the_game_service_thinks_of_it_now(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The lobby died before it wrote the match down; the game of today would not create it any more."""
    house = await StakedHouse().reborn()
    one, two = await house.registered(), await house.registered()
    opened = table(await house.lobby.ask(DUEL, one))
    appends = house.fate.appends
    house.fate.die_at = appends + 8  # seat, grants, holds, match; the ninth names it
    with pytest.raises(Killed):
        await house.lobby.ask(JoinTable(opened.id), two)
    match = match_of(opened.id)
    while not await house.matches.read(match):
        await house.reborn()
        house.fate.die_at = house.fate.appends + 2
        with pytest.raises(Killed):
            await house.lobby.ask(GetTable(opened.id), one)
    await house.reborn()

    def refuse(command: CreateMatch, secret: bytes) -> tuple[MatchCreated]:
        raise Refused("invalid_options", f"{command.rules} is played no more, {len(secret)}")

    with monkeypatch.context() as today:
        today.setattr(handlers, "create", refuse)
        joined = table(await house.lobby.ask(GetTable(opened.id), one))
    assert (joined.state, joined.match) == ("match", match)
    assert house.books.balances[match] == 200
    released = await ask(house.ledger, "lobby", match, Release())
    assert ledger_code(released) == "match_begun"
    assert house.books.balances[match] == 200


async def test_a_hold_that_is_late_finds_what_was_called_off() -> None:
    house = await StakedHouse().reborn()
    one, two = await house.registered(), await house.registered()
    for _ in range(2):
        assert isinstance(await ask(house.ledger, "lobby", "mmatch000", Release()), Done)
    hold = Hold(players=(one.player.id, two.player.id), base=10, worst=3, fixed=False)
    assert ledger_code(await ask(house.ledger, "lobby", "mmatch000", hold)) == "escrow_closed"
    settled(house.books)
    assert house.books.purposes["hold"] == 0


@pytest.mark.parametrize("wish", [GAME, DUEL], ids=["single game", "match"])
async def test_a_crash_at_every_step_of_the_start_leads_to_the_same_match_and_money(wish: OpenTable) -> None:
    async def begins(die_at: int, *, stored_first: bool) -> tuple[int, list[int]]:
        house = await StakedHouse().reborn()
        one, two = await house.registered(), await house.registered()
        opened = table(await house.lobby.ask(wish, one))
        begun = house.fate.appends
        house.fate.die_at, house.fate.stored_first = begun + die_at if die_at else 0, stored_first
        try:
            await house.lobby.ask(JoinTable(opened.id), two)
        except Killed:
            await house.reborn()
            if table(await house.lobby.ask(GetTable(opened.id))).state == "open":
                await house.lobby.ask(JoinTable(opened.id), two)  # nothing was stored: he clicks again
        steps = house.fate.appends - begun
        await house.lobby.tables.sweep()
        await house.consumed()
        joined = table(await house.lobby.ask(GetTable(opened.id)))
        assert joined.state == "match"
        assert len(await house.matches.read(joined.match)) == 1
        sound(house.books)
        assert house.books.transit == {}
        accounts = (one.player.id, two.player.id, joined.match)
        return steps, [house.books.balances[account] for account in accounts]

    steps, whole = await begins(0, stored_first=False)
    assert steps >= 9
    for step in range(1, steps + 1):
        for stored_first in (False, True):
            assert (await begins(step, stored_first=stored_first))[1] == whole, (step, stored_first)
