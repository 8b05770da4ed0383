"""Matches in which anybody comes, goes, runs out of time and throws out at random: always as the houses say.

A second reading of the log, written from the rule text, keeps count of who plays each seat and what counts.
"""

from contextlib import suppress
from typing import Final

import msgspec
import pytest

from services.audit.domain import verify
from shared.catalogue import HOUSES
from shared.clocks import BLITZ
from shared.commands import (
    AcceptBeaver,
    AcceptResignation,
    Beaver,
    ClaimFlag,
    DeclineResignation,
    Double,
    Kick,
    Next,
    Pass,
    PlayerCommand,
    ReportAbsent,
    ReportPresent,
    Resign,
    Take,
)
from shared.events.match import (
    GameEnded,
    GameStarted,
    MatchCancelled,
    MatchEnded,
    MatchEvent,
    NextPressed,
    SeatGhosted,
    SeatKicked,
    SeatReturned,
    Terms,
)
from shared.match import Phase
from shared.match.timing import deadline
from shared.problems import Refused
from tests.support.matches import MemoryGame, Picker
from tests.support.story import match_to
from tests.support.verdicts import CANCELLED, CLAIMED_MS, GOES_ON, End, Verdict, verdict

MOST: Final = 4_000
TERMS: Final[dict[str, Terms]] = {
    "duel": match_to(3),
    "nardy match": match_to(5, "nardy"),
    "standard single": HOUSES["duels"].single,
    "blitz single": msgspec.structs.replace(HOUSES["duels"].single, clock=BLITZ),
}


class Ledger:
    """What a reader of the log makes of it who knows the houses' rules and nothing else."""

    def __init__(self, target: int | None) -> None:
        self.target = target
        self.score = (0, 0)
        self.played = [False, False]
        self.taken_over = [False, False]
        self.pressed: set[int] = set()
        self.last: End | None = None

    def read(self, event: MatchEvent) -> None:
        """One more event; fails where it is not as it must be."""
        match event:
            case GameStarted():
                assert self.last is None or self.verdict().follows == GOES_ON
                self.played, self.taken_over = [False, False], [False, False]
                self.pressed, self.last = set(), None
            case SeatGhosted(seat=seat) | SeatKicked(seat=seat):
                self.played[seat] = self.taken_over[seat] = True
            case SeatReturned(seat=seat):
                self.played[seat] = False
            case NextPressed(seat=seat):
                self.pressed.add(seat)
            case GameEnded(winner=int(winner), points=points):
                self.last = End(
                    target=self.target,
                    score=self.score,
                    winner=winner,
                    points=points,
                    computer=[seat for seat in (0, 1) if self.played[seat]],
                    taken_over=[seat for seat in (0, 1) if self.taken_over[seat]],
                )
                must = self.verdict()
                assert (event.counted, event.score) == (must.counts, must.score)
                self.score = must.score
            case MatchEnded(winner=winner):
                assert winner == self.verdict().follows
            case MatchCancelled():
                assert self.verdict().follows == CANCELLED
            case _:
                pass

    def verdict(self) -> Verdict:
        """What follows from the last game and from who has pressed Next."""
        assert self.last is not None
        return verdict(self.last, tuple(self.pressed))


def answers(game: MemoryGame, picker: Picker) -> PlayerCommand | None:
    """Something that whoever is asked may answer; None: he rolls or moves."""
    seat, asked = game.demanded()
    doubts = picker.below(100)
    if "take" in asked:
        return (Take(), Pass(), Beaver() if "beaver" in asked else Take())[doubts % 3]
    if "accept_beaver" in asked:
        return (AcceptBeaver(), Pass())[doubts % 2]
    if "accept_resignation" in asked:
        return (AcceptResignation(), DeclineResignation())[doubts % 2]
    if "double" in asked and doubts < 2 and not any(game.state.ghosted):
        return Double()
    if doubts == 99 and not picker.below(4) and not game.state.resign_spent[seat]:
        return Resign(confirm=True)
    return None


def happens(game: MemoryGame, picker: Picker) -> None:
    """Perhaps somebody goes, comes, or has let his time run out; what is refused changes nothing."""
    seat, chance = picker.below(2), picker.below(1000)
    with suppress(Refused):
        if chance < 25:
            game.hears(ReportAbsent(seat, game.state.at_ms - game.state.created.terms.grace_ms))
        elif chance < 50:
            game.hears(ReportPresent(seat))
        elif chance < 70 and game.state.phase is Phase.PLAYING and deadline(game.state) is not None:
            game.at_deadline(CLAIMED_MS)
            if chance < 60:
                game.send(seat, Kick())
            else:
                game.hears(ClaimFlag())


def walk(game: MemoryGame, picker: Picker) -> None:
    """To the end of the match."""
    for _ in range(MOST):
        happens(game, picker)
        if game.over:
            return
        if game.state.phase is Phase.BETWEEN:
            press_or_not(game, picker)
            continue
        command = answers(game, picker)
        if command is None:
            game.turn(picker.move)
        else:
            game.send(game.demanded()[0], command)
    raise AssertionError("the match does not end")


def press_or_not(game: MemoryGame, picker: Picker) -> None:
    """Next by both, mostly; else the two minutes pass."""
    for seat in (0, 1):
        if picker.below(8) and not game.over and not game.state.next_pressed[seat]:
            game.send(seat, Next())
    if game.state.phase is Phase.BETWEEN:
        game.at_deadline(CLAIMED_MS)
        game.hears()


@pytest.mark.rule("S5", "S7", "S8", "S13", "S18", "N13")
@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("name", TERMS)
def test_whatever_happens_counts_as_the_houses_say(name: str, seed: int) -> None:
    terms = TERMS[name]
    picker = Picker(f"walk {name} {seed}")
    game = MemoryGame(f"walk {name} {seed}", terms)
    game.start()
    walk(game, picker)
    ledger = Ledger(terms.target)
    for commit in game.commits:
        for event in commit.events:
            ledger.read(event)
    report = verify(game.lines)
    assert report.ok, report.difference
