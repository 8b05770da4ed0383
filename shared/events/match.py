"""The events of a match. Tags are for ever: a changed meaning is a new tag (``move_played.v2``)."""

from enum import IntEnum
from typing import Any, Final, get_args

import msgspec

from shared.events.rated import Rated
from shared.events.seat import Pinned, Seat
from shared.events.staked import Staked


class Level(IntEnum):
    """How well our computer plays a seat. ``UNSAID`` is stored where nobody has chosen: as ``BEST``."""

    UNSAID = 0
    UNTHINKING = 1
    BY_THUMB = 2
    BEST = 3


class ClockTerms(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The clock of a table, in milliseconds (``shared.clocks`` says what each ``kind`` means).

    ``budget_ms`` is the limit of a move, a game's budget, or the credit at the start; only credit has more.
    """

    kind: str
    budget_ms: int
    bonus_ms: int = 0
    cap_ms: int = 0


class Terms(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the players agreed on at the table, beside the rules' own options.

    ``target`` is the points to play to; None is a single game, 0 an open session (recorded matches only).
    ``series`` names a series of different games instead (``shared.series.SERIES``).
    ``first_move`` is ``alternate`` or ``roll_each_game``. ``cube`` and ``beaver`` switch these on.
    ``jacoby``: a single game's gammon counts only after a double. ``gammons`` off: it always wins single.
    ``clock`` is None where nobody is timed. ``flag`` is what a clock at 0:00 means: ``loss``, or ``kick``,
    the opponent's right to throw the player out (S13). ``absence`` is what follows when a player has been
    away for ``grace_ms``: ``wait``, ``forfeit`` (B12, B13), or ``ghost``, who plays on for him (S7, S18).
    """

    target: int | None = None
    first_move: str = "alternate"
    cube: bool = True
    beaver: bool = False
    clock: ClockTerms | None = None
    flag: str = "loss"
    absence: str = "wait"
    grace_ms: int = 30_000
    series: str = ""
    jacoby: bool = False
    gammons: bool = True


class MatchCreated(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="match_created"):
    """The match exists; its secret is committed to by ``secret_hash`` before anybody gets ready.

    ``chance`` is ``committed`` (drawn from the secret) or ``recorded`` (dice given by the importer; such
    a match is never rated or staked). ``options`` are those of the rules. In a series ``games`` are its games
    in their order, the tie-break last, and ``rules`` is the first of them. ``rated`` is None where the result
    changes no rating, ``staked`` where it is played for nothing. ``tournament`` is the one to which
    it belongs.
    """

    rules: str
    rules_version: int
    seats: tuple[Seat, ...]
    secret_hash: str
    terms: Terms
    options: dict[str, Any] = {}
    chance: str = "committed"
    table: str = ""
    games: tuple[Pinned, ...] = ()
    rated: Rated | None = None
    staked: Staked | None = None
    tournament: str = ""


class SeatReady(msgspec.Struct, frozen=True, omit_defaults=True, tag="seat_ready"):
    """A seat is ready; ``hash`` (hex SHA-256) commits it to 32 bytes of luck of its own."""

    seat: int
    hash: str = ""


class StringRevealed(msgspec.Struct, frozen=True, tag="string_revealed"):
    """A seat opened its commitment; ``string`` is its 32 bytes in hex."""

    seat: int
    string: str


class MatchStarted(msgspec.Struct, frozen=True, tag="match_started"):
    """All seats are ready and have revealed: play begins."""


class GameStarted(msgspec.Struct, frozen=True, omit_defaults=True, tag="game_started"):
    """Game number ``game`` (from 1) begins; ``first`` moves first, None means it is rolled for.

    ``rules`` says what is played, in a series.
    """

    game: int
    first: int | None = None
    crawford: bool = False
    rules: str = ""


class DiceRolled(msgspec.Struct, frozen=True, omit_defaults=True, tag="dice_rolled"):
    """Dice fell for ``seat`` (None: the opening roll, one die per seat). ``draw`` is the draw's index i.

    In a recorded match ``draw`` is absent: the dice were given, not drawn.
    """

    dice: tuple[int, ...]
    seat: int | None = None
    draw: int | None = None


class MovePlayed(msgspec.Struct, frozen=True, omit_defaults=True, tag="move_played"):
    """``seat`` played ``move`` (the rules' canonical text); ``position`` is a checksum where one exists.

    ``auto`` marks a move that the server played for the seat on its wish (auto-finish).
    """

    seat: int
    move: str
    position: str = ""
    auto: bool = False


class TurnPassed(msgspec.Struct, frozen=True, tag="turn_passed"):
    """``seat`` had no legal move and the turn went on by itself."""

    seat: int


class DoubleOffered(msgspec.Struct, frozen=True, omit_defaults=True, tag="double_offered"):
    """``seat`` offers to turn the cube to ``value``.

    Where money depends on it, both have put up what a take needs; ``drop``: the other one could not and can
    only pass.
    """

    seat: int
    value: int
    drop: bool = False


class DoubleTaken(msgspec.Struct, frozen=True, tag="double_taken"):
    """``seat`` took and owns the cube at ``value``."""

    seat: int
    value: int


class DoublePassed(msgspec.Struct, frozen=True, tag="double_passed"):
    """``seat`` gave the game up at the value before the offer it answered."""

    seat: int


class DoubleBeavered(msgspec.Struct, frozen=True, omit_defaults=True, tag="double_beavered"):
    """``seat`` took and turned the cube on to ``value`` at once, keeping it; ``drop`` as in a double."""

    seat: int
    value: int
    drop: bool = False


class BeaverAccepted(msgspec.Struct, frozen=True, tag="beaver_accepted"):
    """The doubler ``seat`` plays on at ``value``."""

    seat: int
    value: int


class Resigned(msgspec.Struct, frozen=True, tag="resigned"):
    """``seat`` gave the game up where no consent is needed."""

    seat: int


class ResignationOffered(msgspec.Struct, frozen=True, tag="resignation_offered.v2"):
    """``seat`` offers to resign; ``worth`` is 1 (single), 2 (gammon) or 3, before the cube."""

    seat: int
    worth: int


class ResignationAccepted(msgspec.Struct, frozen=True, tag="resignation_accepted"):
    """``seat`` accepted the resignation of its opponent."""

    seat: int


class ResignationDeclined(msgspec.Struct, frozen=True, tag="resignation_declined"):
    """``seat`` wants to play on."""

    seat: int


class DrawOffered(msgspec.Struct, frozen=True, tag="draw_offered"):
    """``seat`` offers a draw; it stands until its opponent answers or moves."""

    seat: int


class DrawDeclined(msgspec.Struct, frozen=True, tag="draw_declined"):
    """``seat`` declines the draw on offer."""

    seat: int


class DrawAgreed(msgspec.Struct, frozen=True, tag="draw_agreed"):
    """``seat`` accepts the draw on offer."""

    seat: int


class DrawClaimed(msgspec.Struct, frozen=True, omit_defaults=True, tag="draw_claimed"):
    """``seat`` claims a draw: as the position stands, or with a ``move`` that it announces, not plays."""

    seat: int
    move: str = ""


class AutoRollSet(msgspec.Struct, frozen=True, tag="auto_roll_set"):
    """``seat`` switched automatic rolling ``on`` or off."""

    seat: int
    on: bool


class AutoFinishSet(msgspec.Struct, frozen=True, tag="auto_finish_set"):
    """From here to the end of the game the server rolls and plays for ``seat``, on its wish."""

    seat: int


class ClockCharged(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="clock_charged"):
    """The clock of ``seat`` was stopped: ``used_ms`` were spent, ``left_ms`` are left, bonus included.

    ``turn_ms`` is what the seat has spent in its present turn; 0 when the turn is over.
    """

    seat: int
    used_ms: int
    left_ms: int
    turn_ms: int = 0


class TimeAsked(msgspec.Struct, frozen=True, tag="time_asked"):
    """``seat`` took its one extension of this game (B4): ``ms`` more for the present move."""

    seat: int
    ms: int


class ExtensionOffered(msgspec.Struct, frozen=True, tag="extension_offered"):
    """``seat`` offers to add time to both clocks (B7)."""

    seat: int


class ExtensionAccepted(msgspec.Struct, frozen=True, tag="extension_accepted"):
    """``seat`` accepts: both clocks get ``ms`` more."""

    seat: int
    ms: int


class TimeReturned(msgspec.Struct, frozen=True, kw_only=True, tag="time_returned"):
    """Moves could not be accepted from ``from_ms`` to ``to_ms``: ``ms`` of it are given back.

    They go to the clock that runs, or to the two minutes in which all seats must get ready, reveal, or press
    Next: the deadline is that much later. ``ms`` is
    the part of the outage after the clock was started, and after what was given back before. Commands that
    came during the outage count as arrived at its end. ``reason`` says why: ``outage``.
    """

    ms: int
    from_ms: int
    to_ms: int
    reason: str


class FlagFell(msgspec.Struct, frozen=True, tag="flag_fell"):
    """The clock of ``seat`` stands at 0:00 since ``deadline_ms``; what follows is the match's flag policy."""

    seat: int
    deadline_ms: int


class SeatKicked(msgspec.Struct, frozen=True, tag="seat_kicked"):
    """``seat`` was thrown out of this game by its opponent; the computer plays it to the end (S13)."""

    seat: int


class SeatOut(msgspec.Struct, frozen=True, tag="seat_out"):
    """``seat`` has given up a game that the others may play on; ``cause``: resigned, left, flag, absent."""

    seat: int
    cause: str


class SeatAbsent(msgspec.Struct, frozen=True, tag="seat_absent"):
    """The player of ``seat`` has been away since ``since_ms``, for longer than the table's grace."""

    seat: int
    since_ms: int


class SeatGhosted(msgspec.Struct, frozen=True, tag="seat_ghosted"):
    """A ghost plays ``seat`` until its player comes back, or to the end of the game."""

    seat: int


class SeatReturned(msgspec.Struct, frozen=True, tag="seat_returned"):
    """The player of ``seat`` is back; the ghost hands the seat back between two turns."""

    seat: int


class StartExpired(msgspec.Struct, frozen=True, tag="start_expired"):
    """``seats`` let the two minutes pass in which they had to get ready, or to reveal their strings."""

    seats: tuple[int, ...]


class NextExpired(msgspec.Struct, frozen=True, tag="next_expired"):
    """``seats`` let the two minutes for Next pass (S5)."""

    seats: tuple[int, ...]


class ChoiceExpired(msgspec.Struct, frozen=True, tag="choice_expired"):
    """``seats`` let the time pass in which several had to choose at once (to place a fleet, for instance)."""

    seats: tuple[int, ...]


class GameEnded(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="game_ended"):
    """Game ``game`` is over.

    ``winner`` is None for a draw; ``kind`` is the rules' word (single, gammon, backgammon, draw …);
    ``cause`` how it came about (played, passed, resigned, left); ``points`` what it is worth with the
    cube; ``score`` the match score after it, by seat. ``counted`` is False when the points do not count.
    ``places`` by seat (1 is first, some may be shared) are told where more than two play.
    """

    game: int
    winner: int | None
    kind: str
    cause: str
    points: int
    score: tuple[int, ...]
    counted: bool = True
    places: tuple[int, ...] = ()


class NextPressed(msgspec.Struct, frozen=True, tag="next_pressed"):
    """``seat`` saw the interim score and wants the next game."""

    seat: int


class SeatLeft(msgspec.Struct, frozen=True, tag="seat_left"):
    """``seat`` left on purpose."""

    seat: int


class MatchEnded(msgspec.Struct, frozen=True, kw_only=True, tag="match_ended"):
    """The match is decided; ``cause`` is played (target reached, or the single game is over) or left."""

    winner: int | None
    score: tuple[int, ...]
    cause: str


class MatchCancelled(msgspec.Struct, frozen=True, tag="match_cancelled"):
    """The match ends without a result; ``cause`` says why (left before the start, session closed …)."""

    cause: str


class SecretRevealed(msgspec.Struct, frozen=True, tag="secret_revealed"):
    """The secret behind ``secret_hash``, in hex: from here on anyone can recompute every draw."""

    secret: str


MatchEvent = (
    MatchCreated
    | SeatReady
    | StringRevealed
    | MatchStarted
    | GameStarted
    | DiceRolled
    | MovePlayed
    | TurnPassed
    | DoubleOffered
    | DoubleTaken
    | DoublePassed
    | DoubleBeavered
    | BeaverAccepted
    | Resigned
    | ResignationOffered
    | ResignationAccepted
    | ResignationDeclined
    | DrawOffered
    | DrawDeclined
    | DrawAgreed
    | DrawClaimed
    | AutoRollSet
    | AutoFinishSet
    | ClockCharged
    | TimeAsked
    | TimeReturned
    | ExtensionOffered
    | ExtensionAccepted
    | FlagFell
    | SeatKicked
    | SeatOut
    | SeatAbsent
    | SeatGhosted
    | SeatReturned
    | StartExpired
    | NextExpired
    | ChoiceExpired
    | GameEnded
    | NextPressed
    | SeatLeft
    | MatchEnded
    | MatchCancelled
    | SecretRevealed
)

TAGS: Final[dict[type, str]] = {kind: str(kind.__struct_config__.tag) for kind in get_args(MatchEvent)}
"""The tag under which each kind of event is stored."""
