"""The events of a player. Everything personal is a sealed box that only the player's own key opens."""

import msgspec


class PlayerRegistered(msgspec.Struct, frozen=True, omit_defaults=True, tag="player_registered"):
    """A player exists. ``sealed`` holds nickname and password hash, encrypted under the player's key."""

    sealed: str
    guest: bool = False
    scopes: tuple[str, ...] = ()


class PasswordChanged(msgspec.Struct, frozen=True, tag="password_changed"):
    """A new sealed box replaces the old one."""

    sealed: str


PlayerEvent = PlayerRegistered | PasswordChanged
