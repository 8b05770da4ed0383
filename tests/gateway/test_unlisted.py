"""A game whose moves are not listed: nobody is handed a word, and a dry run tries one (boardgames §9)."""

from contextlib import AsyncExitStack
from typing import Any

import pytest

from shared.rules.scrabble.words import OWN
from tests.support.api import Api, Socket
from tests.support.player import ready_both


class Table:
    """A match of scrabble that has begun; who is to move, and who is not, each on a socket."""

    def __init__(self, match: str, view: dict[str, Any], mover: Socket, other: Socket) -> None:
        self.match, self.view, self.mover, self.other = match, view, mover, other

    @property
    def letters(self) -> str:
        """The whole rack as a text that is no word."""
        found = "".join(self.view["board"]["rack"]).replace("?", "x")
        assert found.upper() not in OWN
        return found

    async def tried(self, move: str, who: Socket | None = None) -> tuple[int, Any]:
        """What a dry run of ``move`` says: the status, and the code or n."""
        body = {"command": {"type": "play", "move": move}, "expected": self.view["n"], "dry_run": True}
        answer = await (who or self.mover).api.post(f"/v1/matches/{self.match}/commands", body)
        return answer.status, answer.body.get("code", answer.body.get("n"))


async def begun(api: Api, stack: AsyncExitStack, **options: Any) -> Table:
    one, two = await api.guest(), await api.guest()
    match = await one.match_with(two, game="scrabble", house="boards", options=options)
    sockets = [await stack.enter_async_context(person.socket()) for person in (one, two)]
    for socket in sockets:
        await socket.watch(match)
    await ready_both(match, *sockets)
    n = max(frame["n"] for socket in sockets for frame in socket.views(match))
    views = [await socket.view(match, n) for socket in sockets]
    seat = int(views[0]["decide"][0]["seat"])
    return Table(match, views[seat], sockets[seat], sockets[1 - seat])


async def test_neither_the_view_nor_the_list_of_moves_has_a_word(api: Api) -> None:
    async with AsyncExitStack() as stack:
        table = await begun(api, stack)
        view = table.view
        assert "play" in view["may"]
        assert (view["listed"], view["legal"], view["legal_count"]) == (False, None, 0)
        assert not view["suggested"]
        answer = await table.mover.api.get(f"/v1/matches/{table.match}/legal")
        assert answer.body == {
            "match": table.match,
            "n": view["n"],
            "seat": view["seat"],
            "moves": [],
            "listed": False,
        }


async def test_a_dry_run_tells_of_one_move_whether_it_would_be_taken(api: Api) -> None:
    async with AsyncExitStack() as stack:
        table = await begun(api, stack)
        after = table.view["n"] + 1
        assert await table.tried(f"8H {table.letters}") == (422, "illegal_move")
        assert await table.tried("-") == (200, after)
        assert await table.tried("-", table.other) == (409, "not_your_turn")
        newest = await table.mover.api.get(f"/v1/matches/{table.match}")
        assert newest.body["n"] == table.view["n"]


@pytest.mark.parametrize("move", ["challenge", "accept", "-"])
async def test_where_words_are_challenged_a_dry_run_says_nothing_of_them(api: Api, move: str) -> None:
    async with AsyncExitStack() as stack:
        table = await begun(api, stack, challenge=True)
        wrong = f"8H {table.letters}"
        assert await table.tried(wrong) == (200, table.view["n"] + 1)
        frame = await table.mover.command(table.match, {"type": "play", "move": wrong}, table.view["n"])
        table.view = await table.other.view(table.match, frame["n"])
        assert table.view["board"]["open"]
        expected = (422, "illegal_move") if move == "accept" else (200, frame["n"] + 1)
        assert await table.tried(move, table.other) == expected
