"""What a computer player is: three questions about what its seat can see."""

from typing import Any, Protocol

import msgspec

from services.ghost.players.score import pass_loses_match
from shared.commands import AcceptBeaver, Pass, Play, PlayerCommand, Take
from shared.events.match import Terms
from shared.match import MatchView


class Seen(msgspec.Struct, frozen=True):
    """The seat's own view, and all its legal moves (the view itself lists them up to a number only).

    ``options`` are what the table has chosen for the game in hand, ``terms`` those of the match; who sits
    there knows them.
    """

    view: MatchView
    legal: tuple[str, ...]
    options: dict[str, Any] = {}
    terms: Terms = Terms()

    @property
    def seat(self) -> int:
        """The seat that sees this."""
        assert self.view.seat is not None  # noqa: S101 - players sit at the table, spectators do not choose
        return self.view.seat


class Player(Protocol):
    """Chooses, always the same for the same ``Seen``; runs in a thread of its own."""

    def move(self, seen: Seen) -> str:
        """One of ``seen.legal``; where that is a pass or a single move nobody asks."""
        ...

    def takes(self, seen: Seen) -> bool:
        """Whether to play on at the value of the double that is on offer; a pass does not lose the match."""
        ...

    def accepts_beaver(self, seen: Seen) -> bool:
        """Whether to play on at the value of the beaver that answered our double; as in ``takes``."""
        ...


def answer(player: Player, seen: Seen, commands: tuple[str, ...]) -> PlayerCommand:
    """The command by which ``player`` answers; ``commands`` are those that are possible.

    Nobody is asked whether to give up where that loses the match: playing on cannot cost more.
    Raises ``LookupError`` for a question that no computer player is ever asked.
    """
    if "play" in commands:
        return Play(player.move(seen))
    lost = pass_loses_match(seen.view, seen.seat)
    if "take" in commands:
        return Take() if lost or player.takes(seen) else Pass()
    if "accept_beaver" in commands:
        return AcceptBeaver() if lost or player.accepts_beaver(seen) else Pass()
    raise LookupError(f"No player knows an answer among {', '.join(commands)}.")
