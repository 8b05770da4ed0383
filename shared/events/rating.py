"""The events of ratings: what one finished match was worth to its players. One entry per match, for ever.

The entry stands at ``rating.<pool>.<match>``; its ``key`` is ``<pool>.<match>`` and its ``command`` the
commit that ended the match, ``<match>.<n>``, with the hash of that commit's stored bytes.
"""

import msgspec


class PlayerResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the match was to one player.

    ``outcome``: ``won``, ``lost``, ``drawn``; with more than two seats also ``placed``, without a place of
    his own. ``change`` of his rating in the match's units, and ``games``: what it adds to his rated games
    (as in ``RatedSeat``); both 0 where the match was not rated.
    """

    player: str
    outcome: str
    change: int = 0
    games: int = 0


class MatchCounted(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="match_counted"):
    """A match came to its result. ``finished`` of its games are experience for everybody in ``players``.

    ``rules`` is the game, or the series, that was played; ``cause`` is that of ``match_ended``. ``rated`` is
    whether the ratings changed by what the match's first commit says. The computer is not among the players.
    """

    rules: str
    finished: int
    cause: str
    rated: bool = False
    players: tuple[PlayerResult, ...]


RatingEvent = MatchCounted
