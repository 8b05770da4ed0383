"""Reading a match costs by its length: nobody holds up the others by asking again and again."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import msgspec

from services.gateway.limits import Limits, Purse
from services.gateway.resume import resume
from services.gateway.watches import Watch
from shared.problems import Problem
from shared.wire import frames
from tests.support import golden
from tests.support.house import ROOMY, House, open_house

LOG = golden.stored("backgammon/luck-strings")[:200]


def reads(burst: int) -> Limits:
    """So many reads and, within a test, no more."""
    return msgspec.structs.replace(ROOMY, reads_per_minute=1, reads_burst=burst)


async def test_opening_a_long_match_again_and_again_is_refused() -> None:
    async with open_house(reads(burst=10)) as house:
        match = await house.store(LOG)
        async with house.player().socket() as socket, house.player().socket() as other:
            for _ in range(2):  # each costs 1, and 200 / 40 for the log
                assert (await socket.watch(match))["outcome"] == "reset"
                await socket.send({"type": "unwatch", "match": match})
            refused = await socket.watch(match)
            assert refused["problem"]["code"] == "rate_limited"
            assert refused["problem"]["retryable"]
            assert (await other.watch(match))["outcome"] == "reset"


async def test_who_watches_what_is_watched_already_does_not_pay_for_its_log() -> None:
    async with open_house(reads(burst=8)) as house:
        match = await house.store(LOG)
        async with house.player().socket() as first, house.player().socket() as second:
            await first.watch(match)
            for _ in range(8):
                assert (await second.watch(match))["outcome"] == "reset"
            assert (await second.watch(match))["problem"]["code"] == "rate_limited"


async def test_missed_views_are_paid_for_and_without_means_there_is_only_the_newest() -> None:
    async with open_house(reads(burst=12)) as house:
        match = await house.store(LOG)
        async with house.player().socket() as first, house.player().socket() as second:
            await first.watch(match)
            assert (await second.watch(match, 160))["outcome"] == "newer"
            await second.view(match, 200)
            assert (await second.watch(match, 160))["outcome"] == "reset"
            await second.get(lambda f: f["type"] == "view")
            assert [f["n"] for f in second.views(match)] == [*range(161, 201), 200]


async def test_more_than_fifty_missed_commits_are_a_reset() -> None:
    async with open_house() as house:
        match = await house.store(LOG)
        async with house.player().socket() as socket:
            assert (await socket.watch(match, 150))["outcome"] == "newer"
            assert (await socket.watch(match, 149))["outcome"] == "reset"


async def test_a_watched_table_costs_a_read() -> None:
    async with open_house(reads(burst=1)) as house, house.player().socket() as socket:
        for expected in ("unknown_table", "rate_limited"):
            await socket.send({"type": "watch", "table": "no table"})
            assert (await socket.get(lambda f: f["type"] == "refused"))["problem"]["code"] == expected


async def test_a_stream_pays_for_missed_views_too() -> None:
    async with open_house(reads(burst=20)) as house:
        match, player = await house.store(LOG), house.player()
        url = f"{house.api.base}/v1/stream?match={match}&after=160"
        for outcome in (b'"newer"', b'"reset"'):
            async with house.http.get(url, headers={"Authorization": f"Bearer {player.token}"}) as stream:
                await stream.content.readuntil(b"\n\n")
                assert outcome in await stream.content.readuntil(b"\n\n")


async def test_an_earlier_view_costs_by_the_length_of_the_log() -> None:
    async with open_house(reads(burst=20)) as house:
        match, player = await house.store(LOG), house.player()
        answers = [await player.get(f"/v1/matches/{match}?n=7") for _ in range(4)]
        assert [a.status for a in answers] == [200, 200, 200, 429]
        assert [a.headers["RateLimit"].split(";")[1] for a in answers[:2]] == ["r=14", "r=8"]
        assert int(answers[3].headers["Retry-After"]) > 1
        for path in ("", "/legal"):
            assert (await player.get(f"/v1/matches/{match}{path}")).code == "rate_limited"


@dataclass(eq=False)
class Reader:
    """A follower of whom each third view makes the next commit happen."""

    house: House
    watch: Watch
    seat: int | None = None
    gone: bool = False
    seen: list[int] = field(default_factory=list[int])
    began: int = 0
    more: list[asyncio.Task[Any]] = field(default_factory=list[asyncio.Task[Any]])

    def say(self, frame: frames.ServerFrame) -> None:
        assert isinstance(frame, frames.Watching)

    def give(self, view: bytes) -> None:
        self.seen.append(msgspec.json.decode(view)["n"])
        if len(self.seen) % 3 == 0 and self.seen[-1] <= 40:
            self.more.append(asyncio.create_task(self.house.store([LOG[40 + len(self.more)]])))

    def begin(self, n: int) -> None:
        self.began = n

    def show(self, watch: Watch) -> None:
        assert watch is self.watch

    def tell(self, presence: bytes) -> None:
        assert self.began
        assert b'"presence"' in presence

    def fail(self, why: Problem) -> None:
        raise AssertionError(why)


async def test_others_have_their_turn_between_missed_views_and_what_they_do_is_not_missed() -> None:
    async with open_house() as house:
        match = await house.store(LOG[:40])
        watches = house.gateway.watches
        purse = Purse(house.gateway.buckets.reads, "somebody", 1)
        reader = await watches.enter(match, lambda watch: Reader(house, watch), purse)
        await resume(watches, reader, 10, purse)
        assert reader.began > 40
        assert reader.seen == list(range(11, reader.began + 1))
        assert reader.watch.viewers == {reader}
        watches.leave(reader.watch, reader)
