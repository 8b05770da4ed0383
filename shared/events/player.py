"""The events of a player. Everything personal is a sealed box that only the player's own key opens.

Scopes are not here: they belong to a session and to whoever shows the operator's key, and would outlive
a changed key if they were facts about a player.
"""

import msgspec


class PlayerRegistered(msgspec.Struct, frozen=True, omit_defaults=True, tag="player_registered"):
    """A player exists. ``sealed`` holds nickname and password hash, encrypted under the player's key."""

    sealed: str
    guest: bool = False


class PlayerForgotten(msgspec.Struct, frozen=True, tag="player_forgotten"):
    """The player's key is deleted (or about to be); ``cause`` is ``wish`` or ``nickname_taken``.

    The latter ends a registration that lost the race for its nickname.
    """

    cause: str


PlayerEvent = PlayerRegistered | PlayerForgotten
