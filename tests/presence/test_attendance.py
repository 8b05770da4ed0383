"""What a gateway says of its players: several sockets, silence, commands without a socket, a lost store."""

import pytest

from services.gateway.attendance import ACTED_MS, LEFT_MS, Attendance
from shared.adapters.memory_presence import MemoryPresence, MemoryStore
from shared.ports.presence import LEASE_MS, PresenceUnavailable
from shared.wire.presence import Presence


class Town:
    """Two gateways; time is a number."""

    def __init__(self) -> None:
        self.ms = 1_000_000
        self.store = MemoryStore(self.now_ms)
        self.one = Attendance(MemoryPresence(self.store, "g1"), self.now_ms)
        self.two = Attendance(MemoryPresence(self.store, "g2"), self.now_ms)

    def now_ms(self) -> int:
        return self.ms

    async def after(self, ms: int) -> None:
        """So much later; both renew their leases all the while."""
        end_ms = self.ms + ms
        while self.ms < end_ms:
            self.ms = min(self.ms + 1_000, end_ms)
            await self.told()

    async def told(self) -> None:
        for gateway in (self.one, self.two):
            for _ in range(2):  # the second time what the first one found lost
                gateway.tick()
                await gateway.say()

    async def seen(self, player: str = "pa") -> Presence:
        await self.told()
        return (await MemoryPresence(self.store).of([player], self.ms))[player]


@pytest.fixture
def town() -> Town:
    return Town()


def away(since_ms: int) -> Presence:
    return Presence("away", since_ms)


async def test_who_never_came_is_unknown(town: Town) -> None:
    assert await town.seen() == Presence("unknown")


@pytest.mark.rule("B12", "S7", "S18")
async def test_only_the_last_socket_is_an_absence_and_the_first_of_three_is_nothing(town: Town) -> None:
    for socket in "abc":
        town.one.came("pa", socket)
    town.one.went("pa", "a", town.ms)
    assert await town.seen() == Presence("here")
    town.one.went("pa", "b", town.ms)
    await town.after(500)
    town.one.went("pa", "c", town.ms)
    assert await town.seen() == away(town.ms)


async def test_a_silence_counts_from_its_start_but_never_from_before_another_socket_was_heard(
    town: Town,
) -> None:
    began_ms = town.ms
    for socket in "ab":
        town.one.came("pa", socket)
    await town.after(5_000)
    town.one.went("pa", "b", town.ms)
    closed_ms = town.ms
    await town.after(5_000)
    town.one.went("pa", "a", began_ms)  # only now it shows that a was silent all the time
    assert await town.seen() == away(closed_ms)


async def test_a_new_socket_wins_over_a_silent_one_and_the_end_of_the_silent_one_changes_nothing(
    town: Town,
) -> None:
    town.one.came("pa", "old")
    town.one.went("pa", "old", town.ms)  # silent
    town.one.came("pa", "new")
    town.one.went("pa", "old", town.ms)  # closed
    assert await town.seen() == Presence("here")


async def test_a_silent_socket_that_is_heard_again_is_presence_again(town: Town) -> None:
    town.one.came("pa", "a")
    town.one.went("pa", "a", town.ms)
    assert (await town.seen()).state == "away"
    town.one.came("pa", "a")
    assert await town.seen() == Presence("here")


async def test_who_comes_and_goes_between_two_words_is_said_as_he_is(town: Town) -> None:
    town.one.came("pa", "a")
    town.one.went("pa", "a", town.ms)
    town.one.came("pa", "b")
    assert await town.one.say() == ("pa",)
    assert await town.seen() == Presence("here")


async def test_a_command_without_a_socket_is_presence_for_a_minute(town: Town) -> None:
    town.one.acted("pa")
    assert await town.seen() == Presence("here")
    await town.after(ACTED_MS)
    assert await town.seen() == Presence("unknown")  # no evidence that he is away


async def test_who_lost_his_socket_and_goes_on_by_single_requests_is_away_since_the_last_of_them(
    town: Town,
) -> None:
    town.one.came("pa", "a")
    town.one.went("pa", "a", town.ms)
    await town.after(10_000)
    town.two.acted("pa")
    assert await town.seen() == Presence("here")
    acted_ms = town.ms
    await town.after(ACTED_MS)
    assert await town.seen() == away(acted_ms)


async def test_commands_beside_a_socket_that_is_dead_without_our_knowing_put_the_absence_off(
    town: Town,
) -> None:
    heard_ms = town.ms
    town.one.came("pa", "a")
    await town.after(8_000)
    town.one.acted("pa")
    acted_ms = town.ms
    await town.after(2_000)
    town.one.went("pa", "a", heard_ms)
    assert await town.seen() == away(acted_ms)


async def test_after_the_store_was_emptied_everybody_is_said_again_and_nobody_is_away_longer(
    town: Town,
) -> None:
    town.one.came("pa", "a")
    town.one.came("pb", "b")
    town.one.went("pb", "b", town.ms)
    await town.after(20_000)
    town.store.lose()
    await town.after(1_000)
    assert await town.seen("pa") == Presence("here")
    assert await town.seen("pb") == away(town.ms)


async def test_who_left_long_ago_is_not_said_again_whoever_gave_commands_since_he_left(town: Town) -> None:
    for player in ("pa", "pb"):  # pa left first
        town.one.came(player, player)
        town.one.went(player, player, town.ms)
    await town.told()
    town.ms += LEFT_MS - 2 * ACTED_MS
    town.one.acted("pa")
    town.ms += ACTED_MS
    town.one.tick()  # pa is away, but of late; pb is as he was
    town.ms += ACTED_MS
    town.store.lose()
    assert await town.seen("pa") == away(town.ms)
    assert await town.seen("pb") == Presence("unknown")


async def test_who_gave_a_command_of_late_is_not_the_first_to_be_forgotten(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.gateway.attendance._MOST_LEFT", 2)
    for player in ("pa", "pb"):
        town.one.came(player, player)
        town.one.went(player, player, town.ms)
    town.one.acted("pa")
    town.ms += ACTED_MS
    town.one.tick()
    town.one.came("pc", "c")
    town.one.went("pc", "c", town.ms)  # there is no room for all three
    await town.told()
    town.store.lose()
    assert [(await town.seen(player)).state for player in ("pa", "pb", "pc")] == ["away", "unknown", "away"]


async def test_who_moved_to_another_gateway_is_here_whatever_is_said_again(town: Town) -> None:
    town.one.came("pa", "a")
    await town.told()
    town.two.came("pa", "b")
    town.one.went("pa", "a", town.ms)
    for _ in range(2):
        town.store.lose()
        assert await town.seen() == Presence("here")


async def test_what_could_not_be_said_is_said_when_the_store_is_back(town: Town) -> None:
    await town.told()
    town.store.reachable = False
    town.one.came("pa", "a")
    with pytest.raises(PresenceUnavailable):
        await town.one.say()
    town.one.came("pb", "b")
    town.one.went("pb", "b", town.ms)
    with pytest.raises(PresenceUnavailable):
        await town.one.say()
    town.ms += 2 * LEASE_MS
    town.store.reachable = True
    assert await town.seen("pa") == Presence("here")
    assert await town.seen("pb") == away(town.ms)  # our outage is nobody's absence
