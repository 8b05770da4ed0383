"""Stakes on the memory log: held, raised, settled and given back to the unit (rules §8)."""

import pytest

from services.ledger.settings import Money
from shared.events.match import MatchEvent
from shared.events.staked import Staked
from shared.ports.log import LogUnavailable
from shared.wire.ledger import Afford, Done, GetWallet, Held, RaiseStake, Release, Wallet, WalletEntry
from tests.support.books import settled, sound
from tests.support.ledgers import (
    CANCELLED,
    IVAN,
    JANA,
    START,
    House,
    ask,
    code,
    duel,
    ended,
    holding,
    single,
    store,
    with_fee,
)

MATCH = "mmatch000"


async def _raised(house: House, cube: int) -> None:
    for player in (JANA, IVAN):
        assert await ask(house.ledger(), "game", MATCH, RaiseStake(player=player, cube=cube)) == Done()


@pytest.mark.rule("N9")
@pytest.mark.parametrize(
    ("cube", "points", "won"),
    [(1, 1, 10), (1, 2, 20), (1, 3, 30), (2, 2, 20), (2, 6, 60), (4, 2, 20), (8, 24, 240)],
)
async def test_the_loser_of_a_single_game_pays_base_for_each_point(cube: int, points: int, won: int) -> None:
    house = House()
    held = await ask(house.ledger(), "lobby", MATCH, holding(single(10)))
    assert held == Held(single(10))
    assert house.books.balances[MATCH] == 60
    if cube > 1:
        await _raised(house, cube)
    assert house.books.balances[MATCH] == 60 * cube
    await house.ledger().on_commit(MATCH, 2, await store(house, MATCH, single(10), ended(1, points)))
    books = house.books
    settled(books)
    assert (books.balances[JANA], books.balances[IVAN]) == (START - won, START + won)


@pytest.mark.rule("S4", "N8")
@pytest.mark.parametrize(
    ("fee", "pot", "house_gets"), [(0, 200, 0), (25, 195, 5), (999, 1, 199), (3, 200, 0)]
)
async def test_the_winner_of_a_match_gets_the_pot_less_the_fee(fee: int, pot: int, house_gets: int) -> None:
    house = with_fee(House(), fee)
    assert await ask(house.ledger(), "lobby", MATCH, holding(duel(100))) == Held(duel(100, fee))
    with_fee(house, 500)  # a changed setting changes no match that has begun
    await house.ledger().on_commit(MATCH, 2, await store(house, MATCH, duel(100, fee), ended(0, 24)))
    books = house.books
    settled(books)
    assert (books.balances[JANA], books.balances[IVAN]) == (START - 100 + pot, START - 100)
    assert books.of("house_") == house_gets


@pytest.mark.rule("S5", "S13", "S18")
@pytest.mark.parametrize("staked", [single(10), duel(100)])
@pytest.mark.parametrize("end", [CANCELLED, ended(None, 0)])
async def test_a_cancelled_match_and_a_draw_give_the_stakes_back(
    staked: Staked, end: tuple[MatchEvent, ...]
) -> None:
    """A game that the computer has won for an absent or kicked player is cancelled (tests/game)."""
    house = with_fee(House(), 100)
    await ask(house.ledger(), "lobby", MATCH, holding(staked))
    await house.ledger().on_commit(MATCH, 2, await store(house, MATCH, staked, end))
    settled(house.books)
    assert house.books.balances[JANA] == house.books.balances[IVAN] == START
    assert house.books.purposes["release"] == 1


async def test_who_lacks_cover_is_refused_and_nothing_stays_held() -> None:
    house = House()
    assert code(await ask(house.ledger(), "lobby", MATCH, holding(single(334)))) == "no_cover"
    settled(house.books)
    assert house.books.balances[JANA] == START
    assert await ask(house.ledger(), "lobby", "mmatch001", holding(single(200))) == Held(single(200))
    third = holding(single(200), ("pthird000", JANA))
    assert code(await ask(house.ledger(), "lobby", "mmatch002", third)) == "no_cover"
    sound(house.books)
    assert house.books.balances["pthird000"] == START, "who could cover it has it back"
    assert house.books.balances["mmatch002"] == 0
    assert code(await ask(house.ledger(), "lobby", "mmatch002", third)) == "escrow_closed"


async def test_a_raise_that_is_not_covered_moves_nothing_and_a_dry_one_neither() -> None:
    house = House()
    await ask(house.ledger(), "lobby", MATCH, holding(single(100)))
    before = len(house.accounts.entries)
    looked = RaiseStake(player=JANA, cube=2, dry_run=True)
    assert await ask(house.ledger(), "game", MATCH, looked) == Done()
    assert code(await ask(house.ledger(), "game", MATCH, RaiseStake(player=JANA, cube=4))) == "no_cover"
    assert len(house.accounts.entries) == before
    for _ in range(3):
        assert await ask(house.ledger(), "game", MATCH, RaiseStake(player=JANA, cube=2)) == Done()
    assert house.books.balances[JANA] == START - 600
    for match, player, refusal in (
        (MATCH, "pthird000", "not_your_seat"),
        ("mother000", JANA, "escrow_closed"),
    ):
        raised = RaiseStake(player=player, cube=2)
        assert code(await ask(house.ledger(), "game", match, raised)) == refusal


async def test_a_raise_that_nobody_needed_comes_back_at_the_end() -> None:
    house = House()
    await ask(house.ledger(), "lobby", MATCH, holding(single(10)))
    await ask(house.ledger(), "game", MATCH, RaiseStake(player=JANA, cube=2))
    await house.ledger().on_commit(MATCH, 2, await store(house, MATCH, single(10), ended(0, 1)))
    settled(house.books)
    assert house.books.balances[JANA] == START + 10
    assert code(await ask(house.ledger(), "game", MATCH, RaiseStake(player=JANA, cube=4))) == "escrow_closed"
    settled(house.books)


async def test_nobody_loses_more_than_is_held() -> None:
    house = House()
    await ask(house.ledger(), "lobby", MATCH, holding(single(10)))
    await house.ledger().on_commit(MATCH, 2, await store(house, MATCH, single(10), ended(0, 192)))
    settled(house.books)
    assert house.books.balances[IVAN] == START - 30


async def test_an_unstaked_match_moves_nothing() -> None:
    house = House()
    await house.ledger().on_commit(MATCH, 2, await store(house, MATCH, single(10), ended(0, 1)))
    assert house.accounts.entries == [], "staked, it says, but nothing was ever held"


async def test_what_each_service_may_ask() -> None:
    house = House()
    for sender, request in (
        ("gateway", holding(single(1))),
        ("gateway", Release()),
        ("game", holding(single(1))),
        ("game", GetWallet()),
        ("lobby", RaiseStake(player=JANA, cube=2)),
        ("lobby", GetWallet()),
        ("ghost", Afford(1)),
    ):
        assert code(await ask(house.ledger(), sender, MATCH, request)) == "command_not_allowed"
    same = holding(single(1), (JANA, JANA))
    assert code(await ask(house.ledger(), "lobby", MATCH, same)) == "invalid"
    assert house.accounts.entries == []


async def test_where_stakes_are_off_nothing_new_is_held_and_the_old_is_settled() -> None:
    house = House()
    await ask(house.ledger(), "lobby", MATCH, holding(single(10)))
    house.money = Money(on=False, start_balance=START)
    assert code(await ask(house.ledger(), "lobby", "mmatch001", holding(single(10)))) == "stakes_off"
    assert code(await ask(house.ledger(), "lobby", JANA, Afford(1))) == "stakes_off"
    await _raised(house, 2)
    await house.ledger().on_commit(MATCH, 2, await store(house, MATCH, single(10), ended(0, 4)))
    settled(house.books)
    assert house.books.balances[JANA] == START + 40


async def test_the_wallet_tells_balance_held_and_what_happened_page_by_page() -> None:
    house = House()
    await ask(house.ledger(), "lobby", MATCH, holding(duel(100)))
    await ask(house.ledger(), "lobby", "mmatch001", holding(duel(50)))
    await house.ledger().on_commit(MATCH, 2, await store(house, MATCH, duel(100), ended(1, 3)))
    first = await ask(house.ledger(), "gateway", JANA, GetWallet(limit=3))
    at_ms = 1_800_000_000_000
    assert first == Wallet(
        player=JANA,
        balance=START - 150,
        held=50,
        stakes=True,
        entries=(
            WalletEntry(n=4, at_ms=at_ms, purpose="settle", amount=0, match=MATCH),
            WalletEntry(n=3, at_ms=at_ms, purpose="hold", amount=-50, match="mmatch001"),
            WalletEntry(n=2, at_ms=at_ms, purpose="hold", amount=-100, match=MATCH),
        ),
        next=2,
    )
    assert isinstance(first, Wallet)
    second = await ask(house.ledger(), "gateway", JANA, GetWallet(before=first.next, limit=3))
    assert isinstance(second, Wallet)
    assert [(entry.purpose, entry.amount) for entry in second.entries] == [("grant", START)]
    assert second.next == 0
    assert code(await ask(house.ledger(), "gateway", JANA, GetWallet(limit=101))) == "invalid"


async def test_everybody_is_granted_the_start_once() -> None:
    house = House()
    for _ in range(3):
        wallet = await ask(house.ledger(), "gateway", JANA, GetWallet())
        assert isinstance(wallet, Wallet)
        assert wallet.balance == START
    assert house.books.of("mint_") == -START


async def test_the_end_of_a_match_whose_beginning_cannot_be_read_yet_is_not_forgotten() -> None:
    house = House()
    await ask(house.ledger(), "lobby", MATCH, holding(single(10)))
    last = await store(house, MATCH, single(10), ended(1, 1))
    with pytest.raises(LogUnavailable):  # handed back, it comes again
        await house.ledger().on_commit("mnotthere", 2, last)
    await house.ledger().on_commit(MATCH, 2, last)
    assert house.books.balances[IVAN] == START + 10
