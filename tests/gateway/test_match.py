"""Whole matches over real sockets: two clients, a spectator, every commit seen by all as it must be."""

import random
from typing import Any

import pytest

from shared.export.formats import FORMATS
from shared.fold import fold
from tests.support.api import Api, Socket, key
from tests.support.player import play_match, ready_both


@pytest.mark.rule("S5", "S14")
async def test_two_clients_play_a_whole_match(api: Api) -> None:
    one, two, guest = await api.guest(), await api.guest(), await api.guest()
    match = await one.match_with(two, target=2)
    async with one.socket() as first, two.socket() as second, guest.socket() as watcher:
        for socket in (first, second, watcher):
            assert (await socket.watch(match))["outcome"] == "reset"
        await ready_both(match, first, second)
        result = await play_match(match, (first, second), random.Random(1))
        assert max(result["score"]) >= 2
        assert result["winner"] == result["score"].index(max(result["score"]))
        for socket in (first, second, watcher):
            ended = await socket.get(lambda f: f["type"] == "ended")
            assert ended["result"] == result
            numbers = [frame["n"] for frame in socket.views(match)]
            assert numbers == list(range(numbers[0], ended["n"] + 1))
        assert_views_of(first, 0)
        assert_views_of(second, 1)
        assert_views_of(watcher, None)


async def test_who_waits_at_a_table_is_told_when_the_match_begins(api: Api) -> None:
    one, two = await api.guest(), await api.guest()
    table = (await one.post("/v1/tables", {"game": "backgammon"})).body["id"]
    async with one.socket() as socket:
        await socket.send({"type": "watch", "table": table})
        waiting = await socket.get(lambda f: f["type"] == "table")
        assert (waiting["id"], waiting["state"]) == (table, "open")
        await two.post(f"/v1/tables/{table}/join")
        begun = await socket.get(lambda f: f["type"] == "table" and f["state"] == "match")
        assert (await socket.watch(begun["match"]))["outcome"] == "reset"
        await socket.send({"type": "watch", "table": "nosuchtable"})
        refused = await socket.get(lambda f: f["type"] == "refused")
        assert (refused["table"], refused["problem"]["code"]) == ("nosuchtable", "unknown_table")


async def test_ready_over_rest_may_be_repeated(api: Api) -> None:
    one, two = await api.guest(), await api.guest()
    table = (await one.post("/v1/tables", {"game": "backgammon"})).body["id"]
    early = await one.post(f"/v1/tables/{table}/ready")
    assert (early.status, early.code) == (409, "wrong_phase")
    await two.post(f"/v1/tables/{table}/join")
    name = key()
    first = await one.post(f"/v1/tables/{table}/ready", key=name)
    await two.post(f"/v1/tables/{table}/ready")
    again = await one.post(f"/v1/tables/{table}/ready", key=name)
    assert (first.status, again.body) == (200, first.body)
    other = await one.post(f"/v1/tables/{table}/ready", {"hash": "0" * 64}, key=name)
    assert (other.status, other.code) == (422, "id_reused")


async def test_a_finished_match_is_open_to_anyone(api: Api) -> None:
    one, two = await api.guest(), await api.guest()
    match = await one.match_with(two)
    async with one.socket() as first, two.socket() as second:
        for socket in (first, second):
            await socket.watch(match)
        await ready_both(match, first, second)
        await play_match(match, (first, second), random.Random(7))
    log = await api.get(f"/v1/matches/{match}/commits")
    assert log.headers["Content-Type"] == "application/x-ndjson"
    state = fold(line.encode() for line in log.text.splitlines())
    assert state is not None
    assert state.secret
    assert (await api.get(f"/v1/matches/{match}/commits?after={state.n - 1}")).text == (
        log.text.splitlines(keepends=True)[-1]
    )
    begins = {"ndjson": log.text, "mat": '; [Site "Kronika"]', "sgf": "(;FF[4]GM[6]"}
    for form, begin in begins.items():
        exported = await api.get(f"/v1/matches/{match}/export?format={form}")
        assert exported.text.startswith(begin)
        assert exported.headers["Content-Type"] == FORMATS[form].media
        assert f"{match}.{form}" in exported.headers["Content-Disposition"]
    assert (await api.get(f"/v1/matches/{match}/export")).text == log.text
    unknown = await api.get(f"/v1/matches/{match}/export?format=gif")
    assert (unknown.status, unknown.code) == (404, "unknown_format")
    assert "ndjson, mat, pgn, pdn, sgf, txt, json" in unknown.body["detail"]


def assert_views_of(socket: Socket, seat: int | None) -> None:
    views: list[dict[str, Any]] = [f["view"] for f in socket.frames if f["type"] == "view"]
    assert {view["seat"] for view in views} == {seat}
