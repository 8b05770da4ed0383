"""Battleship: secret placements sealed by a hash, alternate shots, a fleet to sink (§7)."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec

from shared.chance import Dice
from shared.clocks import MOVE
from shared.events.match import Level
from shared.problems import Refused
from shared.rules.battleship import telling
from shared.rules.battleship.board import CELLS, NAMES, ROWS, SIZE, Fleet, Ship
from shared.rules.battleship.fleets import (
    FLEETS,
    NONCE_BYTES,
    commitment,
    fleet_of,
    fleet_text,
    ships_in,
    suggestions,
    why_not,
)
from shared.rules.battleship.reading import is_cell, placed, shot
from shared.rules.options import Option, check, schema
from shared.rules.protocol import TABLE, Chance, Over, Players, Pool, Result, Traits, Waiting

_OFFERED: Final = (
    Option("fleet", FLEETS, "The lengths of the ships."),
    Option("extra_shot_on_hit", (False, True), "Whether who hits, or sinks, shoots again at once."),
)
_BYTE: Final = 256
_NONCES: Final = Chance(Dice(count=2 * NONCE_BYTES, sides=_BYTE))


class Told(NamedTuple):
    """What the shots at one fleet have shown: cells missed, cells hit of ships afloat, ships sunk."""

    misses: list[int]
    hits: list[int]
    sunk: list[Ship]


class State(msgspec.Struct, frozen=True, kw_only=True):
    """Tuples are by seat. ``shots`` are those that a seat has fired, in their order.

    ``nonces`` (32 bytes in hex) and ``fleets`` are each seat's own secret, "" and () until there are any;
    ``commitments`` are all that the others see of them. ``opened``: the game has ended without the rules (a
    seat gave up), and nothing is secret any more.
    """

    first: int
    lengths: tuple[int, ...]
    extra_shot: bool
    turn: int
    nonces: tuple[str, str] = ("", "")
    fleets: tuple[Fleet, Fleet] = ((), ())
    commitments: tuple[str, str] = ("", "")
    shots: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    result: Result | None = None
    opened: bool = False

    @property
    def placing(self) -> tuple[int, ...]:
        """The seats that have not placed their fleets."""
        return tuple(seat for seat in (0, 1) if not self.fleets[seat])

    def told(self, seat: int) -> Told:
        """What is known to all of the fleet of ``seat``."""
        fired = self.shots[1 - seat]
        afloat, sunk = set[int](), list[Ship]()
        for ship in self.fleets[seat]:
            if set(ship) <= set(fired):
                sunk.append(ship)
            else:
                afloat.update(ship)
        gone = {cell for ship in sunk for cell in ship}
        hits = [cell for cell in fired if cell in afloat]
        return Told([cell for cell in fired if cell not in afloat | gone], hits, sunk)


class Battleship:
    """Rules (see ``shared.rules.protocol``). A move is a placement, ``a1-a4 c1-c3 …``, then a shot, ``b7``.

    At the start 32 bytes are drawn for each seat, its nonce, which it alone sees. With the placement it makes
    the commitment (``fleets.commitment``) that everybody sees at once. At the end nonces and fleets are
    shown, so anyone can see that no ship has moved; and the placements that ``legal`` suggests come from the
    nonce, so that nobody else can guess them.
    """

    name: str = "battleship"
    title: str = "Battleship"
    version: int = 1
    seats: tuple[int, int] = (2, 2)
    traits: Traits = Traits(
        clocks=(MOVE,),
        level=Level.UNTHINKING,  # the house's own bot shoots at random
        begins="",
        pool=Pool(system=TABLE, newcomer=30),
    )

    def options(self) -> dict[str, Any]:
        """``fleet`` and ``extra_shot_on_hit``."""
        return schema(_OFFERED)

    def offers(self, options: Mapping[str, Any]) -> Traits:
        """The same under all options."""
        self.setup(2, options, 0)
        return self.traits

    def setup(self, seats: int, options: Mapping[str, Any], first: int | None) -> State:
        """Two empty boards; ``first`` shoots first."""
        check(self.name, _OFFERED, options)
        if seats != 2:  # noqa: PLR2004 - two fleets
            raise Refused("invalid_options", f"{self.name} is played by two, not by {seats}.")
        if first not in (0, 1):
            raise Refused("invalid_options", f"There is no seat {first} to shoot first.")
        fleet, extra_shot = (options.get(option.name, option.values[0]) for option in _OFFERED)
        lengths = tuple(int(length) for length in fleet.split(","))
        return State(first=first, lengths=lengths, extra_shot=extra_shot, turn=first)

    def waiting(self, state: State) -> Waiting:
        """The nonces, then all who have not placed, then who shoots, or the end."""
        if state.result is not None:
            return Over(state.result)
        if not state.nonces[0]:
            return _NONCES
        placing = state.placing
        return Players(placing, suggested=True) if placing else Players((state.turn,))

    def legal(self, state: State, seat: int) -> tuple[str, ...]:
        """All cells that the seat to shoot has not shot at; to place, a few suggestions of its own."""
        waiting = self.waiting(state)
        if not isinstance(waiting, Players) or seat not in waiting.seats:
            return ()
        if waiting.suggested:
            return suggestions(state.nonces[seat], state.lengths)
        fired = set(state.shots[seat])
        return tuple(name for cell, name in enumerate(NAMES) if cell not in fired)

    def read(self, state: State, seat: int, text: str) -> str:
        """The placement, or the shot, that ``text`` means; see ``reading``."""
        waiting = self.waiting(state)
        if not isinstance(waiting, Players) or seat not in waiting.seats:
            why = "Your fleet is placed." if state.fleets[seat] else ""
            raise Refused("illegal_move", f"{why} There is nothing to do for this seat now.".strip())
        if waiting.suggested:
            if is_cell(text):
                raise Refused("illegal_move", "Nobody shoots yet: place your whole fleet first.")
            fleet = ships_in(placed(text))
            if wrong := why_not(fleet, state.lengths):
                raise Refused("illegal_move", wrong)
            return fleet_text(fleet)
        cell = shot(text)
        if CELLS[cell] in state.shots[seat]:
            raise Refused("illegal_move", f"You have shot at {cell} before.")
        return cell

    def write(self, state: State, seat: int, move: str, viewer: int | None) -> str:
        """A shot with its answer, ``b7 hit``; of a placement the others learn only that it was made."""
        if state.placing:
            return move if viewer == seat else "a fleet"
        return f"{move} {_answer(self.play(state, seat, move), seat)}"

    def play(self, state: State, seat: int, move: str) -> State:
        """The fleet placed and sealed; or the cell shot at, and the turn passed where that is so."""
        if state.placing:
            fleet = fleet_of(ships_in(placed(move)))
            return msgspec.structs.replace(
                state,
                fleets=_with(state.fleets, seat, fleet),
                commitments=_with(state.commitments, seat, commitment(state.nonces[seat], move)),
            )
        cell = CELLS[move]
        shots = _with(state.shots, seat, (*state.shots[seat], cell))
        theirs = {target for ship in state.fleets[1 - seat] for target in ship}
        return msgspec.structs.replace(
            state,
            shots=shots,
            turn=seat if state.extra_shot and cell in theirs else 1 - seat,
            result=Result.win(seat, "fleet sunk") if theirs <= set(shots[seat]) else None,
        )

    def half_moves(self, state: State, move: str) -> int:  # noqa: ARG002 - one shot is as good as another
        """One for a shot, none for a placement (§0.6)."""
        return 0 if state.placing else 1

    def claim(self, state: State, seat: int, move: str) -> Result | None:  # noqa: ARG002 - as below
        """Nothing: there are no draws."""
        return None

    def settle(self, state: State, drawn: tuple[int, ...]) -> State:
        """The nonces: 32 bytes for seat 0, then as many for seat 1."""
        held = bytes(value - 1 for value in drawn)
        return msgspec.structs.replace(state, nonces=(held[:NONCE_BYTES].hex(), held[NONCE_BYTES:].hex()))

    def forfeit(self, state: State, seat: int, cause: str) -> Result:  # noqa: ARG002 - the price is always the same
        """A lost game, whatever the cause."""
        return Result.win(1 - seat, "forfeit")

    def view(self, state: State, seat: int | None) -> dict[str, Any]:
        """Both boards as the shots have shown them; ``ships`` and ``nonces``: the own, at the end both.

        Lists of two are by seat, and what lies on a board is told by the seat whose board it is. ``hits`` are
        those of ships that are afloat.
        """
        over = state.opened or state.result is not None
        seen = [over or seat == owner for owner in (0, 1)]
        told = [state.told(owner) for owner in (0, 1)]
        phase = "over" if over else "placing" if state.placing else "shooting"
        return {
            "phase": phase,
            "fleet": list(state.lengths),
            "placed": [bool(fleet) for fleet in state.fleets],
            "commitments": [sealed or None for sealed in state.commitments],
            "nonces": [(state.nonces[owner] or None) if seen[owner] else None for owner in (0, 1)],
            "ships": [_named(state.fleets[owner]) if seen[owner] else None for owner in (0, 1)],
            "misses": [[NAMES[cell] for cell in one.misses] for one in told],
            "hits": [[NAMES[cell] for cell in one.hits] for one in told],
            "sunk": [_named(one.sunk) for one in told],
            "turn": state.turn if phase == "shooting" else None,
        }

    def position(self, state: State) -> str:
        """By seat the commitment and the board as shots have shown it, then who is to shoot; ``-`` for none.

        A board is its rows from a to j as in FEN: ``o`` missed, ``x`` hit, ``s`` sunk, else how many cells
        are unknown.
        """
        one, other = (f"{state.commitments[seat] or '-'} {_rows(state.told(seat))}" for seat in (0, 1))
        shooting = state.result is None and not state.placing
        return f"{one} {other} {state.turn if shooting else '-'}"

    def finishing_move(self, state: State, seat: int) -> str | None:  # noqa: ARG002 - as above
        """None: each shot is a decision to the end."""
        return None

    def revealed(self, state: State) -> State:
        """See ``Revealing``: both fleets and nonces are for all to see."""
        return msgspec.structs.replace(state, opened=True)

    def tell(self, state: State, seat: int, move: str, viewer: int | None) -> str:
        """See ``Telling``."""
        return telling.tell(self.write(state, seat, move, viewer), placed=not state.placing)

    def tell_draw(self, drawn: tuple[int, ...], *, opening: bool) -> str:
        """See ``Telling``."""
        del drawn, opening
        return ""  # the nonces mean nothing to a person


def _answer(after: State, seat: int) -> str:
    """What the last shot of ``seat`` was."""
    cell, told = after.shots[seat][-1], after.told(1 - seat)
    if cell in told.misses:
        return "miss"
    return "hit" if cell in told.hits else "sunk"


def _named(ships: Fleet | list[Ship]) -> list[list[str]]:
    return [[NAMES[cell] for cell in ship] for ship in ships]


def _rows(told: Told) -> str:
    signs = dict.fromkeys(told.misses, "o") | dict.fromkeys(told.hits, "x")
    signs |= {cell: "s" for ship in told.sunk for cell in ship}
    rows: list[str] = []
    for row in range(len(ROWS)):
        text, unknown = "", 0
        for column in range(SIZE):
            sign = signs.get(row * SIZE + column)
            if sign is None:
                unknown += 1
                continue
            text, unknown = f"{text}{unknown or ''}{sign}", 0
        rows.append(f"{text}{unknown or ''}")
    return "/".join(rows)


def _with(values: tuple[Any, Any], seat: int, value: Any) -> tuple[Any, Any]:
    return (value, values[1]) if seat == 0 else (values[0], value)


RULES: Final = Battleship()
