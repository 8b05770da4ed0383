"""The commands of a match, imperative. What a player may send, and what only a service may."""

from typing import Any

import msgspec

from shared.events.match import Pinned, Seat, Terms
from shared.events.rated import Rated
from shared.events.staked import Staked


class CreateMatch(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="create_match"):
    """From the lobby: a full table becomes a match. The rest is as in ``MatchCreated``."""

    rules: str
    rules_version: int
    seats: tuple[Seat, ...]
    terms: Terms
    options: dict[str, Any] = {}
    chance: str = "committed"
    table: str = ""
    games: tuple[Pinned, ...] = ()
    rated: Rated | None = None
    staked: Staked | None = None


class Ready(msgspec.Struct, frozen=True, omit_defaults=True, tag="ready"):
    """I am ready; ``hash`` (hex SHA-256 of 32 bytes) commits me to luck of my own."""

    hash: str = ""


class Reveal(msgspec.Struct, frozen=True, tag="reveal"):
    """The 32 bytes (64 hex digits) behind my hash."""

    string: str


class Roll(msgspec.Struct, frozen=True, omit_defaults=True, tag="roll"):
    """Roll the dice. ``dice`` may be given only in a recorded match."""

    dice: tuple[int, ...] = ()


class Play(msgspec.Struct, frozen=True, tag="play"):
    """Play ``move``, in any notation that the rules read."""

    move: str


class Double(msgspec.Struct, frozen=True, tag="double"):
    """Offer to turn the cube."""


class Take(msgspec.Struct, frozen=True, tag="take"):
    """Take the offered double."""


class Pass(msgspec.Struct, frozen=True, tag="pass"):
    """Give the game up rather than play at the offered value (a double, or a beaver)."""


class Beaver(msgspec.Struct, frozen=True, tag="beaver"):
    """Take, and turn the cube once more at once."""


class AcceptBeaver(msgspec.Struct, frozen=True, tag="accept_beaver"):
    """Play on at the beaver's value."""


class Resign(msgspec.Struct, frozen=True, omit_defaults=True, tag="resign"):
    """Offer to resign; ``confirm`` is needed where it would cost a gammon.

    ``worth`` (1, 2 or 3, before the cube) may be given only in a recorded match.
    """

    confirm: bool = False
    worth: int | None = None


class AcceptResignation(msgspec.Struct, frozen=True, tag="accept_resignation"):
    """Accept the opponent's resignation."""


class DeclineResignation(msgspec.Struct, frozen=True, tag="decline_resignation"):
    """Decline it and play on."""


class OfferDraw(msgspec.Struct, frozen=True, tag="offer_draw"):
    """Offer a draw; it stands until the opponent answers or moves."""


class AcceptDraw(msgspec.Struct, frozen=True, tag="accept_draw"):
    """Accept the draw that the opponent offers."""


class DeclineDraw(msgspec.Struct, frozen=True, tag="decline_draw"):
    """Decline it."""


class ClaimDraw(msgspec.Struct, frozen=True, omit_defaults=True, tag="claim_draw"):
    """Claim a draw that the rules give on demand; with ``move``, one that this move would bring about."""

    move: str = ""


class Next(msgspec.Struct, frozen=True, tag="next"):
    """I have seen the interim score; on to the next game."""


class SetAutoRoll(msgspec.Struct, frozen=True, tag="set_auto_roll"):
    """Switch automatic rolling."""

    on: bool


class AutoFinish(msgspec.Struct, frozen=True, tag="auto_finish"):
    """Roll and play for me to the end of this game; the checkers can no longer meet."""


class AskTime(msgspec.Struct, frozen=True, tag="ask_time"):
    """Add two minutes to my present move; once a game (B4)."""


class OfferExtension(msgspec.Struct, frozen=True, tag="offer_extension"):
    """Offer five minutes more to both (B7)."""


class AcceptExtension(msgspec.Struct, frozen=True, tag="accept_extension"):
    """Accept the five minutes that the opponent offers."""


class Kick(msgspec.Struct, frozen=True, tag="kick"):
    """Throw the opponent out: his clock stands at 0:00 (S13)."""


class ClaimFlag(msgspec.Struct, frozen=True, tag="claim_flag"):
    """From the clock service: a deadline of this match has passed; judge by the stamped times."""


class ReportAbsent(msgspec.Struct, frozen=True, tag="report_absent"):
    """From the clock service: the player of ``seat`` has been away since ``since_ms``."""

    seat: int
    since_ms: int


class ReportPresent(msgspec.Struct, frozen=True, tag="report_present"):
    """From the clock service: the player of ``seat`` is here again."""

    seat: int


class Leave(msgspec.Struct, frozen=True, tag="leave"):
    """Quit: the game ends at once at the worst result still possible; between games, the match ends."""


PlayerCommand = (
    Ready
    | Reveal
    | Roll
    | Play
    | Double
    | Take
    | Pass
    | Beaver
    | AcceptBeaver
    | Resign
    | AcceptResignation
    | DeclineResignation
    | OfferDraw
    | AcceptDraw
    | DeclineDraw
    | ClaimDraw
    | Next
    | SetAutoRoll
    | AutoFinish
    | AskTime
    | OfferExtension
    | AcceptExtension
    | Kick
    | Leave
)
ClockCommand = ClaimFlag | ReportAbsent | ReportPresent
MatchCommand = PlayerCommand | CreateMatch | ClockCommand
