"""Bytes to commits and back. Retired shapes are brought up to date in reading; bytes are never rewritten."""

from typing import Any, Final, cast

import msgspec

from shared.events.base import Commit, Entry
from shared.events.ledger import LedgerEvent
from shared.events.match import MatchEvent
from shared.events.player import PlayerEvent
from shared.events.rating import RatingEvent
from shared.events.retired import RetiredMatchEvent, upcast
from shared.events.table import TableEvent
from shared.events.tournament import TournamentEvent


class UnreadableLog(Exception):  # noqa: N818 - names what is wrong with the log, like KeyError's kin
    """A stored commit has an unknown tag or shape: the reader is too old, or the log is not ours."""


MatchCommit = Commit[MatchEvent]
TableEntry = Entry[TableEvent]
PlayerEntry = Entry[PlayerEvent]
RatingEntry = Entry[RatingEvent]
LedgerEntry = Entry[LedgerEvent]
TournamentEntry = Entry[TournamentEvent]

_ENCODER: Final = msgspec.json.Encoder()
_MATCH: Final = msgspec.json.Decoder(Commit[MatchEvent | RetiredMatchEvent])
_TABLE: Final = msgspec.json.Decoder(TableEntry)
_PLAYER: Final = msgspec.json.Decoder(PlayerEntry)
_RATING: Final = msgspec.json.Decoder(RatingEntry)
_LEDGER: Final = msgspec.json.Decoder(LedgerEntry)
_TOURNAMENT: Final = msgspec.json.Decoder(TournamentEntry)


def encode(commit: MatchCommit | Entry[Any]) -> bytes:
    """The bytes to store: one line of JSON without a newline."""
    return _ENCODER.encode(commit)


def decode_match(stored: bytes) -> MatchCommit:
    """A commit of a match; raises ``UnreadableLog``."""
    try:
        commit = _MATCH.decode(stored)
    except msgspec.MsgspecError as error:
        raise UnreadableLog(str(error)) from error
    if any(isinstance(event, RetiredMatchEvent) for event in commit.events):
        events = tuple(upcast(e) if isinstance(e, RetiredMatchEvent) else e for e in commit.events)
        return cast("MatchCommit", msgspec.structs.replace(commit, events=events))
    return cast("MatchCommit", commit)


def decode_table(stored: bytes) -> TableEntry:
    """An entry of a table's log; raises ``UnreadableLog``."""
    try:
        return _TABLE.decode(stored)
    except msgspec.MsgspecError as error:
        raise UnreadableLog(str(error)) from error


def decode_player(stored: bytes) -> PlayerEntry:
    """An entry of a player's log; raises ``UnreadableLog``."""
    try:
        return _PLAYER.decode(stored)
    except msgspec.MsgspecError as error:
        raise UnreadableLog(str(error)) from error


def decode_rating(stored: bytes) -> RatingEntry:
    """An entry of the ratings; raises ``UnreadableLog``."""
    try:
        return _RATING.decode(stored)
    except msgspec.MsgspecError as error:
        raise UnreadableLog(str(error)) from error


def decode_ledger(stored: bytes) -> LedgerEntry:
    """An entry of an account's log; raises ``UnreadableLog``."""
    try:
        return _LEDGER.decode(stored)
    except msgspec.MsgspecError as error:
        raise UnreadableLog(str(error)) from error


def decode_tournament(stored: bytes) -> TournamentEntry:
    """An entry of a tournament's log; raises ``UnreadableLog``."""
    try:
        return _TOURNAMENT.decode(stored)
    except msgspec.MsgspecError as error:
        raise UnreadableLog(str(error)) from error
