"""What a computer player is: it answers questions about what its seat can see."""

from typing import Protocol, runtime_checkable

import msgspec

from services.ghost.players.score import pass_loses_match
from shared.commands import (
    AcceptBeaver,
    AcceptDraw,
    ClaimDraw,
    DeclineDraw,
    Pass,
    Play,
    PlayerCommand,
    Take,
)
from shared.match import MatchView
from shared.rules.alternating import Turns


class Seen(msgspec.Struct, frozen=True):
    """The seat's own view, and all its legal moves (the view itself lists them up to a number only).

    Where the game does not list them (``Traits.listed``), those that need no search: the player finds others.

    ``position`` is the game as the rules have it, where two move in turn and it is open to all
    (``Traits.open``): it hides nothing, and has the earlier positions that anybody at the table has seen and
    the view does not repeat (ADR 0012). Else it is None.
    """

    view: MatchView
    legal: tuple[str, ...]
    position: Turns | None = None

    @property
    def seat(self) -> int:
        """The seat that sees this."""
        assert self.view.seat is not None  # noqa: S101 - players sit at the table, spectators do not choose
        return self.view.seat


class Player(Protocol):
    """Chooses, always the same for the same ``Seen``; runs in a thread of its own."""

    def move(self, seen: Seen) -> str:
        """One of ``seen.legal``, or of those not listed; where it is a pass or a single move nobody asks."""
        ...


@runtime_checkable
class Doubling(Player, Protocol):
    """A player for games with a cube."""

    def takes(self, seen: Seen) -> bool:
        """Whether to play on at the value of the double that is on offer; a pass does not lose the match."""
        ...

    def accepts_beaver(self, seen: Seen) -> bool:
        """Whether to play on at the value of the beaver that answered our double; as in ``takes``."""
        ...


@runtime_checkable
class Drawing(Player, Protocol):
    """A player for games in which draws are offered and claimed."""

    def plays(self, seen: Seen) -> Play | ClaimDraw:
        """Its move, or the draw that it claims, with the move announced that would bring it about."""
        ...

    def accepts_draw(self, seen: Seen) -> bool:
        """Whether the draw on offer is as good as playing on, whoever is to move."""
        ...


def answer(player: Player, seen: Seen, commands: tuple[str, ...]) -> PlayerCommand:
    """The command by which ``player`` answers; ``commands`` are those that are possible.

    Nobody is asked whether to give up where that loses the match: playing on cannot cost more. A player who
    knows nothing of draws, or of doubles, plays on. Raises ``LookupError`` for a question that no computer
    player is ever asked.
    """
    if "accept_draw" in commands:
        return AcceptDraw() if isinstance(player, Drawing) and player.accepts_draw(seen) else DeclineDraw()
    if "play" in commands:
        return player.plays(seen) if isinstance(player, Drawing) else Play(player.move(seen))
    judge = player if isinstance(player, Doubling) and not pass_loses_match(seen.view, seen.seat) else None
    if "take" in commands:
        return Take() if judge is None or judge.takes(seen) else Pass()
    if "accept_beaver" in commands:
        return AcceptBeaver() if judge is None or judge.accepts_beaver(seen) else Pass()
    raise LookupError(f"No player knows an answer among {', '.join(commands)}.")
