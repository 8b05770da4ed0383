"""Whole board games over real sockets with a chess clock: offers, claims, logs (B1, B5)."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from random import Random
from typing import Any, Final

import pytest

from services.audit.domain import verify
from services.audit.report import MatchReport
from tests.support.api import Api, Frame, Socket
from tests.support.player import ready_both

MINUTES: Final = {"chess": 10, "draughts": 6, "abalone": 10, "reversi": 5, "gomoku": 4, "gomoku3d": 4}
"""The normal clock of each game."""

SHUFFLE: Final = ("Nf3", "Nf6", "Ng1", "Ng8")
every_game = pytest.mark.parametrize("game", MINUTES)


class Board:
    """A match of two with a spectator, each on a socket of his own; what they are told is compared."""

    def __init__(self, match: str, sockets: list[Socket]) -> None:
        self.match = match
        self.sockets = sockets
        self.n = 0

    async def views(self) -> list[dict[str, Any]]:
        """What everybody sees now, the spectator last."""
        return [await socket.view(self.match, self.n) for socket in self.sockets]

    async def to_move(self) -> int:
        """The seat to move."""
        (_, _, public) = await self.views()
        (demand,) = public["decide"]
        return int(demand["seat"])

    async def answer(self, seat: int, kind: str, **more: Any) -> Frame:
        """The one frame that answers ``seat``'s command."""
        return await self.sockets[seat].command(self.match, {"type": kind, **more}, self.n)

    async def does(self, seat: int, kind: str, **more: Any) -> dict[str, Any]:
        """``seat`` commands, which is accepted; its new view."""
        answer = await self.answer(seat, kind, **more)
        assert answer["type"] == "view", answer
        self.n = answer["n"]
        views = await self.views()
        assert len({str(view["position"]) for view in views}) == 1
        return views[seat]

    async def refused(self, seat: int, kind: str, **more: Any) -> str:
        """The code with which ``seat``'s command is refused."""
        answer = await self.answer(seat, kind, **more)
        assert answer["type"] == "refused", answer
        return str(answer["problem"]["code"])

    async def moves(self, *moves: str) -> None:
        """These moves by whoever is to move."""
        for move in moves:
            await self.does(await self.to_move(), "play", move=move)

    async def moves_somehow(self, random: Random) -> None:
        """Any move by whoever is to move."""
        seat = await self.to_move()
        moves = (await self.views())[seat]["legal"]
        if moves is None:
            moves = (await self.sockets[seat].api.get(f"/v1/matches/{self.match}/legal")).body["moves"]
        await self.does(seat, "play", move=random.choice(moves))

    async def plays_on(self, random: Random) -> dict[str, Any]:
        """Any moves to the end; the result."""
        while (await self.views())[2]["result"] is None:
            await self.moves_somehow(random)
        result: dict[str, Any] = (await self.views())[2]["result"]
        for socket in self.sockets:
            ended = await socket.get(lambda frame: frame["type"] == "ended")
            assert ended["result"] == result
        return result

    async def log(self) -> list[bytes]:
        """The commits as the gateway gives them."""
        log = await self.sockets[0].api.get(f"/v1/matches/{self.match}/commits")
        return [line.encode() for line in log.text.splitlines()]

    async def verified(self) -> MatchReport:
        """What the verifier says of them."""
        return verify(await self.log())


class Tables:
    """Opens matches; the sockets are closed after the test."""

    def __init__(self, api: Api, stack: AsyncExitStack) -> None:
        self._api = api
        self._stack = stack

    async def match(self, game: str, **wish: Any) -> Board:
        """A match of the house of board games that has begun."""
        people = [await self._api.guest() for _ in range(3)]
        match = await people[0].match_with(people[1], game=game, house="boards", **wish)
        sockets = [await self._stack.enter_async_context(person.socket()) for person in people]
        for socket in sockets:
            assert (await socket.watch(match))["outcome"] == "reset"
        board = Board(match, sockets)
        await ready_both(match, *sockets[:2])
        board.n = max(frame["n"] for socket in sockets for frame in socket.views(match))
        return board


@pytest.fixture
async def tables(api: Api) -> AsyncIterator[Tables]:
    async with AsyncExitStack() as stack:
        yield Tables(api, stack)


@pytest.mark.rule("B1", "B5")
@every_game
async def test_a_whole_game_on_the_clock_with_offers_declined_and_lapsed(game: str, tables: Tables) -> None:
    board, random = await tables.match(game, clock="normal"), Random(94)  # chess: mate in 51 plies
    clock = (await board.views())[2]["clock"]
    assert (clock["kind"], clock["shown_s"]) == ("chess", [60 * MINUTES[game]] * 2)
    assert await board.refused(0, "offer_draw") == "draw_unavailable", "nobody has moved"
    for _ in range(4):
        await board.moves_somehow(random)
    seat = await board.to_move()
    await board.does(seat, "offer_draw")
    assert [view["draw_offer"] for view in await board.views()] == [seat] * 3
    await board.does(1 - seat, "decline_draw")
    assert await board.refused(seat, "offer_draw") == "draw_unavailable"
    assert await board.refused(seat, "claim_draw") == "draw_unavailable"
    assert await board.refused(1 - seat, "claim_draw") == "not_your_turn"
    await board.does(1 - seat, "offer_draw")
    await board.moves_somehow(random)
    assert (await board.views())[2]["draw_offer"] is None, "who moves has declined"
    assert await board.refused(seat, "accept_draw") == "nothing_offered"
    result = await board.plays_on(random)
    report = await board.verified()
    assert report.difference is None
    assert (report.ok, report.outcome, list(report.score)) == (True, "played", result["score"])
    passes = sum(b'"turn_passed"' in line for line in await board.log())
    assert report.charges >= report.plies - passes, "each move was charged"


@every_game
async def test_a_draw_is_agreed_on(game: str, tables: Tables) -> None:
    board, random = await tables.match(game, clock="fast"), Random(6)
    for _ in range(2):
        await board.moves_somehow(random)
    seat = await board.to_move()
    await board.does(1 - seat, "offer_draw")
    assert {"accept_draw", "decline_draw"} <= set((await board.views())[seat]["may"])
    await board.does(seat, "accept_draw")
    result = (await board.views())[2]["result"]
    assert (result["winner"], result["score"], result["cause"]) == (None, [0, 0], "agreed")
    assert (await board.verified()).ok


@every_game
async def test_who_resigns_has_lost_at_once(game: str, tables: Tables) -> None:
    board = await tables.match(game)
    seat = await board.to_move()
    await board.does(1 - seat, "resign")
    result = (await board.views())[2]["result"]
    assert (result["winner"], result["cause"]) == (seat, "resigned")
    assert (await board.verified()).ok


@pytest.mark.parametrize("announced", ["", "Ng8"])
async def test_a_draw_of_chess_is_claimed_as_it_stands_or_with_a_move(announced: str, tables: Tables) -> None:
    board = await tables.match("chess", clock="slow")
    moves = SHUFFLE * 2
    await board.moves(*(moves[:-1] if announced else moves))
    seat = await board.to_move()
    assert ("claim_draw" in (await board.views())[seat]["may"]) == (not announced)
    if announced:
        assert await board.refused(seat, "claim_draw") == "draw_unavailable"
        assert await board.refused(seat, "claim_draw", move="Ke7") == "illegal_move"
    await board.does(seat, "claim_draw", move=announced)
    result = (await board.views())[2]["result"]
    assert (result["winner"], result["cause"]) == (None, "claimed")
    assert (await board.verified()).ok
