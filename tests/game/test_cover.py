"""Money behind the cube: nobody offers or accepts what his balance does not cover (rules §8)."""

import msgspec
import pytest

from services.audit.creation import check_creation
from services.audit.report import Differs
from services.game.cover import LedgerCovers, raised
from services.game.domain import create, decide
from services.game.draft import NOBODY, Draft
from shared.adapters.memory_bus import MemoryBus
from shared.clocks import PER_MOVE
from shared.commands import AcceptBeaver, Beaver, CreateMatch, Double, MatchCommand, Pass, Play, Roll, Take
from shared.events.match import DoubleOffered, DoublePassed, MatchCreated, Seat, Terms
from shared.events.staked import Staked
from shared.match import demands
from shared.match.deciding import Demand
from shared.problems import Refused, problem
from shared.wire.ledger import ENCODER, LEDGER_REQUEST, Done, LedgerAnswer, RaiseStake, RefusedAnswer
from tests.support.story import MATCH, PLAYERS, SECRET, Story

BOTH = frozenset({0, 1})
TIMED = Terms(clock=PER_MOVE)
DUEL = Terms(target=3, clock=PER_MOVE)
SINGLES = Terms(gammons=False, clock=PER_MOVE)
GAME = Staked(base=5, worst=3, fixed=False, fee_permille=0)


def story(staked: Staked | None = GAME) -> Story:
    told = Story(Terms(beaver=True)).started().to_roll(0)
    return told.given(created=_staked(told, staked))


def _staked(told: Story, staked: Staked | None) -> MatchCreated:
    return msgspec.structs.replace(told.state.created, staked=staked)


def judged(told: Story, seat: int, command: MatchCommand, *, covered: frozenset[int]) -> Draft:
    return decide(told.state, seat, command, SECRET, told.moment(), covered=covered)


def offered(*, beavered: bool = False) -> Story:
    told = story()
    for seat, command in ((0, Double()), (1, Beaver()))[: 2 if beavered else 1]:
        told.given(cube=judged(told, seat, command, covered=BOTH).state.cube)
    return told


@pytest.mark.parametrize(
    ("told", "seat", "command", "cube"),
    [
        (story(), 0, Double(), 2),
        (offered(), 1, Beaver(), 4),
    ],
    ids=["double", "beaver"],
)
def test_what_must_be_held_before_it_and_that_it_is_refused_without(
    told: Story, seat: int, command: MatchCommand, cube: int
) -> None:
    assert raised(told.state, seat, command) == cube
    assert raised(told.state, 1 - seat, command) is None, "it is not his to say"
    with pytest.raises(Refused) as refused:
        judged(told, seat, command, covered=NOBODY)
    assert refused.value.problem.code == "no_cover"
    assert refused.value.problem.n == told.state.n
    assert judged(told, seat, command, covered=BOTH).events


@pytest.mark.rule("S9", "S10")
@pytest.mark.parametrize(("beavered", "seat", "command"), [(False, 1, Take()), (True, 0, AcceptBeaver())])
def test_the_offer_holds_for_both_and_its_answer_needs_no_ledger(
    beavered: bool,  # noqa: FBT001 - a parameter of the test
    seat: int,
    command: MatchCommand,
) -> None:
    told = offered(beavered=beavered)
    assert raised(told.state, seat, command) is None
    assert judged(told, seat, command, covered=NOBODY).events


def test_whom_an_offer_finds_without_the_money_is_asked_for_a_pass_alone() -> None:
    told = story()
    offer = judged(told, 0, Double(), covered=frozenset({0}))
    assert offer.events[0] == DoubleOffered(0, 2, drop=True)
    told.given(cube=offer.state.cube)
    assert demands(told.state) == (Demand(1, ("pass",)),)
    for command in (Take(), Beaver()):
        with pytest.raises(Refused, match="no_cover"):
            judged(told, 1, command, covered=BOTH)
    assert judged(told, 1, Pass(), covered=NOBODY).events[0] == DoublePassed(1)


def test_who_lacks_cover_can_still_pass_and_roll() -> None:
    assert judged(offered(), 1, Pass(), covered=NOBODY).events[0] == DoublePassed(1)
    assert judged(offered(beavered=True), 0, Pass(), covered=NOBODY).events[0] == DoublePassed(0)
    assert judged(story(), 0, Roll(), covered=NOBODY).events


@pytest.mark.parametrize("staked", [None, Staked(base=5, worst=1, fixed=True, fee_permille=0)])
def test_where_no_more_can_be_lost_nobody_is_asked(staked: Staked | None) -> None:
    told = story(staked)
    assert raised(told.state, 0, Double()) is None
    assert judged(told, 0, Double(), covered=NOBODY).events


def test_a_command_that_is_refused_anyway_moves_no_money() -> None:
    told = story()
    for seat, command in ((1, Double()), (1, Take()), (0, Beaver()), (0, Play("24/23"))):
        assert raised(told.state, seat, command) is None


async def test_the_ledger_is_asked_and_where_it_is_silent_nothing_is_decided() -> None:
    bus = MemoryBus()
    answers: list[LedgerAnswer] = []
    asked: list[object] = []

    async def answer(subject: str, data: bytes) -> bytes:
        assert subject == f"cmd.game.ledger.{MATCH}"
        asked.append(LEDGER_REQUEST.decode(data))
        return ENCODER.encode(answers.pop(0))

    covers = LedgerCovers(bus)
    with pytest.raises(Refused, match="unavailable"):
        await covers.covered(MATCH, PLAYERS[0], 2, dry_run=False)
    await bus.serve("cmd.*.ledger.*", "ledger", answer)
    answers += [Done(), RefusedAnswer(problem("no_cover")), RefusedAnswer(problem("escrow_closed"))]
    assert await covers.covered(MATCH, PLAYERS[0], 2, dry_run=True)
    assert not await covers.covered(MATCH, PLAYERS[0], 4, dry_run=False)
    assert not await covers.covered(MATCH, PLAYERS[0], 4, dry_run=False)
    assert asked[:2] == [
        RaiseStake(player=PLAYERS[0], cube=2, dry_run=True),
        RaiseStake(player=PLAYERS[0], cube=4),
    ]
    answers.append(RefusedAnswer(problem("unreadable_log")))
    with pytest.raises(Refused, match="unreadable_log"):
        await covers.covered(MATCH, PLAYERS[0], 4, dry_run=False)


@pytest.mark.parametrize(
    ("staked", "more"),
    [
        (Staked(base=0, worst=3, fixed=False, fee_permille=0), {}),
        (Staked(base=10**12 + 1, worst=3, fixed=False, fee_permille=0), {}),
        (Staked(base=5, worst=1, fixed=False, fee_permille=0), {}),
        (Staked(base=5, worst=3, fixed=False, fee_permille=5), {}),
        (Staked(base=5, worst=1, fixed=True, fee_permille=1_001), {"terms": DUEL}),
        (Staked(base=5, worst=3, fixed=True, fee_permille=0), {"terms": DUEL}),
        (
            Staked(base=5, worst=3, fixed=False, fee_permille=0),
            {"terms": SINGLES},
        ),
        (GAME, {"terms": Terms()}),
        (GAME, {"terms": Terms(clock=PER_MOVE, flag="kick")}),
        (GAME, {"seats": (Seat(PLAYERS[0]), Seat("pcomputer"))}),
        (GAME, {"chance": "recorded", "terms": Terms()}),
        (GAME, {"seats": (Seat(PLAYERS[0]), Seat(PLAYERS[1], bot=True))}),
    ],
)
def test_stakes_that_these_terms_cannot_have_are_no_match(staked: Staked, more: dict[str, object]) -> None:
    seats = tuple(Seat(player) for player in PLAYERS)
    sound = CreateMatch(rules="backgammon", rules_version=1, seats=seats, terms=TIMED, staked=GAME)
    assert create(sound, SECRET)[0].staked == GAME
    with pytest.raises(Refused, match="staked"):
        create(msgspec.structs.replace(sound, staked=staked, **more), SECRET)
    created = msgspec.structs.replace(create(sound, SECRET)[0], staked=staked, **more)
    with pytest.raises(Differs) as differs:
        check_creation((created,))
    assert differs.value.field == "events[0].staked"
