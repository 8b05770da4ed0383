"""The service on logs in memory: requests, results, races, and deaths at every append."""

import msgspec
import pytest

from services.rating.handlers import Ratings
from services.tournament import knockout
from services.tournament.handlers import EXPIRY_MS
from services.tournament.office import MOST_JOINED, MOST_ORGANISED
from shared import subjects
from shared.adapters.memory_facts import MemoryFacts
from shared.adapters.memory_standings import MemoryStandings
from shared.events.codec import decode_match, decode_table, decode_tournament
from shared.events.match import (
    MatchCancelled,
    MatchCreated,
    MatchEnded,
    MatchEvent,
    NextExpired,
    Seat,
    SeatAbsent,
    SeatLeft,
    StartExpired,
)
from shared.events.tournament import GameRecorded
from shared.tokens import PLAY, WATCH
from shared.wire.lobby import OpenTable, Rematch, SeatPlayers
from shared.wire.tournament import (
    GetTournament,
    JoinTournament,
    ListTournaments,
    OpenTournament,
    StartTournament,
    TournamentList,
    WithdrawTournament,
)
from tests.support.ledgers import Killed
from tests.support.lobby import code as lobby_code
from tests.support.lobby import unique_nickname
from tests.support.tournament_house import (
    ORGANISER,
    TournamentHouse,
    by_name,
    code,
    settled,
    view,
)

KINDS = ("knock_out", "round_robin", "swiss")
PLAIN = (PLAY, WATCH)


@pytest.fixture
async def house() -> TournamentHouse:
    return await TournamentHouse().reborn()


def wish(**more: object) -> OpenTournament:
    return msgspec.structs.replace(OpenTournament(table=OpenTable(game="gomoku3d")), **more)


@pytest.mark.rule("B16")
@pytest.mark.parametrize(("players", "kind"), [(8, "round_robin"), (9, "swiss")])
async def test_up_to_eight_play_each_against_each_and_more_of_them_swiss(
    house: TournamentHouse, players: int, kind: str
) -> None:
    assert (await house.begun(players)).kind == kind


@pytest.mark.rule("B16")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ghosts", [5, 8, 13])
async def test_a_whole_tournament_in_ordinary_matches(house: TournamentHouse, ghosts: int, kind: str) -> None:
    begun = await house.begun(ghosts, kind)
    ended = await house.to_the_end(begun.id, by_name)
    assert ended.cause == "played"
    shown = await house.view(begun.id)
    assert [line.player for line in shown.standings.lines if line.place == 1] == list(ended.winners)
    matches = [game.match for r in shown.rounds for m in r.meetings for game in m.games]
    assert len(matches) == len(set(matches)) == len(house.matches.entries) / 2
    for match in matches:
        created = decode_match((await house.matches.read(match))[0]).events[0]
        assert isinstance(created, MatchCreated)
        assert created.tournament == begun.id
        assert all(seat.bot for seat in created.seats)


async def test_people_join_play_and_are_named_in_the_match(house: TournamentHouse) -> None:
    people = [(await house.lobby.player()).player.id for _ in range(3)]
    opened = view(await house.ask(wish(computers=1, level=2, title=" Evening ")))
    assert (opened.state, opened.title, opened.kind) == ("open", "Evening", "")
    for person in people:
        view(await house.ask(JoinTournament(opened.id), person))
    assert code(await house.ask(JoinTournament(opened.id), people[0])) == "already_joined"
    assert code(await house.ask(StartTournament(opened.id), people[0])) == "forbidden"
    view(await house.ask(StartTournament(opened.id)))
    assert code(await house.ask(JoinTournament(opened.id), "platecomer")) == "tournament_started"
    await house.one.tournaments.work()
    seats = [
        seat
        for match, n, stored in house.matches.entries
        for seat in msgspec.json.decode(stored)["events"][0]["seats"]
        if n == 1 and match
    ]
    assert {seat["player"] for seat in seats} == {*people, "pcomputer1"}
    assert [seat for seat in seats if seat.get("bot")] == [{"player": "pcomputer1", "bot": True, "level": 2}]


LATE = StartExpired((0,))


@pytest.mark.parametrize(
    ("events", "points", "cause"),
    [
        ((MatchEnded(winner=1, score=(0, 1), cause="played"),), (0, 2), "played"),
        ((MatchEnded(winner=None, score=(0, 0), cause="agreed"),), (1, 1), "agreed"),
        ((StartExpired((0,)), MatchCancelled("not ready")), (0, 2), "not_ready"),
        ((StartExpired((0, 1)), MatchCancelled("not ready")), (0, 0), "not_ready"),
        ((StartExpired((1,)), MatchCancelled("not revealed")), (2, 0), "not_ready"),
        ((SeatLeft(1), MatchCancelled("left before the start")), (2, 0), "left"),
        ((SeatAbsent(0, 5), MatchCancelled("annulled")), (0, 2), "annulled"),
        ((NextExpired((0, 1)), MatchCancelled("next")), (0, 0), "next"),
        ((MatchCancelled("some day"),), (1, 1), "cancelled"),
    ],
)
@pytest.mark.rule("B12", "B13")
async def test_what_a_match_was_worth(
    house: TournamentHouse, events: tuple[MatchEvent, ...], points: tuple[int, int], cause: str
) -> None:
    begun = await house.begun(2, "round_robin")
    await house.one.tournaments.work()
    (meeting,) = (await house.view(begun.id)).rounds[0].meetings
    await house.game.ends(meeting.games[0].match, *events)
    await house.delivered()
    (meeting,) = (await house.view(begun.id)).rounds[0].meetings
    assert (meeting.games[0].points, meeting.games[0].cause) == (points, cause)


async def test_a_result_delivered_five_times_to_two_instances_is_recorded_once(
    house: TournamentHouse,
) -> None:
    begun = await house.begun(5, "swiss")
    await house.one.tournaments.work()
    await house.end_running(await house.tournament(begun.id), by_name)
    other = house.another()
    for _ in range(5):
        await house.delivered()
        await house.delivered(other)
    events = [event for _, _, stored in house.log.entries for event in decode_tournament(stored).events]
    recorded = [event.table for event in events if isinstance(event, GameRecorded)]
    assert len(recorded) == len(set(recorded)) == 2


async def test_two_instances_at_work_at_once_pair_and_seat_everything_once(house: TournamentHouse) -> None:
    begun = await house.begun(8, "swiss")
    other = house.another()
    for _ in range(100):
        await other.tournaments.work()
        await house.one.tournaments.work()
        state = await house.tournament(begun.id)
        if state.state == "ended":
            break
        await house.end_running(state, by_name)
        await house.delivered(other)
        await house.delivered()
    assert (state.state, len(state.rounds)) == ("ended", 3)  # pyright: ignore[reportPossiblyUnboundVariable] - it looped
    assert len({decode_table(stored).key for _, _, stored in house.tables.entries}) == 12


@pytest.mark.parametrize("stored_first", [False, True])
@pytest.mark.parametrize("kind", KINDS)
async def test_killed_at_any_append_the_round_goes_on_to_the_same_end(
    kind: str, *, stored_first: bool
) -> None:
    async def whole(house: TournamentHouse) -> list[bytes]:
        begun = await house.begun(3, kind)
        ended = await house.to_the_end(begun.id, by_name)
        assert ended.cause == "played"
        return await house.log.read(begun.id)

    undisturbed = await TournamentHouse().reborn()
    expected = await whole(undisturbed)
    for die_at in range(1, undisturbed.fate.appends + 1):
        house = await TournamentHouse().reborn()
        house.fate.die_at, house.fate.stored_first = die_at, stored_first
        with pytest.raises(Killed):
            await whole(house)
        await settled()
        await house.reborn()
        assert await whole(house) == expected, f"killed at append {die_at}"


async def test_who_leaves_in_round_two_is_paired_no_more(house: TournamentHouse) -> None:
    person = (await house.lobby.player()).player.id
    opened = view(await house.ask(wish(computers=7, kind="swiss")))
    await house.ask(JoinTournament(opened.id), person)
    await house.ask(StartTournament(opened.id))
    for _ in range(2):
        await house.one.tournaments.work()
        if len((await house.view(opened.id)).rounds) == 2:
            break
        await house.end_running(await house.tournament(opened.id), by_name)
        await house.delivered()
    left = view(await house.ask(WithdrawTournament(opened.id), person))
    assert [e.player for e in left.entrants if e.withdrawn] == [person]
    assert code(await house.ask(WithdrawTournament(opened.id), person)) == "not_joined"
    ended = await house.to_the_end(opened.id, by_name)
    assert len(ended.met(person)) == 2
    assert ended.rounds[2].byes != ()
    assert code(await house.ask(WithdrawTournament(opened.id), "pcomputer1")) == "tournament_over"


async def test_a_repeated_request_acts_once(house: TournamentHouse) -> None:
    first, again = [view(await house.ask(wish(), key="same-key")) for _ in range(2)]
    assert first.id == again.id
    assert code(await house.ask(wish(title="Other"), key="same-key")) == "id_reused"
    joined = [view(await house.ask(JoinTournament(first.id), "pjana0000", key="j")) for _ in range(2)]
    assert joined[0].n == joined[1].n == 2


async def test_limits(house: TournamentHouse) -> None:
    for bad in (
        wish(title="x" * 81),
        wish(title="a\nb"),
        wish(kind="ladder"),
        wish(most=1),
        wish(most=129),
        wish(kind="round_robin", most=33),
        wish(rounds=3, kind="knock_out"),
        wish(rounds=65),
        wish(computers=65, most=128),
        wish(computers=3, most=2),
        wish(level=2),
        wish(level=4, computers=2),
    ):
        assert code(await house.ask(bad)) == "invalid", bad
    assert code(await house.ask(wish(computers=17), scopes=PLAIN)) == "invalid"
    for table in (
        OpenTable(game="gomoku3d", computer=True),
        OpenTable(game="gomoku3d", stake=5),
        OpenTable(game="gomoku3d", invite="Ada"),
        OpenTable(game="gomoku3d", rating_min=1_000),
        OpenTable(game="gomoku3d", clock="none"),
        OpenTable(game="gomoku3d", absence="wait"),
        OpenTable(game="prsi", seats=3),
        OpenTable(game="gomoku3d", target=3),
    ):
        assert code(await house.ask(wish(table=table))) == "invalid_options", table
    assert code(await house.ask(wish(table=OpenTable(game="quoits")))) == "unknown_game"
    assert house.log.entries == []


async def test_nobody_organises_or_enters_any_number(house: TournamentHouse) -> None:
    opened = [view(await house.ask(wish())) for _ in range(MOST_ORGANISED)]
    assert code(await house.ask(wish())) == "rate_limited"
    others = [view(await house.ask(wish(), f"pother00{i // MOST_ORGANISED}")) for i in range(MOST_JOINED)]
    for tournament in (opened + others)[:MOST_JOINED]:
        view(await house.ask(JoinTournament(tournament.id), "pjana0000"))
    assert code(await house.ask(JoinTournament(others[-1].id), "pjana0000")) == "rate_limited"
    full = view(await house.ask(wish(most=2, computers=2), "pivan0000"))
    assert code(await house.ask(JoinTournament(full.id), "phana0000")) == "tournament_full"
    alone = view(await house.ask(wish(), "phana0000"))
    assert code(await house.ask(StartTournament(alone.id), "phana0000")) == "too_few_players"


async def test_only_the_gateway_asks_and_only_for_somebody(house: TournamentHouse) -> None:
    assert code(await house.ask(wish(), sender="lobby")) == "command_not_allowed"
    assert code(await house.ask(wish(), "")) == "unauthorized"
    assert code(await house.ask(wish(), scopes=(WATCH,))) == "forbidden"
    assert code(await house.ask(GetTournament("knobody00"))) == "unknown_tournament"


async def test_the_list_is_paged_and_narrowed(house: TournamentHouse) -> None:
    ids: list[str] = []
    for number in range(4):
        house.clock.ms += 1
        ids.append(view(await house.ask(wish(), f"porgan00{number}")).id)
    await house.ask(JoinTournament(ids[1]), "pjana0000")

    async def page(**asked: object) -> TournamentList:
        answer = await house.ask(msgspec.structs.replace(ListTournaments(), **asked))
        assert isinstance(answer, TournamentList)
        return answer

    first = await page(limit=3)
    assert [line.id for line in first.tournaments] == [ids[3], ids[2], ids[1]]
    rest = await page(limit=3, after=first.next)
    assert ([line.id for line in rest.tournaments], rest.next) == ([ids[0]], "")
    assert [line.id for line in (await page(player="pjana0000")).tournaments] == [ids[1]]
    assert (await page(state="running")).tournaments == (await page(game="chess")).tournaments == ()
    assert code(await house.ask(ListTournaments(limit=0))) == "invalid"
    assert code(await house.ask(ListTournaments(state="soon"))) == "invalid"


async def test_what_nobody_starts_expires(house: TournamentHouse) -> None:
    opened = view(await house.ask(wish()))
    await house.one.tournaments.work()
    await house.one.tournaments.expire(house.clock.ms + EXPIRY_MS - 1)
    assert (await house.view(opened.id)).state == "open"
    await house.one.tournaments.expire(house.clock.ms + EXPIRY_MS)
    assert (await house.view(opened.id)).cause == "expired"


async def test_rounds_wait_for_the_lobby(house: TournamentHouse) -> None:
    begun = await house.begun(4, "knock_out")
    away = house.another()
    await house.reborn()
    for serving in list(house.serving):
        await serving.close()
    await away.tournaments.work()
    assert house.tables.entries == []
    await house.reborn()
    assert (await house.to_the_end(begun.id, by_name)).cause == "played"
    assert begun.organiser == ORGANISER


async def test_its_matches_are_rated_where_the_table_is_and_people_play(house: TournamentHouse) -> None:
    ratings = Ratings(house.matches, MemoryFacts(), MemoryStandings())
    await house.bus.serve(subjects.commands("rating"), "rating", ratings.answer)
    table = OpenTable(game="gomoku3d", house="boards")
    opened = view(await house.ask(wish(table=table, computers=1, kind="round_robin")))
    assert opened.rated
    for _ in range(2):
        registered = await house.lobby.player(unique_nickname())
        view(await house.ask(JoinTournament(opened.id), registered.player.id))
    await house.ask(StartTournament(opened.id))
    await house.to_the_end(opened.id, by_name)
    created = [decode_match(stored).events[0] for _, n, stored in house.matches.entries if n == 1]
    rated = [isinstance(event, MatchCreated) and event.rated is not None for event in created]
    assert sorted(rated) == [False, False, True], "not against the computer"


async def test_the_tournament_says_who_plays_whom(house: TournamentHouse) -> None:
    """Its matches are not repeated, and nobody but the tournament service seats others."""
    people = [await house.lobby.player() for _ in range(2)]
    opened = view(await house.ask(wish()))
    for person in people:
        await house.ask(JoinTournament(opened.id), person.player.id)
    begun = view(await house.ask(StartTournament(opened.id)))
    ended = await house.to_the_end(begun.id, by_name)
    game = (await house.view(ended.id)).rounds[0].meetings[0].games[0]
    rematch = Rematch(game.table, game.match)
    assert lobby_code(await house.lobby.ask(rematch, people[0])) == "rematch_unavailable"
    seats = tuple(Seat(person.player.id) for person in people)
    seating = SeatPlayers("t" + 24 * "a", ended.opened.table, seats)
    assert lobby_code(await house.lobby.ask(seating, people[0])) == "command_not_allowed"
    assert lobby_code(await house.lobby.ask(rematch, sender="tournament")) == "command_not_allowed"


async def test_one_that_cannot_go_on_does_not_hold_the_others_up(
    house: TournamentHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck = await house.begun(3, "knock_out")
    other = view(await house.ask(wish(computers=3, kind="round_robin"), "pother000"))
    await house.ask(StartTournament(other.id), "pother000")

    def broken(_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(knockout, "pair", broken)
    assert (await house.to_the_end(other.id, by_name)).cause == "played"
    monkeypatch.undo()
    assert (await house.to_the_end(stuck.id, by_name)).cause == "played"
