"""What a turn does to the state, and how the game ends (§9)."""

from typing import Final

from msgspec.structs import replace

from shared.problems import Refused
from shared.rules.protocol import Result
from shared.rules.scrabble.board import laid
from shared.rules.scrabble.moves import Placement
from shared.rules.scrabble.scoring import score
from shared.rules.scrabble.state import Open, Played, State
from shared.rules.scrabble.tiles import RACK, in_order, without, worth
from shared.rules.scrabble.words import find

OUT: Final = "out"
EMPTY_ROUNDS: Final = "empty rounds"
_ROUNDS: Final = 2


def dealt(state: State, bag: str) -> State:
    """The bag is shuffled; at the start everybody takes seven from it."""
    racks = tuple(in_order(bag[RACK * seat : RACK * (seat + 1)]) for seat in range(state.seats))
    if any(state.racks):
        return replace(state, bag=bag, mixing=False)
    return replace(state, bag=bag[RACK * state.seats :], racks=racks, mixing=False)


def stood(state: State) -> State:
    """The play that might have been challenged stands: now its player refills his rack."""
    return state if state.open is None else _refilled(replace(state, open=None), state.before)


def laid_out(state: State, seat: int, play: Placement) -> State:
    """``seat`` lays a play; where it may be challenged he draws later."""
    words, points = score(state.board, play.tiles, across=play.across)
    after = replace(
        state,
        board=laid(state.board, play.tiles),
        racks=_put(state.racks, seat, without(state.racks[seat], play.from_rack) or ""),
        scores=_added(state.scores, seat, points),
        turn=_next(state),
        empty=0,
        last=Played(seat, words, points),
    )
    if state.challenge:
        return replace(after, open=Open(play.from_rack, state.board, state.empty))
    return ended(_refilled(after, seat))


def exchanged(state: State, seat: int, tiles: str) -> State:
    """``seat`` draws as many tiles as he gives back; then the bag is shuffled."""
    kept = without(state.racks[seat], tiles) or ""
    drawn, left = state.bag[: len(tiles)], state.bag[len(tiles) :]
    after = passed(
        replace(state, racks=_put(state.racks, seat, in_order(kept + drawn)), bag=left + tiles), seat
    )
    return after if after.result is not None else replace(after, mixing=True)


def passed(state: State, seat: int) -> State:
    """``seat`` plays nothing."""
    return ended(replace(state, turn=_next(state), empty=state.empty + 1, last=Played(seat)))


def invalid(state: State) -> tuple[str, ...]:
    """The words of the play before that are not on the match's list.

    Raises ``Refused("unknown_dictionary")`` where the list is not installed.
    """
    lexicon = find(state.dictionary)
    if lexicon is None:
        raise Refused("unknown_dictionary", f"The list of words {state.dictionary} is not installed here.")
    return tuple(word for word in state.last.words if word not in lexicon) if state.last else ()


def challenged(state: State) -> State:
    """The play before is judged: a valid one stands, else its tiles return and its turn was empty."""
    play = state.open
    if play is None or not invalid(state):
        return ended(stood(state))
    seat, points = state.before, state.last.points if state.last else 0
    return ended(
        replace(
            state,
            board=play.board,
            racks=_put(state.racks, seat, in_order(state.racks[seat] + play.tiles)),
            scores=_added(state.scores, seat, -points),
            empty=play.empty + 1,
            last=Played(seat),
            open=None,
        )
    )


def ended(state: State) -> State:
    """The state, with its result and what tiles left over cost if the game is over."""
    if not state.bag and not all(state.racks):
        out = state.racks.index("")
        losses = [-worth(rack) for rack in state.racks]
        losses[out] -= sum(losses)
        return _closed(state, tuple(losses), OUT)
    if state.empty >= _ROUNDS * state.seats:
        return _closed(state, tuple(-worth(rack) for rack in state.racks), EMPTY_ROUNDS)
    return state


def _closed(state: State, corrections: tuple[int, ...], kind: str) -> State:
    scores = tuple(map(sum, zip(state.scores, corrections, strict=True)))
    ordered = sorted(scores, reverse=True)
    places = tuple(ordered.index(points) + 1 for points in scores)
    result = Result(places, kind, 1 if places.count(1) == 1 else 0)
    return replace(state, scores=scores, corrections=corrections, result=result)


def given_up(state: State, seat: int) -> Result:
    """``seat`` is last; the others are placed by what they have (§0.6)."""
    others = sorted((points for s, points in enumerate(state.scores) if s != seat), reverse=True)
    places = tuple(
        state.seats if s == seat else others.index(points) + 1 for s, points in enumerate(state.scores)
    )
    return Result(places, "forfeit", 1)


def _refilled(state: State, seat: int) -> State:
    rack = state.racks[seat]
    wanted = RACK - len(rack)
    filled = in_order(rack + state.bag[:wanted])
    return replace(state, racks=_put(state.racks, seat, filled), bag=state.bag[wanted:])


def _next(state: State) -> int:
    return (state.turn + 1) % state.seats


def _put(racks: tuple[str, ...], seat: int, rack: str) -> tuple[str, ...]:
    return (*racks[:seat], rack, *racks[seat + 1 :])


def _added(scores: tuple[int, ...], seat: int, points: int) -> tuple[int, ...]:
    return (*scores[:seat], scores[seat] + points, *scores[seat + 1 :])
