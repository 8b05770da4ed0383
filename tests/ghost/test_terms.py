"""What a match's score and terms make of giving up and of gammons, the computer players know and mind."""

from typing import Final

import pytest

from services.ghost.players import Doubling, Heuristic, Player, Sage, Seeded, Seen, answer, own_player
from services.ghost.thinking import Thinker
from shared.commands import AcceptBeaver, Pass, PlayerCommand, Take
from shared.cube import Cube
from shared.events.match import Terms
from shared.match import Phase
from shared.rules.backgammon import RULES
from shared.rules.nard.game import State
from shared.rules.registry import AnyRules
from shared.wire.lobby import TermsView
from tests.support.boards import side
from tests.support.ghosts import COMPUTER, House, not_installed, seen
from tests.support.story import terms_of

DOUBLED: Final = Cube(value=1, offered=2, by=0)
BEAVERED: Final = Cube(value=2, owner=0, offered=4, by=0, beavered=True)
START: Final = RULES.setup(2, {}, 0)
TO_FIVE, MIXED = Terms(target=5), terms_of("mixed")

GAMMONS, JACOBY, NONE = Terms(), Terms(jacoby=True), Terms(gammons=False)


class GivesUp(Seeded):
    """Gives up whenever it is asked. ``Doubling``."""

    def takes(self, seen: Seen) -> bool:
        del seen
        return False

    def accepts_beaver(self, seen: Seen) -> bool:
        del seen
        return False


@pytest.mark.rule("S9", "S10")
@pytest.mark.parametrize(
    ("terms", "score", "game", "cube", "loses"),
    [
        (TO_FIVE, (4, 2), 3, DOUBLED, True),
        (TO_FIVE, (3, 2), 3, DOUBLED, False),
        (TO_FIVE, (3, 2), 3, BEAVERED, True),
        (TO_FIVE, (2, 2), 3, BEAVERED, False),
        (MIXED, (2, 2), 3, DOUBLED, True),
        (MIXED, (2, 3), 3, DOUBLED, False),  # level: there is a tie-break
        (MIXED, (0, 2), 3, DOUBLED, False),  # lost is only the other's lead
        (MIXED, (2, 2), 2, DOUBLED, False),
        (MIXED, (2, 2), 4, DOUBLED, True),
        (Terms(), (0, 0), 1, DOUBLED, False),
    ],
)
def test_nobody_gives_up_where_that_loses_the_match(
    terms: Terms, score: tuple[int, int], game: int, cube: Cube, *, loses: bool
) -> None:
    asked = seen(START, 1, terms, score=score, game=game, cube=cube, crawford_used=True)
    if cube.beavered:
        commands, plays_on = ("accept_beaver", "pass"), AcceptBeaver()
    else:
        commands, plays_on = ("take", "pass"), Take()
    assert answer(GivesUp(), asked, commands) == (plays_on if loses else Pass())


class Listening(Thinker):
    """Remembers on which terms it was asked."""

    def __init__(self) -> None:
        super().__init__(load=not_installed)
        self.terms: list[TermsView] = []

    async def choose(
        self, rules: AnyRules, seen: Seen, commands: tuple[str, ...], level: int = 0
    ) -> PlayerCommand:
        self.terms.append(seen.view.terms)
        return await super().choose(rules, seen, commands, level)


@pytest.mark.parametrize("terms", [JACOBY, NONE], ids=["jacoby", "gammons off"])
async def test_whoever_plays_in_a_match_is_told_its_terms(house: House, terms: Terms) -> None:
    thinker = Listening()
    await house.ghost(thinker).start()
    table = await house.table(COMPUTER, COMPUTER, terms=terms, rules="hypergammon")
    await table.wait(lambda state: state.phase is Phase.OVER)
    assert thinker.terms
    assert all((known.jacoby, known.gammons) == (terms.jacoby, terms.gammons) for known in thinker.terms)


@pytest.fixture(params=["own", "engine"])
def counting(request: pytest.FixtureRequest) -> Doubling:
    """A player that counts gammons."""
    if request.param == "own":
        ours = own_player(RULES, {})
        assert isinstance(ours, Doubling)
        return ours
    pytest.importorskip("bgsage", reason="the optional group engine")
    return Sage.load()


BEARING_OFF: Final = State(  # the other has none off, one on the bar and one in front of the bar
    boards=(side({5: 5, 4: 1, 3: 1, 2: 4, 1: 4}), side({25: 1, 19: 1, 6: 1, 3: 3, 2: 6, 1: 3})),
    turn=0,
    dice=(1, 1),
)
SAFELY, QUICKLY = "5/4 5/4 4/3 1/off", "4/3 2/1 1/off 1/off"


@pytest.mark.parametrize(
    ("terms", "cube", "move"),
    [
        (GAMMONS, Cube(), SAFELY),
        (JACOBY, Cube(), QUICKLY),
        (JACOBY, Cube(value=2, owner=1), SAFELY),
        (NONE, Cube(), QUICKLY),
        (NONE, Cube(value=2, owner=1), QUICKLY),
    ],
    ids=["gammons", "jacoby", "jacoby doubled", "gammons off", "gammons off doubled"],
)
def test_a_gammon_is_played_for_only_where_it_counts(
    counting: Doubling, terms: Terms, cube: Cube, move: str
) -> None:
    assert counting.move(seen(BEARING_OFF, 0, terms, cube=cube)) == move


@pytest.mark.rule("S9", "S10")
@pytest.mark.parametrize("terms", [GAMMONS, JACOBY, NONE], ids=["gammons", "jacoby", "gammons off"])
def test_who_loses_many_gammons_gives_up_unless_they_never_count(counting: Doubling, terms: Terms) -> None:
    plays_on = not terms.gammons
    mine = side({24: 2, 13: 2, 8: 1, 6: 1, 5: 2, 4: 1, 3: 3, 2: 3})
    doubled = State(boards=(side({24: 2, 13: 2, 7: 1, 6: 4, 5: 4, 2: 2}), mine), turn=0)
    assert counting.takes(seen(doubled, 1, terms, cube=DOUBLED)) is plays_on
    mine = side({23: 2, 21: 4, 4: 3, 3: 2, 2: 4})
    theirs = side({16: 1, 13: 1, 12: 2, 8: 3, 6: 1, 5: 2, 3: 2, 1: 3})
    beavered = State(boards=(theirs, mine), turn=1)
    assert counting.accepts_beaver(seen(beavered, 1, terms, cube=BEAVERED)) is plays_on


@pytest.mark.parametrize("player", [Heuristic(), Seeded()], ids=["heuristic", "seeded"])
def test_to_the_other_players_gammons_are_nothing_anyway(player: Player) -> None:
    asked = (Cube(), ("play",)), (DOUBLED, ("take", "pass")), (BEAVERED, ("accept_beaver", "pass"))
    for cube, commands in asked:
        seat = 1 if cube == DOUBLED else 0
        choices = {
            answer(player, seen(BEARING_OFF, seat, terms, cube=cube), commands)
            for terms in (GAMMONS, JACOBY, NONE)
        }
        assert len(choices) == 1
