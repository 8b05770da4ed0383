"""The game service on memory ports: one answer to every command, identity, races, and who may order what."""

import asyncio
from collections.abc import Callable

import pytest
from prometheus_client import REGISTRY

from services.game import handlers
from services.game.handlers import Game
from shared.adapters.memory_bucket import MemoryBucket
from shared.adapters.memory_log import MemoryLog
from shared.commands import CreateMatch, Leave, MatchCommand, Next, Play, Ready, Resign, Roll, SetAutoRoll
from shared.events.codec import decode_match
from shared.events.match import Seat, Terms
from shared.fold import fold
from shared.match import MatchState, demands
from shared.ports.log import Conflict, LogUnavailable
from shared.service import Health
from shared.subjects import command as subject
from shared.wire.match import COMMAND_ANSWER, ENCODER, Accepted, CommandAnswer, CommandRequest, RefusedAnswer
from tests.support.story import PLAYERS, SECRET

MATCH = "mservice2345"
BOT = "pbot23456789"
CREATE = CreateMatch(
    rules="backgammon", rules_version=1, seats=(Seat(PLAYERS[0]), Seat(PLAYERS[1])), terms=Terms(target=3)
)


class Time:
    """A clock whose time is a number."""

    def __init__(self) -> None:
        self.ms = 1_000_000

    def now_ms(self) -> int:
        return self.ms

    def saw(self, at_ms: int) -> None:
        self.ms = max(self.ms, at_ms)


class Slow(MemoryLog):
    """A log that lets others go first before it appends, so that instances race."""

    async def append(self, key: str, n: int, data: bytes) -> None:
        await asyncio.sleep(0)
        await super().append(key, n, data)


class Full(MemoryLog):
    """A log on a disk that may be full."""

    full = False

    async def append(self, key: str, n: int, data: bytes) -> None:
        if self.full:
            raise LogUnavailable("no space left on device")
        await super().append(key, n, data)


class Bench:
    """One or more game instances on one log."""

    def __init__(
        self, log: MemoryLog | None = None, secrets: Callable[[int], bytes] = lambda _: SECRET
    ) -> None:
        self.log = log or MemoryLog()
        self.bucket = MemoryBucket()
        self.time = Time()
        self.secrets = secrets
        self.health = Health()
        self.games = [self.instance()]

    def instance(self) -> Game:
        return Game(self.log, self.bucket, self.time, self.secrets, self.health)

    async def send(
        self,
        command: MatchCommand,
        player: str = "",
        expected: int | None = None,
        name: str = "c",
        *,
        sender: str = "gateway",
        match: str = MATCH,
        game: int = 0,
        dry_run: bool = False,
        arrived_ms: int = 0,
    ) -> CommandAnswer:
        request = CommandRequest(
            id=name, command=command, player=player, expected=expected, dry_run=dry_run, arrived_ms=arrived_ms
        )
        data = ENCODER.encode(request)
        return COMMAND_ANSWER.decode(await self.games[game].answer(subject(sender, "game", match), data))

    async def started(self, create: CreateMatch = CREATE) -> "Bench":
        assert await self.send(create, sender="lobby", name="create") == Accepted(1)
        assert await self.send(Ready(), PLAYERS[0], 1, "r0") == Accepted(2)
        assert await self.send(Ready(), PLAYERS[1], 1, "r1") == Accepted(3)
        return self

    async def state(self) -> MatchState:
        state = fold(await self.log.read(MATCH))
        assert state is not None
        return state

    async def play(self, steps: int, game: int = 0) -> None:
        """Play ``steps`` commands of whoever must decide."""
        for _ in range(steps):
            state = await self.state()
            demand = demands(state)[0]
            name = demand.commands[0]
            move = state.rules.legal(state.position, demand.seat)[0] if name == "play" else ""
            command: MatchCommand = Roll() if name == "roll" else Play(move) if move else Next()
            answer = await self.send(
                command, PLAYERS[demand.seat], state.n, f"{name}{state.n}", game=game % len(self.games)
            )
            assert answer == Accepted(state.n + 1)


def code(answer: CommandAnswer) -> str:
    assert isinstance(answer, RefusedAnswer), answer
    return answer.problem.code


async def test_same_id_and_body_gets_the_stored_answer_and_another_body_is_refused() -> None:
    bench = await Bench().started()
    answer = await bench.send(SetAutoRoll(on=True), PLAYERS[0], 3, "x")
    assert answer == await bench.send(SetAutoRoll(on=True), PLAYERS[0], 3, "x") == Accepted(4)
    assert code(await bench.send(SetAutoRoll(on=False), PLAYERS[0], 3, "x")) == "id_reused"
    assert code(await bench.send(SetAutoRoll(on=True), PLAYERS[0], 2, "x")) == "id_reused"
    assert (await bench.send(SetAutoRoll(on=True), PLAYERS[1], 3, "x")) == Accepted((await bench.state()).n)


async def test_a_repeat_is_answered_even_after_the_match_went_on_and_the_instance_changed() -> None:
    bench = await Bench().started()
    state = await bench.state()
    seat = demands(state)[0].seat
    move = Play(state.rules.legal(state.position, seat)[0])
    assert await bench.send(move, PLAYERS[seat], 3, "first") == Accepted(4)
    await bench.play(5)
    bench.games = [bench.instance()]
    assert await bench.send(move, PLAYERS[seat], 3, "first") == Accepted(4)


def not_stored() -> float:
    return REGISTRY.get_sample_value("kronika_appends_failed_total") or 0.0


async def test_while_nothing_can_be_stored_commands_are_unavailable_and_the_service_is_not_ready() -> None:
    disk = Full()
    bench = await Bench(disk).started()
    reasons = bench.health.why_not_ready
    assert "log" not in reasons()
    failed = not_stored()
    disk.full = True
    answer = await bench.send(SetAutoRoll(on=True), PLAYERS[0], 3, "x")
    assert isinstance(answer, RefusedAnswer)
    assert (answer.problem.code, answer.problem.retryable) == ("unavailable", True)
    assert reasons()["log"] == "nothing can be stored: no space left on device"
    assert not_stored() == failed + 1
    disk.full = False
    assert await bench.send(SetAutoRoll(on=True), PLAYERS[0], 3, "x") == Accepted(4), (
        "the same id may be sent again"
    )
    assert "log" not in reasons()


async def test_refusals_are_not_stored_and_judged_anew() -> None:
    bench = await Bench().started()
    state = await bench.state()
    waits = 1 - demands(state)[0].seat
    assert code(await bench.send(Roll(), PLAYERS[waits], 3, "roll")) == "wrong_phase"
    await bench.play(1)
    assert await bench.send(Roll(), PLAYERS[waits], 4, "roll") == Accepted(5)


async def test_creating_twice_makes_one_match_with_one_secret() -> None:
    secrets = iter((b"a" * 32, b"b" * 32, b"c" * 32))
    bench = Bench(secrets=lambda _: next(secrets))
    assert await bench.send(CREATE, sender="lobby", name="create") == Accepted(1)
    assert await bench.send(CREATE, sender="lobby", name="create") == Accepted(1)
    assert await bench.bucket.get(MATCH) == b"a" * 32
    assert len(await bench.log.read(MATCH)) == 1
    assert code(await bench.send(CREATE, sender="lobby", name="other")) == "id_reused"


@pytest.mark.parametrize(
    ("sender", "player", "command", "expected"),
    [
        ("gateway", PLAYERS[0], CREATE, "command_not_allowed"),
        ("ghost", PLAYERS[0], Leave(), "command_not_allowed"),
        ("clock", PLAYERS[0], Leave(), "command_not_allowed"),
        ("gateway", "pstranger234", Leave(), "not_your_seat"),
        ("gateway", "", Leave(), "not_your_seat"),
        ("lobby", PLAYERS[0], Leave(), "command_not_allowed"),
    ],
)
async def test_the_sender_limits_the_commands_and_the_seat_follows_from_the_player(
    sender: str, player: str, command: MatchCommand, expected: str
) -> None:
    bench = await Bench().started()
    before = bench.log.entries.copy()
    assert code(await bench.send(command, player, 3, "evil", sender=sender)) == expected
    assert bench.log.entries == before


async def test_the_ghost_plays_bot_seats_and_a_player_may_not() -> None:
    bench = Bench()
    create = CreateMatch(
        rules="backgammon", rules_version=1, seats=(Seat(PLAYERS[0]), Seat(BOT, bot=True)), terms=Terms()
    )
    await bench.send(create, sender="lobby", name="create")
    assert code(await bench.send(Ready(), BOT, 1, "r")) == "command_not_allowed"
    assert await bench.send(Ready(), BOT, 1, "r", sender="ghost") == Accepted(2)
    by = decode_match((await bench.log.read(MATCH))[1]).by
    assert (by.seat, by.service, by.for_seat) == (None, "ghost", 1)


async def test_what_cannot_be_read_is_refused() -> None:
    bench = await Bench().started()
    game = bench.games[0]
    answer = COMMAND_ANSWER.decode(await game.answer(subject("gateway", "game", MATCH), b'{"id":'))
    assert code(answer) == "malformed"
    assert code(await bench.send(Roll(), PLAYERS[0], 3, "")) == "invalid"
    assert code(await bench.send(Roll(), PLAYERS[0], 3, "x", match="mnothere2345")) == "unknown_match"


async def test_a_dry_run_writes_nothing_and_does_not_tell_the_dice() -> None:
    bench = await Bench().started()
    await bench.play(1)
    before = bench.log.entries.copy()
    state = await bench.state()
    seat = demands(state)[0].seat
    assert await bench.send(Roll(), PLAYERS[seat], state.n, "dry", dry_run=True) == Accepted(state.n + 1)
    assert bench.log.entries == before


async def test_two_instances_racing_leave_one_gapless_log_and_no_conflict_reaches_a_client() -> None:
    bench = await Bench(Slow()).started()
    bench.games.append(bench.instance())
    refused: list[str] = []
    for turn in range(60):
        await bench.play(1, game=turn)
        state = await bench.state()
        answers = await asyncio.gather(
            *(
                bench.send(SetAutoRoll(on=turn % 2 == 0), PLAYERS[n], state.n, f"a{turn}.{n}", game=n)
                for n in (0, 1)
            )
        )
        refused += [code(answer) for answer in answers if isinstance(answer, RefusedAnswer)]
    assert set(refused) <= {"stale", "unchanged"}  # judged by what the other instance stored
    assert (await bench.state()).n == 3 + 60 * 3 - len(refused)


async def test_the_same_command_sent_to_two_instances_at_once_is_stored_once() -> None:
    bench = await Bench(Slow()).started()
    bench.games.append(bench.instance())
    await bench.play(1)
    state = await bench.state()
    seat = demands(state)[0].seat
    answers = await asyncio.gather(
        *(bench.send(Roll(), PLAYERS[seat], state.n, "roll", game=game) for game in (0, 1))
    )
    assert list(answers) == [Accepted(state.n + 1)] * 2
    assert (await bench.state()).n == state.n + 1


async def test_an_instance_that_was_behind_does_not_refuse_before_it_has_read_the_log() -> None:
    bench = await Bench().started()
    bench.games.append(bench.instance())
    await bench.play(1, game=1)
    await bench.play(6, game=0)
    state = await bench.state()
    demand = demands(state)[0]
    command = (
        Roll() if demand.commands[0] == "roll" else Play(state.rules.legal(state.position, demand.seat)[0])
    )
    assert await bench.send(command, PLAYERS[demand.seat], state.n, "late", game=1) == Accepted(state.n + 1)


async def test_three_resignations_in_one_burst_end_no_second_game() -> None:
    bench = await Bench().started()
    state = await bench.state()
    seat = demands(state)[0].seat
    same = [await bench.send(Resign(confirm=True), PLAYERS[seat], 3, "one") for _ in range(3)]
    assert same == [Accepted(4)] * 3
    others = [await bench.send(Resign(confirm=True), PLAYERS[seat], 3, f"n{n}") for n in range(3)]
    assert [code(answer) for answer in others] == ["stale"] * 3
    without = [await bench.send(Resign(confirm=True), PLAYERS[seat], None, f"w{n}") for n in range(3)]
    assert [code(answer) for answer in without] == ["expected_required"] * 3
    assert (await bench.state()).n == 4


async def test_every_refusal_carries_the_current_n() -> None:
    bench = await Bench().started()
    for answer in (
        await bench.send(Roll(), PLAYERS[0], 2, "a"),
        await bench.send(Play("24/18"), PLAYERS[demands(await bench.state())[0].seat], 3, "b"),
        await bench.send(Leave(), "pstranger234", 3, "c"),
    ):
        assert isinstance(answer, RefusedAnswer)
        assert answer.problem.n == 3


async def test_an_exception_of_ours_costs_nobody_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = await Bench().started()

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patched:
        patched.setattr(handlers, "decide", broken)
        assert code(await bench.send(SetAutoRoll(on=True), PLAYERS[0], 3, "x")) == "internal"
    assert await bench.send(SetAutoRoll(on=True), PLAYERS[0], 3, "x") == Accepted(4)


@pytest.mark.parametrize("error", [LogUnavailable("down"), Conflict("always")])
async def test_a_log_that_does_not_take_it_is_said_so_and_nothing_is_lost(error: Exception) -> None:
    class Failing(MemoryLog):
        failing = False

        async def append(self, key: str, n: int, data: bytes) -> None:
            if self.failing:
                raise error
            await super().append(key, n, data)

    log = Failing()
    bench = await Bench(log).started()
    log.failing = True
    assert code(await bench.send(SetAutoRoll(on=True), PLAYERS[0], 3, "x")) == "unavailable"
    log.failing = False
    assert await bench.send(SetAutoRoll(on=True), PLAYERS[0], 3, "x") == Accepted(4)


@pytest.mark.parametrize(
    ("arrived", "counts"), [(20_000, 10_000), (9_700, 9_700), (9_500, 9_500), (100, 9_500)]
)
async def test_a_stamp_counts_within_the_window_only(arrived: int, counts: int) -> None:
    bench = await Bench().started()
    bench.time.ms = base = 10_000_000
    shift = base - 10_000
    await bench.send(SetAutoRoll(on=True), PLAYERS[0], 3, "x", arrived_ms=arrived + shift)
    commit = decode_match((await bench.log.read(MATCH))[-1])
    assert commit.arrived_ms == counts + shift
    assert commit.at_ms == base


async def test_time_never_goes_back_in_a_log() -> None:
    bench = await Bench().started()
    bench.time.ms -= 3_600_000
    await bench.play(3)
    times = [decode_match(stored).at_ms for stored in await bench.log.read(MATCH)]
    assert times == sorted(times)
