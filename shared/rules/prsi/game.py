"""Prší: whose turn it is, what may be played, and what it does (§8)."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from shared.chance import Lot, Shuffle
from shared.clocks import MOVE
from shared.problems import Refused
from shared.rules.options import schema
from shared.rules.protocol import TABLE, Chance, Over, Players, Pool, Result, Traits, Waiting
from shared.rules.prsi import telling, turns
from shared.rules.prsi.cards import CARDS, NAMES, PACK, SUITS, SVRSEK, rank_of
from shared.rules.prsi.options import OFFERED, house
from shared.rules.prsi.reading import DRAW, PENALTY, STAND, Written, written
from shared.rules.prsi.state import State, fits, position_text, standing
from shared.rules.prsi.view import board

_NAMES_SUIT: Final = "="
_ACE: Final = "An ace is active: play an ace or stand."


class Prsi:
    """Rules (see ``shared.rules.protocol``) for two to five.

    A move is a card, ``7h``, a svršek with the suit that it names, ``Oh=l``, ``draw`` (all pending cards,
    where sevens are active) or, while an ace is active, ``stand``. Under ``illegal_play_draws`` a card of the
    own hand that does not fit is read as ``penalty``, which is never offered: one card is drawn, or all that
    are pending, and the turn ends. Which card it was is told to nobody, and that there was one to its
    player alone, unless an ace shows it to all.

    The kind of a result is ``out of cards``, ``stalemate`` or ``forfeit``.
    """

    name: str = "prsi"
    title: str = "Prší"
    version: int = 1
    seats: tuple[int, int] = (2, 5)
    traits: Traits = Traits(
        rolled_start=True, unasked=True, clocks=(MOVE,), begins="", pool=Pool(system=TABLE, newcomer=30)
    )
    punishment: str = PENALTY

    def options(self) -> dict[str, Any]:
        """``deal``, ``play_on``, ``reshuffle``, ``illegal_play_draws``."""
        return schema(OFFERED)

    def offers(self, options: Mapping[str, Any]) -> Traits:
        """The same under all options."""
        house(options)
        return self.traits

    def setup(self, seats: int, options: Mapping[str, Any], first: int | None) -> State:
        """Nothing is dealt yet; where ``first`` is None, who begins is drawn by lot before."""
        chosen = house(options)
        low, high = self.seats
        if not low <= seats <= high:
            raise Refused("invalid_options", f"Prší is played by {low} to {high}, not by {seats}.")
        if first is not None and not 0 <= first < seats:
            raise Refused("invalid_options", f"There is no seat {first} to move first.")
        return State(house=chosen, hands=((),) * seats, turn=first)

    def waiting(self, state: State) -> Waiting:
        """The lot, the deal, the seat to move, a shuffle where one is played with, the end."""
        if state.result is not None:
            return Over(state.result)
        if state.turn is None:
            return Chance(Lot(state.seats))
        if not state.dealt:
            return Chance(Shuffle(PACK))
        if state.owed:
            return Chance(Shuffle(len(state.pile) - 1))
        return Players((state.turn,))

    def settle(self, state: State, drawn: tuple[int, ...]) -> State:
        """Who begins is known, the cards are dealt, or the pile is shuffled and drawn from."""
        if state.turn is None:
            return turns.begun(state, drawn[0])
        return turns.reshuffled(state, drawn) if state.dealt else turns.dealt(state, drawn)

    def legal(self, state: State, seat: int) -> tuple[str, ...]:
        """The cards that fit, a svršek once for each suit; then ``draw``, or what an ace leaves."""
        if self.waiting(state) != Players((seat,)):
            return ()
        moves: list[str] = []
        for card in state.hands[seat]:
            if fits(state, card):
                named = SUITS if rank_of(card) == SVRSEK else ("",)
                moves += [_text(card, suit) for suit in named]
        return (*moves, STAND if state.ace else DRAW)

    def read(self, state: State, seat: int, text: str) -> str:
        """The move that ``text`` means to the seat to move; see ``reading`` for what is understood."""
        if self.waiting(state) != Players((seat,)):
            raise Refused("illegal_move", "There is nothing to move for this seat now.")
        move = written(text)
        if isinstance(move, Written):
            return _card(state, seat, move)
        if move == DRAW and state.ace:
            raise Refused("illegal_move", _ACE)
        if move == STAND and not state.ace:
            raise Refused("illegal_move", "You stand only when an ace is active: play a card or draw.")
        if move == PENALTY and not _could_misplay(state, seat):
            raise Refused("illegal_move", "There is nothing to be punished for: play a card or draw.")
        return move

    def write(self, state: State, seat: int, move: str, viewer: int | None) -> str:
        """As it is: a played card lies open, and a drawn one is not named in the move.

        A penalty says to its player how many cards he drew for it, ``penalty (a wrong card: drew 2)``; the
        others see that he drew, if an ace does not tell them more.
        """
        if move != PENALTY:
            return move
        if viewer != seat and not state.ace:
            return DRAW
        return f"{PENALTY} (a wrong card: drew {turns.available(state)})"

    def play(self, state: State, seat: int, move: str) -> State:
        """The state after the turn of ``seat``."""
        if move == STAND:
            return turns.stood(state, seat)
        if move in (DRAW, PENALTY):
            return turns.drawn(state, seat, state.due)
        name, _, suit = move.partition(_NAMES_SUIT)
        return turns.played(state, seat, CARDS[name], SUITS.index(suit) if suit else None)

    def half_moves(self, state: State, move: str) -> int:  # noqa: ARG002 - every turn is one
        """One finished turn (§0.6)."""
        return 1

    def claim(self, state: State, seat: int, move: str) -> Result | None:
        """Nothing is claimed."""
        del state, seat, move

    def depart(self, state: State, seat: int) -> State:
        """``seat`` gives up: it is placed last and the others play on while there are two of them (§0.6)."""
        return turns.departed(state, seat)

    def plays(self, state: State, seat: int) -> bool:
        """Whether ``seat`` still has cards to get rid of."""
        return seat in state.playing

    def forfeit(self, state: State, seat: int, cause: str) -> Result:  # noqa: ARG002 - it costs the same
        """The game if it ended by this: ``seat`` is last, who still plays shares a place before it.

        A seat that has its place already gives up nothing: worth 0.
        """
        left = turns.departed(state, seat)
        plays = seat in state.playing
        return (plays and left.result) or Result(standing(left), turns.FORFEIT, points=int(plays))

    def view(self, state: State, seat: int | None) -> dict[str, Any]:
        """The own hand and what lies open; after the end everything: see ``view.board``."""
        return board(state, seat)

    def revealed(self, state: State) -> State:
        """``state`` with all hands and the stock open, however the game has ended."""
        return msgspec.structs.replace(state, shown=True)

    def whole(self, state: State) -> bool:
        """``Partitioned``: once they are dealt, the 32 cards lie in hands, stock and pile."""
        lying = (*(card for hand in state.hands for card in hand), *state.stock, *state.pile)
        return sorted(lying) == list(range(PACK)) if state.dealt else not lying

    def position(self, state: State) -> str:
        """What all see in one line, see ``position_text``; no other program writes such a thing."""
        return position_text(state)

    def finishing_move(self, state: State, seat: int) -> str | None:
        """Never."""
        del state, seat

    def tell(self, state: State, seat: int, move: str, viewer: int | None) -> str:
        """See ``Telling``."""
        return telling.tell(state, seat, move, viewer)

    def tell_draw(self, drawn: tuple[int, ...], *, opening: bool) -> str:
        """See ``Telling``."""
        return telling.tell_draw(drawn, opening=opening)


def _could_misplay(state: State, seat: int) -> bool:
    """Whether ``seat`` holds a card that does not fit, where playing it is punished."""
    return state.house.illegal_play_draws and any(not fits(state, card) for card in state.hands[seat])


def _text(card: int, named: str) -> str:
    return f"{NAMES[card]}{_NAMES_SUIT}{named}" if named else NAMES[card]


def _card(state: State, seat: int, move: Written) -> str:
    """The move that a written card is; raises ``Refused`` where it cannot be tried at all."""
    card, name = move.card, NAMES[move.card]
    if card not in state.hands[seat]:
        raise Refused("illegal_move", f"{name} is not in your hand.")
    is_svrsek = rank_of(card) == SVRSEK
    if move.named is not None and not is_svrsek:
        raise Refused("illegal_move", "Only a svršek names a suit.")
    if fits(state, card):
        if is_svrsek and move.named is None:
            raise Refused("illegal_move", f"Name a suit: {', '.join(_text(card, suit) for suit in SUITS)}.")
        return _text(card, "" if move.named is None else SUITS[move.named])
    if state.house.illegal_play_draws:
        return PENALTY
    raise Refused("illegal_move", _why_not(state, name))


def _why_not(state: State, name: str) -> str:
    """Why a card of the own hand does not fit."""
    if state.pending:
        return f"Sevens are active: play a seven or draw {state.pending} cards."
    if state.ace:
        return _ACE
    top = NAMES[state.pile[-1]]
    if state.named is not None:
        return f"{name} is not of the suit that was named: {SUITS[state.named]}."
    return f"{name} has neither the suit nor the rank of {top}."


RULES: Final = Prsi()
