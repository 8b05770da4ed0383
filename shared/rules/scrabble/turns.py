"""What a turn does to the state, and how the game ends (§9)."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from shared.rules.protocol import Result
from shared.rules.rounds import others_turns
from shared.rules.scrabble.board import laid
from shared.rules.scrabble.moves import Placement
from shared.rules.scrabble.scoring import score
from shared.rules.scrabble.state import Open, Played, State
from shared.rules.scrabble.tiles import RACK, in_order, without, worth

OUT: Final = "out"
EMPTY_ROUNDS: Final = "empty rounds"
FORFEIT: Final = "forfeit"
_ROUNDS: Final = 2


def begun(state: State, seat: int) -> State:
    """The lot has fallen on ``seat``: it moves first, or who comes after it where it has given up."""
    begins = replace(state, turn=seat, lots=False)
    return replace(begins, turn=_next(begins)) if seat in state.gone else begins


def dealt(state: State, bag: str) -> State:
    """The bag is shuffled; at the start everybody takes seven from it who has not given up before."""
    if any(state.racks):
        return replace(state, bag=bag, mixing=False)
    racks, left = [""] * state.seats, bag
    for seat in state.playing:
        racks[seat], left = in_order(left[:RACK]), left[RACK:]
    return replace(state, bag=left, racks=tuple(racks), mixing=False)


def stood(state: State) -> State:
    """The play that might have been challenged stands: now its player refills his rack."""
    return state if state.open is None else _refilled(replace(state, open=None), state.open.seat)


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
        return replace(after, open=Open(seat, play.from_rack, state.board, state.empty))
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


def challenged(state: State, *, upheld: bool) -> State:
    """The play before was judged: a valid one stands; ``upheld``, its tiles return and its turn was empty."""
    play = state.open
    if play is None or not upheld:
        return ended(stood(state))
    seat, points = play.seat, state.last.points if state.last else 0
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
    playing = state.playing
    losses = {seat: worth(state.racks[seat]) for seat in playing}
    out = next((seat for seat in playing if not state.racks[seat]), None)
    if not state.bag and out is not None:
        losses[out] = -sum(losses.values())
        return _closed(state, losses, OUT)
    return _closed(state, losses, EMPTY_ROUNDS) if state.empty >= _ROUNDS * len(playing) else state


def _closed(state: State, losses: Mapping[int, int], kind: str) -> State:
    corrections = tuple(-losses.get(seat, 0) for seat in range(state.seats))
    scores = tuple(map(sum, zip(state.scores, corrections, strict=True)))
    closed = replace(state, scores=scores, corrections=corrections)
    return replace(closed, result=_result(closed, kind))


def departed(state: State, seat: int) -> State:
    """``seat`` gives up: it is placed last, and the others play on while there are two of them (§0.6).

    Its tiles are out of the game; a play of its that might have been challenged stands. Its own turns without
    a play no longer count, and this by itself never completes the empty rounds: who plays on has a turn.
    """
    if state.result is not None or seat in state.gone:
        return state
    after = replace(
        state, gone=(*state.gone, seat), empty=_empty_without(state, state.empty, state.turn, seat)
    )
    if (play := state.open) is not None:
        empty = _empty_without(state, play.empty, play.seat, seat)
        after = replace(after, open=None if play.seat == seat else replace(play, empty=empty))
    if len(after.playing) == 1:
        return replace(after, result=_result(after, FORFEIT))
    return replace(after, turn=_next(after)) if state.turn == seat else after


def _empty_without(state: State, empty: int, turn: int, leaver: int) -> int:
    """The turns without a play, ``empty`` in a row before that of ``turn``, that count without ``leaver``."""
    left = len(state.playing) - 1
    return min(others_turns(empty, turn, state.playing, leaver), _ROUNDS * left - 1)


def _result(state: State, kind: str) -> Result:
    """Who plays on is placed by points, before those who gave up, of whom the first is last."""
    points = [state.scores[seat] for seat in state.playing]
    best = sorted(points, reverse=True)
    places = dict(zip(state.playing, (best.index(each) + 1 for each in points), strict=True))
    places |= {seat: state.seats - number for number, seat in enumerate(state.gone)}
    ordered = tuple(places[seat] for seat in range(state.seats))
    return Result(ordered, kind, 1 if ordered.count(1) == 1 else 0)


def given_up(state: State, seat: int) -> Result:
    """The game if it ended by this: ``seat`` is last. Who has given up before gives up nothing: worth 0."""
    after = departed(state, seat)
    if after.result is not None:
        return after.result
    result = _result(after, FORFEIT)
    return replace(result, points=0 if seat in state.gone else 1)


def _refilled(state: State, seat: int) -> State:
    rack = state.racks[seat]
    wanted = RACK - len(rack)
    filled = in_order(rack + state.bag[:wanted])
    return replace(state, racks=_put(state.racks, seat, filled), bag=state.bag[wanted:])


def _next(state: State) -> int:
    after = (*range(state.turn + 1, state.seats), *range(state.turn + 1))
    return next(seat for seat in after if seat not in state.gone)


def _put(racks: tuple[str, ...], seat: int, rack: str) -> tuple[str, ...]:
    return (*racks[:seat], rack, *racks[seat + 1 :])


def _added(scores: tuple[int, ...], seat: int, points: int) -> tuple[int, ...]:
    return (*scores[:seat], scores[seat] + points, *scores[seat + 1 :])
