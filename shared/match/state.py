"""The state of a match, folded from its log. Nothing here assumes two seats but the cube and consent."""

from collections.abc import Mapping
from enum import Enum
from typing import Any

import msgspec

from shared.clocks import Clocks
from shared.cube import Cube
from shared.events.match import MatchCreated, MatchEvent
from shared.rules.registry import AnyRules


class Phase(Enum):
    """Where a match stands."""

    GATHERING = "gathering"  # waiting for every seat to be ready
    REVEALING = "revealing"  # waiting for the strings that seats committed to
    PLAYING = "playing"
    BETWEEN = "between"  # a game is over; every seat must press Next
    OVER = "over"


class Resignation(msgspec.Struct, frozen=True):
    """A resignation that waits for its answer; ``worth`` is 1, 2 or 3 before the cube."""

    seat: int
    worth: int


class GameRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One finished game of the match, a row of the match diagram (N12); ``rules`` is what was played.

    ``places`` by seat, where more than two played.
    """

    game: int
    rules: str
    first: int | None
    crawford: bool
    cube: int
    winner: int | None
    kind: str
    cause: str
    points: int
    counted: bool
    score: tuple[int, ...]
    places: tuple[int, ...] = ()


class LastMove(msgspec.Struct, frozen=True):
    """The newest move and the position it was made in, to put it into words.

    ``ghost``: a ghost made it for its absent player; ``computer``: for a bot's seat, or after a kick.
    """

    before: Any
    seat: int
    move: str
    ghost: bool = False
    computer: bool = False


class Choice(msgspec.Struct, frozen=True):
    """Several choose at once since ``from_ms``, for instance where their ships lie; nobody's clock runs.

    ``seats`` have not chosen yet. ``until_ms`` is, by seat, when its time to choose is over.
    """

    seats: tuple[int, ...]
    from_ms: int
    until_ms: tuple[int, ...]


class MatchState(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the next command is judged by and every view is made of.

    ``n`` is the newest commit, ``head`` the hash of its stored bytes. Tuples are by seat.
    ``decisions`` holds the n that opened each seat's present decision (or its present waiting), ``switched``
    how often the seat has switched auto-roll since.
    ``draw_offer`` is the seat that offers a draw; ``draw_spent`` who may offer one only after his next move;
    ``moved`` who has made a half-move of his own in this game: before all have, nobody offers a draw.
    ``rules`` are those of the game in hand, to which the match is pinned, and ``position`` is their own
    state; ``options`` are all of theirs with their values, ``has_cube`` says whether it is played with the
    cube, and ``draws`` counts the draws made so far.
    ``clocks`` are those of the game in hand, None where nobody is timed; ``extra_ms`` was agreed on before
    the start; ``extension`` is the seat that offers more time;
    ``choice`` is what several choose at once, in a game with clocks, from its opening to the last answer;
    ``flagged`` stands at 0:00 and may be kicked; ``kicked`` seats are played by the computer to the end of
    the game, ``ghosted`` ones until their player is back (``returning``: at the end of the ghost's turn);
    ``taken_over`` says whose seat was ever so in this game. ``turns`` counts moves and passed turns of the
    match, ``half_moves`` those of this game; ``settled_ms`` is when it had two of every seat, from when on
    nobody's absence annuls it (B13).
    ``began_ms`` is when the game in hand began, ``asked_ms`` when all seats were last asked for something
    (to get ready, to reveal, to press Next). Our outages up to ``returned_ms`` have been given back.
    """

    match: str
    n: int
    head: str
    at_ms: int
    created: MatchCreated
    rules: AnyRules
    options: Mapping[str, Any]
    has_cube: bool
    phase: Phase
    decisions: tuple[int, ...]
    ready: tuple[bool, ...]
    hashes: tuple[str, ...]
    strings: tuple[str, ...]
    auto_roll: tuple[bool, ...]
    auto_finish: tuple[bool, ...]
    next_pressed: tuple[bool, ...]
    switched: tuple[int, ...]
    resign_spent: tuple[bool, ...]
    draw_spent: tuple[bool, ...]
    moved: tuple[bool, ...]
    score: tuple[int, ...]
    game: int = 0
    first: int | None = None
    crawford: bool = False
    crawford_used: bool = False
    position: Any = None
    cube: Cube = Cube()
    resignation: Resignation | None = None
    draw_offer: int | None = None
    draws: int = 0
    games: tuple[GameRecord, ...] = ()
    last_move: LastMove | None = None
    last_events: tuple[MatchEvent, ...] = ()
    clocks: Clocks | None = None
    extra_ms: int = 0
    extension: int | None = None
    choice: Choice | None = None
    flagged: int | None = None
    kicked: tuple[bool, ...] = ()
    ghosted: tuple[bool, ...] = ()
    returning: tuple[bool, ...] = ()
    taken_over: tuple[bool, ...] = ()
    half_moves: int = 0
    turns: int = 0
    settled_ms: int | None = None
    began_ms: int = 0
    asked_ms: int = 0
    returned_ms: int = 0
    winner: int | None = None
    cause: str = ""
    secret: str = ""

    @property
    def seats(self) -> int:
        """How many seats there are."""
        return len(self.created.seats)

    @property
    def recorded(self) -> bool:
        """Whether the dice are given by an importer instead of drawn."""
        return self.created.chance == "recorded"

    @property
    def at_zero(self) -> int | None:
        """The seat whose clock is known to stand at 0:00: its flag was claimed, or it had nothing left."""
        if self.flagged is not None:
            return self.flagged
        if self.phase is not Phase.PLAYING or self.clocks is None or self.clocks.running is None:
            return None
        return None if self.clocks.left_ms[self.clocks.running] else self.clocks.running

    def seat_of(self, player: str) -> int | None:
        """The seat of ``player``, or None."""
        for seat, taken in enumerate(self.created.seats):
            if taken.player == player:
                return seat
        return None

    def opponent(self, seat: int) -> int:
        """The other seat; only for what is between two (``shared.rules.protocol.BETWEEN_TWO``)."""
        return 1 - seat
