"""Whose time runs: in every state a match can be in, one second passes, and it is seen who has lost it.

Seats are named by what they do: ONE moves first in the game, TWO answers. Each state is reached by commands
alone and is left by one, so that the log says what the second cost, and the verifier agrees.
"""

from collections.abc import Callable
from itertools import count
from typing import Final, NamedTuple

import msgspec
import pytest

from services.audit.domain import verify
from shared.clocks import BLITZ, PER_MOVE, STANDARD, chess_clock
from shared.commands import (
    AcceptBeaver,
    AcceptExtension,
    AcceptResignation,
    AskTime,
    Beaver,
    DeclineResignation,
    Double,
    Kick,
    Leave,
    Next,
    OfferExtension,
    Pass,
    PlayerCommand,
    Ready,
    ReportAbsent,
    ReportPresent,
    Resign,
    Reveal,
    SetAutoRoll,
    Take,
)
from shared.draws import string_hash
from shared.events.match import ClockCharged, ClockTerms, Seat, Terms
from shared.match import Phase, view
from shared.match.timing import deadline, payer
from tests.support.hidden_hand import HiddenHand, hidden_hand
from tests.support.matches import SEATS, MemoryGame, Picker
from tests.support.verdicts import CLAIMED_MS, NEXT_MS

__all__ = ["hidden_hand"]

SECOND_MS: Final = 1_000
CLOCKS: Final[dict[str, ClockTerms]] = {
    "move": PER_MOVE,
    "chess": chess_clock(3),
    "credit, blitz": BLITZ,
    "credit, standard": STANDARD,
}
STRING: Final = bytes(32 * [7])


class At(NamedTuple):
    """A game that stands somewhere; ``one`` is the seat that moves first in it, ``two`` the other."""

    game: MemoryGame
    one: int
    two: int

    def seat(self, who: str) -> int:
        """The seat of ``one`` or ``two``."""
        return {"one": self.one, "two": self.two}[who]


Step = Callable[[At, int], None]
"""Something happens so many milliseconds after the newest commit."""


def does(who: str, command: PlayerCommand) -> Step:
    """``who`` commands."""

    def step(at: At, after_ms: int) -> None:
        at.game.after(after_ms)
        at.game.send(at.seat(who), command, late_ms=0)

    return step


def moves(at: At, after_ms: int) -> None:
    """Whoever is to roll or to move does, by the first legal move."""
    at.game.after(after_ms)
    at.game.turn(lambda _, legal: legal[0], late_ms=0)


def first_roll(at: At, after_ms: int) -> None:
    """The opening roll is played and TWO is to roll: the first who may double."""
    moves(at, after_ms)
    assert at.game.demanded() == (at.two, ("roll", "double"))


def away(who: str) -> Step:
    """``who`` is reported to be away for long enough."""

    def step(at: At, after_ms: int) -> None:
        since_ms = at.game.commits[-1].at_ms
        at.game.after(after_ms)
        at.game.hears(ReportAbsent(at.seat(who), since_ms))

    return step


def back(who: str) -> Step:
    """``who`` is reported to be back."""

    def step(at: At, after_ms: int) -> None:
        at.game.after(after_ms)
        at.game.hears(ReportPresent(at.seat(who)))

    return step


def throws_out(at: At, _: int) -> None:
    """ONE has let his time run out and TWO throws him out."""
    at.game.at_deadline(CLAIMED_MS)
    at.game.send(at.two, Kick(), late_ms=0)


class Row(NamedTuple):
    """``reach`` brings a game whose first move is to be played into the state, at once; ``leaves`` ends it.

    ``owner`` is who pays for the second before that: ``one``, ``two`` or nobody (""). ``answers``: he only
    answers. ``only``: such a state there is with this kind of clock alone.
    """

    owner: str
    reach: tuple[Step, ...]
    leaves: Step
    answers: bool = False
    only: str = ""


DOUBLED: Final = (first_roll, does("two", Double()))
BEAVERED: Final = (*DOUBLED, does("one", Beaver()))
PASSED: Final = (*DOUBLED, does("one", Pass()))
RESIGNS: Final = does("one", Resign(confirm=True))

ROWS: Final[dict[str, Row]] = {
    "to move (the opening roll was drawn)": Row("one", (), moves),
    "to move, and the other quits": Row("one", (), does("two", Leave())),
    "to move, the other has switched auto-roll": Row("one", (does("two", SetAutoRoll(on=True)),), moves),
    "to roll or double": Row("two", (first_roll,), moves),
    "to answer a double: takes": Row("one", DOUBLED, does("one", Take()), answers=True),
    "to answer a double: passes": Row("one", DOUBLED, does("one", Pass()), answers=True),
    "to answer a double: beavers": Row("one", DOUBLED, does("one", Beaver()), answers=True),
    "to answer a beaver: accepts": Row("two", BEAVERED, does("two", AcceptBeaver()), answers=True),
    "to answer a beaver: passes": Row("two", BEAVERED, does("two", Pass()), answers=True),
    "to roll after the double was taken": Row("two", (*DOUBLED, does("one", Take())), moves),
    "to answer a resignation: declines": Row(
        "two", (RESIGNS,), does("two", DeclineResignation()), answers=True
    ),
    "to answer a resignation: accepts": Row(
        "two", (RESIGNS,), does("two", AcceptResignation()), answers=True
    ),
    "to move, the resignation was declined": Row("one", (RESIGNS, does("two", DeclineResignation())), moves),
    "between games, nobody has pressed Next": Row("", PASSED, does("one", Next())),
    "between games, one has pressed Next": Row("", (*PASSED, does("one", Next())), does("two", Next())),
    "a ghost is to move": Row("", (away("one"),), moves),
    "a ghost is to answer a double": Row("", (*DOUBLED, away("one")), does("one", Take())),
    "a ghost is to answer a resignation": Row("", (RESIGNS, away("two")), does("two", AcceptResignation())),
    "a double waits for a person, a ghost plays for the doubler": Row(
        "one", (*DOUBLED, away("two")), does("one", Take()), answers=True
    ),
    "two ghosts play": Row("", (away("one"), away("two")), moves),
    "to move against a ghost": Row("one", (away("two"),), moves),
    "back, but the ghost's turn is not over": Row("", (away("one"), back("one")), moves),
    "back between turns": Row("two", (first_roll, away("two"), back("two")), moves),
    "a kicked seat is to move": Row("", (throws_out,), moves),
    "to roll against a kicked one": Row("two", (throws_out, moves), moves),
    "to move, the mover has offered an extension": Row(
        "one", (does("one", OfferExtension()),), moves, only="chess"
    ),
    "to move, the other has offered an extension": Row(
        "one", (does("two", OfferExtension()),), moves, only="chess"
    ),
    "to move, both have five minutes more": Row(
        "one", (does("two", OfferExtension()), does("one", AcceptExtension())), moves, only="chess"
    ),
    "to move, the mover has added two minutes": Row("one", (does("one", AskTime()),), moves, only="move"),
}

TABLE: Final = [
    (name, kind) for name, row in ROWS.items() for kind in CLOCKS if row.only in ("", CLOCKS[kind].kind)
]


def terms_of(kind: str) -> Terms:
    """All that a match may be about, with this clock; nobody is waited for."""
    return Terms(target=5, beaver=True, clock=CLOCKS[kind], flag="kick", absence="ghost", grace_ms=0)


def begun(terms: Terms, one: int, seats: tuple[Seat, ...] = SEATS) -> At:
    """A game in which ``one`` has won the opening roll and is to move."""
    for attempt in count():
        game = MemoryGame(f"owners {attempt}", terms, seats=seats)
        game.start()
        if game.demanded() == (one, ("play",)):
            return At(game, one, 1 - one)
    raise AssertionError


def reached(at: At, steps: tuple[Step, ...]) -> None:
    """All of that happens at once."""
    for step in steps:
        step(at, 0)


def left(game: MemoryGame) -> tuple[int, ...]:
    shown = view(game.state, None).clock
    assert shown is not None
    return shown.left_ms


def costs(at: At, owner: int | None, leaves: Step, *, answers: bool = False) -> None:
    """A second passes and the state ends: ``owner`` has lost it, nobody else anything, and all say so."""
    game = at.game
    shown = view(game.state, None).clock
    assert shown is not None
    assert payer(game.state) == (None if owner is None else (owner, answers))
    assert (shown.running, shown.answering) == (owner, answers)
    due = deadline(game.state)
    if owner is None:
        assert due is None or due.kind != "flag"
    else:
        assert due is not None
        assert (due.kind, due.at_ms) == ("flag", game.commits[-1].at_ms + left(game)[owner])
    began_ms, before = game.commits[-1].at_ms, left(game)
    leaves(at, SECOND_MS)
    commit = game.commits[-1]
    assert commit.at_ms - began_ms == SECOND_MS
    charges = [event for event in commit.events if isinstance(event, ClockCharged) and event.used_ms]
    assert {event.seat: event.used_ms for event in charges} == ({} if owner is None else {owner: SECOND_MS})
    for seat, had in enumerate(before):
        assert seat == owner or left(game)[seat] >= had
    if owner is not None and answers:
        assert charges[0].left_ms == before[owner] - SECOND_MS  # an answer earns nothing
    report = verify(game.lines)
    assert report.ok, report.difference


@pytest.mark.rule("S2", "S3", "B3", "B5")
@pytest.mark.parametrize("one", [0, 1])
@pytest.mark.parametrize(("name", "kind"), TABLE)
def test_one_second_is_lost_by_the_one_who_must_decide_or_by_nobody(name: str, kind: str, one: int) -> None:
    """All states of a game in hand and between games, with every kind of clock."""
    row = ROWS[name]
    at = begun(terms_of(kind), one)
    reached(at, row.reach)
    costs(at, at.seat(row.owner) if row.owner else None, row.leaves, answers=row.answers)


@pytest.mark.parametrize("kind", CLOCKS)
def test_nobody_loses_time_before_the_game(kind: str) -> None:
    """Getting ready and revealing have two minutes of their own."""
    game = MemoryGame("owners", terms_of(kind))
    at = At(game, 0, 1)
    ready, reveal = Ready(string_hash(STRING)), Reveal(STRING.hex())
    for asked, seat, command in (("ready", 0, ready), ("ready", 1, Ready()), ("reveal", 0, reveal)):
        due = deadline(game.state)
        assert due is not None
        assert due.kind == asked
        costs(at, None, does("two" if seat else "one", command))
    assert game.state.phase is Phase.PLAYING
    assert left(game) == (CLOCKS[kind].budget_ms, CLOCKS[kind].budget_ms)


@pytest.mark.rule("S5")
@pytest.mark.parametrize("kind", CLOCKS)
def test_next_runs_on_nobodys_clock_but_has_its_end(kind: str) -> None:
    at = begun(terms_of(kind), 0)
    reached(at, PASSED)
    due = deadline(at.game.state)
    assert due is not None
    assert (due.kind, due.at_ms) == ("next", at.game.commits[-1].at_ms + NEXT_MS)
    does("one", Next())(at, SECOND_MS)
    assert deadline(at.game.state) == due
    does("two", Next())(at, SECOND_MS)
    assert left(at.game) == (CLOCKS[kind].budget_ms, CLOCKS[kind].budget_ms)


@pytest.mark.rule("S6")
@pytest.mark.parametrize("kind", CLOCKS)
def test_who_may_only_roll_pays_like_who_might_double(kind: str) -> None:
    """The Crawford game: no cube."""
    at = begun(msgspec.structs.replace(terms_of(kind), target=2), 0)
    reached(at, PASSED)
    at.game.next()
    assert at.game.state.crawford
    while "play" in at.game.demanded()[1]:
        moves(at, 0)
    seat, commands = at.game.demanded()
    assert commands == ("roll",)
    costs(at, seat, moves)


@pytest.mark.parametrize("kind", CLOCKS)
@pytest.mark.parametrize("bot", [0, 1])
def test_the_computer_pays_nothing_and_its_opponent_as_ever(kind: str, bot: int) -> None:
    seats = tuple(Seat(seat.player, bot=place == bot) for place, seat in enumerate(SEATS))
    at = begun(terms_of(kind), bot, seats)
    costs(at, None, moves)  # the computer is to move
    costs(at, 1 - bot, moves)  # the person is to roll
    while at.game.demanded()[0] != bot:
        moves(at, 0)
    costs(at, None, moves)  # the computer is to roll
    assert left(at.game)[bot] == CLOCKS[kind].budget_ms


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("kind", CLOCKS)
def test_where_all_choose_at_once_nobody_pays_and_the_same_time_runs_for_all(
    kind: str, seats: int, hidden_hand: HiddenHand
) -> None:
    """Given a choice of all, then no clock runs to the last answer, and all have the same time."""
    sitting = (*SEATS, Seat("pcyrilsvoboda"))[:seats]
    terms = Terms(clock=CLOCKS[kind], absence="ghost", grace_ms=0)
    game = MemoryGame("owners", terms, seats=sitting, rules=hidden_hand.name)
    game.start()
    at = At(game, 0, 1)
    limit_ms = CLOCKS[kind].budget_ms if kind == "move" else NEXT_MS
    for _ in range(2):  # rounds
        until_ms = game.commits[-1].at_ms + limit_ms
        for _ in range(seats):
            due = deadline(game.state)
            assert due is not None
            assert (due.kind, due.at_ms) == ("choose", until_ms)
            costs(at, None, moves)
    assert game.demanded()[0] == 0  # the next round
    assert payer(game.state) is None


def test_in_a_recorded_match_and_without_a_clock_time_is_nobodys() -> None:
    for chance in ("recorded", "committed"):
        game, dice = MemoryGame("owners", Terms(target=5), chance=chance), Picker("owners")
        game.start()
        while game.state.phase is Phase.PLAYING and len(game.commits) < 12:
            assert payer(game.state) is None
            assert deadline(game.state) is None
            assert view(game.state, 0).clock is None
            opening = game.state.position.turn is None
            game.after(SECOND_MS)
            game.turn(dice.move, dice.dice(opening=opening) if chance == "recorded" else ())
            assert not any(isinstance(event, ClockCharged) for event in game.commits[-1].events)
        assert verify(game.lines).ok


@pytest.mark.parametrize("kind", CLOCKS)
def test_when_the_match_is_over_nothing_runs_any_more(kind: str) -> None:
    at = begun(msgspec.structs.replace(terms_of(kind), target=None), 0)
    reached(at, PASSED)
    assert at.game.state.phase is Phase.OVER
    assert payer(at.game.state) is None
    assert deadline(at.game.state) is None


@pytest.mark.rule("S13")
@pytest.mark.parametrize("kind", CLOCKS)
def test_a_clock_at_nothing_that_was_claimed_loses_no_more(kind: str) -> None:
    """Where 0:00 gives the right to throw out, the late player still pays with what he has: nothing."""
    at = begun(terms_of(kind), 0)
    at.game.at_deadline(CLAIMED_MS)
    at.game.hears()
    assert at.game.state.flagged == 0
    assert payer(at.game.state) == (0, False)
    moves(at, SECOND_MS)
    charged = at.game.commits[-1].events[-1]
    assert isinstance(charged, ClockCharged)
    assert (charged.seat, charged.used_ms, charged.left_ms) == (
        0,
        CLOCKS[kind].budget_ms + CLAIMED_MS + SECOND_MS,
        0,
    )
    assert verify(at.game.lines).ok


@pytest.mark.rule("S7", "S18")
@pytest.mark.parametrize("kind", CLOCKS)
def test_who_is_away_pays_until_a_ghost_takes_his_seat(kind: str) -> None:
    """His clock runs through the grace; the commit of the takeover charges it and stops it."""
    at = begun(msgspec.structs.replace(terms_of(kind), grace_ms=SECOND_MS), 0)
    since_ms = at.game.commits[-1].at_ms
    rest = left(at.game)[0] - SECOND_MS
    at.game.after(SECOND_MS)
    charged = at.game.hears(ReportAbsent(0, since_ms)).events[-1]
    assert charged == ClockCharged(seat=0, used_ms=SECOND_MS, left_ms=rest, turn_ms=SECOND_MS)
    costs(at, None, moves)
    assert left(at.game)[0] == rest
