"""The ghost at tables of every board game, in each way to begin: it knows what is played, and ends it."""

import pytest

from services.audit.domain import verify
from services.ghost.players import Seen
from services.ghost.thinking import Thinker
from shared.commands import PlayerCommand
from shared.match import Phase
from shared.rules.registry import AnyRules
from tests.support.ghosts import BOARD_GAMES, COMPUTER, House, not_installed
from tests.support.hidden_hand import HiddenHand, hidden_hand

__all__ = ["hidden_hand"]

SHALLOW = 2


class Listening(Thinker):
    """Looks one move ahead, and remembers what it was shown."""

    def __init__(self) -> None:
        super().__init__(load=not_installed)
        self.shown: list[Seen] = []

    async def choose(
        self, rules: AnyRules, seen: Seen, commands: tuple[str, ...], level: int = 0
    ) -> PlayerCommand:
        self.shown.append(seen)
        return await super().choose(rules, seen, commands, level or SHALLOW)


@pytest.mark.rule("B1")
@pytest.mark.parametrize("game", BOARD_GAMES)
async def test_two_computers_play_a_board_game_to_its_end(house: House, game: str) -> None:
    rules, options = BOARD_GAMES[game]
    thinker = Listening()
    await house.ghost(thinker).start()
    table = await house.table(COMPUTER, COMPUTER, rules=rules.name, options=options, match="mboards23456")
    state = await table.wait(lambda state: state.phase is Phase.OVER)
    assert state.games[-1].cause in ("played", "claimed")
    assert len(house.ghost_bus.asked) == state.n - 1, "every command was sent once and none was refused"
    assert verify(await house.log.read(table.match)).difference is None
    assert thinker.shown
    for seen in thinker.shown:
        assert options.items() <= seen.view.options.items()
        assert rules.view(seen.position, seen.seat) == seen.view.board, "it shows no more than the view"


async def test_where_something_is_hidden_no_state_is_shown(house: House, hidden_hand: HiddenHand) -> None:
    thinker = Listening()
    await house.ghost(thinker).start()
    table = await house.table(COMPUTER, COMPUTER, COMPUTER, rules=hidden_hand.name)
    await table.wait(lambda state: state.phase is Phase.OVER)
    assert thinker.shown
    assert all(seen.position is None for seen in thinker.shown)
