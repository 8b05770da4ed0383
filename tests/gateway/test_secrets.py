"""What a player may not know is nowhere on the wire (DESIGN §1.2, §4).

Two matches with one public course, twins for one viewer, lie in the real broker. Everything that he can fetch
or send is asked of both, and must be answered with the same bytes: REST, streams, sockets, refusals.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any, Final

import pytest

from shared import subjects, tokens
from shared.adapters.nats_bucket import NatsBucket
from shared.adapters.nats_log import NatsLog
from shared.commands import Resign
from shared.events.codec import decode_match
from shared.events.match import DiceRolled, MovePlayed, Seat, Terms
from shared.export import formats
from shared.fold import fold
from shared.match import MatchState, demands
from shared.rules.scrabble.words import OWN
from tests.conftest import ConnectAs
from tests.support.api import Answer, Api, Socket, event
from tests.support.cluster import Cluster
from tests.support.matches import MemoryGame
from tests.support.servers import NatsServer, ValkeyServer
from tests.support.twins import GAMES, moved, twin, twin_id, unsealed
from tests.support.twins.course import TRIED, play_some

TERMS: Final = Terms(cube=False)
OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "battleship": {},
    "prsi": {"reshuffle": True, "illegal_play_draws": True},
    "scrabble": {"dictionary": OWN.id, "challenge": True},
}
SEATS: Final = {"battleship": 2, "prsi": 3, "scrabble": 3}
TURNS: Final = {"battleship": 30, "prsi": 16, "scrabble": 12}
COMMANDS: Final[tuple[dict[str, Any], ...]] = (
    {"type": "ready"},
    {"type": "roll"},
    {"type": "double"},
    {"type": "offer_draw"},
    {"type": "claim_draw"},
    {"type": "accept_resignation"},
    {"type": "ask_time"},
    {"type": "kick"},
    {"type": "next"},
    {"type": "set_auto_roll", "on": True},
    {"type": "auto_finish"},
    {"type": "resign"},
    {"type": "leave"},
    {"type": "play"},
    {"type": "no_such_command"},
)
"""Whatever they would do, they are only tried (``dry_run``)."""


def harmless(state: MatchState, seat: int) -> str:
    """A move from which its own player learns nothing new: a card of his, no play; "" if there is none."""
    if state.rules.name == "scrabble":
        return "-"
    moves = state.rules.legal(state.position, seat) if state.rules.name == "prsi" else ()
    return next((move for move in moves if move not in ("draw", "stand", "penalty")), "")


every_game = pytest.mark.parametrize("game", GAMES)


@pytest.fixture(scope="module")
def cluster(
    tmp_path_factory: pytest.TempPathFactory, nats_server: NatsServer, valkey_server: ValkeyServer
) -> Iterator[Cluster]:
    """Lobby, game and gateway, which log all that they ever log."""
    directory = tmp_path_factory.mktemp("secrets")
    setting = {"KRONIKA_LOG_LEVEL": "debug", "KRONIKA_CZECH_WORDS": "own"}
    with Cluster(
        directory,
        services=("lobby", "game", "gateway"),
        environment=setting,
        nats=nats_server,
        valkey=valkey_server,
    ) as running:
        yield running


@dataclass
class World:
    """One of two matches that a viewer may not be able to tell apart."""

    match: str
    lines: list[bytes]
    stored: int = 0

    @cached_property
    def state(self) -> MatchState:
        state = fold(self.lines)
        assert state is not None
        return state

    def plain(self, sent: str) -> str:
        """What was sent without what must differ: the match's id, seals, the time of day, who is there."""
        text = unsealed(self.state, sent.encode()).decode().replace(self.match, "MATCH")
        text = re.sub(r'"presence":"\w+","since_ms":(null|\d+)', '"presence"', text)
        return re.sub(r"\b[12]\d{12}\b", "MS", text)


class Broker:
    """Where worlds are made: as the game service would."""

    def __init__(self, log: NatsLog, secrets: NatsBucket) -> None:
        self._log = log
        self._secrets = secrets

    async def opens(self, world: World, secret: bytes, until: int) -> None:
        """The match has come to commit ``until``."""
        assert await self._secrets.create(world.match, secret)
        await self.goes_on(world, until)

    async def goes_on(self, world: World, until: int | None = None) -> None:
        """The match comes to commit ``until``, or as far as it is known."""
        for n, line in enumerate(world.lines[world.stored : until], world.stored + 1):
            await self._log.append(world.match, n, line)
            world.stored = n


@pytest.fixture
async def broker(connect_as: ConnectAs) -> Broker:
    connection = await connect_as("game")
    return Broker(NatsLog(connection, subjects.GAMES), NatsBucket(connection, subjects.SECRETS))


@dataclass
class Case:
    """A match of people who have accounts; viewers by seat, then a spectator, then nobody."""

    game: str
    made: MemoryGame
    viewers: list[tuple[int | None, Api]]
    until: int  # commits that are there before anybody looks

    def worlds(self, number: int) -> tuple[World, World]:
        """The twins for viewer ``number``."""
        seat, _ = self.viewers[number]
        names = [twin_id(f"{self.made.match} {number} {which}") for which in "ab"]
        lines = twin(self.made.lines, seat, Random(number))
        return World(names[0], moved(self.made.lines, names[0])), World(names[1], moved(lines, names[1]))


@pytest.fixture
async def people(api: Api) -> list[Api]:
    return [await api.guest() for _ in range(4)]


def case(game: str, people: Sequence[Api], api: Api, name: str) -> Case:
    """Of three one has given up in the middle; ``name`` makes the matches' ids."""
    seats = SEATS[game]
    made = MemoryGame(
        f"secrets of {game} {name}",
        TERMS,
        seats=tuple(Seat(one.player) for one in people[:seats]),
        rules=game,
        options=OPTIONS[game],
    )
    made.start()
    until, random = made.state.n, Random(game)
    play_some(made, random, TURNS[game])
    if seats > 2:
        made.send(1, Resign())
        play_some(made, random, TURNS[game] // 2)
    viewers: list[tuple[int | None, Api]] = [(seat, people[seat]) for seat in range(seats)]
    return Case(game, made, [*viewers, (None, people[-1]), (None, api)], until)


def _answered(world: World, answer: Answer) -> tuple[int, dict[str, str], str]:
    """An answer as it is compared: how far limits are used up, and the time of day, have no say."""
    headers = {name.lower(): world.plain(value) for name, value in answer.headers.items()}
    for name in ("date", "ratelimit", "content-length"):  # as long as the text is, which is compared
        headers.pop(name, None)
    return answer.status, headers, world.plain(answer.text)


def _paths(match: str, n: int) -> list[str]:
    views = [f"?n={number}" for number in (0, *range(3, n, 6), n, n + 1)]  # all are in tests/match
    forms = ["", *(f"?format={form}" for form in (*formats.FORMATS, "nonsense"))]
    return [
        *(f"/v1/matches/{match}{query}" for query in ("", "?n=x", *views)),
        f"/v1/matches/{match}/legal",
        *(f"/v1/matches/{match}/commits{query}" for query in ("", "?after=3")),
        *(f"/v1/matches/{match}/export{form}" for form in forms),
        f"/v1/matches/{match}/diagram.svg",
        f"/v1/tables/{match}",
        f"/v1/stream?match={match}x",
    ]


def _tries(case: Case, number: int) -> list[dict[str, Any]]:
    """Bodies of commands: all kinds, moves good and bad, against right and wrong commits."""
    n = len(case.made.lines)
    seat, _ = case.viewers[number]
    state = case.made.state
    legal = () if seat is None else state.rules.legal(state.position, seat)
    moves = [*TRIED[case.game], *legal[:3], *legal[-2:], "x" * 500]
    commands = [*COMMANDS, *({"type": "play", "move": move} for move in moves)]
    tries = [{"expected": n, "command": command, "dry_run": True} for command in commands]
    play = {"type": "play", "move": moves[0]}
    return [*tries, *({"expected": wrong, "command": play, "dry_run": True} for wrong in (None, 0, 1, n + 1))]


async def _asked(who: Api, world: World, case: Case, number: int) -> list[Any]:
    """All that ``who`` can fetch by REST, and what he is answered to what he tries."""
    found: list[Any] = [
        (path.replace(world.match, "MATCH"), *_answered(world, await who.get(path)))
        for path in _paths(world.match, len(world.lines))
    ]
    address = f"/v1/matches/{world.match}/commands"
    for place, body in enumerate(_tries(case, number)):
        answer = await who.post(address, body, key=f"try-{number}-{place:08}")
        found.append((body, *_answered(world, answer)))
        if answer.status >= 400 and place % 4 == 0:  # then it may as well be meant: nothing happens
            meant = await who.post(address, {**body, "dry_run": False}, key=f"meant-{number}-{place:08}")
            found.append((body, *_answered(world, meant)))
    return found


async def _streamed(who: Api, world: World, after: int) -> list[dict[str, str]]:
    """The stream of the match from commit ``after`` on, up to the newest view."""
    headers = {"Authorization": f"Bearer {who.token}"} if who.token else {}
    address = f"{who.base}/v1/stream?match={world.match}&after={after}"
    found: list[dict[str, str]] = []
    async with who.http.get(address, headers=headers) as stream:
        assert stream.status == 200
        while not found or found[-1].get("id") != str(world.stored):
            told = await event(stream)
            if told["event"] != "presence":
                found.append({name: world.plain(value) for name, value in told.items()})
    return found


class Watcher:
    """A viewer who watches twins on one socket."""

    def __init__(self, socket: Socket, worlds: Sequence[World]) -> None:
        self._socket = socket
        self.worlds = worlds

    async def watches(self) -> None:
        for world in self.worlds:
            await self._socket.send({"type": "watch", "match": world.match})
        await self.sees()

    async def sees(self) -> None:
        """All views up to the newest are there."""
        for world in self.worlds:
            await self._socket.view(world.match, world.stored)

    async def tries(self, case: Case, number: int) -> None:
        """Commands over the socket that are refused, or would be, had somebody a seat."""
        n = len(case.made.lines)
        moves = [{"type": "play", "move": move} for move in TRIED[case.game]]
        for place, command in enumerate([*COMMANDS, *moves]):
            answers = [
                await self._socket.command(
                    world.match, command, expected, f"socket-{number}-{place:08}-{expected}"
                )
                for world in self.worlds
                for expected in (0, n + 1)
            ]
            assert {answer["type"] for answer in answers} == {"refused"}

    async def does(self, command: dict[str, Any], n: int) -> None:
        """Give a command that is accepted."""
        for world in self.worlds:
            answer = await self._socket.command(world.match, command, n, "accepted-00000001")
            assert answer["type"] == "view", answer
            world.stored = n + 1

    def heard(self) -> list[list[str]]:
        """By world every frame about it, in order, but those that tell who is there."""
        return [
            [
                world.plain(text)
                for text, frame in zip(self._socket.raw, self._socket.frames, strict=True)
                if frame["type"] != "presence" and (frame.get("match") == world.match or world.match in text)
            ]
            for world in self.worlds
        ]


def _same(one: Sequence[Any], two: Sequence[Any]) -> None:
    for first, second in zip(one, two, strict=True):
        assert first == second


@every_game
async def test_whatever_a_viewer_asks_and_tries_twins_are_answered_alike(
    game: str, api: Api, people: list[Api], broker: Broker
) -> None:
    of = case(game, people, api, "asked")
    for number, (_, who) in enumerate(of.viewers):
        worlds = of.worlds(number)
        for world in worlds:
            await broker.opens(world, of.made.secret, len(world.lines))
        one, two = [await _asked(who, world, of, number) for world in worlds]
        assert {entry[1] for entry in one} >= {200, 404}
        _same(one, two)
        for after in (0, 4) if who.token else ():
            _same(*[await _streamed(who, world, after) for world in worlds])


@every_game
async def test_sockets_of_twins_are_sent_the_same_frames_while_the_match_goes_on(
    game: str, api: Api, people: list[Api], broker: Broker
) -> None:
    of = case(game, people, api, "watched")
    viewers = [(number, who) for number, (_, who) in enumerate(of.viewers) if who.token]
    n, due = len(of.made.lines), demands(of.made.state)[0].seat
    async with AsyncExitStack() as stack:
        for number, who in viewers:
            worlds = of.worlds(number)
            for world in worlds:
                await broker.opens(world, of.made.secret, of.until)
            watcher = Watcher(await stack.enter_async_context(who.socket()), worlds)
            await watcher.watches()
            for world in worlds:
                await broker.goes_on(world)
            await watcher.sees()
            await watcher.tries(of, number)
            if number == due and (move := harmless(of.made.state, due)):
                await watcher.does({"type": "play", "move": move}, n)
                await watcher.sees()
            one, two = watcher.heard()
            assert len(one) >= n - of.until
            _same(one, two)


def hidden(world: World) -> set[str]:
    """What nobody but game may say: all that was drawn and chosen in secret, salts, the racks and hands."""
    found: set[str] = set()
    for line in world.lines:
        commit = decode_match(line)
        found |= {commit.salt, commit.command_hash}
        for done in commit.events:
            if isinstance(done, DiceRolled) and len(done.dice) > 1:
                found |= {str(list(done.dice))[1:-1], ",".join(map(str, done.dice))}
            if isinstance(done, MovePlayed) and len(done.move) > len("a1-a4"):
                found.add(done.move)
    for name in ("nonces", "racks", "hands"):
        for value in getattr(world.state.position, name, ()):
            found |= {text for text in (str(value), str(value).strip("()")) if len(text) > len("0, 1")}
    return found


async def test_services_write_nothing_secret_into_logs_and_figures(
    cluster: Cluster, api: Api, people: list[Api], broker: Broker
) -> None:
    """Also not where they stumble: over a log that cannot be read on, or bodies that are none."""
    secret: set[str] = set()
    for game in GAMES:
        of = case(game, people, api, "logged")
        for world in of.worlds(0):
            await broker.opens(world, of.made.secret, len(world.lines))
            secret |= hidden(world) | {of.made.secret.hex()}
            await _asked(people[0], world, of, 0)
            broken = world.lines[-1].replace(b'"type":"', b'"type":"not_')
            world.lines.append(broken)
            await broker.goes_on(world)
            answer = await people[0].get(f"/v1/matches/{world.match}")
            assert answer.code == "unreadable_log"
            body = {"expected": len(world.lines), "command": {"type": "resign"}}
            assert (await people[0].post(f"/v1/matches/{world.match}/commands", body)).status >= 400
    for process in cluster.processes.values():
        figures = await api.http.get(f"http://127.0.0.1:{process.probe_port}/metrics")
        assert figures.status == 200
        told = process.log.read_text() + await figures.text()
        assert not {text for text in secret if text in told}
        assert process.service == "lobby" or "unreadable" in told or "cannot be read" in told


@every_game
async def test_when_the_match_is_over_everything_is_open_and_not_before(
    game: str, api: Api, people: list[Api], broker: Broker
) -> None:
    of = case(game, people, api, "ended")
    _, world = of.worlds(0)
    await broker.opens(world, of.made.secret, len(world.lines))
    path = f"/v1/matches/{world.match}"
    for who in (*people, api):
        for query in ("/commits", "/export", "/export?format=ndjson"):
            assert (await who.get(path + query)).code == ("forbidden" if who.token else "unauthorized")
    for who in people[: SEATS[game]]:
        body = {"expected": len(world.lines) + 1, "command": {"type": "leave"}}
        n = (await who.get(path)).body["n"]
        answer = await who.post(f"{path}/commands", {**body, "expected": n})
        assert answer.status == 200 or answer.code in ("match_over", "unchanged"), answer
    log = await api.get(f"{path}/commits")
    assert log.text.splitlines()[: len(world.lines)] == [line.decode() for line in world.lines]
    assert (await api.get(f"{path}/export?format=ndjson")).text == log.text
    views = [(await who.get(path)).body for who in people]
    assert views[0]["fairness"]["secret"]
    shown = {"battleship": "ships", "prsi": "hands", "scrabble": "racks"}[game]
    assert all(view["board"][shown] == views[-1]["board"][shown] for view in views)
    assert all(part is not None for part in views[-1]["board"][shown])
    begun = next(n for n, line in enumerate(world.lines, 1) if b"game_started" in line)
    for n in (begun + 1, (begun + len(world.lines)) // 2):  # not all: reading costs
        replayed = await people[-1].get(f"{path}?n={n}")
        assert replayed.status == 200, replayed
        assert None not in replayed.body["board"][shown]


async def test_who_may_audit_reads_running_matches_but_not_those_that_he_plays_in(
    api: Api, cluster: Cluster
) -> None:
    key = cluster.key(tokens.AUDIT_FILE)
    playing, other, auditor = (
        await api.guest(audit_key=key),
        await api.guest(),
        await api.guest(audit_key=key),
    )
    match = await playing.match_with(other, game="prsi")
    for path in (f"/v1/matches/{match}/commits", f"/v1/matches/{match}/export"):
        assert (await auditor.get(path)).status == 200
        refused = await playing.get(path)
        assert (refused.code, refused.body["n"]) == ("forbidden", 1)
    n = (await other.get(f"/v1/matches/{match}")).body["n"]
    left = await other.post(f"/v1/matches/{match}/commands", {"expected": n, "command": {"type": "leave"}})
    assert left.status == 200
    assert (await playing.get(f"/v1/matches/{match}/commits")).status == 200
