"""What golden matches of every game have in common."""

from shared.commands import AcceptResignation, Resign
from shared.match.deciding import may_resign
from tests.support.matches import MemoryGame, Picker


def resign(game: MemoryGame, seat: int, pick: Picker) -> None:
    """``seat`` resigns on its next turn, whatever it costs, and that is accepted."""
    game.play_on(pick.move, until=lambda state: may_resign(state, seat))
    game.send(seat, Resign(confirm=True))
    game.send(1 - seat, AcceptResignation())
