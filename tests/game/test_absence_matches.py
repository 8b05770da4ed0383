"""A player vanishes from a game: every way home, either end, every kind of match; scores as the houses say.

Ways home: during the ghost's turn, between turns, after the game within the two minutes for Next, at exactly
120,000 ms, one millisecond later, never.
"""

from typing import Final, NamedTuple

import msgspec
import pytest

from services.ghost.domain import seats_played
from shared.catalogue import HOUSES
from shared.clocks import BLITZ
from shared.commands import Next, Play, ReportPresent
from shared.events.match import (
    GameEnded,
    GameStarted,
    MatchCancelled,
    MatchEnded,
    NextExpired,
    SeatAbsent,
    SeatGhosted,
    SeatReturned,
    Terms,
)
from shared.match import Phase
from shared.match.timing import deadline
from tests.support.story import Story, lost, match_to, race
from tests.support.verdicts import CANCELLED, CLAIMED_MS, GOES_ON, NEXT_MS, End, Verdict, verdict

ABSENT, OTHER = "the absent one", "the other"
IN_THE_GHOSTS_TURN, BETWEEN_TURNS = "in the ghost's turn", "between turns"
AFTER, EXACTLY, TOO_LATE, NEVER = "after the game", "at 120,000 ms", "1 ms too late", "never"
BACK: Final = (IN_THE_GHOSTS_TURN, BETWEEN_TURNS, AFTER, EXACTLY, TOO_LATE, NEVER)


class Setting(NamedTuple):
    """A kind of match, the games before (who won with which cube), and the game that he vanishes from."""

    terms: Terms
    before: tuple[tuple[str, int], ...] = ()
    crawford: bool = False
    cube: int = 1
    worth: int = 1


SETTINGS: Final[dict[str, Setting]] = {
    "duel": Setting(match_to(5), ((OTHER, 1),)),
    "duel, games without a roll for the start": Setting(
        msgspec.structs.replace(match_to(5), first_move="alternate"), ((ABSENT, 1),)
    ),
    "duel, points that reach the target": Setting(match_to(3), ((ABSENT, 1),), cube=2, worth=1),
    "Crawford, the absent one leads": Setting(match_to(3), ((ABSENT, 2),), crawford=True),
    "Crawford, the other leads": Setting(match_to(3), ((OTHER, 2),), crawford=True, worth=2),
    "post-Crawford": Setting(match_to(3), ((ABSENT, 2), (OTHER, 1)), cube=2, worth=1),
    "nardy match": Setting(match_to(7, "nardy"), ((OTHER, 1),), cube=2, worth=2),
    "nardy match, points that reach the target": Setting(
        match_to(9, "nardy"), ((OTHER, 1),), cube=8, worth=2
    ),
    "blitz single": Setting(msgspec.structs.replace(HOUSES["duels"].single, clock=BLITZ)),
    "standard single": Setting(HOUSES["duels"].single, cube=2, worth=3),
    "nardy single": Setting(HOUSES["nardy"].single, worth=2),
}


def sat_down(setting: Setting, seat: int) -> Story:
    """The game has begun that the player of ``seat`` is going to vanish from."""
    told = Story(setting.terms).started()
    for winner, cube in setting.before:
        told.wins(seat if winner == ABSENT else 1 - seat, cube=cube)
        told.next_game()
    assert told.state.crawford is setting.crawford
    return told


def vanished(told: Story, seat: int, back: str) -> None:
    """He vanishes, a ghost goes on for him, and he is back before the end of the game if ``back`` says so."""
    mover = seat if back == IN_THE_GHOSTS_TURN else 1 - seat
    told.to_play(mover, (3, 1))
    since_ms = told.now_ms
    assert told.vanishes(seat)[:2] == (SeatAbsent(seat, since_ms), SeatGhosted(seat))
    assert seats_played(told.state) == (seat,)
    if back in (IN_THE_GHOSTS_TURN, BETWEEN_TURNS):
        assert told.hears(ReportPresent(seat)) == (SeatReturned(seat),)
        assert seats_played(told.state) == ((seat,) if back == IN_THE_GHOSTS_TURN else ())
    told.when(mover, Play("8/5 6/5"))
    assert seats_played(told.state) == (() if back in (IN_THE_GHOSTS_TURN, BETWEEN_TURNS) else (seat,))


def expected(setting: Setting, told: Story, seat: int, back: str, winner: int) -> Verdict:
    """What the rules say; ``told`` stands in the game in question."""
    one, other = told.state.score
    returned = back in (IN_THE_GHOSTS_TURN, BETWEEN_TURNS)
    end = End(
        target=setting.terms.target,
        score=(one, other),
        winner=winner,
        points=setting.cube * setting.worth,
        computer=() if returned else (seat,),
        taken_over=(seat,),
    )
    return verdict(end, pressed=(1 - seat,) if back in (TOO_LATE, NEVER) else (0, 1))


@pytest.mark.rule("S5", "S7", "S8", "S18", "N13")
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("won_by", [ABSENT, OTHER])
@pytest.mark.parametrize("back", BACK)
@pytest.mark.parametrize("name", SETTINGS)
def test_who_vanishes_from_a_game(name: str, back: str, won_by: str, seat: int) -> None:
    """Whether the game counts, the score, whether there is a Next, and what follows it."""
    setting, winner = SETTINGS[name], seat if won_by == ABSENT else 1 - seat
    told = sat_down(setting, seat)
    vanished(told, seat, back)
    must = expected(setting, told, seat, back, winner)
    first, crawford_used = told.state.first, told.state.crawford_used
    ended = told.wins(winner, setting.worth, setting.cube)
    assert (ended.winner, ended.points) == (winner, setting.cube * setting.worth)
    assert (ended.counted, ended.score, told.state.score) == (must.counts, must.score, must.score)
    assert seats_played(told.state) == ()  # the ghost presses no Next for him
    if not must.asks:
        over(told, seat, must)
        return
    follows = next_pressed(told, seat, back)
    if must.follows != GOES_ON:
        assert follows[:2] == (
            NextExpired((seat,)),
            MatchEnded(winner=1 - seat, score=must.score, cause="next"),
        )
        over(told, seat, must)
        return
    begun = next(event for event in follows if isinstance(event, GameStarted))
    alternates = setting.terms.first_move == "alternate"
    assert begun == GameStarted(
        game=ended.game + 1,
        first=1 - (first or 0) if alternates else None,
        crawford=not crawford_used and max(must.score) == (setting.terms.target or 0) - 1,
    )
    assert seats_played(told.state) == ()  # he has his seat again


def over(told: Story, seat: int, must: Verdict) -> None:
    """The match has ended as it must, and nobody has to press, or can press, anything more."""
    assert told.state.phase is Phase.OVER
    assert told.state.winner == (None if must.follows == CANCELLED else must.follows)
    assert told.state.cause.startswith("cancelled") == (must.follows == CANCELLED)
    assert [told.refusal(s, Next()) for s in (0, 1)] == ["match_over", "match_over"]
    assert deadline(told.state) is None
    assert told.after(NEXT_MS + CLAIMED_MS).claim_refusal() == "nothing_to_claim"
    assert told.state.kicked[seat] is False


def next_pressed(told: Story, seat: int, back: str) -> tuple[object, ...]:
    """The other presses Next at once, he when ``back`` says; what that, or the end of the time, brings."""
    ended_ms = told.now_ms
    told.after(1_000).when(1 - seat, Next())
    told.after(1)
    if back == TOO_LATE:
        told.after(ended_ms + NEXT_MS + 1 - told.now_ms)
        assert told.refusal(seat, Next()) == "flag_fallen"
    if back in (TOO_LATE, NEVER):
        told.after(ended_ms + NEXT_MS + CLAIMED_MS - 1 - told.now_ms)
        assert told.claim_refusal() == "too_early"
        return told.after(1).claim()
    presses_ms = {AFTER: 60_000, EXACTLY: NEXT_MS}.get(back, 2_000)
    return told.after(ended_ms + presses_ms - told.now_ms).when(seat, Next())


@pytest.mark.rule("S6", "S8", "N10")
@pytest.mark.parametrize("won_by", [ABSENT, OTHER])
def test_a_voided_crawford_game_is_used_up_and_the_first_move_alternates_all_the_same(won_by: str) -> None:
    told = Story(match_to(5, "nardy")).started()
    told.wins(0, worth=2, cube=2)
    told.next_game()
    first = told.state.first
    assert told.state.crawford
    told.vanishes(0)
    told.wins(0 if won_by == ABSENT else 1)
    told.next_game()
    assert told.state.score == ((4, 0) if won_by == ABSENT else (4, 1))
    assert (told.state.game, told.state.crawford, told.state.crawford_used) == (3, False, True)
    assert told.state.first == 1 - (first or 0)
    rows = told.state.games
    assert [(row.crawford, row.counted) for row in rows] == [(False, True), (True, won_by == OTHER)]


@pytest.mark.rule("S8")
def test_a_voided_game_before_the_crawford_game_brings_it_no_nearer() -> None:
    told = Story(match_to(3)).started()
    told.vanishes(0)
    assert told.wins(0, cube=2).score == (0, 0)
    assert not told.next_game().state.crawford
    told.wins(0, cube=2)
    assert told.next_game().state.crawford


@pytest.mark.rule("S7", "S8")
def test_he_vanishes_from_game_after_game_and_each_is_judged_by_itself() -> None:
    told = Story(match_to(9)).started()
    scores: list[tuple[int, ...]] = []
    for winner in (0, 1, 0, 1):
        told.vanishes(0)
        scores.append(told.wins(winner).score)
        told.next_game()
        assert seats_played(told.state) == ()
    assert scores == [(0, 0), (0, 1), (0, 1), (0, 2)]
    assert told.wins(0, worth=2).score == (2, 2)  # here he plays himself


@pytest.mark.rule("S7", "S8")
def test_he_comes_and_goes_within_one_game_and_what_counts_is_who_plays_at_its_end() -> None:
    for last, counted in (("away", False), ("here", True)):
        told = Story(match_to(5)).started().to_roll(1)
        for _ in range(3):
            told.vanishes(0)
            told.hears(ReportPresent(0))
        if last == "away":
            told.vanishes(0)
        assert told.wins(0).counted is counted


@pytest.mark.rule("S18")
def test_in_a_single_game_a_return_before_the_ghost_leaves_no_trace() -> None:
    """He is back within the grace: nobody has reported him, and his own win counts."""
    told = Story(HOUSES["duels"].single).started().to_roll(0)
    told.after(119_999)
    assert told.claim_refusal(ReportPresent(0)) == "unchanged"
    assert told.wins(0).counted
    assert (told.state.winner, told.state.cause) == (0, "played")


@pytest.mark.rule("S8", "S18")
@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("back", [True, False])
def test_a_move_of_the_ghost_that_wins_after_he_is_back_is_his(*, single: bool, back: bool) -> None:
    """Who is back before the end wins for himself; a single game was taken over all the same."""
    told = Story(HOUSES["duels"].single if single else match_to(5)).started()
    told.to_play(0, (6, 5), race({2: 1}), lost(1)).vanishes(0)
    if back:
        told.hears(ReportPresent(0))
    assert seats_played(told.state) == (0,)
    ended = next(event for event in told.when(0, Play("2/off")) if isinstance(event, GameEnded))
    assert ended.counted is (back and not single)
    assert any(isinstance(event, MatchCancelled) for event in told.state.last_events) is single


def test_the_record_of_a_voided_game_keeps_what_it_would_have_been_worth() -> None:
    told = Story(match_to(3)).started()
    told.vanishes(1)
    ended = told.wins(1, worth=3, cube=4)
    assert ended == GameEnded(
        game=1, winner=1, kind="backgammon", cause="played", points=12, score=(0, 0), counted=False
    )
    assert told.state.phase is Phase.BETWEEN
    assert (told.state.games[0].points, told.state.games[0].counted) == (12, False)
