"""A tournament, pure: what its log says (``evolve``) and what a command makes of it (``decide``)."""

import hashlib
from typing import Final

import msgspec

from services.tournament import knockout, rounds
from services.tournament.standing import winners
from services.tournament.state import HALF, WIN, Game, Meeting, Player, Round, Tournament, table_of
from shared.events.base import FIRST_PREV
from shared.events.codec import TournamentEntry, UnreadableLog
from shared.events.tournament import (
    GameRecorded,
    PlayerJoined,
    PlayerWithdrew,
    RoundPaired,
    TournamentEnded,
    TournamentEvent,
    TournamentOpened,
    TournamentStarted,
)
from shared.problems import Refused

LEAST: Final = 2


class Open(msgspec.Struct, frozen=True):
    """Open the tournament; ``computers`` join at once."""

    opened: TournamentOpened
    computers: tuple[PlayerJoined, ...] = ()


class Join(msgspec.Struct, frozen=True):
    """Take part."""

    player: str


class Withdraw(msgspec.Struct, frozen=True):
    """Take part no more."""

    player: str


class Start(msgspec.Struct, frozen=True):
    """Begin; only ``player`` who opened it may."""

    player: str


class Proceed(msgspec.Struct, frozen=True):
    """Pair the next round, or end: all games of this one are decided."""


class Record(msgspec.Struct, frozen=True):
    """The match at ``table`` has ended with these ``points`` of seat 0 and seat 1."""

    table: str
    points: tuple[int, int]
    cause: str


class Expire(msgspec.Struct, frozen=True):
    """End what never began."""


TournamentCommand = Open | Join | Withdraw | Start | Proceed | Record | Expire


def decide(tournament: Tournament | None, command: TournamentCommand) -> tuple[TournamentEvent, ...]:
    """What ``command`` causes; never empty. Raises ``Refused``."""
    if isinstance(command, Open):
        if tournament is not None:
            raise Refused("id_reused")
        return (command.opened, *command.computers)
    if tournament is None:
        raise Refused("unknown_tournament")
    match command:
        case Join(player=player):
            return _join(tournament, player)
        case Withdraw(player=player):
            return _withdraw(tournament, player)
        case Start(player=player):
            return _start(tournament, player)
        case _:
            return _goes_on(tournament, command)


def _join(tournament: Tournament, player: str) -> tuple[TournamentEvent, ...]:
    if tournament.state != "open":
        raise Refused("tournament_started")
    if player in tournament.players:
        raise Refused("already_joined")
    if len(tournament.players) >= tournament.opened.most:
        raise Refused("tournament_full")
    return (PlayerJoined(player),)


def _withdraw(tournament: Tournament, player: str) -> tuple[TournamentEvent, ...]:
    known = tournament.players.get(player)
    if known is None or known.withdrawn:
        raise Refused("not_joined")
    if tournament.state == "ended":
        raise Refused("tournament_over")
    return (PlayerWithdrew(player),)


def _start(tournament: Tournament, player: str) -> tuple[TournamentEvent, ...]:
    if player != tournament.opened.player:
        raise Refused("forbidden", "Only who has opened the tournament starts it.")
    if tournament.state != "open":
        raise Refused("tournament_started")
    if len(tournament.players) < LEAST:
        raise Refused("too_few_players", f"It needs {LEAST}.")
    kind, number = rounds.plan(tournament.opened, len(tournament.players))
    return (TournamentStarted(kind=kind, order=lot(tournament), rounds=number),)


def lot(tournament: Tournament) -> tuple[str, ...]:
    """The players in the order of the lot: by SHA-256 of the newest entry's hash, a zero byte, and the id.

    That hash holds the moment of the last entry, so nobody chooses his place; the same for every instance.
    """

    def drawn(player: str) -> bytes:
        return hashlib.sha256(f"{tournament.head}\0{player}".encode()).digest()

    return tuple(sorted(tournament.players, key=drawn))


def _goes_on(tournament: Tournament, command: Proceed | Record | Expire) -> tuple[TournamentEvent, ...]:
    match command:
        case Expire():
            if tournament.state != "open":
                raise Refused("tournament_started")
            return (TournamentEnded("expired"),)
        case Record():
            return (_recorded(tournament, command),)
        case Proceed():
            if tournament.state != "running" or not tournament.round_over:
                raise Refused("unchanged", "A round is being played, or none is to come.")
            paired = rounds.pair(tournament)
            if paired is not None:
                return (paired,)
            planned = len(tournament.rounds) >= tournament.planned or tournament.kind == knockout.KIND
            return (TournamentEnded("played" if planned else "exhausted", winners(tournament)),)


def _recorded(tournament: Tournament, found: Record) -> GameRecorded:
    """Raises ``Refused`` ``unchanged`` where the game is recorded already, or none of this tournament's."""
    for meeting in tournament.meetings():
        for game in range(1, len(meeting.games) + 2):
            if table_of(tournament.id, meeting, game) != found.table:
                continue
            if game <= len(meeting.games):
                raise Refused("unchanged", "That game is recorded.")
            first, second = found.points if game % 2 else found.points[::-1]
            return GameRecorded(
                round=meeting.round,
                pair=meeting.pair,
                game=game,
                table=found.table,
                points=(first, second),
                cause=found.cause,
            )
    raise Refused("unchanged", "No game of this tournament is played there.")


def evolve(tournament: Tournament | None, entry: TournamentEntry, head: str) -> Tournament:
    """The tournament after ``entry``, which follows it (``journal`` checks that); ``head`` is its hash."""
    for event in entry.events:
        tournament = _apply(tournament, entry, event)
    if tournament is None:
        raise UnreadableLog(f"{entry.key}: a tournament's log begins with tournament_opened.")
    return msgspec.structs.replace(
        tournament,
        n=entry.n,
        head=head,
        at_ms=entry.at_ms,
        commands={**tournament.commands, entry.command: entry.command_hash},
    )


def _apply(tournament: Tournament | None, entry: TournamentEntry, event: TournamentEvent) -> Tournament:
    if isinstance(event, TournamentOpened):
        return Tournament(
            id=entry.key, n=0, head=FIRST_PREV, at_ms=entry.at_ms, opened=event, opened_at_ms=entry.at_ms
        )
    if tournament is None:
        raise UnreadableLog(f"{entry.key}: a tournament's log begins with tournament_opened.")
    match event:
        case PlayerJoined(player=player, bot=bot, level=level):
            return _with_player(tournament, Player(id=player, bot=bot, level=level))
        case PlayerWithdrew(player=player):
            return _without(tournament, player)
        case TournamentStarted(kind=kind, order=order, rounds=planned):
            return msgspec.structs.replace(tournament, kind=kind, order=order, planned=planned)
        case _:
            return _played(tournament, event)


def _played(tournament: Tournament, event: RoundPaired | GameRecorded | TournamentEnded) -> Tournament:
    match event:
        case RoundPaired():
            meetings = tuple(
                Meeting(event.round, i, pair.first, pair.second) for i, pair in enumerate(event.pairs)
            )
            paired = Round(meetings, event.byes, event.walkovers)
            return msgspec.structs.replace(tournament, rounds=(*tournament.rounds, paired))
        case GameRecorded(round=number, pair=pair):
            before = tournament.rounds[number - 1]
            meeting = before.meetings[pair]
            game = Game(event.table, event.points, event.cause)
            after = msgspec.structs.replace(meeting, games=(*meeting.games, game))
            meetings = (*before.meetings[:pair], after, *before.meetings[pair + 1 :])
            played = msgspec.structs.replace(before, meetings=meetings)
            rest = tournament.rounds[number:]
            return msgspec.structs.replace(
                tournament, rounds=(*tournament.rounds[: number - 1], played, *rest)
            )
        case TournamentEnded(cause=cause, winners=found):
            return msgspec.structs.replace(tournament, cause=cause, winners=found)


def _with_player(tournament: Tournament, player: Player) -> Tournament:
    return msgspec.structs.replace(tournament, players={**tournament.players, player.id: player})


def _without(tournament: Tournament, player: str) -> Tournament:
    """Before the start he is gone, afterwards he stays in the table."""
    if tournament.order:
        known = tournament.players[player]
        return _with_player(tournament, msgspec.structs.replace(known, withdrawn=True))
    players = {name: known for name, known in tournament.players.items() if name != player}
    return msgspec.structs.replace(tournament, players=players)


def result(winner: int | None) -> tuple[int, int]:
    """The points of seat 0 and seat 1 where ``winner`` has won, or nobody."""
    if winner is None:
        return HALF, HALF
    return (WIN, 0) if winner == 0 else (0, WIN)
