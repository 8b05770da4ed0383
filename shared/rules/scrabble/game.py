"""Czech scrabble: what the match asks of it (see ``shared.rules.protocol``; §9)."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, Final

from msgspec.structs import replace

from shared.chance import Lot, Shuffle
from shared.clocks import MOVE
from shared.problems import Refused
from shared.rules.protocol import TABLE, Chance, Over, Players, Pool, Result, Traits, Waiting
from shared.rules.scrabble import options, reading, telling, turns, view
from shared.rules.scrabble.board import EMPTY, START
from shared.rules.scrabble.moves import (
    ACCEPT,
    CHALLENGE,
    FAILED,
    JUDGED,
    NO_PLAY,
    UPHELD,
    exchange,
    is_play,
    placement,
    written,
)
from shared.rules.scrabble.scoring import score
from shared.rules.scrabble.state import State
from shared.rules.scrabble.tiles import RACK, TILES, tile_of
from shared.rules.scrabble.words import Lexicon, find


class Scrabble:
    """Rules for two to four; a move is as in ``shared.rules.scrabble.moves``.

    The kind of a result says how the game ended: ``out`` (somebody has no tile left and the bag is empty),
    ``empty rounds`` (two without a play), or ``forfeit``.
    """

    name: str = "scrabble"
    title: str = "Scrabble"
    version: int = 1
    seats: tuple[int, int] = (2, 4)
    traits: Traits = Traits(
        rolled_start=True,
        unasked=True,
        clocks=(MOVE,),
        begins="",
        listed=False,
        pool=Pool(system=TABLE, newcomer=10),
    )

    def options(self) -> dict[str, Any]:
        """``dictionary`` and ``challenge``."""
        return options.schema()

    def offers(self, options: Mapping[str, Any]) -> Traits:
        """The same under all options."""
        _chosen(options)
        return self.traits

    def setup(self, seats: int, options: Mapping[str, Any], first: int | None) -> State:
        """An empty board and a full bag, not yet shuffled; where ``first`` is None, a lot says who begins."""
        dictionary, challenge = _chosen(options)
        if not self.seats[0] <= seats <= self.seats[1]:
            raise Refused("invalid_options", f"scrabble is played by two to four, not by {seats}.")
        if first is not None and not 0 <= first < seats:
            raise Refused("invalid_options", f"There is no seat {first} to move first.")
        return State(
            dictionary=dictionary,
            challenge=challenge,
            board=START,
            bag=TILES,
            racks=("",) * seats,
            scores=(0,) * seats,
            turn=first or 0,
            lots=first is None,
        )

    def waiting(self, state: State) -> Waiting:
        """The lot, a shuffle of the bag, the seat to move, or the end.

        Moves are only ``suggested``: plays are not listed (see ``legal``).
        """
        if state.result is not None:
            return Over(state.result)
        if state.lots:
            return Chance(Lot(state.seats))
        return Chance(Shuffle(len(state.bag))) if state.mixing else Players((state.turn,), suggested=True)

    def legal(self, state: State, seat: int) -> tuple[str, ...]:
        """Exchanges, a pass, and what a play before allows; no plays.

        A challenge stands there with its verdict, and not at all where the list of words is not here.
        A word is for its player to find; and to search a long list holds whoever asks for a tenth of a second
        (``generator.plays`` is for the computer player, in its thread).
        """
        if not _on_turn(state, seat):
            return ()
        lexicon = None if state.open is None else find(state.dictionary)
        challenge = () if lexicon is None else (_verdict(state, lexicon),)
        if _final(state):
            return (ACCEPT, *challenge)
        now = turns.stood(state)
        return (*_exchanges(now, seat), NO_PLAY, *challenge)

    def read(self, state: State, seat: int, text: str) -> str:
        """The move that ``text`` means to the seat to move; words are judged by the match's list.

        Raises ``Refused``, with ``unknown_dictionary`` where that list is needed and is not here.
        """
        return self._read(state, seat, text, believing=False)

    def believed(self, state: State, seat: int, text: str) -> str:
        """``Judging``: every word is taken to be on the list, and a verdict to be right."""
        return self._read(state, seat, text, believing=True)

    def missing(self, state: State, move: str) -> str | None:
        """``Judging``: the list of words, where ``move`` needs it and it is not here."""
        needed = move in JUDGED or (is_play(move) and not state.challenge)
        return state.dictionary if needed and find(state.dictionary) is None else None

    def _read(self, state: State, seat: int, text: str, *, believing: bool) -> str:
        if not _on_turn(state, seat):
            raise Refused("illegal_move", "There is nothing to move for this seat now.")
        move = reading.special(text)
        if move == CHALLENGE:
            if state.open is None:
                raise Refused("illegal_move", "There is no play that you could challenge.")
            if believing:
                return text if text in JUDGED else UPHELD
            return _verdict(state, _installed(state))
        if _final(state) or move == ACCEPT:
            if _final(state) and move == ACCEPT:
                return move
            raise Refused("illegal_move", _NOT_NOW[_final(state)])
        now = turns.stood(state)
        rack = now.racks[seat]
        found = move or reading.exchanged(text, rack, len(now.bag))
        if found is not None:
            return found
        play = reading.placed(text, now.board, rack)
        if not (state.challenge or believing):
            _check_words(now, score(now.board, play.tiles, across=play.across).words)
        return written(now.board, play.tiles, across=play.across)

    def write(self, state: State, seat: int, move: str, viewer: int | None) -> str:  # noqa: ARG002 - all is in the move
        """As it is; of an exchange only its player may know more than how many tiles."""
        if is_play(move) or viewer == seat or not (given := move.removeprefix(NO_PLAY)) or given == move:
            return move
        return f"{NO_PLAY}{len(given)}"

    def play(self, state: State, seat: int, move: str) -> State:
        """The turn taken; the play before stands then, unless it is challenged."""
        if move in JUDGED:
            return turns.challenged(state, upheld=move == UPHELD)
        now = turns.stood(state)
        if move == ACCEPT:
            return turns.ended(now)
        if is_play(move):
            return turns.laid_out(now, seat, placement(move))
        given = move.removeprefix(NO_PLAY)
        return turns.exchanged(now, seat, given) if given else turns.passed(now, seat)

    def half_moves(self, state: State, move: str) -> int:  # noqa: ARG002 - all is in the move
        """One for a finished turn; a challenge is none (§0.6)."""
        return 0 if move in (ACCEPT, *JUDGED) else 1

    def claim(self, state: State, seat: int, move: str) -> Result | None:
        """Nothing is claimed."""
        del state, seat, move

    def settle(self, state: State, drawn: tuple[int, ...]) -> State:
        """Who begins; or the bag in its new order, from which at the start everybody takes seven."""
        if state.lots:
            return turns.begun(state, drawn[0])
        return turns.dealt(state, "".join(state.bag[place] for place in drawn))

    def forfeit(self, state: State, seat: int, cause: str) -> Result:
        """Who gives up is last, whatever the cause; the game as if it ended by this (see ``depart``)."""
        del cause
        return turns.given_up(state, seat)

    def depart(self, state: State, seat: int) -> State:
        """``Departing``: the others play on while there are two of them."""
        return turns.departed(state, seat)

    def plays(self, state: State, seat: int) -> bool:
        """``Departing``: whether ``seat`` has not given up."""
        return seat not in state.gone

    def view(self, state: State, seat: int | None) -> dict[str, Any]:
        """See ``shared.rules.scrabble.view``."""
        return view.seen(state, seat)

    def revealed(self, state: State) -> State:
        """``Revealing``: with racks and bag open to all."""
        return replace(state, revealed=True)

    def whole(self, state: State) -> bool:
        """``Partitioned``: the 100 tiles lie on the board, in the racks and in the bag."""
        lying = (*map(tile_of, state.board.replace(EMPTY, "")), *"".join(state.racks), *state.bag)
        return sorted(lying) == _ALL_TILES

    def position(self, state: State) -> str:
        """The board, scores and turns without a play (CGP without racks)."""
        return view.position(state)

    def finishing_move(self, state: State, seat: int) -> str | None:
        """None: each move is a decision to the end."""
        del state, seat

    def tell(self, state: State, seat: int, move: str, viewer: int | None) -> str:
        """See ``Telling``."""
        return telling.tell(state, self.play(state, seat, move), seat, move, viewer)

    def tell_draw(self, drawn: tuple[int, ...], *, opening: bool) -> str:
        """See ``Telling``."""
        return telling.tell_draw(drawn, opening=opening)


_chosen = options.chosen  # the protocol's parameters are called as the module
_ALL_TILES: Final = sorted(TILES)
_NOT_NOW: Final = {
    True: "The play before ends the game: accept it or challenge it.",
    False: "There is no play that you must accept.",
}


def _on_turn(state: State, seat: int) -> bool:
    return state.result is None and not (state.lots or state.mixing) and seat == state.turn


def _final(state: State) -> bool:
    """Whether the play before ends the game unless it is withdrawn."""
    return state.open is not None and not state.bag and not state.racks[state.open.seat]


def _exchanges(state: State, seat: int) -> Iterator[str]:
    """Every choice of tiles that may be exchanged, once."""
    if len(state.bag) < RACK:
        return
    rack = state.racks[seat]
    for number in range(1, len(rack) + 1):
        yield from (exchange("".join(tiles)) for tiles in dict.fromkeys(combinations(rack, number)))


def _installed(state: State) -> Lexicon:
    lexicon = find(state.dictionary)
    if lexicon is None:
        raise Refused("unknown_dictionary", f"The list of words {state.dictionary} is not installed here.")
    return lexicon


def _verdict(state: State, lexicon: Lexicon) -> str:
    """The challenge of the play before, as the list judges it."""
    words = () if state.last is None else state.last.words
    return FAILED if all(word in lexicon for word in words) else UPHELD


def _check_words(state: State, words: tuple[str, ...]) -> None:
    lexicon = _installed(state)
    wrong = [word for word in words if word not in lexicon]
    if wrong:
        raise Refused("illegal_move", f"Not on the list of words: {', '.join(wrong)}.")


RULES: Final = Scrabble()
