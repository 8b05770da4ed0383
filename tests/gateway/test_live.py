"""Watching and answering: resume, order of view and answer, lost answers, logs that cannot be read."""

import random
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from services.gateway import commands
from shared.events.match import Terms
from shared.rules.registry import RULES
from tests.support import golden
from tests.support.api import Api, Socket, answers, eventually, key
from tests.support.hidden_hand import HiddenHand, hidden_hand
from tests.support.house import House, open_house
from tests.support.player import choose, play_match, ready_both

__all__ = ["hidden_hand"]  # a fixture


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with open_house() as opened:
        yield opened


async def both(
    house: House, one: Socket, two: Socket, players: tuple[Api, Api], **more: Any
) -> tuple[str, int]:
    match = await house.match(players, **more)
    for socket in (one, two):
        await socket.watch(match)
        await socket.view(match, 1)
    await ready_both(match, one, two)
    return match, len(await house.log.read(match))


async def test_who_resumes_at_every_commit_sees_the_same_views_as_who_stayed(house: House) -> None:
    players = (house.player(), house.player())
    spectator = house.player()
    async with players[0].socket() as one, players[1].socket() as two, spectator.socket() as three:
        match, _ = await both(house, one, two, players)
        await three.watch(match)
        await play_match(match, (one, two), random.Random(3))
        await three.get(lambda f: f["type"] == "ended")
        stayed = {
            frame["n"]: raw for frame, raw in zip(one.frames, one.raw, strict=True) if frame["type"] == "view"
        }
        last = max(stayed)
        for after in range(max(last - 40, 1), last + 1):
            async with players[0].socket() as back:
                watching = await back.watch(match, after)
                await back.get(lambda f: f["type"] == "ended")
                assert watching["outcome"] == ("current" if after == last else "newer")
                views = [
                    raw for frame, raw in zip(back.frames, back.raw, strict=True) if frame["type"] == "view"
                ]
                assert views == [_without_command(stayed[n]) for n in range(after + 1, last + 1)]


def _without_command(raw: str) -> str:
    head, found, _ = raw.rpartition(',"command":"')
    return head + "}" if found and raw.endswith('"}') else raw


async def test_who_disconnects_at_every_commit_of_a_running_match_misses_nothing(house: House) -> None:
    players = (house.player(), house.player())
    seen: dict[int, Any] = {}
    async with players[0].socket() as one, players[1].socket() as two:
        match, n = await both(house, one, two, players, terms=Terms(target=13))
        dice = random.Random(4)
        after = 0
        for _ in range(60):
            async with players[0].socket() as back:
                await back.watch(match, after or None)
                views = [await s.view(match, n) for s in (one, two)]
                if after < n:
                    await back.view(match, n)
                moves = [await choose(s, v, dice) for s, v in zip((one, two), views, strict=True)]
                seat = next(i for i, move in enumerate(moves) if move)
                answer = await (one, two)[seat].command(match, moves[seat] or {}, n)
                seen |= {f["n"]: f["view"] for f in back.views(match)}
                after, n = max(seen), answer["n"]
        stayed = {f["n"]: f["view"] for f in one.views(match)}
        assert set(seen) >= set(range(min(seen), after + 1))
        assert all(stayed[at] == view for at, view in seen.items() if at in stayed)


async def test_an_after_that_does_not_exist_or_is_long_ago_is_a_reset(house: House) -> None:
    match = await house.store(golden.stored("backgammon/luck-strings")[:200])
    async with house.player().socket() as back:
        for after in (9_999, 1):
            assert (await back.watch(match, after))["outcome"] == "reset"
            assert (await back.get(lambda f: f["type"] == "view"))["n"] == 200


async def test_an_after_below_zero_is_a_reset(house: House) -> None:
    players = (house.player(), house.player())
    async with players[0].socket() as one, players[1].socket() as two:
        match, n = await both(house, one, two, players)
        async with players[0].socket() as back:
            for after in range(-1, -n - 2, -1):
                assert (await back.watch(match, after))["outcome"] == "reset"
                assert (await back.get(lambda f: f["type"] == "view"))["n"] == n


async def test_who_asks_anew_before_the_first_answer_came_is_answered_anew(house: House) -> None:
    match = await house.store(golden.stored("backgammon/luck-strings")[:100])
    async with house.player().socket() as back:
        await back.watch(match)
        for after in (60, 100):
            await back.send({"type": "unwatch", "match": match})
            await back.send({"type": "watch", "match": match, "after": after})
        await back.get(lambda f: f["type"] == "watching" and f["outcome"] == "current")


async def test_the_view_may_come_before_the_answer(house: House) -> None:
    players = (house.player(), house.player())
    async with players[0].socket() as one, players[1].socket() as two:
        match, n = await both(house, one, two, players)
        house.bus.open.clear()
        frame = await one.command(match, {"type": "set_auto_roll", "on": True}, n, "early")
        assert (frame["type"], frame["n"]) == ("view", n + 1)
        house.bus.open.set()
        await one.command(match, {"type": "set_auto_roll", "on": False}, n + 1)
        assert len([f for f in one.frames if answers(f, "early")]) == 1


async def test_the_answer_may_come_before_the_view(house: House) -> None:
    players = (house.player(), house.player())
    async with players[0].socket() as one, players[1].socket() as two:
        match, n = await both(house, one, two, players)
        house.log.hold = True
        stored = len(house.log.entries)
        frame = {"type": "command", "id": "late", "match": match, "expected": n}
        await one.send(frame | {"command": {"type": "set_auto_roll", "on": True}})
        await one.send({"type": "ping"})
        await eventually(lambda: len(house.log.entries) > stored)
        await one.send({"type": "ping"})
        await one.get(lambda f: f["type"] == "pong")
        assert not [f for f in one.frames if answers(f, "late")]
        house.log.release()
        view = await one.get(lambda f: answers(f, "late"))
        assert (view["type"], view["n"]) == ("view", n + 1)
        assert "command" not in (await two.get(lambda f: f["type"] == "view" and f["n"] == n + 1, 0))


async def test_an_awaited_view_that_will_not_come_is_answered_on_unwatch(house: House) -> None:
    players = (house.player(), house.player())
    async with players[0].socket() as one, players[1].socket() as two:
        match, n = await both(house, one, two, players)
        house.log.hold = True
        stored = len(house.log.entries)
        frame = {"type": "command", "id": "orphan", "match": match, "expected": n}
        await one.send(frame | {"command": {"type": "set_auto_roll", "on": True}})
        await eventually(lambda: len(house.log.entries) > stored)
        await one.send({"type": "ping"})
        await one.get(lambda f: f["type"] == "pong")
        await one.send({"type": "unwatch", "match": match})
        accepted = await one.get(lambda f: answers(f, "orphan"))
        assert (accepted["type"], accepted["n"]) == ("accepted", n + 1)


async def test_a_command_where_the_match_is_not_watched_is_accepted_in_one_frame(house: House) -> None:
    players = (house.player(), house.player())
    match = await house.match(players)
    async with players[0].socket() as one:
        answer = await one.command(match, {"type": "ready"}, 1)
        assert (answer["type"], answer["n"]) == ("accepted", 2)
        assert not one.views(match)


async def test_a_lost_answer_is_asked_for_again_and_nothing_happens_twice(house: House) -> None:
    players = (house.player(), house.player())
    match = await house.match(players)
    house.bus.lose_answers = 2
    async with players[0].socket() as one:
        answer = await one.command(match, {"type": "ready"}, 1)
        assert answer["type"] == "accepted"
    assert len(await house.log.read(match)) == 2


async def test_without_any_answer_the_command_is_unavailable_and_may_be_repeated(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "GIVE_UP_S", 1.2)
    players = (house.player(), house.player())
    match = await house.match(players)
    house.bus.lose_answers = 1_000
    name = key()
    body = {"expected": 1, "command": {"type": "ready"}}
    answer = await players[0].post(f"/v1/matches/{match}/commands", body, key=name)
    assert (answer.status, answer.code, answer.body["retryable"]) == (503, "unavailable", True)
    assert 1000 * int(answer.headers["Retry-After"]) == answer.body["retry_after_ms"] > 0
    house.bus.lose_answers = 0
    answer = await players[0].post(f"/v1/matches/{match}/commands", body, key=name)
    assert (answer.status, answer.body) == (200, {"n": 2})
    assert len(await house.log.read(match)) == 2


async def test_a_slow_match_does_not_hold_up_another_on_the_same_socket(house: House) -> None:
    players = (house.player(), house.player())
    slow, quick = await house.match(players), await house.match(players)
    async with players[0].socket() as one:
        house.bus.open.clear()
        frame = {"type": "command", "expected": 1, "command": {"type": "ready"}}
        await one.send(frame | {"id": "slow", "match": slow})
        await one.send({"type": "ping"})
        await one.get(lambda f: f["type"] == "pong")
        asked = len(house.bus.requests)
        await one.send(frame | {"id": "quick", "match": quick})
        await one.send({"type": "ping"})
        await one.get(lambda f: f["type"] == "pong")
        assert house.bus.requests[asked:] == [f"cmd.gateway.game.{quick}"]
        house.bus.open.set()
        await one.get(lambda f: answers(f, "quick"), 0)
        await one.get(lambda f: answers(f, "slow"), 0)


async def test_commands_of_one_match_keep_their_order(house: House) -> None:
    players = (house.player(), house.player())
    async with players[0].socket() as one, players[1].socket() as two:
        match, n = await both(house, one, two, players)
        for i in range(20):
            frame = {"type": "command", "id": f"c{i}", "match": match, "expected": n}
            await one.send(frame | {"command": {"type": "set_auto_roll", "on": i % 2 == 0}})
        await one.get(lambda f: answers(f, "c19"))
        order = [next(i for i in range(20) if answers(f, f"c{i}")) for f in one.frames if _of_twenty(f)]
        assert order == list(range(20))


def _of_twenty(frame: dict[str, Any]) -> bool:
    return any(answers(frame, f"c{i}") for i in range(20))


async def test_a_log_that_cannot_be_read_is_503_and_breaks_nothing_else(house: House) -> None:
    players = (house.player(), house.player())
    async with players[0].socket() as one, players[1].socket() as two:
        match, n = await both(house, one, two, players)
        fine = await house.match(players)
        await one.watch(fine)
        last: dict[str, Any] = msgspec.json.decode((await house.log.read(match))[-1])
        future = last | {"n": n + 1, "events": [{"type": "board_eaten", "by": "dog"}]}
        await house.log.append(match, n + 1, msgspec.json.encode(future))
        refused = await one.get(lambda f: f["type"] == "refused" and f.get("match") == match)
        assert refused["problem"]["code"] == "unreadable_log"
        for path in ("", "/legal", "/export?format=mat"):
            answer = await players[0].get(f"/v1/matches/{match}{path}")
            assert (answer.status, answer.code) == (503, "unreadable_log")
        assert (await one.watch(match))["problem"]["code"] == "unreadable_log"
        assert (await one.command(fine, {"type": "ready"}, 1))["type"] == "view"


async def test_two_sockets_of_one_player_see_the_same_and_only_one_is_answered(house: House) -> None:
    players = (house.player(), house.player())
    async with players[0].socket() as one, players[1].socket() as two, players[0].socket() as tablet:
        match, n = await both(house, one, two, players)
        await tablet.watch(match)
        await one.command(match, {"type": "set_auto_roll", "on": True}, n, "mine")
        seen = await tablet.get(lambda f: f["type"] == "view" and f["n"] == n + 1)
        assert "command" not in seen
        assert seen["view"]["seat"] == 0


async def test_no_live_fold_stays_when_nobody_watches(house: House) -> None:
    players = (house.player(), house.player())
    async with players[0].socket() as one:
        match = await house.match(players)
        await one.watch(match)
        assert len(house.gateway.watches) == 1
        await one.send({"type": "unwatch", "match": match})
        await one.send({"type": "ping"})
        await one.get(lambda f: f["type"] == "pong")
        assert len(house.gateway.watches) == 0
        await one.watch(match)
    await eventually(lambda: len(house.gateway.watches) == 0)


async def test_neither_opponent_nor_spectator_receives_a_private_view(
    house: House, hidden_hand: HiddenHand
) -> None:
    assert RULES[hidden_hand.name, hidden_hand.version] is hidden_hand
    players = (house.player(), house.player(), house.player())
    spectator = house.player()
    match = await house.match(players, Terms(cube=False), rules=hidden_hand.name)
    async with (
        players[0].socket() as a,
        players[1].socket() as b,
        players[2].socket() as c,
        spectator.socket() as s,
    ):
        seats = (a, b, c)
        for socket in (*seats, s):
            await socket.watch(match)
            await socket.view(match, 1)
        await ready_both(match, *seats)
        dealt = await _play_hands(house, match, seats)
        await s.get(lambda f: f["type"] == "ended")
        for seat, socket in enumerate((*seats, s)):
            for frame in socket.views(match):
                board = frame["view"]["board"]
                if board is None:
                    continue
                if seat == 3:
                    assert (board["hand"], board["choice"]) == (None, None)
                else:
                    assert set(board["hand"]) <= dealt[seat]
                    assert board["choice"] is None or board["choice"] in dealt[seat]
                assert set(board) == {"hand", "choice", "cards", "has_chosen", "shown", "taken"}
                if any(board["has_chosen"]):  # a choice is secret until the round is shown
                    assert _last_move(frame) in (None, "a card") or frame["view"]["last"]["seat"] == seat


def _last_move(frame: dict[str, Any]) -> str | None:
    move: str | None = frame["view"]["last"]["move"]
    return move


async def _play_hands(house: House, match: str, seats: tuple[Socket, ...]) -> list[set[int]]:
    """Play all rounds; what each seat was dealt."""
    n = len(await house.log.read(match))
    first = [await socket.view(match, n) for socket in seats]
    dealt: list[set[int]] = [set(view["board"]["hand"]) for view in first]
    assert len({card for hand in dealt for card in hand}) == 9
    for _ in range(3):
        for socket in seats:
            n = len(await house.log.read(match))
            view = await socket.view(match, n)
            answer = await socket.command(match, {"type": "play", "move": view["legal"][0]}, n)
            assert answer["type"] == "view", answer
    return dealt
