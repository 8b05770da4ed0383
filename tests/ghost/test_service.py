"""The ghost at a table: it plays to the end, through losses and restarts, and lets people alone."""

import asyncio
from random import Random
from typing import Any, cast

import pytest
from prometheus_client import REGISTRY

from services.ghost import handlers
from services.ghost.domain import command_id, turns
from services.ghost.thinking import Thinker
from shared.commands import Double, MatchCommand, Next, Play, Ready, Resign, Roll, SetAutoRoll, Take
from shared.events.codec import decode_match
from shared.events.match import (
    DoubleOffered,
    MatchEnded,
    MatchEvent,
    MovePlayed,
    ResignationAccepted,
    ResignationOffered,
    Terms,
)
from shared.match import MatchState, Phase, demands
from shared.ports.bus import NoAnswer
from shared.problems import problem
from shared.rules.scrabble.words import OWN
from shared.wire.match import ENCODER, Accepted, RefusedAnswer
from tests.support.ghosts import COMPUTER, PERSON, House, Table
from tests.support.hidden_hand import HiddenHand, hidden_hand

__all__ = ["hidden_hand"]


async def commits(house: House, table: Table) -> list[Any]:
    return [decode_match(stored) for stored in await house.log.read(table.match)]


async def events(house: House, table: Table, kind: type[MatchEvent]) -> list[Any]:
    return [e for commit in await commits(house, table) for e in commit.events if isinstance(e, kind)]


def over(state: MatchState) -> bool:
    return state.phase is Phase.OVER


class Person:
    """Plays at random, and doubles, resigns and presses Next as people do."""

    def __init__(self, seed: int, *, doubles: bool = False, resigns: bool = False) -> None:
        self._random = Random(seed)
        self._doubles = doubles
        self._resigns = resigns

    def __call__(self, state: MatchState, seat: int) -> MatchCommand:
        asked = next(d.commands for d in demands(state) if d.seat == seat)
        if "ready" in asked:
            return Ready()
        if "next" in asked:
            return Next()
        if "take" in asked:
            return Take()
        if "roll" in asked:
            if self._resigns and state.n > 12:
                return Resign(confirm=True)
            return Double() if self._doubles and "double" in asked else Roll()
        return Play(self._random.choice(state.rules.legal(state.position, seat)))


@pytest.mark.rule("N6")
async def test_two_computers_play_a_match_to_its_end(house: House) -> None:
    await house.ghost().start()
    table = await house.table(COMPUTER, COMPUTER, terms=Terms(target=3))
    state = await table.wait(over)
    assert max(state.score) >= 3
    assert len(await events(house, table, MatchEnded)) == 1
    assert not await events(house, table, DoubleOffered), "it never doubles"
    assert not await events(house, table, ResignationOffered), "it never resigns"
    assert {c.by.service for c in (await commits(house, table))[1:]} == {"ghost"}
    assert len(house.ghost_bus.asked) == state.n - 1, "every command was sent once and none was refused"


@pytest.mark.rule("S9")
async def test_a_person_plays_a_match_with_the_computer_and_doubles_whenever_he_may(house: House) -> None:
    await house.ghost().start()
    table = await house.table(PERSON, COMPUTER, terms=Terms(target=5))
    state = await table.play(Person(3, doubles=True))
    assert max(state.score) >= 5
    offers = await events(house, table, DoubleOffered)
    assert offers
    assert {e.seat for e in offers} == {0}
    for commit in await commits(house, table):
        assert (commit.by.seat, commit.by.for_seat) in ((0, None), (None, 1), (None, None))


@pytest.mark.rule("S15")
async def test_the_computer_accepts_a_resignation(house: House) -> None:
    await house.ghost().start()
    table = await house.table(COMPUTER, PERSON)
    state = await table.play(Person(1, resigns=True))
    assert state.winner == 0
    assert len(await events(house, table, ResignationAccepted)) == 1


async def test_with_one_person_and_two_computers_every_seat_plays_a_hidden_hand(
    house: House, hidden_hand: HiddenHand
) -> None:
    await house.ghost().start()
    table = await house.table(COMPUTER, PERSON, COMPUTER, rules=hidden_hand.name)
    state = await table.play(Person(2))
    moves = await events(house, table, MovePlayed)
    assert sorted(m.seat for m in moves) == sorted(3 * [0, 1, 2])
    assert over(state)


async def test_matches_without_a_computer_cost_one_look(house: House) -> None:
    ghost = house.ghost()
    table = await house.table(PERSON, PERSON)
    imported = await house.table(COMPUTER, COMPUTER, chance="recorded")
    reads: list[str] = []

    async def read(key: str, after: int = 0) -> list[bytes]:
        reads.append(f"{key} after {after}")
        return []

    await table.command(0, Ready())
    first, second = await house.log.read(table.match)
    recorded = (await house.log.read(imported.match))[0]
    house.log.read = read
    await ghost.on_commit(table.match, 2, second)
    await ghost.on_commit(table.match, 1, first)
    await ghost.on_commit(table.match, 3, b"not even decoded")
    await ghost.on_commit(imported.match, 1, recorded)
    assert reads == []
    assert house.ghost_bus.asked == []


async def test_a_commit_that_is_delivered_again_leads_to_no_second_command(house: House) -> None:
    ghost, restarted = house.ghost(), house.ghost()
    table = await house.table(PERSON, COMPUTER)
    (first,) = await house.log.read(table.match)
    await ghost.on_commit(table.match, 1, first)
    await ghost.on_commit(table.match, 1, first)
    assert [a.request.command for a in house.ghost_bus.asked] == [Ready()]
    await restarted.on_commit(table.match, 1, first)
    assert len(house.ghost_bus.asked) == 2, "it remembers nothing, but what it sends is the same"
    assert house.ghost_bus.asked[0] == house.ghost_bus.asked[1]
    assert (await table.state()).n == 2
    await house.ghost().on_commit(table.match, 2, (await house.log.read(table.match))[1])
    assert (await table.state()).n == 2


async def test_an_answer_that_was_lost_is_asked_for_again_with_the_same_id(house: House) -> None:
    lost: list[str] = []

    async def lose(match: str) -> None:
        if len(lost) < 10 and len(house.ghost_bus.asked) % 2:
            lost.append(match)
            raise NoAnswer("lost on its way")

    house.ghost_bus.after = lose
    await house.ghost().start()
    table = await house.table(COMPUTER, COMPUTER)
    state = await table.wait(lambda s: s.n > 12)
    assert len(lost) >= 5
    ids = [c.command for c in await commits(house, table)]
    assert len(ids) == len(set(ids)) >= state.n
    asked = [a.request for a in house.ghost_bus.asked]
    assert len(asked) > len({a.id for a in asked})
    assert len({(a.id, a.command, a.expected) for a in asked}) == len({a.id for a in asked})


async def test_a_ghost_that_died_before_its_answer_is_followed_by_one_that_goes_on(house: House) -> None:
    died = asyncio.Event()

    async def die(_match: str) -> None:
        if len(house.ghost_bus.asked) >= 10:
            died.set()
            await asyncio.Event().wait()

    first = house.ghost()
    house.ghost_bus.before = die
    await first.start()
    table = await house.table(COMPUTER, COMPUTER, terms=Terms(target=2))
    await asyncio.wait_for(died.wait(), 10)
    stuck_at = (await table.state()).n
    await first.close()
    house.ghost_bus.before = None
    await house.ghost().start()
    state = await table.wait(over)
    assert stuck_at < state.n
    ids = [c.command for c in await commits(house, table)]
    assert len(ids) == len(set(ids))


async def test_a_ghost_that_stops_gives_the_commit_back_that_has_no_answer(house: House) -> None:
    tried_again = asyncio.Event()

    async def nobody(_match: str) -> None:
        if len(house.ghost_bus.asked) > 1:
            tried_again.set()
        raise NoAnswer("nobody there")

    ghost = house.ghost()
    house.ghost_bus.before = nobody
    await ghost.start()
    table = await house.table(PERSON, COMPUTER)
    async with asyncio.timeout(10):
        await tried_again.wait()
        await ghost.close()
    assert (await table.state()).n == 1
    house.ghost_bus.before = None
    await house.ghost().start()
    await table.wait(lambda s: s.ready == (False, True))


async def test_a_flood_of_the_opponents_switches_makes_the_computer_neither_stale_nor_busy(
    house: House,
) -> None:
    ghost = house.ghost()
    table = await house.table(PERSON, COMPUTER)
    await table.command(0, Ready())
    await table.command(1, Ready(), sender="ghost")
    state = await table.state()
    while not turns(state):
        answer = await table.command(0, Person(1)(state, 0))
        assert isinstance(answer, Accepted)
        state = await table.state()
    (turn,) = turns(state)
    for on in (True, False) * 10:
        await table.command(0, SetAutoRoll(on))
    log = await house.log.read(table.match)
    for n in range(state.n, len(log) + 1):
        await ghost.on_commit(table.match, n, log[n - 1])
    assert [a.request.id for a in house.ghost_bus.asked] == [command_id(table.match, turn)]
    assert (await table.state()).n == len(log) + 1


async def test_a_ghost_that_was_overtaken_leaves_it_at_that(house: House) -> None:
    ghost = house.ghost()
    table = await house.table(PERSON, COMPUTER)
    (first,) = await house.log.read(table.match)

    async def overtake(_match: str) -> None:
        house.ghost_bus.before = None
        await table.command(1, Ready(), sender="ghost")

    house.ghost_bus.before = overtake
    await ghost.on_commit(table.match, 1, first)
    assert (await table.state()).n == 2
    assert len(house.ghost_bus.asked) == 1


async def test_what_was_given_up_is_answered_with_the_next_commit(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handlers, "_MOST_REFUSALS", 1)
    ghost = house.ghost()
    table = await house.table(PERSON, COMPUTER)

    async def broken(_subject: str, _data: bytes, _timeout_ms: int) -> bytes:
        return ENCODER.encode(RefusedAnswer(problem("internal")))

    with monkeypatch.context() as patched:
        patched.setattr(house.ghost_bus, "request", broken)
        await ghost.on_commit(table.match, 1, (await house.log.read(table.match))[0])
    await table.command(0, SetAutoRoll(on=True))
    await ghost.on_commit(table.match, 2, (await house.log.read(table.match))[1])
    assert (await table.state()).ready == (False, True)


async def test_a_match_whose_game_service_does_not_answer_keeps_no_other_waiting(house: House) -> None:
    ghost = house.ghost()
    slow, quick = await house.table(PERSON, COMPUTER), await house.table(PERSON, COMPUTER)
    go_on = asyncio.Event()

    async def hold(match: str) -> None:
        if match == slow.match:
            await go_on.wait()

    house.ghost_bus.before = hold
    handling = [
        asyncio.create_task(ghost.on_commit(t.match, 1, (await house.log.read(t.match))[0]))
        for t in (slow, quick)
    ]
    await asyncio.wait_for(handling[1], 5)
    assert (await quick.state()).ready == (False, True)
    assert (await slow.state()).ready == (False, False)
    go_on.set()
    await asyncio.wait_for(handling[0], 5)
    assert (await slow.state()).ready == (False, True)


async def test_a_log_that_cannot_be_read_is_put_aside(house: House) -> None:
    ghost = house.ghost()
    table = await house.table(PERSON, COMPUTER)
    await ghost.on_commit(table.match, 2, b'{"v":1}')
    await ghost.on_commit("munreadable", 1, b'{"v":1}')
    assert house.ghost_bus.asked == []


async def test_a_forgotten_match_is_read_again(house: House) -> None:
    await house.ghost(kept=1, kept_others=1).start()
    tables = [await house.table(COMPUTER, COMPUTER) for _ in range(3)]
    for table in tables:
        assert over(await table.wait(over))


@pytest.mark.parametrize("sender", ["ghost", "gateway"])
async def test_who_plays_a_seat_is_the_matchs_word_not_the_senders(house: House, sender: str) -> None:
    table = await house.table(PERSON, COMPUTER)
    seat = 0 if sender == "ghost" else 1
    answer = await table.command(seat, Ready(), sender=sender)
    assert isinstance(answer, RefusedAnswer)
    assert answer.problem.code == "command_not_allowed"
    assert (await table.state()).n == 1


async def test_the_engine_plays_where_it_is_installed(house: House) -> None:
    pytest.importorskip("bgsage", reason="the optional group engine")
    await house.ghost(Thinker()).start()
    table = await house.table(COMPUTER, COMPUTER)
    assert over(await table.wait(over))


def erred(game: str) -> float:
    return REGISTRY.get_sample_value("kronika_ghost_erred_total", {"rules": game}) or 0.0


class Errs:
    """``Thinker`` of which nothing is right: what it answers is refused, or it fails."""

    def __init__(self, answer: MatchCommand | None) -> None:
        self._answer = answer

    def start(self) -> None:
        """Nothing to load."""

    def close(self) -> None:
        """Nothing to let go."""

    async def choose(self, *_: object) -> MatchCommand:
        """Always the same."""
        if self._answer is None:
            raise ValueError("this player is broken")
        return self._answer


@pytest.mark.parametrize("answer", [Play("nonsense"), Take(), None])
@pytest.mark.parametrize("game", ["backgammon", "battleship", "prsi", "scrabble"])
async def test_a_player_whose_answers_are_refused_or_who_fails_hangs_no_match(
    house: House, game: str, answer: MatchCommand | None
) -> None:
    before = erred(game)
    options = {"dictionary": OWN.id, "challenge": True} if game == "scrabble" else {}
    await house.ghost(cast("Thinker", Errs(answer))).start()
    table = await house.table(COMPUTER, COMPUTER, rules=game, options=options, match=f"m{game}errs")
    state = await table.wait(lambda s: over(s) or s.half_moves >= 20)
    assert over(state) or state.half_moves >= 20
    assert erred(game) > before


async def test_an_answer_in_place_of_a_refused_one_is_sent_once(house: House) -> None:
    ghost = house.ghost(cast("Thinker", Errs(Play("nonsense"))))
    table = await house.table(PERSON, COMPUTER, rules="battleship")
    for seat in (0, 1):
        await table.command(seat, Ready(), sender="ghost" if seat else "gateway")
    state = await table.state()
    last = (await house.log.read(table.match))[-1]
    for _ in range(2):
        await ghost.on_commit(table.match, state.n, last)
    (turn,) = (turn for turn in turns(state) if turn.seat == 1)
    assert [asked.request.id for asked in house.ghost_bus.asked] == [
        command_id(table.match, turn),
        command_id(table.match, turn, again=True),
    ]
    assert (await table.state()).position.placing == (0,)
