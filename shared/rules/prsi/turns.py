"""What a turn does: a card played, cards drawn, an ace stood out; the deal, and who gives up (§8)."""

from typing import Final

import msgspec

from shared.rules.prsi.cards import ACE, SEVEN, rank_of
from shared.rules.prsi.state import State, after, ended
from shared.rules.rounds import others_turns

ROUNDS: Final = 2
"""After so many full rounds in which no card was played or drawn the game is drawn."""

EACH_SEVEN: Final = 2
"""What an active seven adds to the cards that are to be drawn."""

OUT: Final = "out of cards"
STALEMATE: Final = "stalemate"
FORFEIT: Final = "forfeit"

Hands = tuple[tuple[int, ...], ...]

_replace: Final = msgspec.structs.replace


def begun(state: State, seat: int) -> State:
    """The lot has fallen on ``seat``: it moves first, or who comes after it where it has given up."""
    return _replace(state, turn=seat if seat in state.playing else after(state, seat))


def dealt(state: State, pack: tuple[int, ...]) -> State:
    """``pack`` dealt, hand by hand from seat 0 on; the next card is turned up and counts as played.

    Who has given up before gets no cards.
    """
    each, playing = state.house.deal, state.playing
    begins = {seat: each * place for place, seat in enumerate(playing)}
    hands = tuple(
        tuple(sorted(pack[begins[seat] : begins[seat] + each])) if seat in begins else ()
        for seat in range(state.seats)
    )
    up = pack[each * len(playing)]
    return _replace(
        state,
        hands=hands,
        stock=pack[each * len(playing) + 1 :],
        pile=(up,),
        pending=EACH_SEVEN if rank_of(up) == SEVEN else 0,
        ace=rank_of(up) == ACE,
    )


def played(state: State, seat: int, card: int, named: int | None) -> State:
    """``seat`` plays ``card``, which fits, and has ``named`` a suit if it is a svršek."""
    hand = tuple(held for held in state.hands[seat] if held != card)
    state = _replace(
        state,
        hands=_with(state.hands, seat, hand),
        pile=(*state.pile, card),
        named=named,
        pending=state.pending + EACH_SEVEN if rank_of(card) == SEVEN else 0,
        ace=rank_of(card) == ACE,
        out=state.out if hand else (*state.out, seat),
        quiet=0,
    )
    if not hand and (len(state.playing) == 1 or not state.house.play_on):
        return ended(state, OUT)
    return _replace(state, turn=after(state, seat))


def drawn(state: State, seat: int, count: int) -> State:
    """``seat`` draws ``count`` cards, or what there is; all that was active is served, and its turn ends.

    Where the stock does not suffice the pile is turned over: its oldest card is drawn first. With the
    option it is shuffled before, and the rest is owed until then.
    """
    state = _taken(_replace(state, pending=0, ace=False, owed=count), seat)
    if state.owed and len(state.pile) > 1:
        if state.house.reshuffle:
            return state
        state = _taken(_replace(state, stock=state.pile[:-1], pile=state.pile[-1:]), seat)
    return _drew(state, seat, count)


def available(state: State) -> int:
    """How many cards who draws now gets: what is due, or what stock and pile have, without the top card."""
    return min(state.due, len(state.stock) + len(state.pile) - 1)


def reshuffled(state: State, order: tuple[int, ...]) -> State:
    """The pile without its top card has become the stock in this ``order``; what is owed is drawn.

    Under it are the cards of who has given up meanwhile.
    """
    seat = state.turn
    assert seat is not None  # noqa: S101 - somebody draws
    stock = (*(state.pile[place] for place in order), *state.stock)
    turned = _replace(state, stock=stock, pile=state.pile[-1:])
    return _drew(_taken(turned, seat), seat, state.owed)


def _taken(state: State, seat: int) -> State:
    """As many of the owed cards as the stock has are in the hand of ``seat``."""
    taken = state.stock[: state.owed]
    return _replace(
        state,
        hands=_with(state.hands, seat, tuple(sorted((*state.hands[seat], *taken)))),
        stock=state.stock[len(taken) :],
        owed=state.owed - len(taken),
        quiet=0 if taken else state.quiet,
    )


def _drew(state: State, seat: int, count: int) -> State:
    """The turn of ``seat`` ends; it was a quiet one if of ``count`` cards there was none."""
    if state.owed < count:
        return _replace(state, owed=0, turn=after(state, seat))
    return _quiet(_replace(state, owed=0), seat)


def stood(state: State, seat: int) -> State:
    """``seat`` stands: the ace is served."""
    return _quiet(_replace(state, ace=False), seat)


def _quiet(state: State, seat: int) -> State:
    """The turn of ``seat`` ends without a card played or drawn."""
    state = _replace(state, quiet=state.quiet + 1, turn=after(state, seat))
    return ended(state, STALEMATE) if state.quiet >= ROUNDS * len(state.playing) else state


def departed(state: State, seat: int) -> State:
    """``seat`` has given up and is placed last; the others play on while there are two of them (§0.6).

    Then its cards go unseen under the stock. What is active awaits the next seat. Its own quiet turns no
    longer count.
    """
    if state.result is not None or seat not in state.playing:
        return state
    playing = state.playing
    state = _replace(state, gone=(*state.gone, seat))
    if len(state.playing) == 1:
        return ended(state, OUT if state.out else FORFEIT)
    stock = (*state.stock, *state.hands[seat])
    quiet = others_turns(state.quiet, state.turn, playing, seat)
    state = _replace(state, hands=_with(state.hands, seat, ()), stock=stock, quiet=quiet)
    return _replace(state, turn=after(state, seat), owed=0) if state.turn == seat else state


def _with(
    hands: tuple[tuple[int, ...], ...], seat: int, hand: tuple[int, ...]
) -> tuple[tuple[int, ...], ...]:
    return (*hands[:seat], hand, *hands[seat + 1 :])
