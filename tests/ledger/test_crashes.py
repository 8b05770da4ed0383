"""Killed at any step of the start or of the settlement, the ledger ends in the same balances."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from services.ledger.domain import move
from services.ledger.handlers import Ledger
from services.ledger.settings import Money
from shared.events.match import MatchEvent
from shared.wire.ledger import Done, Held, LedgerAnswer, RaiseStake, Release
from tests.support.books import settled, sound
from tests.support.ledgers import (
    CANCELLED,
    IVAN,
    JANA,
    House,
    Killed,
    ask,
    code,
    commit,
    created,
    duel,
    ended,
    holding,
    single,
    store,
)

MATCH = "mmatch000"
GAME = single(10)
DUEL = duel(70, 15)


async def hold(ledger: Ledger) -> LedgerAnswer:
    return await ask(ledger, "lobby", MATCH, holding(GAME))


async def hold_duel(ledger: Ledger) -> LedgerAnswer:
    return await ask(ledger, "lobby", MATCH, holding(DUEL))


async def hold_too_much(ledger: Ledger) -> LedgerAnswer:
    """The first player can cover it, the second cannot."""
    await ask(ledger, "lobby", "mmatch001", holding(single(300), (IVAN, "pthird000")))
    return await ask(ledger, "lobby", MATCH, holding(single(100)))


async def raised(ledger: Ledger) -> LedgerAnswer:
    await hold(ledger)
    for cube in (2, 8):
        for player in (JANA, IVAN):
            answer = await ask(ledger, "game", MATCH, RaiseStake(player=player, cube=cube))
            assert isinstance(answer, Done)
    return answer  # pyright: ignore[reportPossiblyUnboundVariable] - both loops have rounds


async def release(ledger: Ledger) -> LedgerAnswer:
    await hold(ledger)
    return await ask(ledger, "lobby", MATCH, Release())


def settle(end: tuple[MatchEvent, ...]) -> Callable[[Ledger], Awaitable[LedgerAnswer]]:
    async def work(ledger: Ledger) -> LedgerAnswer:
        answer = await hold(ledger)
        raise_ = RaiseStake(player=JANA, cube=2)
        if code(await ask(ledger, "game", MATCH, raise_)) == "escrow_closed":
            assert code(answer) == "escrow_closed"
        await ledger.on_commit(MATCH, 2, commit(MATCH, 2, end))
        return Done()

    return work


async def late_raise(ledger: Ledger) -> LedgerAnswer:
    """An instance that has seen the escrow open moves money when another has closed it."""
    await hold(ledger)
    await ledger.on_commit(MATCH, 2, commit(MATCH, 2, ended(0, 2)))
    await ledger.bank.pay(move(JANA, MATCH, 30, MATCH, "raise", step="2"), "game")
    return Done()


async def settle_duel(ledger: Ledger) -> LedgerAnswer:
    await hold_duel(ledger)
    await ledger.on_commit(MATCH, 2, commit(MATCH, 2, ended(1, 3)))
    return Done()


SAGAS: list[tuple[str, Callable[[Ledger], Awaitable[LedgerAnswer]]]] = [
    ("hold", hold),
    ("hold of a match", hold_duel),
    ("hold that is refused", hold_too_much),
    ("raises", raised),
    ("release", release),
    ("settlement", settle(ended(0, 2))),
    ("settlement of a cancelled one", settle(CANCELLED)),
    ("settlement of a match", settle_duel),
    ("raise that is too late", late_raise),
]


async def _prepared(name: str) -> House:
    house = House(money=Money(start_balance=1_000, fee_permille=15))
    staked = DUEL if "match" in name else GAME
    await house.matches.append(MATCH, 1, commit(MATCH, 1, (created(staked),)))
    return house


@pytest.mark.parametrize(("name", "saga"), SAGAS, ids=[name for name, _ in SAGAS])
async def test_a_crash_at_every_step_leads_to_the_same_balances(
    name: str, saga: Callable[[Ledger], Awaitable[LedgerAnswer]]
) -> None:
    whole = await _prepared(name)
    await saga(whole.ledger())
    wanted, steps = whole.books.balances, whole.accounts.fate.appends
    assert steps >= 8
    sound(whole.books)
    for step in range(1, steps + 1):
        for stored_first in (False, True):
            house = await _prepared(name)
            house.accounts.fate.die_at, house.accounts.fate.stored_first = step, stored_first
            await house.until_through(saga)
            await house.swept()
            sound(house.books)
            assert house.books.transit == {}
            assert house.books.balances == wanted, f"step {step}, stored: {stored_first}"


async def test_what_a_dead_process_left_on_its_way_arrives_though_nobody_asks_again() -> None:
    house = House()
    await hold(house.ledger())
    house.accounts.fate.die_at, house.accounts.fate.stored_first = house.accounts.fate.appends + 1, True
    with pytest.raises(Killed):
        await ask(house.ledger(), "game", MATCH, RaiseStake(player=JANA, cube=2))
    assert house.books.transit == {(JANA, f"{MATCH}.raise.2", MATCH): 30}
    sound(house.books)
    await house.swept()
    assert house.books.transit == {}


async def test_what_is_on_its_way_when_the_match_ends_is_settled_with_the_rest() -> None:
    house = House()
    await hold(house.ledger())
    house.accounts.fate.die_at, house.accounts.fate.stored_first = house.accounts.fate.appends + 1, True
    with pytest.raises(Killed):
        await ask(house.ledger(), "game", MATCH, RaiseStake(player=JANA, cube=2))
    await house.ledger().on_commit(MATCH, 2, await store(house, MATCH, GAME, ended(1, 6)))
    settled(house.books)
    assert house.books.balances[JANA] == 1_000 - 60


async def test_a_hold_after_the_release_finds_the_escrow_closed() -> None:
    """Two lobbies run the same start: one gives up while the other asks again."""
    house = House()
    first = house.ledger()
    assert isinstance(await hold(first), Held)
    assert isinstance(await ask(house.ledger(), "lobby", MATCH, Release()), Done)
    assert code(await hold(first)) == "escrow_closed"
    settled(house.books)
    assert house.books.balances[JANA] == 1_000


async def test_an_end_delivered_five_times_to_two_instances_at_once_is_paid_once() -> None:
    house = House(money=Money(start_balance=1_000, fee_permille=15))
    two = house.ledger(), house.ledger()
    assert isinstance(await hold_duel(two[0]), Held)
    last = await store(house, MATCH, DUEL, ended(1, 3))
    await asyncio.gather(*(two[number % 2].on_commit(MATCH, 2, last) for number in range(5)))
    settled(house.books)
    assert house.books.balances[IVAN] == 1_000 + 70 - 2
    assert house.books.purposes["settle"] == 1
