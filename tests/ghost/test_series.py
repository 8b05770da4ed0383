"""Whole matches and series that two computer players play through the house, verified offline.

One is the house's own at its seat, the other a client of the gateway, which opens the table as anybody does.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Final

import aiohttp
import pytest
from typer.testing import CliRunner

from services.cli.__main__ import application
from services.ghost.thinking import Thinker
from shared.events.codec import decode_match
from shared.fold import fold
from shared.match import MatchState, Phase
from tests.support.api import Api
from tests.support.attached import Attached
from tests.support.cluster import Cluster
from tests.support.ghosts import not_installed

PERSON, COMPUTER = 0, 1
LEVELS: Final = (2, 1, 2)
AT_ONCE: Final = 8
SERIES: Final[dict[str, tuple[str, ...]]] = {
    "mixed": ("hypergammon", "long_nardy", "backgammon", "hypergammon"),
    "tavli": ("backgammon", "plakoto", "fevga", "backgammon"),
}
TABLES: Final[dict[str, dict[str, Any]]] = {
    "match-short": {"game": "backgammon", "target": 3},
    "match-hypergammon": {"game": "hypergammon", "target": 3},
    "match-long": {"game": "long_nardy", "target": 3},
    "mixed": {"series": "mixed"},
    "tavli": {"series": "tavli"},
    "giveaway": {"game": "backgammon", "options": {"mode": "giveaway"}},
    "draw": {"game": "hypergammon", "options": {"mode": "draw"}},
}
every_kind = pytest.mark.parametrize("kind", TABLES)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Everything that a table against the computer needs, as processes."""
    services = ("lobby", "game", "ghost", "gateway")
    with Cluster(tmp_path_factory.mktemp("series"), services=services) as running:
        yield running


@pytest.fixture
async def api(cluster: Cluster) -> AsyncIterator[Api]:
    """The gateway's API, as nobody."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
        yield Api(http, cluster.address)


@pytest.fixture
def thinker() -> Iterator[Thinker]:
    """The client's player: our own, without an engine."""
    thinker = Thinker(not_installed)
    yield thinker
    thinker.close()


async def played(api: Api, thinker: Thinker, wish: dict[str, Any], level: int) -> str:
    """Open the table, play its match to the end; the match."""
    guest = await api.guest()
    table = await guest.post("/v1/tables", {"house": "nardy", **wish, "computer": True, "level": level})
    assert table.status == 201, table
    match = str(table.body["match"])
    async with guest.socket() as socket:
        last = await Attached(socket, thinker, level).play(match)
    assert last.result is not None
    return match


async def exported(api: Api, match: str, folder: Path) -> MatchState:
    """The finished log, as anybody may have it, in a file of ``folder``; its fold."""
    lines: list[bytes] = []
    while True:
        answer = await api.get(f"/v1/matches/{match}/commits?after={len(lines)}")
        assert answer.status == 200, answer
        more = answer.text.encode().splitlines()
        if not more:
            break
        lines += more
    (folder / f"{match}.ndjson").write_bytes(b"".join(line + b"\n" for line in lines))
    state = fold(lines)
    assert state is not None
    givers = {decode_match(line).by.service for line in lines}
    assert givers == {None, "lobby", "ghost"}, "the client's moves, the table, the house's moves"
    return state


def verified(folder: Path, matches: int) -> None:
    """``kronika audit verify`` finds nothing wrong, and every die as the secret says."""
    done = CliRunner().invoke(application("audit"), ["audit", "verify", "--json", str(folder)])
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert len(report["matches"]) == matches
    for match in report["matches"]:
        assert (match["ok"], match["outcome"], match["notes"]) == (True, "played", [])
        assert match["checked_draws"] == match["draws"] > 0


def holds(kind: str, state: MatchState) -> None:
    """What is true of every finished match of this kind."""
    assert state.phase is Phase.OVER
    rows, terms = state.games, state.created.terms
    assert all(row.cause == "played" and row.counted for row in rows)
    assert [row.first for row in rows[1:]] == [1 - (row.first or 0) for row in rows[:-1]]
    assert state.score == tuple(sum(r.points for r in rows if r.winner == seat) for seat in (0, 1))
    best = state.score.index(max(state.score))
    if kind in SERIES:
        before = rows[2].score
        tie_breaks = len(rows) - 3
        assert tie_breaks == (before[0] == before[1])
        assert tuple(row.rules for row in rows) == SERIES[kind][: 3 + tie_breaks]
        assert not any(row.crawford for row in rows)
        assert (state.winner, terms.cube) == (best, kind == "mixed")
    elif terms.target is not None:
        scores = [row.score for row in rows]
        assert all(max(score) < terms.target for score in scores[:-1])
        assert (max(state.score) >= terms.target, state.winner) == (True, best)
        short = [terms.target - 1 in score for score in ((0, 0), *scores[:-1])]
        assert [row.crawford for row in rows] == [one and not any(short[:n]) for n, one in enumerate(short)]
    else:
        (row,) = rows
        assert state.winner == row.winner
        assert row.points <= 1 or kind != "giveaway"
        assert row.winner is not None or (kind, row.kind) == ("draw", "draw")


@pytest.mark.rule("N1", "N2", "N3", "N4", "N5", "N6", "N11")
@every_kind
async def test_two_computers_play_three_of_each_kind_to_their_ends(
    api: Api, thinker: Thinker, tmp_path: Path, kind: str
) -> None:
    matches = await asyncio.gather(*(played(api, thinker, TABLES[kind], level) for level in LEVELS))
    for match in matches:
        holds(kind, await exported(api, match, tmp_path))
    verified(tmp_path, len(LEVELS))


@pytest.mark.nightly
@every_kind
async def test_two_computers_play_two_hundred_of_each_kind(
    api: Api, thinker: Thinker, tmp_path: Path, kind: str
) -> None:
    places = asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> bool:
        """Whether it came to a tie-break, or to a draw."""
        async with places:
            match = await played(api, thinker, TABLES[kind], LEVELS[number % len(LEVELS)])
        state = await exported(api, match, tmp_path)
        holds(kind, state)
        return state.winner is None or (kind in SERIES and len(state.games) > 3)

    rare = await asyncio.gather(*map(one, range(200)))
    assert any(rare) == (kind in (*SERIES, "draw"))
    verified(tmp_path, 200)
