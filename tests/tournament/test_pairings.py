"""Pairings and standings, pure: properties over tournaments played at random, examples counted by hand."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.tournament import knockout, round_robin, swiss
from services.tournament.domain import Withdraw
from services.tournament.sides import balance, turns
from services.tournament.standing import standings
from services.tournament.state import KNOCK_OUT, ROUND_ROBIN, SWISS, Meeting, Tournament
from tests.support.tournaments import Points, Story, drawn, lost_by_both, won

KINDS = (KNOCK_OUT, ROUND_ROBIN, SWISS)
SEEDS = st.integers(0, 2**32 - 1)


def everybody_once_a_round(tournament: Tournament, gone: frozenset[str] = frozenset()) -> None:
    """In each round everybody who is still in it plays once or has his point without playing."""
    through = set(tournament.order)
    for paired in tournament.rounds:
        placed = [p for m in paired.meetings for p in (m.first, m.second)]
        placed += [*paired.byes, *paired.walkovers]
        assert len(placed) == len(set(placed))
        assert through - gone <= set(placed) <= through
        if tournament.kind == KNOCK_OUT:
            won_ = {knockout.winner(tournament, m) for m in paired.meetings}
            through = (won_ | {*paired.byes, *paired.walkovers}) - {""}


def pairs_of(tournament: Tournament) -> Counter[frozenset[str]]:
    return Counter(frozenset((m.first, m.second)) for m in tournament.meetings())


def byes_of(tournament: Tournament) -> Counter[str]:
    return Counter(player for paired in tournament.rounds for player in paired.byes)


@pytest.mark.rule("B16")
@given(players=st.integers(2, 20), seed=SEEDS)
@settings(max_examples=20, deadline=None)
def test_each_plays_against_each_once_with_sides_balanced_to_one(players: int, seed: int) -> None:
    tournament = Story(players, ROUND_ROBIN).to_the_end(Random(seed))
    everybody_once_a_round(tournament)
    assert len(tournament.rounds) == players - 1 + players % 2
    assert len(pairs_of(tournament)) == players * (players - 1) // 2
    assert set(pairs_of(tournament).values()) == {1}
    assert all(count == players % 2 for count in (byes_of(tournament)[p] for p in tournament.order))
    assert all(abs(balance(turns(tournament, player))) <= 1 for player in tournament.order)


@pytest.mark.rule("B16")
@given(players=st.integers(2, 24), seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_swiss_never_repeats_a_pair_or_a_bye_and_balances_sides(players: int, seed: int) -> None:
    tournament = Story(players, SWISS).to_the_end(Random(seed))
    everybody_once_a_round(tournament)
    assert tournament.cause == "played"
    assert len(tournament.rounds) == swiss.rounds(players)
    assert set(pairs_of(tournament).values()) <= {1}
    assert set(byes_of(tournament).values()) <= {1}
    assert all(abs(balance(turns(tournament, player))) <= 2 for player in tournament.order)
    assert not any(len(set(run)) == 1 for player in tournament.order for run in thrice(tournament, player))


def thrice(tournament: Tournament, player: str) -> Iterator[tuple[bool, ...]]:
    """Where the player sat in any three meetings running."""
    sat = turns(tournament, player)
    yield from (sat[i : i + 3] for i in range(len(sat) - 2))


@given(players=st.integers(3, 16), seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_swiss_as_long_as_it_can_be_with_people_leaving_never_repeats_a_pair_or_a_bye(
    players: int, seed: int
) -> None:
    tournament = Story(players, SWISS, rounds=players).to_the_end(Random(seed), leaving=0.05)
    gone = frozenset(p.id for p in tournament.players.values() if p.withdrawn)
    everybody_once_a_round(tournament, gone)
    assert tournament.cause in {"played", "exhausted"}
    assert set(pairs_of(tournament).values()) <= {1}
    assert set(byes_of(tournament).values()) <= {1}
    if not gone:
        assert tournament.cause == "played"
        assert len(tournament.rounds) == (players + 1) // 2


@given(players=st.integers(2, 40), seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_a_knock_out_leaves_one_and_byes_are_for_the_first_of_the_lot(players: int, seed: int) -> None:
    tournament = Story(players, KNOCK_OUT).to_the_end(Random(seed))
    everybody_once_a_round(tournament)
    assert len(tournament.rounds) == knockout.rounds(players)
    assert len(tournament.winners) == 1
    missing = 2 ** knockout.rounds(players) - players
    assert set(byes_of(tournament)) == set(tournament.order[:missing])
    assert standings(tournament)[0].player == tournament.winners[0]


@given(players=st.integers(2, 16), seed=SEEDS, kind=st.sampled_from(KINDS))
@settings(max_examples=25, deadline=None)
def test_points_are_conserved(players: int, seed: int, kind: str) -> None:
    """Each decided game deals out two half points, each bye two, unless both have lost."""
    tournament = Story(players, kind).to_the_end(Random(seed), leaving=0.03, faults=0.05)
    dealt = sum(sum(m.games[-1].points) for m in tournament.meetings())
    dealt += 2 * sum(len(r.byes) + len(r.walkovers) for r in tournament.rounds)
    assert sum(tournament.score(player) for player in tournament.order) == dealt
    lines = standings(tournament)
    assert {line.player for line in lines} == set(tournament.order)
    assert all(one.place <= other.place for one, other in pairwise(lines))
    assert {line.player for line in lines if line.place == 1} >= set(tournament.winners)


def test_the_table_of_four_is_bergers() -> None:
    assert [round_robin.meetings(("1", "2", "3", "4"), n) for n in (1, 2, 3)] == [
        [("1", "4"), ("2", "3")],
        [("1", "2"), ("4", "3")],
        [("3", "1"), ("2", "4")],
    ]


def test_the_first_of_the_lot_meet_last() -> None:
    assert knockout.bracket(tuple("12345678")) == ("1", "8", "4", "5", "2", "7", "3", "6")
    assert knockout.bracket(tuple("12345")) == ("1", "", "4", "5", "2", "", "3", "")


def test_the_first_swiss_round_is_the_upper_half_against_the_lower() -> None:
    story = Story(8, SWISS)
    tournament = story.started()
    lot = {player: i for i, player in enumerate(tournament.order)}
    met = [sorted((lot[m.first], lot[m.second])) for m in tournament.rounds[0].meetings]
    assert met == [[0, 4], [1, 5], [2, 6], [3, 7]]
    assert sum(lot[m.first] < 4 for m in tournament.rounds[0].meetings) == 2, "sides by turns"


def test_equal_scores_meet_in_the_second_swiss_round() -> None:
    story = Story(8, SWISS)
    first = story.started()
    tournament = story.plays(lambda m: won(m, min(m.first, m.second, key=first.order.index)))
    assert all(tournament.score(m.first) == tournament.score(m.second) for m in tournament.rounds[1].meetings)
    assert all(balance(turns(tournament, player)) == 0 for player in tournament.order)


def test_the_bye_goes_to_the_last_who_had_none() -> None:
    story = Story(5, SWISS)
    first = story.started()
    assert first.rounds[0].byes == (first.order[-1],)
    second = story.plays(lambda m: won(m, m.first))
    lost = {m.second for m in first.rounds[0].meetings}
    assert second.rounds[1].byes == ([player for player in second.order if player in lost][-1],)


def winning(beats: set[tuple[str, str]]) -> Callable[[Meeting], Points]:
    return lambda m: won(m, m.first if (m.first, m.second) in beats else m.second)


def test_tie_breaks_by_hand() -> None:
    """Three of four win in a circle, the fourth loses to all: all that is between them is equal."""
    story = Story(4, ROUND_ROBIN)
    one, two, three, four = story.started().order
    beats = {(one, two), (two, three), (three, one), (one, four), (two, four), (three, four)}
    tournament = story.to_the_end(
        choose=lambda m: won(m, m.first if (m.first, m.second) in beats else m.second)
    )
    lines = {line.player: line for line in standings(tournament)}
    assert [lines[p].place for p in (one, two, three, four)] == [1, 1, 1, 4]
    assert [lines[p].points for p in (one, two, three, four)] == [4, 4, 4, 0]
    assert [lines[p].head_to_head for p in (one, two, three)] == [2, 2, 2]
    assert [lines[p].sonneborn_berger for p in (one, two, three)] == [8, 8, 8]
    assert [lines[p].buchholz for p in (one, four)] == [8, 12]
    assert tournament.winners == tuple(line.player for line in standings(tournament)[:3])


def test_head_to_head_decides_between_two_who_are_level() -> None:
    story = Story(4, ROUND_ROBIN)
    one, two, three, four = story.started().order
    beats = {(two, one), (one, three), (one, four), (two, three), (four, two), (three, four)}
    tournament = story.to_the_end(
        choose=lambda m: won(m, m.first if (m.first, m.second) in beats else m.second)
    )
    assert [line.player for line in standings(tournament)][:2] == [two, one]
    assert tournament.winners == (two,)


def test_a_drawn_knock_out_game_is_replayed_with_sides_changed_and_then_the_lot_decides() -> None:
    story = Story(2, KNOCK_OUT)
    tournament = story.started()
    story.records(drawn)
    tournament = story.tournament
    assert tournament.state == "running"
    ((meeting, game),) = tournament.running()
    assert game == 2
    story.records(drawn)
    tournament = story.proceeds()
    assert tournament.winners == (tournament.order[0],)
    assert len(meeting.games) == 1


def test_the_points_of_a_replay_are_those_of_the_players_not_of_the_seats() -> None:
    story = Story(2, KNOCK_OUT)
    story.started()
    story.records(drawn)
    ((meeting, _),) = story.tournament.running()
    story.records(lambda m: won(m, m.second))
    assert story.proceeds().winners == (meeting.second,)


def test_where_both_lose_in_a_knock_out_nobody_goes_on_and_the_next_has_a_walkover() -> None:
    story = Story(4, KNOCK_OUT)
    first = story.started().rounds[0].meetings[0]
    tournament = story.plays(lambda m: lost_by_both if m == first else won(m, m.first))
    (paired,) = tournament.rounds[1:2]
    assert paired.meetings == ()
    assert paired.walkovers == tournament.winners
    assert not {first.first, first.second} & set(tournament.winners)


@pytest.mark.parametrize("kind", KINDS)
def test_who_leaves_in_round_two_finishes_his_game_and_is_paired_no_more(kind: str) -> None:
    story = Story(8, kind)
    story.started()
    tournament = story.plays(lambda m: won(m, m.first))
    leaver = tournament.rounds[1].meetings[0].first
    story.does(Withdraw(leaver))
    tournament = story.to_the_end(choose=lambda m: won(m, m.first))
    assert leaver in {m.first for m in tournament.rounds[1].meetings}
    assert not any(leaver in (m.first, m.second) for r in tournament.rounds[2:] for m in r.meetings)
    everybody_once_a_round(tournament, frozenset({leaver}))
    if kind == KNOCK_OUT:
        assert [len(r.walkovers) for r in tournament.rounds] == [0, 0, 1]
    if kind == ROUND_ROBIN:
        assert [len(r.walkovers) for r in tournament.rounds] == [0, 0, 1, 1, 1, 1, 1]
    if kind == SWISS:
        assert [len(r.byes) for r in tournament.rounds] == [0, 0, 1]
    assert tournament.cause == "played"


@pytest.mark.nightly
@pytest.mark.parametrize("kind", [SWISS, KNOCK_OUT])
def test_sixty_four(kind: str) -> None:
    tournament = Story(64, kind).to_the_end(Random(64))
    everybody_once_a_round(tournament)
    assert len(tournament.rounds) == 6
    assert set(pairs_of(tournament).values()) == {1}
