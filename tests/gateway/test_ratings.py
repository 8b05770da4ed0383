"""A rated match from its table to leaderboard and player's page, through the API."""

import pytest

from tests.support.api import WAIT_S, Answer, Api
from tests.support.lobby import unique_nickname, until

PASSWORD = "correct horse battery"  # noqa: S105 - a test's


async def _named(api: Api) -> Api:
    nickname = unique_nickname()
    answer = await api.post("/v1/players", {"nickname": nickname, "password": PASSWORD})
    return Api(api.http, api.base, answer.body["access_token"], answer.body["player"]["id"])


async def _in(api: Api, path: str, language: str) -> Answer:
    return await api.request("GET", path, headers={"Accept-Language": language})


@pytest.mark.rule("B10")
@pytest.mark.rule("B15")
async def test_a_rated_match_from_its_table_to_the_leaderboard(api: Api) -> None:
    one, two = await _named(api), await _named(api)
    opened = (await one.post("/v1/tables", {"game": "abalone", "house": "boards"})).body
    assert (opened["rated"], opened["pregame"]) == (True, None)
    address = f"/v1/tables/{opened['id']}"
    table = (await two.post(f"{address}/join")).body
    assert table["match"]
    first = table["pregame"]["seats"][0]
    assert (first["rating"], first["win"], first["loss"], first["newcomer"]) == (2400, 16, -16, True)
    for language, word in (("cs", "Výhrou"), ("en-GB", "win gains"), ("ru,en;q=0.1", "Победа")):
        told = await _in(one, address, language)
        assert all(word in seat["text"] for seat in told.body["pregame"]["seats"])
        assert told.headers["Content-Language"] == language[:2]
    for who in (one, two):
        assert (await who.post(f"{address}/ready", {})).status == 200
    match = f"/v1/matches/{table['match']}"
    n = (await one.get(match)).body["n"]
    resigned = await one.post(f"{match}/commands", {"expected": n, "command": {"type": "resign"}})
    assert resigned.status == 200, resigned

    async def counted() -> bool:
        return bool((await one.get(f"/v1/players/{one.player}")).body["results"])

    await until(counted, WAIT_S)
    ranks = (await api.get("/v1/leaderboards/abalone?limit=100")).body["ranks"]
    rows = {rank["player"]["id"]: (rank["rating"], rank["games"], rank["newcomer"]) for rank in ranks}
    assert rows[two.player] == (2416, 1, True)
    assert rows[one.player] == (2384, 1, True)
    names = [rank["player"]["nickname"] for rank in ranks if rank["player"]["id"] == two.player]
    assert names[0].startswith("N")
    page = (await api.get(f"/v1/players/{two.player}?kind=abalone")).body
    heading = page["headings"][0]
    assert (heading["name"], heading["title"]) == ("boards", "Board games")
    standing = heading["kinds"][0]["standing"]
    assert (standing["rating"], standing["won"], standing["lost"], standing["experience"]) == (2416, 1, 0, 1)
    result = page["results"][0]
    assert (result["outcome"], result["change"], result["rating"]) == ("won", 16, 2416)
    assert (result["match"], result["opponents"], result["cause"]) == (
        table["match"],
        [one.player],
        "resigned",
    )


async def test_a_guest_makes_a_rated_table_unrated(api: Api) -> None:
    one, guest = await _named(api), await api.guest()
    opened = (await one.post("/v1/tables", {"game": "chess", "rated": True})).body
    table = (await guest.post(f"/v1/tables/{opened['id']}/join")).body
    assert table["match"]
    assert (table["rated"], table["pregame"]) == (True, None)
    refused = await guest.post("/v1/tables", {"game": "chess", "rated": True})
    assert refused.code == "invalid_options"


async def test_what_is_not_there_is_refused(api: Api) -> None:
    assert (await api.get("/v1/leaderboards/whist")).code == "unknown_kind"
    assert (await api.get("/v1/leaderboards/tavli")).code == "unknown_kind"
    assert (await api.get("/v1/leaderboards/chess?limit=101")).code == "invalid"
    assert (await api.get("/v1/players/pcomputer?kind=whist")).code == "unknown_kind"
    assert (await api.get("/v1/players/pnobodyatall")).code == "unknown_player"
