"""The events of a tournament: opened, joined, left, begun, paired round by round, results, ended.

Points are half points: 2 for a win, 1 for a draw. What follows from them (standings, tie-breaks) is never
stored, what had to be decided (the order of the lot, the pairings) always is.
"""

import msgspec

from shared.events.table import TableOpened


class TournamentOpened(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="tournament_opened"
):
    """``player`` opened a tournament, and organises it; he plays only if he joins.

    Every match of it is played at a table as ``table``, whose game is pinned here. ``kind`` is ``knock_out``,
    ``round_robin`` or ``swiss``, empty where the number of players decides at the start. ``rounds`` are those
    of a Swiss tournament, 0 for as many as that number asks for. ``most`` may join.
    """

    player: str
    title: str
    kind: str = ""
    rounds: int = 0
    most: int
    table: TableOpened


class PlayerJoined(msgspec.Struct, frozen=True, omit_defaults=True, tag="player_joined"):
    """``player`` takes part; ``bot`` when it is our computer, which plays at ``level`` (see ``Seat``)."""

    player: str
    bot: bool = False
    level: int = 0


class PlayerWithdrew(msgspec.Struct, frozen=True, tag="player_withdrew"):
    """``player`` is not paired any more; a game that he has begun goes on."""

    player: str


class TournamentStarted(msgspec.Struct, frozen=True, kw_only=True, tag="tournament_started"):
    """Nobody can join any more. ``order`` is the lot: by it players are numbered, and it decides last.

    It follows from the log before (``lot``), which nobody knew beforehand. ``rounds`` is how many there are.
    """

    kind: str
    order: tuple[str, ...]
    rounds: int


class Pair(msgspec.Struct, frozen=True):
    """Two who meet: ``first`` sits at seat 0."""

    first: str
    second: str


class RoundPaired(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="round_paired"):
    """Round ``round`` (from 1) begins. ``byes`` have nobody to play with and get a full point.

    ``walkovers`` get it, too: whom they should have met has withdrawn, or nobody has come through to them.
    """

    round: int
    pairs: tuple[Pair, ...]
    byes: tuple[str, ...] = ()
    walkovers: tuple[str, ...] = ()


class GameRecorded(msgspec.Struct, frozen=True, kw_only=True, tag="game_recorded"):
    """The match at ``table`` came to its end: game ``game`` of pair ``pair`` (from 0) in ``round``.

    ``points`` are those of the pair's first and second player. In a replay (``game`` 2) they sit the other
    way round. ``cause`` is that of the match's end; ``not_ready``, ``left``, ``annulled``, ``next``,
    ``not_chosen``, ``computer`` where the match was cancelled; ``refused`` where it could not be created.
    """

    round: int
    pair: int
    game: int
    table: str
    points: tuple[int, int]
    cause: str


class TournamentEnded(msgspec.Struct, frozen=True, omit_defaults=True, tag="tournament_ended"):
    """All is played (``cause`` ``played``), or ``expired`` before it began.

    ``exhausted``: no further round is possible in which nobody meets the same opponent again.
    """

    cause: str
    winners: tuple[str, ...] = ()


TournamentEvent = (
    TournamentOpened
    | PlayerJoined
    | PlayerWithdrew
    | TournamentStarted
    | RoundPaired
    | GameRecorded
    | TournamentEnded
)
