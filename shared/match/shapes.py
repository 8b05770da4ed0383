"""The shapes of a view: what a client gets of a match, field by field. ``views`` fills them."""

from collections.abc import Mapping
from typing import Any

import msgspec

from shared.events.rated import Rated
from shared.events.staked import Staked
from shared.match.deciding import Demand
from shared.match.state import GameRecord
from shared.wire.lobby import TermsView


class SeatView(msgspec.Struct, frozen=True, kw_only=True):
    """One seat as everybody sees it. ``colour`` is ``white`` or ``black``, through the whole match.

    Who began game 1 has the colour that begins in it: black in reversi and abalone, else white. It is None
    until that is known, and in games of circles and crosses (``board`` says who has which).

    ``kicked`` and ``ghost`` say that the computer, or a ghost, plays it in the game in hand; ``out`` that the
    others play that on without it: it has given up, or has its place. Nobody is told where such a player is.
    ``presence`` is here, away (since ``since_ms``), unknown, or who plays instead: ghost, computer. It is
    that of the moment at which the view was made; a frame ``presence`` says what changes between two views.
    ``level`` is how well our computer plays where it was seated (``bot``): 1, 2 or 3, else None.
    """

    player: str
    bot: bool
    ready: bool
    next: bool
    kicked: bool
    ghost: bool
    out: bool
    presence: str
    since_ms: int | None
    auto_roll: bool
    auto_finish: bool
    score: int
    colour: str | None
    level: int | None = None


class CubeView(msgspec.Struct, frozen=True, kw_only=True):
    """The multiplier as shown on the bar (S16): 32 means 32 times the winning points."""

    value: int
    owner: int | None
    offered: int | None
    by: int | None
    beavered: bool


class OfferView(msgspec.Struct, frozen=True):
    """A resignation that waits for its answer, with what it costs in points (cube included)."""

    seat: int
    worth: int
    points: int


class ClockView(msgspec.Struct, frozen=True, kw_only=True):
    """The clocks, in exact milliseconds and as shown under the names (B6).

    ``left_ms`` is what each seat had when its clock was last stopped; ``running`` pays since ``since_ms`` and
    stands at 0:00 at ``deadline_ms``. ``flagged`` stands at 0:00 and may be thrown out; ``extension`` is the
    seat that offers both five minutes more.
    """

    kind: str
    left_ms: tuple[int, ...]
    shown_s: tuple[int, ...]
    running: int | None
    since_ms: int | None
    deadline_ms: int | None
    answering: bool
    flagged: int | None
    extension: int | None


class UntilView(msgspec.Struct, frozen=True):
    """What runs out next: ``kind`` is ``flag`` (the running clock), or one of ``choose ready reveal next``.

    At ``at_ms`` the clock stands at 0:00, or the time is over in which several ``choose`` at once (the
    viewer's own, where he has yet to choose, else the earliest); for the other three an answer at exactly
    ``at_ms`` is still good.
    """

    kind: str
    at_ms: int


class LastView(msgspec.Struct, frozen=True):
    """What the newest commit did, in words and as the kinds of its events.

    ``seat`` and ``move`` are the newest move that was played, by this commit or by one before it; ``by`` says
    who made it: player, ghost (for his absent player) or computer (a bot, or after a kick).
    """

    words: str
    events: tuple[str, ...]
    seat: int | None
    move: str | None
    by: str | None


class ResultView(msgspec.Struct, frozen=True):
    """How the match ended; ``winner`` is None where nobody won.

    ``places`` by seat (1 is first; equal ones are shared) where more than two played a single game.
    """

    winner: int | None
    score: tuple[int, ...]
    cause: str
    places: tuple[int, ...] = ()


class NextGame(msgspec.Struct, frozen=True):
    """The game that begins when every seat has pressed Next; ``first`` None: it is rolled for."""

    game: int
    rules: str
    first: int | None
    crawford: bool


class SeriesView(msgspec.Struct, frozen=True):
    """The series that is played: its ``games`` in order, and ``tie``, played while the score is level."""

    name: str
    games: tuple[str, ...]
    tie: str


class FairnessView(msgspec.Struct, frozen=True):
    """What anyone needs to recompute the draws; ``secret`` is empty until the match is over."""

    chance: str
    secret_hash: str
    hashes: tuple[str, ...]
    strings: tuple[str, ...]
    secret: str
    draws: int


class MatchView(msgspec.Struct, frozen=True, kw_only=True):
    """A match for one viewer (``seat`` None: a spectator), at commit ``n``.

    ``decision`` is the n that opened the viewer's present decision: a command made against any commit
    from there to ``n`` is current. ``decide`` says who must answer and how; ``may`` all that the viewer
    may send now. ``legal`` holds the viewer's legal moves and ``legal_count`` their number; above 100,
    ``legal`` is None: ask ``GET /matches/{id}/legal``. ``suggested``: these are only a few of them, for
    there are too many to list (a whole fleet); any that the rules allow may be sent.
    ``listed`` is false where finding a move is the game (words): then ``legal`` is None and ``legal_count`` 0
    although the seat may move. Moves are written by hand, and ``dry_run`` of a command tries one.
    ``phase`` is ``gathering`` (seats get ready), ``revealing`` (they show their strings), ``playing``,
    ``between`` (every seat must press Next), ``over``.
    ``until`` is when the present waiting ends, with or without a clock; None where all may take their time.
    ``rules`` are those of the game in hand; ``series`` is None but in a series of different games.
    ``terms`` were agreed on for the match. ``options`` are the rules' own of the game in hand, every one with
    its value: ``GET /games`` says what they mean.
    ``draw_offer`` is the seat that offers a draw.
    ``rated`` are the ratings before the match and what it can change, ``staked`` what is played for, both as
    agreed before the first move and settled exactly so; null where nothing is rated, or staked.
    ``board`` is the rules' own: its fields differ from game to game.
    ``diagram`` is the finished games in their order, ``following`` the next one while it is waited for (N12).
    """

    match: str
    n: int
    seat: int | None
    decision: int | None
    at_ms: int
    rules: str
    rules_version: int
    target: int | None
    series: SeriesView | None
    terms: TermsView
    options: Mapping[str, Any]
    phase: str
    game: int
    first: int | None
    crawford: bool
    seats: tuple[SeatView, ...]
    score: tuple[int, ...]
    cube: CubeView | None
    resignation: OfferView | None
    draw_offer: int | None
    clock: ClockView | None
    until: UntilView | None
    recommend_auto_roll: bool
    decide: tuple[Demand, ...]
    may: tuple[str, ...]
    position: str
    board: dict[str, Any] | None
    legal: tuple[str, ...] | None
    legal_count: int
    suggested: bool
    listed: bool
    last: LastView
    diagram: tuple[GameRecord, ...]
    following: NextGame | None
    result: ResultView | None
    fairness: FairnessView
    rated: Rated | None = None
    staked: Staked | None = None
