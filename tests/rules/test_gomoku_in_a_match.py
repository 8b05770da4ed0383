"""The openings of gomoku in a match: whose clock runs, what a disconnect costs, who wins (rules §0, §1)."""

from typing import Any, Final

import pytest

from shared.clocks import PER_MOVE, chess_clock
from shared.commands import Play, ReportAbsent
from shared.events.match import ClockTerms, GameEnded, MatchCancelled, Terms
from shared.match import MatchState, demands
from shared.match.timing import deadline, payer
from tests.support.matches import MemoryGame

OPENING: Final = ("h8", "i9", "a1")
EXTENSION: Final = ("o15", "c3")


class Opened:
    """A match of gomoku under way; moves are played by whoever is to move."""

    def __init__(self, clock: ClockTerms, **options: Any) -> None:
        self.game = MemoryGame(
            f"gomoku {sorted(options.items())}",
            Terms(clock=clock, absence="forfeit"),
            rules="gomoku",
            options=options,
        )
        self.game.start()

    @property
    def state(self) -> MatchState:
        return self.game.state

    @property
    def first(self) -> int:
        """The seat that began."""
        assert self.state.first is not None
        return self.state.first

    def play(self, *moves: str) -> None:
        for move in moves:
            self.game.send(demands(self.state)[0].seat, Play(move))

    def left_ms(self) -> tuple[int, ...]:
        """What is left on the clocks by seat, as after the newest commit."""
        assert self.state.clocks is not None
        return self.state.clocks.left_ms

    def paying(self) -> int:
        """The seat whose clock runs."""
        paid = payer(self.state)
        assert paid is not None
        return paid[0]


def test_a_chess_clock_runs_on_for_who_places_several_symbols_and_stands_for_the_other() -> None:
    match = Opened(chess_clock(3), variant="swap2")
    first, second = match.first, 1 - match.first
    full = match.left_ms()[first]
    spent: list[int] = []
    for move in OPENING:
        assert match.paying() == first
        match.play(move)
        spent.append(full - match.left_ms()[first])
    assert 0 < spent[0] < spent[1] < spent[2]
    assert match.left_ms()[second] == full
    for move in EXTENSION:
        assert match.paying() == second
        match.play(move)
    assert match.left_ms()[second] < full
    assert full - match.left_ms()[first] == spent[2]
    assert match.paying() == first
    match.play("crosses")
    assert match.paying() == first


def test_with_a_limit_for_each_move_every_symbol_and_the_choice_have_their_own() -> None:
    match = Opened(PER_MOVE, variant="swap")
    for move in (*OPENING, "crosses", "b2"):
        due = deadline(match.state)
        assert due is not None
        assert due.at_ms == match.state.at_ms + PER_MOVE.budget_ms
        match.play(move)


@pytest.mark.rule("B13")
@pytest.mark.parametrize(
    ("variant", "moves", "half_moves"),
    [
        ("standard", ("a1", "b2", "c3"), 3),
        ("standard", ("a1", "b2", "c3", "d4"), 4),
        ("pro", ("a1", "b2"), 3),
        ("pro", ("a1", "b2", "c3"), 4),
        ("swap", (*OPENING, "circles"), 3),
        ("swap", (*OPENING, "crosses", "b2"), 4),
        ("swap2", (*OPENING, "o15"), 4),
        ("swap2", (*OPENING, *EXTENSION), 5),
    ],
)
def test_a_disconnect_before_the_fourth_symbol_annuls_and_later_forfeits(
    variant: str, moves: tuple[str, ...], half_moves: int
) -> None:
    """PRO's automatic symbol and those of an opening are counted, the choice of sides is not."""
    match = Opened(chess_clock(3), variant=variant)
    match.play(*moves)
    assert match.state.half_moves == half_moves
    gone = 1 - demands(match.state)[0].seat
    since_ms = match.state.at_ms + 1
    match.game.after(match.state.created.terms.grace_ms + 1)
    events = match.game.hears(ReportAbsent(gone, since_ms)).events
    if half_moves < 4:
        assert MatchCancelled("annulled") in events
    else:
        ended = next(event for event in events if isinstance(event, GameEnded))
        assert (ended.winner, ended.kind, ended.cause) == (1 - gone, "forfeit", "absent")


@pytest.mark.parametrize("side", ["circles", "crosses"])
def test_the_result_names_the_seat_that_owns_the_symbol(side: str) -> None:
    match = Opened(chess_clock(3), variant="swap")
    match.play(*OPENING, side, "o1", "i8", "o3", "j8", "o5", "k8", "o7", "l8")
    circles = 1 - match.first if side == "circles" else match.first
    ended = next(event for event in match.game.commits[-1].events if isinstance(event, GameEnded))
    assert (ended.winner, ended.kind, ended.cause) == (circles, "five in a row", "played")
