"""The full lobby through the gateway: the list (B2), links, invitations, quick pairing, rematch, the gone."""

from collections.abc import Callable, Iterator

import pytest

from tests.support.api import Api, Frame, key
from tests.support.cluster import Cluster
from tests.support.servers import NatsServer, ValkeyServer

GRACE_MS = 1_000


@pytest.fixture(scope="module")
def cluster(
    tmp_path_factory: pytest.TempPathFactory, nats_server: NatsServer, valkey_server: ValkeyServer
) -> Iterator[Cluster]:
    """As this folder's, with ratings, and a short patience with those who have gone."""
    directory = tmp_path_factory.mktemp("opponents")
    services = ("lobby", "game", "rating", "gateway")
    setting = {"KRONIKA_MAIN_GAME": "backgammon", "KRONIKA_TABLE_GRACE_MS": str(GRACE_MS)}
    with Cluster(
        directory, services=services, environment=setting, nats=nats_server, valkey=valkey_server
    ) as running:
        yield running


def _is(table: str, state: str) -> Callable[[Frame], bool]:
    """A ``table`` frame of this table in this state."""

    def wanted(frame: Frame) -> bool:
        return frame["type"] == "table" and (frame["id"], frame["state"]) == (table, state)

    return wanted


async def _listed(who: Api, query: str = "") -> set[str]:
    answer = await who.get(f"/v1/tables?limit=100{query}")
    assert answer.status == 200, answer
    return {row["id"] for row in answer.body["tables"]}


async def _open(who: Api, **wish: object) -> Frame:
    answer = await who.post("/v1/tables", wish)
    assert answer.status == 201, answer
    return answer.body


async def _played(one: Api, two: Api) -> str:
    """A match between them that is over."""
    match = await one.match_with(two)
    n = (await one.get(f"/v1/matches/{match}")).body["n"]
    left = await one.post(f"/v1/matches/{match}/commands", {"expected": n, "command": {"type": "leave"}})
    assert left.status == 200, left
    return match


@pytest.mark.rule("B2")
async def test_other_games_are_shown_on_request_only(api: Api) -> None:
    jana, ivan = await api.guest(), await api.guest()
    main = (await _open(jana, game="backgammon"))["id"]
    other = (await _open(jana, game="chess"))["id"]
    assert {main, other} & await _listed(ivan) == {main}
    assert {main, other} & await _listed(ivan, "&others=true") == {main, other}
    assert {main, other} & await _listed(ivan, "&game=chess") == {other}
    offers = (await api.get("/v1/games")).body
    assert {house["main_game"] for house in offers["houses"]} == {"backgammon"}


@pytest.mark.rule("S1")
async def test_experience_is_that_of_the_rating_service(api: Api) -> None:
    jana, ivan = await api.guest(), await api.guest()
    for asked, code in (
        ({"experience_max": 0, "rating_max": 1200}, ""),
        ({"rating_min": 1201}, "terms_exclude_you"),
    ):
        opened = await _open(jana, game="chess", clock="slow", **asked)
        fitting = await _listed(ivan, "&game=chess&clock=slow&fitting=true")
        assert (opened["id"] in fitting) is not code
        joined = await ivan.post(f"/v1/tables/{opened['id']}/join")
        assert joined.code == code
    assert (await api.get("/v1/games")).body["tables"]["properties"]["experience_max"]["minimum"] == 0


async def test_a_link_is_followed_with_its_token_alone_and_no_process_writes_it_down(
    api: Api, cluster: Cluster
) -> None:
    jana, ivan, eva = await api.guest(), await api.guest(), await api.guest()
    opened = await _open(jana, game="backgammon", link=True)
    table, token = opened["id"], opened["link"]
    wrong = token[:-1] + ("a" if token[-1] != "a" else "b")
    assert table not in await _listed(eva, "&others=true")
    async with eva.socket() as stranger, jana.socket() as hers, ivan.socket() as his:
        assert (await eva.get(f"/v1/tables/{table}")).code == "unknown_table"
        for sent in (wrong, token.partition(".")[2], ""):
            assert (await eva.post("/v1/invitations", {"token": sent})).code == "unknown_table"
            assert (await eva.post(f"/v1/tables/{table}/join", {"token": sent})).code == "unknown_table"
            await stranger.send({"type": "watch", "table": table, "token": sent})
            refused = await stranger.get(lambda f: f["type"] == "refused")
            assert (refused["table"], refused["problem"]["code"]) == (table, "unknown_table")
        await hers.send({"type": "watch", "table": table})
        await his.send({"type": "watch", "table": table, "token": token})
        for socket in (hers, his):
            assert (await socket.get(_is(table, "open")))["link"] == "", "one frame for all who watch"
        seen = await ivan.post("/v1/invitations", {"token": token})
        assert (seen.body["id"], seen.body["link"]) == (table, "")
        assert (await ivan.post(f"/v1/tables/{table}/join", {"token": token})).status == 200
        for socket in (hers, his):
            await socket.get(_is(table, "match"))
        assert not [frame for frame in stranger.frames if frame["type"] == "table"]
    secret = token.partition(".")[2]
    logs = [process.log.read_text() for process in cluster.processes.values()]
    assert any("listening" in text for text in logs)
    assert not any(secret in text for text in logs)


async def test_an_invitation_comes_to_the_invited_player_s_socket_and_to_no_other(api: Api) -> None:
    jana, ivan, eva = await api.guest(), await api.guest(), await api.guest()
    before = await _open(jana, game="chess", invite=ivan.player)
    async with ivan.socket() as his, eva.socket() as other:
        for socket in (his, other):
            await socket.send({"type": "watch", "invitations": True})
        await his.get(_is(before["id"], "open"))
        after = await _open(jana, game="reversi", invite=ivan.player)
        frame = await his.get(_is(after["id"], "open"))
        assert frame["seats"][1]["kept_for"]["id"] == ivan.player
        assert await _listed(ivan, "&invited=true") == {before["id"], after["id"]}
        left = await ivan.post(f"/v1/tables/{after['id']}/leave")
        assert left.body["cause"] == "declined"
        await his.get(_is(after["id"], "closed"))
        await jana.post(f"/v1/tables/{before['id']}/leave")
        await his.get(_is(before["id"], "closed"))
        await his.send({"type": "unwatch", "invitations": True})
        assert not [f for f in other.frames if f["type"] in ("table", "refused")]


async def test_quick_pairing_and_its_repeat(api: Api) -> None:
    jana, ivan = await api.guest(), await api.guest()
    wish, hers = {"game": "abalone", "clock": "fast"}, key()
    waiting = await jana.post("/v1/tables/quick", wish, key=hers)
    assert waiting.body["state"] == "open"
    paired = await ivan.post("/v1/tables/quick", wish)
    assert paired.body["id"] == waiting.body["id"]
    again = await jana.post("/v1/tables/quick", wish, key=hers)
    assert (again.body["id"], len(again.body["match"])) == (waiting.body["id"], 25)
    assert (await jana.post("/v1/tables/quick", {**wish, "clock": "slow"}, key=hers)).code == "id_reused"


@pytest.mark.rule("N7")
async def test_a_rematch_is_offered_over_the_socket_and_accepted_once(api: Api) -> None:
    jana, ivan, eva = await api.guest(), await api.guest(), await api.guest()
    running = await jana.match_with(eva)
    assert (await jana.post(f"/v1/matches/{running}/rematch")).code == "wrong_phase"
    match = await _played(jana, ivan)
    async with ivan.socket() as his, eva.socket() as other:
        for socket in (his, other):
            await socket.send({"type": "watch", "invitations": True})
        assert (await eva.post(f"/v1/matches/{match}/rematch")).code == "not_your_seat"
        offered = await jana.post(f"/v1/matches/{match}/rematch")
        table = offered.body["id"]
        assert (offered.body["state"], offered.body["rematch"]) == ("open", match)
        assert (await his.get(_is(table, "open")))["expires_at_ms"] == offered.body["expires_at_ms"]
        assert (await jana.post(f"/v1/matches/{match}/rematch")).body["id"] == table
        accepted = await ivan.post(f"/v1/matches/{match}/rematch")
        assert accepted.body["id"] == table
        again = (await his.get(_is(table, "match")))["match"]
        assert [seat["player"]["id"] for seat in accepted.body["seats"]] == [ivan.player, jana.player]
        assert not [f for f in other.frames if f["type"] == "table"]
    view = (await jana.get(f"/v1/matches/{again}")).body
    assert [seat["player"] for seat in view["seats"]] == [ivan.player, jana.player]


async def test_the_table_of_who_closes_all_his_sockets_closes(api: Api) -> None:
    jana, ivan = await api.guest(), await api.guest()
    async with ivan.socket() as his:
        staying = await _open(ivan, game="backgammon")
        async with jana.socket():
            hers = await _open(jana, game="backgammon")
            await his.send({"type": "watch", "table": hers["id"]})
            await his.get(_is(hers["id"], "open"))
        assert (await his.get(_is(hers["id"], "closed")))["cause"] == "gone"
        assert (await ivan.get(f"/v1/tables/{staying['id']}")).body["state"] == "open"
