"""The ghost at tables of every game of the family in every mode: it knows what is played, and ends it."""

import pytest

from services.ghost.players import Seen
from services.ghost.thinking import Thinker
from shared.commands import PlayerCommand
from shared.events.codec import decode_match
from shared.events.match import MatchEnded, Terms
from shared.match import Phase
from shared.rules.registry import AnyRules
from tests.support.ghosts import COMPUTER, VARIANTS, House, not_installed


class Listening(Thinker):
    """Remembers with which options it was asked."""

    def __init__(self) -> None:
        super().__init__(load=not_installed)
        self.options: list[dict[str, str]] = []

    async def choose(
        self, rules: AnyRules, seen: Seen, commands: tuple[str, ...], level: int = 0
    ) -> PlayerCommand:
        self.options.append(dict(seen.view.options))
        return await super().choose(rules, seen, commands, level)


@pytest.mark.rule("N1")
@pytest.mark.rule("N11")
@pytest.mark.parametrize("variant", VARIANTS)
async def test_two_computers_play_a_single_game_to_its_end_by_what_the_table_has_chosen(
    house: House, variant: str
) -> None:
    rules, options = VARIANTS[variant]
    thinker = Listening()
    await house.ghost(thinker).start()
    terms = Terms(cube=rules.offers(options).cube)
    table = await house.table(COMPUTER, COMPUTER, terms=terms, rules=rules.name, options=options)
    state = await table.wait(lambda state: state.phase is Phase.OVER)
    last = decode_match((await house.log.read(table.match))[-1])
    assert any(isinstance(event, MatchEnded) for event in last.events)
    assert len(house.ghost_bus.asked) == state.n - 1, "every command was sent once and none was refused"
    assert thinker.options
    assert all(options.items() <= known.items() for known in thinker.options)
