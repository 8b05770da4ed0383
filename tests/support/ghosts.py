"""Computer players at work: single choices, whole games between players, a table with a ghost in memory."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from random import Random
from typing import Any, Final

import msgspec

from services.game.handlers import Game
from services.ghost.handlers import Ghost
from services.ghost.players import Player, Seen
from services.ghost.thinking import Thinker
from shared.adapters.memory_bucket import MemoryBucket
from shared.adapters.memory_bus import MemoryBus
from shared.adapters.memory_log import MemoryLog
from shared.commands import CreateMatch, MatchCommand
from shared.events.match import Seat, Terms
from shared.fold import fold
from shared.ids import new_id
from shared.match import MatchState, Phase, view
from shared.ports.bus import Bus
from shared.ports.log import EventLog
from shared.rules.alternating import Turns
from shared.rules.backgammon import RULES
from shared.rules.nard.game import Nard, State
from shared.rules.protocol import Chance, Over, Result
from shared.rules.registry import CURRENT, AnyRules
from shared.service import Now
from shared.subjects import command as command_subject
from shared.wire.match import COMMAND_ANSWER, ENCODER, Accepted, CommandRequest, RefusedAnswer
from tests.support.playing import drawn
from tests.support.story import Story

COMPUTER, PERSON = "computer", "person"

MOST_TURNS = 2_000
WAIT_S = 30


VARIANTS: Final[dict[str, tuple[Nard, dict[str, Any]]]] = {
    f"{rules.name} {mode}": (rules, {"mode": mode})
    for rules in CURRENT.values()
    if isinstance(rules, Nard)
    for mode in rules.options()["properties"]["mode"]["enum"]
}
"""Every game of the family in each of its modes: rules and options."""

BOARD_GAMES: Final[dict[str, tuple[AnyRules, dict[str, Any]]]] = {
    " ".join((game, *map(str, options.values()))): (CURRENT[game], options)
    for game, options in (
        ("abalone", {}),
        ("abalone", {"start": "belgian_daisy"}),
        ("chess", {}),
        ("draughts", {}),
        ("gomoku", {}),
        ("gomoku", {"variant": "pro"}),
        ("gomoku", {"variant": "swap"}),
        ("gomoku", {"variant": "swap2"}),
        ("gomoku", {"size": 20}),
        ("gomoku3d", {}),
        ("reversi", {}),
    )
}
"""The open games of two in turn, in each way to begin: rules and options."""


def seen(
    position: State | Turns,
    seat: int,
    terms: Terms | None = None,
    rules: AnyRules = RULES,
    options: dict[str, Any] | None = None,
    **changes: Any,
) -> Seen:
    """What ``seat`` sees of a match of ``rules`` at ``position`` (and at ``score``, ``cube`` …)."""
    changes |= {"rules": rules, "position": position, "options": options or {}}
    state = Story(terms).started().given(**changes).state
    shown = position if isinstance(position, Turns) else None
    return Seen(view(state, seat), rules.legal(position, seat), shown)


class RandomPlayer:
    """Any legal move, from a seed. ``Player``."""

    def __init__(self, seed: int) -> None:
        """Seeded."""
        self._random = Random(seed)

    def move(self, seen: Seen) -> str:
        """Any."""
        return self._random.choice(seen.legal)


def game(
    players: tuple[Player, Player], seed: int, rules: AnyRules = RULES, options: dict[str, Any] | None = None
) -> Result:
    """How a game ends that is played with dice from ``seed``; seat ``seed % 2`` begins."""
    dice = Random(seed)
    first = seed % 2
    story = Story().started().given(rules=rules, first=first, options=options or {}).state
    state = rules.setup(2, options or {}, first)
    for _ in range(MOST_TURNS):
        waiting = rules.waiting(state)
        if isinstance(waiting, Over):
            return waiting.result
        if isinstance(waiting, Chance):
            state = rules.settle(state, drawn(waiting.draw, dice))
            continue
        seat = waiting.seats[0]
        legal = rules.legal(state, seat)
        move = legal[0]
        if len(legal) > 1:
            shown = view(msgspec.structs.replace(story, position=state), seat)
            known = state if isinstance(state, Turns) else None
            move = players[seat].move(Seen(shown, legal, known))
            assert move in legal
        state = rules.play(state, seat, move)
    raise AssertionError("the game does not end")


def meetings(
    first: Callable[[int], Player],
    second: Callable[[int], Player],
    games: int,
    rules: AnyRules = RULES,
    options: dict[str, Any] | None = None,
) -> Iterator[int]:
    """The points that the first player wins or loses in each of so many seeded games; 0 for a draw.

    They change seats after every game.
    """
    for seed in range(games):
        one, two = first(seed), second(seed)
        # Seat ``seed % 2`` begins, so each of the four combinations of seat and beginning comes up alike.
        place = seed // 2 % 2
        result = game((one, two) if place == 0 else (two, one), seed, rules, options)
        yield result.points if result.winner == place else -result.points


def wins(
    first: Callable[[int], Player],
    second: Callable[[int], Player],
    games: int,
    rules: AnyRules = RULES,
    options: dict[str, Any] | None = None,
) -> int:
    """How many of these ``meetings`` the first player wins."""
    return sum(points > 0 for points in meetings(first, second, games, rules, options))


class Asked(msgspec.Struct, frozen=True):
    """A command that the ghost sent."""

    match: str
    request: CommandRequest


class RecordingBus:
    """A bus that remembers what was asked; ``before`` and ``after`` may fail or wait."""

    def __init__(self, bus: Bus) -> None:
        """Ask ``bus``."""
        self._bus = bus
        self.asked: list[Asked] = []
        self.before: Callable[[str], Awaitable[None]] | None = None
        self.after: Callable[[str], Awaitable[None]] | None = None

    async def request(self, subject: str, data: bytes, timeout_ms: int) -> bytes:
        """See ``Bus.request``."""
        match = subject.split(".")[3]
        self.asked.append(Asked(match, msgspec.json.decode(data, type=CommandRequest)))
        if self.before is not None:
            await self.before(match)
        answer = await self._bus.request(subject, data, timeout_ms)
        if self.after is not None:
            await self.after(match)
        return answer

    async def serve(self, subject: str, group: str, answer: Any) -> Any:
        """See ``Bus.serve``."""
        return await self._bus.serve(subject, group, answer)


class Table:
    """A match seen from its log, and commands for it."""

    def __init__(self, log: EventLog, bus: Bus, match: str, seats: tuple[Seat, ...]) -> None:
        """The match ``match``."""
        self._log = log
        self._bus = bus
        self.match = match
        self.seats = seats
        self._tries = 0
        self._state: MatchState | None = None

    async def state(self) -> MatchState:
        """The match as it stands in the log."""
        n = 0 if self._state is None else self._state.n
        self._state = fold(await self._log.read(self.match, n), self._state)
        assert self._state is not None
        return self._state

    async def command(
        self, seat: int, command: MatchCommand, sender: str = "gateway", expected: int | None = None
    ) -> Accepted | RefusedAnswer:
        """``seat`` commands, at the newest commit if no other is named."""
        self._tries += 1
        request = CommandRequest(
            id=f"t{self._tries}",
            command=command,
            player=self.seats[seat].player,
            expected=(await self.state()).n if expected is None else expected,
        )
        subject = command_subject(sender, "game", self.match)
        return COMMAND_ANSWER.decode(await self._bus.request(subject, ENCODER.encode(request), 5_000))

    async def wait(self, until: Callable[[MatchState], bool]) -> MatchState:
        """The first newest state for which ``until`` holds."""
        grown = asyncio.Event()
        following = await self._log.follow(self.match, 0, lambda _n, _data: grown.set())
        try:
            async with asyncio.timeout(WAIT_S):
                while not until(state := await self.state()):
                    grown.clear()
                    if until(state := await self.state()):
                        break
                    await grown.wait()
                return state
        finally:
            await following.close()

    async def play(self, choose: Callable[[MatchState, int], MatchCommand]) -> MatchState:
        """Answer for every seat that no bot sits on until the match is over."""
        people = [seat for seat, taken in enumerate(self.seats) if not taken.bot]
        while True:
            state = await self.wait(
                lambda s: s.phase is Phase.OVER or any(d.seat in people for d in view(s, None).decide)
            )
            if state.phase is Phase.OVER:
                return state
            seat = next(d.seat for d in view(state, None).decide if d.seat in people)
            answer = await self.command(seat, choose(state, seat), expected=state.n)
            assert isinstance(answer, Accepted), answer


async def new_table(
    log: EventLog,
    bus: Bus,
    sitting: tuple[str, ...],
    *,
    terms: Terms | None = None,
    rules: str = "backgammon",
    options: dict[str, Any] | None = None,
    chance: str = "committed",
    creator: Bus | None = None,
    match: str = "",
) -> Table:
    """A new match of computers and people, ``match`` if it has a name: then with the same dice every time.

    ``creator`` is the lobby's bus if it is another.
    """
    table = Table(
        log, bus, match or new_id("m"), tuple(Seat(new_id("p"), bot=who == COMPUTER) for who in sitting)
    )
    command = CreateMatch(
        rules=rules,
        rules_version=1,
        seats=table.seats,
        terms=terms or Terms(),
        options=options or {},
        chance=chance,
    )
    request = ENCODER.encode(CommandRequest(id="create", command=command))
    subject = command_subject("lobby", "game", table.match)
    answer = COMMAND_ANSWER.decode(await (creator or bus).request(subject, request, 5_000))
    assert isinstance(answer, Accepted), answer
    return table


class House:
    """Game service and ghost in this process, on ports in memory."""

    def __init__(self) -> None:
        """Nothing runs yet."""
        self.log = MemoryLog()
        self.bus = MemoryBus()
        self.ghost_bus = RecordingBus(self.bus)
        self._ghosts: list[Ghost] = []
        secrets = Random(7)
        self.game = Game(self.log, MemoryBucket(), Now(), secrets.randbytes)

    async def open(self) -> "House":
        """The game service answers."""
        await self.bus.serve("cmd.*.game.*", "game", self.game.answer)
        return self

    def ghost(self, thinker: Thinker | None = None, **limits: int) -> Ghost:
        """A ghost that is not started."""
        ghost = Ghost(self.log, self.ghost_bus, thinker or Thinker(load=not_installed), **limits)
        self._ghosts.append(ghost)
        return ghost

    async def table(self, *sitting: str, terms: Terms | None = None, **others: Any) -> Table:
        """A new match."""
        return await new_table(self.log, self.bus, sitting, terms=terms, **others)

    async def close(self) -> None:
        """Every ghost stops."""
        for ghost in self._ghosts:
            with suppress(RuntimeError):
                await ghost.close()


def not_installed() -> Player:
    """The engine is not installed."""
    raise ImportError("bgsage")
