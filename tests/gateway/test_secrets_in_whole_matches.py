"""Whole matches of the games with secrets: what everybody was sent is held against the log."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import AsyncExitStack
from random import Random
from typing import Any, Final

import aiohttp
import msgspec
import pytest
import structlog

from services.audit.domain import verify
from shared.adapters import word_lists
from shared.fold import step
from shared.match import MatchState, Phase
from shared.rules.prsi.cards import NAMES
from shared.rules.scrabble import words
from shared.rules.scrabble.generator import plays
from tests.support.api import Api, Frame, Socket
from tests.support.cluster import Cluster

pytestmark = [pytest.mark.nightly]

MOST_TURNS: Final = 600
TRIES: Final = 20_000
"""So many letters are tried for a word: some play, not the best, is found soon."""
_CARD: Final = re.compile(r'"(10|[789UOKA])([hlba])[="]')


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """All services on servers of their own, with the system's list of words where there is one."""
    directory = tmp_path_factory.mktemp("whole")
    asyncio.run(
        word_lists.provide({}, directory, structlog.get_logger())
    )  # built here: services wait 30 s at most
    with Cluster(directory) as running:
        yield running
    for dictionary in words.known():
        words.withdraw(dictionary)


async def opened(game: str, people: list[Api]) -> str:
    """The match of all these people at one table."""
    table = await people[0].post("/v1/tables", {"game": game, "house": "boards", "seats": len(people)})
    assert table.status == 201, table
    for other in people[1:]:
        joined = await other.post(f"/v1/tables/{table.body['id']}/join")
        assert joined.status == 200, joined
    async with asyncio.timeout(10):
        while not table.body["match"]:
            table = await people[0].get(f"/v1/tables/{table.body['id']}")
    return str(table.body["match"])


def chosen(view: dict[str, Any], random: Random) -> str:
    """A move that the view's seat may make, by what its view says alone."""
    if view["rules"] != "scrabble":
        return random.choice(view["legal"])
    board = view["board"]
    if view["legal"] and "accept" in view["legal"]:
        return "accept"
    lexicon = words.find(board["dictionary"])
    assert lexicon is not None
    found = plays(lexicon, "".join(board["board"]), board["rack"], TRIES).plays
    if found:
        return random.choice(found)
    return f"-{board['rack'][:2]}" if board["bag"] >= 7 else "-"


async def played(match: str, sockets: list[Socket], random: Random) -> int:
    """The match to its end; of three one leaves on his fifth turn. How many turns there were."""
    n = max(frame["n"] for socket in sockets for frame in socket.views(match))
    for turn in range(MOST_TURNS):
        views = [await socket.view(match, n) for socket in sockets]
        if views[0]["result"] is not None:
            return turn
        if len(sockets) > 2 and turn == 13:
            command: Frame = {"type": "leave"}
            seat = 2
        else:
            seat = next(seat for seat, view in enumerate(views) if {"play", "ready"} & set(view["may"]))
            ready = "ready" in views[seat]["may"]
            command = {"type": "ready"} if ready else {"type": "play", "move": chosen(views[seat], random)}
        answer = await sockets[seat].command(match, command, n)
        assert answer["type"] == "view", (command, answer)
        n = answer["n"]
    raise AssertionError("the match does not end")


async def streamed(who: Api, match: str) -> list[str]:
    """What a stream sends until the match ends."""
    headers = {"Authorization": f"Bearer {who.token}"}
    timeout = aiohttp.ClientTimeout(total=300)
    address = f"{who.base}/v1/stream?match={match}"
    async with who.http.get(address, headers=headers, timeout=timeout) as stream:
        text = (await stream.read()).decode()
    return [part.removeprefix("data: ") for part in text.split("\n") if part.startswith("data: ")]


def states(lines: list[bytes]) -> dict[int, MatchState]:
    """The true state by commit."""
    found: dict[int, MatchState] = {}
    state: MatchState | None = None
    for line in lines:
        state = step(state, line)
        found[state.n] = state
    return found


def leaks(text: str, position: Any, seat: int | None) -> list[str]:
    """What this frame tells ``seat`` that it may not know, by the true ``position``."""
    if hasattr(position, "pile"):
        own = () if seat is None else position.hands[seat]
        may: set[str] = {NAMES[card] for card in (*own, *position.pile)}
        return [card for card in ("".join(found) for found in _CARD.findall(text)) if card not in may]
    others = [owner for owner in range(len(getattr(position, "racks", (0, 0)))) if owner != seat]
    if hasattr(position, "racks"):
        secret = [position.racks[owner] for owner in others] + [position.bag]
        own = "" if seat is None else position.racks[seat]
        return [tiles for tiles in secret if len(tiles) > 3 and tiles != own and f'"{tiles}"' in text]
    found = [position.nonces[owner] for owner in others if position.nonces[owner] in text]
    ships = msgspec.json.decode(text)["view"]["board"]["ships"]
    return [nonce for nonce in found if nonce] + [str(ships[owner]) for owner in others if ships[owner]]


@pytest.mark.parametrize(
    ("game", "seats"), [("battleship", 2), ("prsi", 2), ("prsi", 3), ("scrabble", 2), ("scrabble", 3)]
)
async def test_nobody_was_sent_what_he_may_not_know(
    game: str, seats: int, cluster: Cluster, http: aiohttp.ClientSession
) -> None:
    api = Api(http, cluster.address)
    people = [await api.guest() for _ in range(seats)]
    spectator, reader = await api.guest(), await api.guest()
    match = await opened(game, people)
    async with AsyncExitStack() as stack:
        sockets = [await stack.enter_async_context(who.socket()) for who in (*people, spectator)]
        for socket in sockets:
            assert (await socket.watch(match))["outcome"] == "reset"
            await socket.get(lambda frame: frame["type"] == "view")
        reading = asyncio.create_task(streamed(reader, match))
        turns = await played(match, sockets[:seats], Random(f"{game} {seats}"))
        for socket in sockets:
            await socket.get(lambda frame: frame["type"] == "ended", 0)
        by_viewer = [(seat, socket.raw) for seat, socket in enumerate(sockets[:seats])]
        by_viewer += [(None, sockets[-1].raw), (None, await reading)]
    lines = [line.encode() for line in (await api.get(f"/v1/matches/{match}/commits")).text.splitlines()]
    true, checked = states(lines), 0
    for seat, texts in by_viewer:
        for text in texts:
            frame = msgspec.json.decode(text)
            if "view" not in frame or true[frame["n"]].phase is not Phase.PLAYING:
                continue
            told = leaks(text, true[frame["n"]].position, seat)
            assert not told, f"seat {seat} at {frame['n']}: {told} in {text}"
            checked += 1
    assert checked > (seats + 1) * min(turns, 10)
    report = verify(lines)
    assert report.difference is None, report.difference
