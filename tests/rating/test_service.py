"""The rating service over memory ports: what it counts, once, and what it answers."""

import asyncio
import random
from typing import Any

import msgspec
import pytest

from services.rating import projection
from shared.clocks import PER_MOVE
from shared.commands import Leave, Play, Ready
from shared.events.codec import decode_rating
from shared.events.match import Seat, Terms
from shared.match import Phase
from shared.ports.log import LogUnavailable
from shared.ratings import snapshot
from shared.wire.rating import (
    GetLeaderboard,
    GetRecord,
    GetStandings,
    Rank,
    RatingAnswer,
    Standings,
    TakeSnapshot,
)
from tests.support.matches import MemoryGame, last_move
from tests.support.rated import FORFEIT, IVAN, JANA, OLGA, Hall, chess, code


def _entry(hall: Hall, place: int = -1) -> Any:
    return decode_rating(hall.facts.stored[place]).events[0]


@pytest.mark.rule("B8")
async def test_everybody_begins_at_1200_and_settles_by_what_the_match_began_with() -> None:
    hall = Hall()
    rated = (await hall.snapshot("chess", (JANA, IVAN))).rated
    assert [(seat.rating, seat.games, seat.newcomer) for seat in rated.seats] == [(2400, 0, True)] * 2
    before = chess("before", (JANA, IVAN), rated, "first")
    await hall.finish("between", (JANA, OLGA), "second")
    await hall.store(before)
    await hall.deliver(before)
    after = (await hall.snapshot("chess", (JANA, IVAN))).rated
    assert [seat.rating for seat in after.seats] == [2400 - 16 + 16, 2400 - 16]
    assert [seat.games for seat in after.seats] == [2, 1]


@pytest.mark.rule("B11")
async def test_a_draw_changes_no_rating_and_counts_as_a_game() -> None:
    hall = Hall()
    await hall.finish("draw", (JANA, IVAN), "draw")
    assert [(p.outcome, p.change, p.games) for p in _entry(hall).players] == [("drawn", 0, 1)] * 2
    assert [seat.games for seat in (await hall.snapshot("chess", (JANA, IVAN))).rated.seats] == [1, 1]


@pytest.mark.rule("B12")
async def test_who_leaves_loses_his_rating_points() -> None:
    hall = Hall()
    await hall.finish("left", (JANA, IVAN), "left")
    assert [(p.outcome, p.change) for p in _entry(hall).players] == [("won", 16), ("lost", -16)]
    assert _entry(hall).cause == "left"


@pytest.mark.rule("B13")
async def test_an_annulled_game_is_not_counted_at_all() -> None:
    hall = Hall()
    await hall.finish("annulled", (JANA, IVAN), "annulled")
    assert hall.facts.stored == []
    assert (await hall.record(JANA)).standings == ()


@pytest.mark.rule("B14")
async def test_a_newcomer_plays_for_half_until_his_games_are_finished() -> None:
    hall = Hall()
    for number in range(11):
        opponent = f"popponent{number:02}"
        await hall.finish(f"game {number}", (JANA, opponent), "draw" if number < 10 else "first")
    first, second = _entry(hall).players
    assert (first.change, second.change) == (32, -16)


@pytest.mark.rule("S1")
async def test_experience_counts_where_nothing_is_rated() -> None:
    hall = Hall()
    unrated = chess("unrated", (JANA, IVAN), None, "first")
    await hall.store(unrated)
    await hall.deliver(unrated)
    answer = await hall.ask(GetStandings(kind="chess", players=(JANA, IVAN, OLGA)), "lobby")
    assert isinstance(answer, Standings)
    assert [(s.experience, s.games, s.rating) for s in answer.players] == [(1, 0, 2400)] * 2 + [(0, 0, 2400)]
    assert (await hall.board()).total == 0


async def test_the_computer_has_no_record_and_recorded_matches_count_for_nobody() -> None:
    hall = Hall()
    computer = MemoryGame("bot", FORFEIT, seats=(Seat(JANA), Seat("pcomputer", bot=True)), rules="reversi")
    recorded = MemoryGame("rec", Terms(), seats=(Seat(JANA), Seat(IVAN)), rules="reversi", chance="recorded")
    for game in (computer, recorded):
        for seat in (0, 1):
            game.send(seat, Ready())
        for ply in range(4):
            game.send(ply % 2, _any_move(game))
        game.send(0, Leave())
        await hall.store(game)
        await hall.deliver(game)
    assert [p.player for p in _entry(hall).players] == [JANA]
    assert len(hall.facts.stored) == 1


def _any_move(game: MemoryGame) -> Any:
    state = game.state
    return Play(state.rules.legal(state.position, state.position.turn)[0])


@pytest.mark.rule("B8")
async def test_the_same_end_delivered_five_times_to_two_instances_counts_once() -> None:
    hall = Hall()
    other = hall.again()
    game = await hall.finish("once", (JANA, IVAN), "first")
    await asyncio.gather(*(one.deliver(game) for one in (hall, other) for _ in range(5)))
    assert len(hall.facts.stored) == 1
    assert hall.facts.puts == 11
    for one in (hall, other):
        assert [seat.rating for seat in (await one.snapshot("chess", (JANA, IVAN))).rated.seats] == [
            2416,
            2384,
        ]


async def _evening(hall: Hall, games: int) -> list[str]:
    """Random results among eight players."""
    rng = random.Random(20261201)
    players = [f"pplayer{number:03}" for number in range(8)]
    for number in range(games):
        first, second = rng.sample(players, 2)
        await hall.finish(f"evening {number}", (first, second), rng.choice(("first", "second", "draw")))
    return players


async def _everything(hall: Hall, players: list[str]) -> list[RatingAnswer]:
    return [await hall.board(), *[await hall.record(player) for player in players]]


@pytest.mark.rule("B15")
async def test_a_lost_projection_answers_as_before_whoever_is_asked() -> None:
    hall = Hall()
    players = await _evening(hall, 60)
    before = await _everything(hall, players)
    for asked in (hall, hall.again()):
        hall.projection.lose()
        assert await _everything(asked, players) == before
        hall.projection.boards.clear()  # half of it is lost, its place is not
        assert await _everything(asked, players) == before
        hall.projection.histories.clear()
        assert await _everything(asked, players) == before


@pytest.mark.rule("B15")
async def test_a_projection_that_lies_is_never_shown() -> None:
    hall = Hall()
    players = await _evening(hall, 30)
    before = await _everything(hall, players)
    boards = hall.projection.boards["chess"]
    for wrong in (99_999, 1):
        boards[players[0]] = wrong
        assert await _everything(hall, players) == before
        boards = hall.projection.boards["chess"]
    boards["pnobody"] = 2400
    assert await _everything(hall, players) == before
    boards = hall.projection.boards["chess"]
    del boards[players[1]]
    boards["pnobody"] = 2400  # the number of rows is right
    assert await _everything(hall, players) == before
    hall.projection.histories[players[2], ""][b"no result"] = 1
    assert await _everything(hall, players) == before


@pytest.mark.rule("B15")
async def test_a_projection_ahead_of_the_log_is_built_anew_and_goes_on() -> None:
    hall = Hall()
    players = await _evening(hall, 30)
    before = await _everything(hall, players)
    hall.projection.at = 10**9
    assert await _everything(hall, players) == before
    await hall.finish("later", (players[0], players[1]), "first")
    expected = Hall(hall.games, hall.facts)
    assert await _everything(hall, players) == await _everything(expected, players)


@pytest.mark.rule("B15")
async def test_a_projection_far_behind_is_built_in_batches_as_one_that_was_always_near(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hall = Hall()
    players = await _evening(hall, 30)
    near = await _everything(hall, players)
    monkeypatch.setattr(projection, "BATCH", 7)
    hall.projection.lose()
    assert await _everything(hall, players) == near
    expected = (hall.projection.boards, hall.projection.histories)
    hall.projection.lose()
    await asyncio.gather(*(_everything(one, players) for one in (hall, hall.again(), hall.again())))
    assert (hall.projection.boards, hall.projection.histories) == expected


async def test_histories_say_the_rating_after_each_match_and_page_back_to_the_first() -> None:
    hall = Hall()
    players = await _evening(hall, 60)
    for player in players:
        page = await hall.record(player, limit=4, kind="chess")
        results = list(page.results)
        while page.next:
            page = await hall.record(player, limit=4, kind="chess", before=page.next)
            results += page.results
        standing = page.standings[0]
        assert len(results) == standing.games
        rating = 2400
        for result in reversed(results):
            rating += result.change
            assert result.rating == rating
        assert standing.rating == rating


async def test_a_leaderboard_in_pages_is_the_whole_one() -> None:
    hall = Hall()
    await _evening(hall, 30)
    whole = await hall.board()
    ratings = [rank.rating for rank in whole.ranks]
    assert ratings == sorted(ratings, reverse=True)
    assert [rank.rank for rank in whole.ranks] == list(range(1, whole.total + 1))
    paged: list[Rank] = []
    after = 0
    while True:
        page = await hall.board(after=after, limit=3)
        paged += page.ranks
        after = page.next
        if not after:
            break
    assert tuple(paged) == whole.ranks


async def test_what_cannot_be_known_is_never_answered_with_a_beginners_numbers() -> None:
    hall = Hall()
    await hall.finish("known", (JANA, IVAN), "first")
    hall.projection.reachable = False
    assert code(await hall.ask(GetLeaderboard(kind="chess"), "gateway")) == "unavailable"
    assert code(await hall.ask(GetRecord(player=JANA), "gateway")) == "unavailable"
    assert (await hall.snapshot("chess", (JANA, IVAN))).rated.seats[0].rating == 2416  # needs no Redis

    async def down(place: int, most: int) -> Any:
        raise LogUnavailable(f"after {place}, {most}")

    hall.facts.after = down
    asked = TakeSnapshot(rules="chess", terms=FORFEIT, players=(JANA, IVAN))
    assert code(await hall.ask(asked, "lobby")) == "unavailable"


async def test_an_entry_that_cannot_be_read_stops_the_answers() -> None:
    hall = Hall()
    await hall.finish("known", (JANA, IVAN), "first")
    later = hall.facts.stored[0].replace(b"match_counted", b"match_counted.v9")
    await hall.facts.put("chess", "mlater", later)
    asked = TakeSnapshot(rules="chess", terms=FORFEIT, players=(JANA, IVAN))
    assert code(await hall.ask(asked, "lobby")) == "unreadable_log"


@pytest.mark.parametrize(
    ("asked", "sender", "refused"),
    [
        (GetLeaderboard(kind="chess"), "lobby", "command_not_allowed"),
        (TakeSnapshot(rules="chess", terms=FORFEIT, players=(JANA, IVAN)), "gateway", "command_not_allowed"),
        (GetLeaderboard(kind="chess"), "ghost", "command_not_allowed"),
        (GetLeaderboard(kind="whist"), "gateway", "unknown_kind"),
        (GetLeaderboard(kind="tavli"), "gateway", "unknown_kind"),
        (GetLeaderboard(kind="chess", limit=101), "gateway", "invalid"),
        (GetRecord(player="no id"), "gateway", "unknown_player"),
        (TakeSnapshot(rules="plakoto", terms=FORFEIT, players=(JANA, IVAN)), "lobby", "invalid_options"),
    ],
)
async def test_what_is_not_possible_is_refused(asked: Any, sender: str, refused: str) -> None:
    assert code(await Hall().ask(asked, sender)) == refused


async def test_a_match_by_the_formula_counts_its_points() -> None:
    hall = Hall()
    terms = Terms(target=5, clock=PER_MOVE)
    rated = (await hall.snapshot("backgammon", (JANA, IVAN), terms)).rated
    game = MemoryGame("fibs", terms, seats=(Seat(JANA), Seat(IVAN)), rated=rated)
    for seat in (0, 1):
        game.send(seat, Ready())
    while not game.over:
        if game.state.phase is Phase.BETWEEN:
            game.next()
        else:
            game.turn(last_move)
    await hall.store(game)
    await hall.deliver(game)
    changes = {p.player: (p.outcome, p.change, p.games) for p in _entry(hall).players}
    assert set(changes.values()) == {("won", 2_236, 5), ("lost", -2_236, 5)}
    standing = (await hall.record(JANA)).standings[0]
    assert standing.experience == game.state.game > 1
    assert (standing.unit, standing.games) == (100, 5)
    assert standing.rating == 150_000 + changes[JANA][1]


def test_an_entry_holds_no_float() -> None:
    rated = snapshot("backgammon", Terms(target=7), [(150_123, 17), (148_001, 350)])
    assert b"." not in msgspec.json.encode(rated)
