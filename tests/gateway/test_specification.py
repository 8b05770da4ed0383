"""The API is what its specifications say: every route is documented, every answer validates."""

import asyncio
from collections.abc import Iterator
from html import escape
from typing import Any

import jsonschema
import pytest
from openapi_spec_validator import validate as validate_openapi

from services.gateway.commands import NAMES
from services.gateway.router import Router
from services.gateway.routes import ROUTES
from shared import tokens
from shared.catalogue import main_game
from shared.export.formats import forms_of
from shared.problems import KINDS
from shared.rules.registry import CURRENT
from shared.settings import SettingsError
from tests.support.api import Answer, Api, Socket
from tests.support.cluster import Cluster
from tests.support.player import ready_both

Document = dict[str, Any]


@pytest.fixture
async def openapi(api: Api) -> Document:
    document: Document = (await api.get("/v1/openapi.json")).body
    return document


async def test_the_specification_is_valid_openapi(openapi: Document) -> None:
    validate_openapi(openapi)
    assert openapi["openapi"].startswith("3.1")


async def test_every_route_is_documented_and_nothing_else(openapi: Document) -> None:
    documented = {(method.upper(), path) for path, methods in openapi["paths"].items() for method in methods}
    router = Router(ROUTES)
    assert documented == {(route.method, route.path) for route in router.routes}
    for method, path in documented:
        assert router.match(method, path.replace("{id}", "m1234567"))[0].path == path


async def test_every_documented_code_is_a_known_problem() -> None:
    assert {code for route in ROUTES for code in route.refusals} <= set(KINDS)


async def test_numbers_in_addresses_have_their_bounds(openapi: Document) -> None:
    bounds = {
        (path, parameter["name"]): (parameter["schema"].get("minimum"), parameter["schema"].get("maximum"))
        for path, methods in openapi["paths"].items()
        for parameter in methods.get("get", {}).get("parameters", [])
        if parameter["schema"]["type"] == "integer"
    }
    pages = ("/v1/tables", "/v1/tournaments", "/v1/wallet", "/v1/players/{id}", "/v1/leaderboards/{kind}")
    assert {bounds.pop((path, "limit")) for path in pages} == {(1, 100)}
    mosts = {"rating_min": 10_000, "rating_max": 10_000, "experience_max": 1_000_000}
    for name, most in {**mosts, "stake_min": 10**12, "stake_max": 10**12}.items():
        assert bounds.pop(("/v1/tables", name)) == (0, most)
    assert set(bounds.values()) == {(0, None)}


async def test_an_operators_key_that_is_wrong_is_refused_as_documented(api: Api, openapi: Document) -> None:
    for path in ("/v1/players", "/v1/sessions"):
        body = {"nickname": "Somebody", "password": "long enough", "audit_key": "guessed"}
        answer = await api.post(path, body)
        assert answer.code == "forbidden"
        _checked(openapi, "POST", path, answer)


async def test_a_session_needs_no_key_and_a_registration_does(api: Api, openapi: Document) -> None:
    nickname, password = f"s{id(api)}", "correct horse battery"
    assert (await api.post("/v1/players", {"guest": True}, key=None)).code == "invalid"
    assert (await api.post("/v1/players", {"nickname": nickname, "password": password})).status == 201
    body = {"nickname": nickname, "password": password}
    first, second = [await api.post("/v1/sessions", body, key=None) for _ in range(2)]
    assert first.status == second.status == 201
    assert first.body["refresh_token"] != second.body["refresh_token"]
    assert (await api.post("/v1/sessions", body, key="not a key")).code == "invalid"
    refresh = {"refresh_token": first.body["refresh_token"]}
    lost, again = [await api.post("/v1/sessions", refresh, key="one-key") for _ in range(2)]
    assert lost.body["refresh_token"] == again.body["refresh_token"]
    assert (await api.post("/v1/sessions", refresh, key=None)).code == "unauthorized"
    (header,) = openapi["paths"]["/v1/sessions"]["post"]["parameters"]
    assert (header["name"], header["required"]) == ("Idempotency-Key", False)
    assert "Only for a refresh" in header["description"]


@pytest.mark.rule("B2")
async def test_the_catalogue_names_the_operators_main_game(api: Api) -> None:
    houses = (await api.get("/v1/games")).body["houses"]
    assert {house["main_game"] for house in houses} == {"backgammon"}


async def test_the_catalogue_calls_every_game_and_series_by_its_title(api: Api) -> None:
    found = (await api.get("/v1/games")).body
    titles = {offer["name"]: offer["title"] for offer in (*found["games"], *found["series"])}
    assert {name: titles[name] for name in ("gomoku3d", "long_nardy", "tavli")} == {
        "gomoku3d": "3D gomoku",
        "long_nardy": "Long nardy",
        "tavli": "Tavli",
    }


async def test_the_catalogue_names_the_forms_of_every_game(api: Api, openapi: Document) -> None:
    answer = await api.get("/v1/games")
    _checked(openapi, "GET", "/v1/games", answer)
    forms = {game["name"]: game["exports"] for game in answer.body["games"]}
    assert forms["backgammon"] == ["ndjson", "mat", "sgf"]
    assert forms["chess"] == ["ndjson", "pgn"]
    assert forms["draughts"] == ["ndjson", "pdn"]
    assert forms["gomoku"] == ["ndjson", "sgf"]
    assert forms["reversi"] == ["ndjson", "sgf", "txt"]
    assert forms["abalone"] == ["ndjson", "json"]
    assert forms["gomoku3d"] == ["ndjson"]


def test_a_main_game_that_does_not_exist_is_a_mistake() -> None:
    assert main_game({}) == main_game({"KRONIKA_MAIN_GAME": " "}) == ""
    with pytest.raises(SettingsError, match="chess-boxing"):
        main_game({"KRONIKA_MAIN_GAME": "chess-boxing"})


def validated(value: Any, schema: Document) -> None:
    """``value`` is as ``schema`` says."""
    validator: Any = jsonschema.Draft202012Validator(schema)
    validator.validate(value)


def _checked(openapi: Document, method: str, path: str, answer: Answer) -> None:
    """The answer has a documented status, a documented type, and a body as its schema says."""
    documented = openapi["paths"][path][method.lower()]["responses"]
    assert str(answer.status) in documented, (method, path, answer)
    content = documented[str(answer.status)].get("content")
    if content is None:
        assert not answer.text
        return
    media = answer.headers["Content-Type"].split(";")[0]
    assert media in content, (method, path, media)
    if "ndjson" not in media and "json" in media:
        schema = {**content[media]["schema"], "components": openapi["components"]}
        validated(answer.body, schema)


def _paths(openapi: Document) -> Iterator[tuple[str, str]]:
    for path, methods in openapi["paths"].items():
        for method in methods:
            yield method.upper(), path


async def test_every_route_refuses_as_documented(api: Api, openapi: Document) -> None:
    """Without a token, with an unknown id, with a body that is none: always a documented problem."""
    guest = await api.guest()
    for method, path in _paths(openapi):
        if method == "DELETE" and path == "/v1/me":
            continue
        for who in (api, guest):
            address = path.replace("{id}", "nosuchthing")
            for body in (None, b"{", b'{"a":1}', b"[1]"):
                if method == "GET" and body is not None:
                    continue
                answer = await who.request(method, address, body, key="k" * 20 if method == "POST" else None)
                _checked(openapi, method, path, answer)


async def test_every_route_answers_as_documented(api: Api, cluster: Cluster, openapi: Document) -> None:
    """One walk through the whole API, each answer held against the specification."""
    seen: set[tuple[str, str]] = set()

    async def ask(who: Api, method: str, path: str, body: Any = None, **variables: str) -> Answer:
        query = variables.pop("query", "")
        address = path.format(**variables) + query
        more = {"key": f"walk-through-{len(seen):04}-{who.player or 'nobody'}"} if method == "POST" else {}
        answer = await who.request(method, address, body, **more)
        assert answer.status < 300, (method, path, answer)
        _checked(openapi, method, path, answer)
        seen.add((method, path))
        return answer

    registered = await ask(
        api, "POST", "/v1/players", {"nickname": f"w{id(api)}", "password": "correct horse battery"}
    )
    one = Api(api.http, api.base, registered.body["access_token"], registered.body["player"]["id"])
    two = await api.guest()
    auditor = await api.guest(audit_key=cluster.key(tokens.AUDIT_FILE))
    session = await ask(
        api, "POST", "/v1/sessions", {"nickname": f"w{id(api)}", "password": "correct horse battery"}
    )
    await ask(api, "DELETE", "/v1/sessions", {"refresh_token": session.body["refresh_token"]})
    for path in (
        "/v1/me",
        "/v1/wallet",
        "/v1/games",
        "/v1/tables",
        "/v1/openapi.json",
        "/v1/asyncapi.json",
        "/",
    ):
        await ask(one, "GET", path)
    await ask(one, "GET", "/v1/players/{id}", id=two.player)
    await ask(one, "GET", "/v1/leaderboards/{kind}", kind="long_nardy")
    left = await ask(one, "POST", "/v1/tables", {"game": "backgammon", "target": 5})
    await ask(one, "POST", "/v1/tables/{id}/leave", id=left.body["id"])
    private = await ask(one, "POST", "/v1/tables", {"game": "chess", "link": True})
    await ask(api, "POST", "/v1/invitations", {"token": private.body["link"]})
    await ask(one, "POST", "/v1/tables/quick", {"game": "reversi", "expires_in_ms": 60_000})
    opened = await ask(one, "POST", "/v1/tables", {"game": "backgammon"})
    await ask(two, "GET", "/v1/tables/{id}", id=opened.body["id"])
    table = await ask(two, "POST", "/v1/tables/{id}/join", id=opened.body["id"])
    async with asyncio.timeout(5):
        while not table.body["match"]:
            table = await ask(two, "GET", "/v1/tables/{id}", id=opened.body["id"])
    match = table.body["match"]
    for who in (one, two):
        await ask(who, "POST", "/v1/tables/{id}/ready", {}, id=opened.body["id"])
    n = (await ask(one, "GET", "/v1/matches/{id}", id=match)).body["n"]
    await ask(one, "GET", "/v1/matches/{id}", id=match, query="?n=1")
    await ask(one, "GET", "/v1/matches/{id}/legal", id=match)
    await ask(auditor, "GET", "/v1/matches/{id}/commits", id=match)
    command = {"expected": n, "command": {"type": "set_auto_roll", "on": True}}
    await ask(one, "POST", "/v1/matches/{id}/commands", {**command, "dry_run": True}, id=match)
    await ask(two, "POST", "/v1/matches/{id}/commands", {**command, "command": {"type": "leave"}}, id=match)
    await ask(one, "POST", "/v1/matches/{id}/rematch", id=match)
    for form in forms_of(CURRENT["backgammon"].traits):
        await ask(api, "GET", "/v1/matches/{id}/export", id=match, query=f"?format={form}")
    await ask(api, "GET", "/v1/matches/{id}/diagram.svg", id=match)
    await ask(api, "GET", "/v1/matches/{id}/commits", id=match, query="?after=1")
    await ask(one, "GET", "/v1/stream", query=f"?match={match}")
    wish = {"title": "Cup", "table": {"game": "gomoku3d"}, "computers": 1, "kind": "knock_out"}
    tournament = (await ask(one, "POST", "/v1/tournaments", wish)).body["id"]
    for what, who in (("join", two), ("withdraw", two), ("join", one), ("start", one)):
        await ask(who, "POST", f"/v1/tournaments/{{id}}/{what}", id=tournament)
    for path in ("", "/{id}", "/{id}/standings", "/{id}/table.svg"):
        await ask(api, "GET", f"/v1/tournaments{path}", id=tournament)
    await ask(one, "DELETE", "/v1/me")
    assert set(_paths(openapi)) - seen == {("GET", "/v1/socket")}


@pytest.fixture
async def asyncapi(api: Api) -> Document:
    document: Document = (await api.get("/v1/asyncapi.json")).body
    return document


async def test_every_frame_is_as_the_specification_says(api: Api, asyncapi: Document) -> None:
    assert asyncapi["asyncapi"] == "3.0.0"
    one, two = await api.guest(), await api.guest()
    match = await one.match_with(two)
    async with one.socket() as first, two.socket() as second:
        for socket in (first, second):
            await socket.watch(match)
        await ready_both(match, first, second)
        await second.watch(match, (await one.get(f"/v1/matches/{match}")).body["n"])
        await second.get(lambda f: f["type"] == "presence")
        await first.send({"type": "ping"})
        await first.command(match, {"type": "play", "move": "no"}, 1)
        await first.send({"type": "unwatch", "match": match})
        n = (await one.get(f"/v1/matches/{match}")).body["n"]
        assert (await first.command(match, {"type": "set_auto_roll", "on": True}, n))["type"] == "accepted"
        assert (await second.command(match, {"type": "leave"}, n + 1))["type"] == "view"
        await second.get(lambda f: f["type"] == "ended")
        table = (await one.post("/v1/tables", {"game": "backgammon"})).body["id"]
        await first.send({"type": "watch", "table": table})
        await first.get(lambda f: f["type"] == "table")
        kinds = {kind for socket in (first, second) for kind in _validated(asyncapi, socket)}
    sent = {"auth", "watch", "unwatch", "command", "ping"}
    received = {"hello", "watching", "view", "presence", "accepted", "refused", "ended", "table", "pong"}
    assert kinds == received
    stopping = {"maintenance"}  # shown in test_limits, where a gateway is stopped
    assert set(asyncapi["components"]["messages"]) == sent | received | stopping


def _validated(asyncapi: Document, socket: Socket) -> set[str]:
    for frame in socket.frames:
        message = asyncapi["components"]["messages"][frame["type"]]
        schema = {**message["payload"], "components": asyncapi["components"]}
        validated(frame, schema)
    return {frame["type"] for frame in socket.frames}


async def test_the_specifications_say_what_is_enough(openapi: Document, asyncapi: Document) -> None:
    """The numbers are those of this very server; a problem says how long to wait; a result has its shape."""
    assert "Limits of this server: 1000000 reads" in openapi["info"]["description"]
    assert "1000000 frames" in asyncapi["info"]["description"]
    for document in (openapi, asyncapi):
        assert "retry_after_ms" in document["components"]["schemas"]["Problem"]["properties"]
    result = asyncapi["components"]["schemas"]["Ended"]["properties"]["result"]
    assert result == {"$ref": "#/components/schemas/ResultView"}
    assert "winner" in asyncapi["components"]["schemas"]["ResultView"]["properties"]


async def test_the_catalogues_words_are_explained(openapi: Document) -> None:
    words = {"Game": ("matches", "cube", "consent"), "Preset": ("single", "match", "targets", "fixed")}
    for schema, fields in words.items():
        for field in fields:
            assert f"``{field}``" in openapi["components"]["schemas"][schema]["description"]


async def test_type_stands_first_in_every_frame(api: Api) -> None:
    one, two = await api.guest(), await api.guest()
    match = await one.match_with(two)
    async with one.socket() as socket:
        await socket.watch(match)
        await socket.get(lambda f: f["type"] == "view")
        assert all(raw.startswith('{"type":"') for raw in socket.raw)


async def test_every_command_of_a_player_is_documented(openapi: Document) -> None:
    mapping = openapi["components"]["schemas"]["CommandBody"]["properties"]["command"]["discriminator"]
    assert set(mapping["mapping"]) == set(NAMES)


async def test_the_page_for_people_names_every_route(api: Api) -> None:
    page = await api.get("/")
    assert page.headers["Content-Type"].startswith("text/html")
    assert all(escape(route.summary) in page.text for route in ROUTES)
