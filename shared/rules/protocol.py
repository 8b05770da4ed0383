"""What a game must answer. Rules are pure: no I/O, no clock, no randomness; a new state comes out.

A move is canonical text: what ``legal`` lists, the log stores and ``play`` applies. ``read`` turns what
people and programs write into it, ``write`` turns it into the field's notation.
"""

from collections.abc import Mapping
from typing import Any, Final, Generic, Protocol, TypeVar, runtime_checkable

import msgspec

from shared.chance import Draw
from shared.clocks import KINDS as CLOCK_KINDS
from shared.events.match import Level

PASS: Final = "pass"  # noqa: S105 - the only legal move of a seat that cannot move; the server plays it


BETWEEN_TWO: Final = 2
"""So many seats have what is a matter between two, and that exactly.

The cube, consent to a resignation, draws by agreement or claim and throwing out have one who asks and one
who answers: a match with more seats has none of them (``shared.series.impossible``). Between two, too, who
has won says all places.
"""

KINDS: Final = {1: "single", 2: "gammon", 3: "backgammon"}
"""What a win between two is called by its worth, where there is a cube."""


class Players(msgspec.Struct, frozen=True):
    """These seats must move; several of them at the same time where choices are simultaneous.

    ``suggested``: there are more legal moves than anybody could list (a placement of a whole fleet), or
    to find them is the game. Then ``legal`` holds a few of them, no fixed ones and not guessable by the
    others where the choice is secret; ``read`` takes any that is legal.
    """

    seats: tuple[int, ...]
    suggested: bool = False


class Chance(msgspec.Struct, frozen=True):
    """Something must be drawn. ``seat`` is whose roll it is, None when nature draws unasked.

    ``cube_rests``: this roll may not be preceded by a double.
    """

    draw: Draw
    seat: int | None = None
    cube_rests: bool = False


class Result(msgspec.Struct, frozen=True):
    """How a game ended: ``places`` by seat (1 is first; a draw is all ones), what kind, what it is worth.

    ``points`` is the worth before any cube: 1 single, 2 gammon, 3 backgammon; 0 for a draw.
    """

    places: tuple[int, ...]
    kind: str
    points: int

    @classmethod
    def won_by(cls, seat: int, points: int) -> "Result":
        """A game between two that ``seat`` has won with 1, 2 or 3 ``points``."""
        return cls(places=(1, 2) if seat == 0 else (2, 1), kind=KINDS[points], points=points)

    @classmethod
    def win(cls, seat: int, kind: str) -> "Result":
        """A game between two that ``seat`` has won, worth 1; ``kind`` says how (``checkmate``)."""
        return cls(places=(1, 2) if seat == 0 else (2, 1), kind=kind, points=1)

    @classmethod
    def drawn(cls, seats: int = 2, kind: str = "draw") -> "Result":
        """A game that nobody has won; ``kind`` says why, where there are several reasons (``repetition``)."""
        return cls(places=(1,) * seats, kind=kind, points=0)

    @classmethod
    def lost_by(cls, losers: tuple[int, ...], seats: int) -> "Result":
        """A game that ``losers`` have given up together: they share the last place, the others the first."""
        others = seats - len(losers)
        places = tuple(others + 1 if seat in losers else 1 for seat in range(seats))
        return cls(places=places, kind="forfeit", points=int(others == 1))

    @property
    def winner(self) -> int | None:
        """The seat that alone is first, or None for a draw."""
        return self.places.index(1) if self.places.count(1) == 1 else None


class Over(msgspec.Struct, frozen=True):
    """The game has ended."""

    result: Result


Waiting = Players | Chance | Over


TABLE: Final = "table"
FIBS: Final = "fibs"


class Pool(msgspec.Struct, frozen=True, kw_only=True):
    """How results in a game are rated (boardgames §0.1); ``registry.SHARING`` says where.

    ``system`` is ``table``
    (the house's table, for single games), ``fibs`` (the formula of FIBS, for matches to points), or "" where
    there is experience only. ``newcomer``: for so many games every change is halved (B14).
    """

    system: str = ""
    newcomer: int = 0


class Traits(msgspec.Struct, frozen=True, kw_only=True):
    """What the match may offer with a game.

    ``cube``: doubling. ``gammons``: a win may be worth more than a single one. ``consent``: a resignation
    must be accepted (else it ends the game at once). ``matches``: it may be played to a number of points.
    ``rolled_start``: who is first is rolled for; ``unasked``: everything is drawn unasked, so that nobody
    rolls. ``open``: everybody may see everything, so one picture of
    the board serves all viewers. ``clocks`` are the kinds of clock that suit it, ``minutes`` those of its
    chess clock: fast, normal, slow (B5). ``level`` is how well the computer plays at tables that do
    not say. ``draws``: a draw may be offered and agreed on. ``begins`` is the
    colour of who moves first, "" where the sides are not white and black. ``listed``: players are shown
    their legal moves; not where finding one is the game (a word): there nobody is ever forced to pass, all
    moves are ``suggested``, and those that ``legal`` holds need no search. ``exports`` are the
    forms besides NDJSON that its games can be written in (``shared.export``), each with the word by which
    that form knows this game; "" where it needs none. ``pool`` says how results are rated.
    """

    cube: bool = False
    gammons: bool = False
    consent: bool = False
    matches: bool = False
    rolled_start: bool = False
    unasked: bool = False
    open: bool = False
    clocks: tuple[str, ...] = CLOCK_KINDS
    minutes: tuple[int, ...] = ()
    level: Level = Level.UNSAID
    draws: bool = False
    begins: str = "white"
    listed: bool = True
    exports: Mapping[str, str] = {}
    pool: Pool = Pool()


S = TypeVar("S")


class Rules(Protocol, Generic[S]):
    """One game at one version of its rules. ``name`` and ``version`` are pinned in every match's log.

    ``title`` is what players call it. States are frozen msgspec values.

    Contract (``tests/rules/test_contract.py`` runs it over the registry): ``waiting`` names seats exactly
    when each of them has a legal move (``PASS`` alone if it cannot move); every legal move reads back as
    itself; any other text is read as a legal move or refused, and raises nothing else; ``play`` trusts a
    canonical move and never raises on a legal one; a draw outside its range never reaches ``settle``; two
    states that differ only in what a seat may not know give that seat equal views. ``traits`` is what the
    game is offered with at most, ``offers`` what it is offered with under a table's options: never more.
    """

    name: str
    title: str
    version: int
    seats: tuple[int, int]
    traits: Traits

    def options(self) -> dict[str, Any]:
        """The JSON schema (object, with ``default`` and ``description`` each) of this game's own options."""
        ...

    def offers(self, options: Mapping[str, Any]) -> Traits:
        """What the match may offer with this game under these options; for none, what most tables want.

        Raises ``Refused("invalid_options")``.
        """
        ...

    def setup(self, seats: int, options: Mapping[str, Any], first: int | None) -> S:
        """The state at the start; ``first`` moves first, None where that is rolled for.

        Raises ``Refused("invalid_options")``.
        """
        ...

    def waiting(self, state: S) -> Waiting:
        """Who or what the game waits for."""
        ...

    def legal(self, state: S, seat: int) -> tuple[str, ...]:
        """All legal moves of ``seat``, one canonical text for each distinct result; empty if not to move.

        All that are offered: never what a move against the rules costs (``Punishing``).

        A few of them where ``waiting`` says that they are ``suggested``.
        """
        ...

    def read(self, state: S, seat: int, text: str) -> str:
        """The canonical move that ``text`` means: one that is legal, as ``legal`` writes it.

        Where moves are ``suggested`` it may be one that is not listed; so may a punishment (``Punishing``).
        Only where a move has several steps, as in nardy, do they keep the order in which they are written,
        and the last may be missing where the game is over without it.
        Raises ``Refused("unreadable_move")`` or ``Refused("illegal_move")`` with a sentence that says why
        (``Judging``: or with a code of its own, where what judges is not here).
        """
        ...

    def write(self, state: S, seat: int, move: str, viewer: int | None) -> str:
        """A canonical move of ``seat`` in the field's notation, as far as ``viewer`` may know it.

        ``state`` is the one that the move was made in. For the mover himself it reads back as the move.
        """
        ...

    def play(self, state: S, seat: int, move: str) -> S:
        """The state after a canonical legal move (or ``PASS``); of these two alone, for ever (ADR 0015)."""
        ...

    def half_moves(self, state: S, move: str) -> int:
        """How many half-moves ``move``, made in ``state``, counts as (B13): mostly 1, a choice of sides 0."""
        ...

    def claim(self, state: S, seat: int, move: str) -> Result | None:
        """The draw that ``seat``, to move, may claim now, or with the legal ``move`` that it announces.

        None where there is nothing to claim.
        """
        ...

    def settle(self, state: S, drawn: tuple[int, ...]) -> S:
        """The state after a draw."""
        ...

    def forfeit(self, state: S, seat: int, cause: str) -> Result:
        """What it costs when ``seat`` gives up: ``resigned`` (by consent or not), ``left``, ``flag``."""
        ...

    def view(self, state: S, seat: int | None) -> dict[str, Any]:
        """The position as plain data for ``seat``, or for a spectator (None); never more than he may know."""
        ...

    def position(self, state: S) -> str:
        """The public position in the game's standard text form (a position id, FEN …), or ``""``."""
        ...

    def finishing_move(self, state: S, seat: int) -> str | None:
        """The move that auto-finish plays for ``seat``; None where the players can still interfere.

        While dice are still to be rolled any text (not None) says that auto-finish is possible.
        """
        ...


def must_pass(rules: Rules[S], state: S, seat: int) -> bool:
    """Whether ``PASS`` is all that ``seat``, to move, can do: the server plays it."""
    return rules.traits.listed and rules.legal(state, seat) == (PASS,)


def seats_text(rules: Rules[Any]) -> str:
    """How many may sit, in words: ``2 to 5 players``."""
    least, most = rules.seats
    return f"{least} players" if least == most else f"{least} to {most} players"


@runtime_checkable
class Punishing(Protocol):
    """A game in which a move against the rules may be punished instead of refused (boardgames §8).

    Then ``read`` makes ``punishment`` of it: a move that the log knows and ``legal`` never offers. It reads
    back as itself where the seat could make such a wrong move, and there only.
    """

    punishment: str


@runtime_checkable
class Partitioned(Protocol):
    """A game whose pieces (cards, tiles) are always all somewhere, and each once."""

    def whole(self, state: Any) -> bool:
        """Whether they are. The verifier asks after every event, and ``state`` may be any that rules make."""
        ...


@runtime_checkable
class Departing(Protocol):
    """A game of several in which the others play on when one gives up (boardgames §0.6)."""

    def depart(self, state: Any, seat: int) -> Any:
        """``state`` after ``seat`` has given up; ``waiting`` says how it goes on, or that it is over."""
        ...

    def plays(self, state: Any, seat: int) -> bool:
        """Whether ``seat`` still takes part: it has not given up, nor got its place before."""
        ...


@runtime_checkable
class Judging(Protocol):
    """A game that judges moves by something that may not be here, as by a list of words (ADR 0015).

    Only ``read`` needs it: what it said stands in the move, so a log is followed without it.
    """

    def missing(self, state: Any, move: str) -> str | None:
        """What the canonical ``move`` is judged by, where that is not here; None where it can be judged."""
        ...

    def believed(self, state: Any, seat: int, text: str) -> str:
        """As ``read``, but whatever only the missing could say is believed."""
        ...


@runtime_checkable
class Revealing(Protocol):
    """A game whose secrets are shown when it is over, however it ended: given up, timed out, annulled."""

    def revealed(self, state: Any) -> Any:
        """``state`` as it is seen from then on: ``view`` of it hides from nobody what shall be shown."""
        ...


@runtime_checkable
class Telling(Protocol):
    """A game that tells a viewer in sentences what its notation would not: cards, fleets, words.

    Only such a game says what chance has decided where not everything is open.
    """

    def tell(self, state: Any, seat: int, move: str, viewer: int | None) -> str:
        """What ``seat`` did with the canonical ``move``, to follow "Seat 1 ": ``played the ace of bells``.

        ``state`` is the one that the move was made in. It tells ``viewer`` (None: a spectator) nothing that
        ``write`` and ``view`` hide from him.
        """
        ...

    def tell_draw(self, drawn: tuple[int, ...], *, opening: bool) -> str:
        """A sentence on what was drawn, nothing of it that is secret; "" where nobody wants to know.

        ``opening``: before the first move of a game.
        """
        ...
