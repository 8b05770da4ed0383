"""Leaderboards, and players with their ratings and results (B15)."""

from collections.abc import Iterable
from typing import Final

import msgspec
from aiohttp import web

from services.gateway.call import Call
from services.gateway.lobby import ask_lobby
from services.gateway.ratings import ask_rating
from services.gateway.router import Answer, Query, Route
from services.gateway.routes.players import asked
from shared.catalogue import HEADINGS, heading
from shared.ids import is_id
from shared.problems import Refused
from shared.ratings import KINDS
from shared.wire.lobby import GetPlayer, GetPlayers, PlayerList, PlayerView
from shared.wire.rating import (
    MOST_PER_PAGE,
    GetLeaderboard,
    GetRecord,
    Leaderboard,
    Record,
    Result,
    Standing,
)


class RankView(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a leaderboard; ``rating`` in units."""

    rank: int
    player: PlayerView
    rating: int
    games: int
    newcomer: bool


class LeaderboardView(msgspec.Struct, frozen=True, kw_only=True):
    """One page of everybody with a rated game of ``kind``, best first; ``unit`` units make one point.

    ``total`` is how many there are, ``next`` the ``after`` of the following page, 0 on the last.
    """

    kind: str
    title: str
    unit: int
    total: int
    ranks: tuple[RankView, ...]
    next: int


class KindView(msgspec.Struct, frozen=True, kw_only=True):
    """How the player stands in one kind of game, called ``title``; the rest as in ``Standing``."""

    title: str
    standing: Standing


class HeadingView(msgspec.Struct, frozen=True, kw_only=True):
    """The kinds of one house, under its name: the board games, the backgammon family."""

    name: str
    title: str
    kinds: tuple[KindView, ...]


class PlayerPage(msgspec.Struct, frozen=True, kw_only=True, tag="player"):
    """A player with his ratings and experience under their headings, and a page of his results, newest first.

    ``headings`` and ``results`` are null while they cannot be known: that is not the same as none. ``next``
    is the ``before`` of the following page, 0 on the last.
    """

    id: str
    nickname: str
    guest: bool
    bot: bool
    forgotten: bool
    headings: tuple[HeadingView, ...] | None
    results: tuple[Result, ...] | None
    next: int


async def leaderboard(call: Call) -> web.Response:
    """One page of a leaderboard."""
    kind = call.variables["kind"]
    if kind not in KINDS:
        raise Refused("unknown_kind", f"There is no kind {kind[:40]!r}; there are {', '.join(KINDS)}.")
    question = GetLeaderboard(kind=kind, after=call.number("after") or 0, limit=_limit(call, 50))
    page = await ask_rating(call.gateway.bus, kind, question, Leaderboard)
    players = await _named(call, [rank.player for rank in page.ranks])
    return call.json(
        LeaderboardView(
            kind=page.kind,
            title=page.title,
            unit=page.unit,
            total=page.total,
            ranks=tuple(
                RankView(
                    rank=rank.rank,
                    player=players[rank.player],
                    rating=rank.rating,
                    games=rank.games,
                    newcomer=rank.newcomer,
                )
                for rank in page.ranks
            ),
            next=page.next,
        )
    )


async def _named(call: Call, players: list[str]) -> dict[str, PlayerView]:
    if not players:
        return {}
    found = await ask_lobby(call.gateway.bus, asked(call, GetPlayers(tuple(players))), PlayerList)
    return {player.id: player for player in found.players}


async def player(call: Call) -> web.Response:
    """Any player, as others see him."""
    wanted = call.variables["id"]
    if not is_id(wanted):
        raise Refused("unknown_player")
    kind = call.text("kind")
    if kind and kind not in KINDS:
        raise Refused("unknown_kind", f"kind: one of {', '.join(KINDS)}.")
    question = GetRecord(player=wanted, kind=kind, before=call.number("before") or 0, limit=_limit(call, 20))
    view = await ask_lobby(call.gateway.bus, asked(call, GetPlayer(wanted)), PlayerView)
    try:
        record = await ask_rating(call.gateway.bus, wanted, question, Record)
    except Refused as refused:
        if not refused.problem.retryable:
            raise
        record = None
    return call.json(
        PlayerPage(
            id=view.id,
            nickname=view.nickname,
            guest=view.guest,
            bot=view.bot,
            forgotten=view.forgotten,
            headings=None if record is None else tuple(_headings(record.standings)),
            results=None if record is None else record.results,
            next=0 if record is None else record.next,
        )
    )


def _headings(standings: Iterable[Standing]) -> Iterable[HeadingView]:
    known = [standing for standing in standings if standing.kind in KINDS]
    for name, title in HEADINGS.items():
        kinds = tuple(
            KindView(title=KINDS[standing.kind].title, standing=standing)
            for standing in known
            if heading(KINDS[standing.kind]) == name
        )
        if kinds:
            yield HeadingView(name=name, title=title, kinds=kinds)


def _limit(call: Call, usual: int) -> int:
    limit = call.number("limit")
    if limit is None:
        return usual
    if not 1 <= limit <= MOST_PER_PAGE:
        raise Refused("invalid", f"limit: from 1 to {MOST_PER_PAGE}.")
    return limit


ROUTES: Final = (
    Route(
        "GET",
        "/v1/leaderboards/{kind}",
        leaderboard,
        "Everybody with a rated game of one kind, best first. The catalogue says which kinds there are.",
        Answer(200, LeaderboardView, meaning="One page; next is the after of the following one."),
        query=(
            Query("after", "integer", "Only ranks after this one."),
            Query("limit", "integer", "Up to so many, 1 to 100 (50).", least=1, most=MOST_PER_PAGE),
        ),
        refusals=("unknown_kind",),
        tag="ratings",
    ),
    Route(
        "GET",
        "/v1/players/{id}",
        player,
        "A player as others see him, with his ratings and results.",
        Answer(200, PlayerPage, meaning="The player."),
        query=(
            Query("kind", "string", "Only results of this kind."),
            Query("before", "integer", "Only results before this place: the next of the page before."),
            Query("limit", "integer", "Up to so many results, 1 to 100 (20).", least=1, most=MOST_PER_PAGE),
        ),
        refusals=("unknown_player", "unknown_kind"),
        tag="players",
    ),
)
