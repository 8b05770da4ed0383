"""Positions of scrabble written down, random boards, and states that differ in secrets only."""

from random import Random
from typing import Any, Final

import msgspec

from shared.rules.scrabble import RULES, State
from shared.rules.scrabble.board import START, laid
from shared.rules.scrabble.generator import plays
from shared.rules.scrabble.moves import JUDGED, is_play, placement
from shared.rules.scrabble.scoring import score
from shared.rules.scrabble.tiles import TILES, in_order, tile_of, without
from shared.rules.scrabble.turns import stood
from shared.rules.scrabble.words import OWN, find

ENOUGH: Final = 10**9
"""So many letters may be tried: all plays are found."""


def board_of(*moves: str) -> str:
    """The board after these canonical plays, whatever their words."""
    board = START
    for move in moves:
        board = laid(board, placement(move).tiles)
    return board


def at(  # a position has that many parts
    *racks: str,
    board: str = START,
    bag: str | None = None,
    scores: tuple[int, ...] | None = None,
    turn: int = 0,
    empty: int = 0,
    challenge: bool = False,
) -> State:
    """A game with these racks; ``bag`` is all that lies nowhere else, unless it is given."""
    held = tuple(in_order(rack) for rack in racks)
    lying = [tile_of(sign) for sign in board if sign != "."]
    rest = without(TILES, [*lying, *"".join(held)])
    assert rest is not None, "there are not so many tiles"
    return State(
        dictionary=OWN.id,
        challenge=challenge,
        board=board,
        bag=rest if bag is None else bag,
        racks=held,
        scores=scores or (0,) * len(racks),
        turn=turn,
        mixing=False,
        empty=empty,
    )


def points(state: State, move: str) -> int:
    """What a canonical play is worth."""
    play = placement(move)
    return score(state.board, play.tiles, across=play.across).points


def found(state: State, seat: int) -> tuple[str, ...]:
    """All plays of ``seat``, to move, and whatever else it may do; with the small list there are not many."""
    legal = RULES.legal(state, seat)
    if not legal or "accept" in legal:
        return legal
    now = stood(state)
    lexicon = find(now.dictionary)
    assert lexicon is not None, "the list is not installed"
    return (*plays(lexicon, now.board, now.racks[seat], ENOUGH).plays, *legal)


def greedy(state: Any, seat: int, legal: tuple[str, ...]) -> str:
    """The play worth most; where there is none, the exchange of all tiles, else a pass."""
    laid = [move for move in found(state, seat) if is_play(move)]
    if laid:
        return max(laid, key=lambda move: points(state, move))
    return max(legal, key=lambda move: (move == "accept", move not in JUDGED, len(move)))


def tiles_of(state: State) -> str:
    """All tiles wherever they are, in order."""
    lying = [tile_of(sign) for sign in state.board if sign != "."]
    return in_order([*lying, *state.bag, *"".join(state.racks)])


def rehidden(state: State, seat: int | None, random: Random) -> State:
    """A state that differs from ``state`` only in what ``seat`` (None: a spectator) may not know.

    All tiles that he does not see are put together and taken out anew; after the end he sees all.
    """
    if state.result is not None or state.revealed:
        return state
    hidden = [rack for owner, rack in enumerate(state.racks) if owner != seat]
    unseen = list(state.bag + "".join(hidden))
    random.shuffle(unseen)
    racks = tuple(
        rack if owner == seat else in_order(unseen.pop() for _ in rack)
        for owner, rack in enumerate(state.racks)
    )
    return msgspec.structs.replace(state, racks=racks, bag="".join(unseen))
