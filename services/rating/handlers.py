"""From finished matches to entries of the rating log, and from questions to answers."""

import asyncio
from collections.abc import Sequence
from typing import Final

import msgspec
import structlog

from services.rating import domain
from services.rating.projection import BATCH, Projector
from services.rating.standing import Fold, standing
from shared import subjects, telemetry
from shared.elo import OWN
from shared.events.codec import decode_match, encode
from shared.ids import is_id
from shared.ports.creation import created_of
from shared.ports.facts import Facts
from shared.ports.log import EventLog
from shared.ports.standings import Projection, ProjectionUnavailable
from shared.problems import Refused, problem
from shared.ratings import KINDS, Kind, kind_name, snapshot, why_unrated
from shared.refusals import problem_of
from shared.wire.rating import (
    ENCODER,
    MOST_PER_PAGE,
    MOST_PLAYERS,
    RATING_REQUEST,
    GatewayQuestion,
    GetLeaderboard,
    GetRecord,
    GetStandings,
    Leaderboard,
    LobbyQuestion,
    Rank,
    RatingAnswer,
    RatingRequest,
    Record,
    RefusedAnswer,
    Result,
    Snapshot,
    Standings,
    TakeSnapshot,
)

DURABLE: Final = "rating"
_ALLOWED: Final = {"lobby": LobbyQuestion, "gateway": GatewayQuestion}
_TRIES: Final = 4  # a projection that goes on, or turns out to be wrong, while it is read
_RESULT: Final = msgspec.json.Decoder(Result)

_log = structlog.get_logger("rating")


class Ratings:
    """Rates finished matches and answers how everybody stands; any number of instances may do so."""

    def __init__(self, games: EventLog, facts: Facts, projection: Projection, halving: str = OWN) -> None:
        """``games`` are the matches' logs, ``facts`` the rating log."""
        self._games = games
        self._facts = facts
        self._projection = projection
        self._halving = halving
        self._fold = Fold()
        self._reading = asyncio.Lock()
        self.projector = Projector(facts, projection)

    # ---- matches

    async def on_commit(self, match: str, n: int, stored: bytes) -> None:
        """Count the match if this commit has brought its result; returns when that is stored.

        Whoever counts it again writes the same entry at the same place, where one stands for ever.
        """
        if domain.SIGN not in stored:
            return
        last = decode_match(stored)
        if domain.ending(last.events) is None:
            return
        created = await created_of(self._games, match, n, stored)
        if not domain.counts(created):
            return
        games = domain.finished(last.events)
        if games is None:
            games = await self._finished_before(match)
        data = encode(domain.counted(created, last, stored, games))
        standing_there = await self._facts.put(domain.pool(created), match, data)
        if standing_there != data:
            _log.error("a match was counted otherwise before; that stands", match=match)

    async def _finished_before(self, match: str) -> int:
        """How many games were over when the match ended between two of them."""
        ended = (domain.finished(decode_match(entry).events) for entry in await self._games.read(match))
        return max((game for game in ended if game is not None), default=0)

    # ---- questions

    async def answer(self, subject: str, data: bytes) -> bytes:
        """The encoded answer to the question ``data`` on ``subject``."""
        answer = await self._answered(subject, data)
        if isinstance(answer, RefusedAnswer):
            telemetry.REFUSALS.labels(answer.problem.code).inc()
        return ENCODER.encode(answer)

    async def _answered(self, subject: str, data: bytes) -> RatingAnswer:
        sender, _ = subjects.sender_and_key(subject)
        try:
            asked = RATING_REQUEST.decode(data)
        except msgspec.MsgspecError:
            return RefusedAnswer(problem("malformed"))
        allowed = _ALLOWED.get(sender)
        if allowed is None or not isinstance(asked, allowed):
            return RefusedAnswer(problem("command_not_allowed"))
        try:
            return await self._decided(asked)
        except ProjectionUnavailable as error:
            _log.warning("unavailable", why=str(error))
            return RefusedAnswer(problem("unavailable"))
        except Exception as error:  # noqa: BLE001 - nobody is left without an answer
            return RefusedAnswer(problem_of(error, _log))

    async def _decided(self, asked: RatingRequest) -> RatingAnswer:
        match asked:
            case TakeSnapshot():
                return await self._snapshot(asked)
            case GetStandings():
                return await self._standings(_kind(asked.kind), asked.players)
            case GetLeaderboard():
                return await self._leaderboard(_kind(asked.kind), asked)
            case GetRecord():
                return await self._record(asked)

    async def _snapshot(self, asked: TakeSnapshot) -> Snapshot:
        if why := why_unrated(asked.rules, asked.terms, len(asked.players), chance="committed"):
            raise Refused("invalid_options", f"rated: {why}")
        fold = await self.caught_up()
        kind = kind_name(asked.rules)
        before = [fold.before(kind, player) for player in asked.players]
        return Snapshot(snapshot(asked.rules, asked.terms, before, halving=self._halving))

    async def _standings(self, kind: Kind, players: Sequence[str]) -> Standings:
        if len(players) > MOST_PLAYERS:
            raise Refused("invalid", f"players: at most {MOST_PLAYERS}.")
        fold = await self.caught_up()
        return Standings(tuple(standing(kind, fold.tally(kind.name, player)) for player in players))

    async def _leaderboard(self, kind: Kind, asked: GetLeaderboard) -> Leaderboard:
        if not kind.system:
            raise Refused("unknown_kind", f"Nobody is rated in {kind.title}; it counts as experience.")
        _check_page(asked.limit)
        for attempt in range(_TRIES):
            await self.projector.reach(await self.caught_up())
            page = await self._projection.ranks(kind.name, asked.after, asked.limit)
            fold = await self._level(page.place, attempt)
            if fold is None:
                continue
            ranks = tuple(
                _rank(asked.after + i + 1, player, kind, fold)
                for i, (player, _rating) in enumerate(page.rows)
            )
            known = [(r.player, r.rating) for r in ranks if fold.tally(kind.name, r.player).rated]
            if page.total != fold.ranked(kind.name) or page.rows != known:
                await self._wrong()
                continue
            more = asked.after + len(ranks)
            return Leaderboard(
                kind=kind.name,
                title=kind.title,
                unit=kind.unit,
                total=page.total,
                ranks=ranks,
                next=more if ranks and more < page.total else 0,
            )
        raise Refused("unavailable")

    async def _record(self, asked: GetRecord) -> Record:
        if asked.kind:
            _kind(asked.kind)
        if not is_id(asked.player):
            raise Refused("unknown_player")
        _check_page(asked.limit)
        for attempt in range(_TRIES):
            await self.projector.reach(await self.caught_up())
            page = await self._projection.history(asked.player, asked.kind, asked.before, asked.limit + 1)
            fold = await self._level(page.place, attempt)
            if fold is None:
                continue
            tallies = {name: fold.tally(name, asked.player) for name in fold.kinds(asked.player)}
            wanted = [tally for name, tally in tallies.items() if asked.kind in ("", name)]
            results = _results(page.rows[: asked.limit])
            total = sum(tally.matches for tally in wanted)
            if page.total != total or results is None:
                await self._wrong()
                continue
            known = [(KINDS[name], tally) for name, tally in tallies.items() if name in KINDS]
            return Record(
                standings=tuple(standing(kind, tally) for kind, tally in known),
                results=results,
                next=results[-1].place if len(page.rows) > asked.limit else 0,
            )
        raise Refused("unavailable")

    async def _level(self, place: int, attempt: int) -> Fold | None:
        """The fold, where a page built up to ``place`` is at its place; None: ask again.

        A projection ahead of the log, though that was read after it, is wrong: at the first attempt the
        server that answered may only be behind.
        """
        fold = await self.caught_up()
        if place > fold.place and attempt:
            await self._wrong()
        return fold if place == fold.place else None

    async def _wrong(self) -> None:
        _log.warning("the projection is not what the log says; it is built anew")
        await self.projector.renew()

    # ---- the fold

    async def caught_up(self) -> Fold:
        """How everybody stands, with everything that is stored now.

        Raises ``LogUnavailable``, ``UnreadableLog``: then nobody's rating is known.
        """
        async with self._reading:
            while facts := await self._facts.after(self._fold.place, BATCH):
                for fact in facts:
                    self._fold.apply(fact)
            return self._fold


def _kind(name: str) -> Kind:
    found = KINDS.get(name)
    if found is None:
        raise Refused("unknown_kind", f"There is no kind {name[:40]!r}; there are {', '.join(KINDS)}.")
    return found


def _check_page(limit: int) -> None:
    if not 1 <= limit <= MOST_PER_PAGE:
        raise Refused("invalid", f"limit: 1 to {MOST_PER_PAGE}.")


def _rank(rank: int, player: str, kind: Kind, fold: Fold) -> Rank:
    rating, games = fold.before(kind.name, player)
    return Rank(rank=rank, player=player, rating=rating, games=games, newcomer=games < kind.newcomer)


def _results(rows: Sequence[bytes]) -> tuple[Result, ...] | None:
    """The lines of a history, None where one is none."""
    try:
        return tuple(_RESULT.decode(row) for row in rows)
    except msgspec.MsgspecError:
        return None
