"""One's own money at the API: what is free, what is staked, and what became of it."""

import asyncio
from typing import Any

import pytest

from services.ledger.settings import START_BALANCE
from shared.ids import new_id
from tests.support.api import Api

NOTHING = {"balance": START_BALANCE, "held": 0}


async def registered(api: Api) -> Api:
    body = {"nickname": "N" + new_id("x")[1:16], "password": "correct horse battery"}
    made = await api.post("/v1/players", body, key=new_id("k"))
    assert made.status == 201, made
    return Api(api.http, api.base, made.body["access_token"], made.body["player"]["id"])


async def wallet(who: Api, query: str = "") -> dict[str, Any]:
    answer = await who.get(f"/v1/wallet{query}")
    assert answer.status == 200, answer
    return answer.body


async def seated(one: Api, two: Api, wish: dict[str, Any]) -> str:
    """The match of a table that ``one`` opens and ``two`` joins; both are ready."""
    opened = await one.post("/v1/tables", {"game": "backgammon", "rated": False, **wish}, key=new_id("k"))
    assert (opened.status, opened.body["stake"]) == (201, wish["stake"]), opened
    address = f"/v1/tables/{opened.body['id']}"
    joined = await two.post(f"{address}/join", key=new_id("k"))
    assert joined.status == 200, joined
    while joined.body["state"] == "starting":
        joined = await two.get(address)
    for who in (one, two):
        assert (await who.post(f"{address}/ready", {}, key=new_id("k"))).status == 200
    return joined.body["match"]


@pytest.mark.rule("S4")
async def test_a_stake_goes_from_the_loser_to_the_winner(api: Api) -> None:
    one, two = await registered(api), await registered(api)
    before = await wallet(one)
    assert before | NOTHING == before
    assert [(entry["purpose"], entry["amount"]) for entry in before["entries"]] == [("grant", START_BALANCE)]
    match = await seated(one, two, {"stake": 100})
    assert {name: (await wallet(one))[name] for name in NOTHING} == {
        "balance": START_BALANCE - 300,
        "held": 300,
    }
    n = (await one.get(f"/v1/matches/{match}")).body["n"]
    left = {"expected": n, "command": {"type": "leave"}}
    assert (await one.post(f"/v1/matches/{match}/commands", left, key=new_id("k"))).status == 200
    points = (await one.get(f"/v1/matches/{match}")).body["diagram"][0]["points"]
    async with asyncio.timeout(20):
        while (await wallet(two))["held"]:  # noqa: ASYNC110 - money moves a moment after the last view
            await asyncio.sleep(0.02)
        while (await wallet(one))["held"]:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.02)
    assert (await wallet(two))["balance"] == START_BALANCE + 100 * points
    loser = await wallet(one, "?limit=2")
    assert loser["balance"] == START_BALANCE - 100 * points
    assert [(entry["purpose"], entry["amount"], entry["match"]) for entry in loser["entries"]] == [
        ("settle", 300 - 100 * points, match),
        ("hold", -300, match),
    ]
    older = await wallet(one, f"?before={loser['next']}")
    assert [entry["purpose"] for entry in older["entries"]] == ["grant"]
    assert older["next"] == 0


async def test_whose_money_is_whose(api: Api) -> None:
    guest, player = await api.guest(), await registered(api)
    for who, query, refusal in (
        (api, "", (401, "unauthorized")),
        (guest, "", (403, "forbidden")),
        (player, "?limit=0", (422, "invalid")),
        (player, "?limit=101", (422, "invalid")),
        (player, "?before=x", (422, "invalid")),
    ):
        answer = await who.get(f"/v1/wallet{query}")
        assert (answer.status, answer.body["code"]) == refusal
    staked = {"game": "backgammon", "stake": 10}
    answer = await guest.post("/v1/tables", staked, key=new_id("k"))
    assert (answer.status, answer.body["code"]) == (403, "forbidden")
    dear = {"game": "backgammon", "stake": START_BALANCE}
    answer = await player.post("/v1/tables", dear, key=new_id("k"))
    assert (answer.status, answer.body["code"]) == (409, "no_cover")
