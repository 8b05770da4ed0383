"""Scrabble told again: the tiles that the viewer has never seen change places with each other.

A tile is its place in the full bag, ``TILES``, followed from the bag to racks and board and back. Which of
two equal tiles of a rack is laid, nobody can tell, so the first is.
"""

from random import Random
from typing import Final

import msgspec

from shared.events.match import DiceRolled, MatchEvent, MovePlayed, SeatOut
from shared.rules.scrabble import State
from shared.rules.scrabble.moves import ACCEPT, JUDGED, NO_PLAY, UPHELD, exchange, is_play, placement
from shared.rules.scrabble.tiles import RACK, TILES, in_order

_PLACES: Final = range(len(TILES))
_PLAIN: Final = len(NO_PLAY)


class Tiles:
    """See ``Retold``."""

    def __init__(self, viewer: int | None) -> None:
        self.viewer = viewer
        self.bag: list[int] = list(_PLACES)
        self.racks: list[list[int]] = []
        self.open: tuple[int, list[int]] | None = None
        self.known: set[int] = set()
        self.given: list[list[int]] = []  # exchanged tiles, by exchange
        self.shuffles: list[
            tuple[list[int], list[int], list[int]]
        ] = []  # what stayed, what was given, the mix
        self.letters: dict[int, str] = dict(enumerate(TILES))

    def see(self, before: State | None, event: MatchEvent, after: State | None) -> None:
        if before is None or after is None:
            return
        self.racks = self.racks or [[] for _ in before.racks]
        if isinstance(event, DiceRolled) and not before.lots:
            self._shuffle(event.dice)
        elif isinstance(event, SeatOut):
            if self.open is not None and self.open[0] == event.seat:
                self.open = None
        elif isinstance(event, MovePlayed):
            self._move(before, event.seat, event.move)
            if after.open is None:
                self.open = None
        if self.viewer is not None:
            self.known.update(self.racks[self.viewer])
        self._agrees(after)

    def _agrees(self, after: State) -> None:
        """What was followed is what the rules say."""
        assert self._text(self.bag) == after.bag
        racks = [in_order(self.letters[tile] for tile in rack) for rack in self.racks]
        assert racks == list(after.racks)

    def _shuffle(self, dice: tuple[int, ...]) -> None:
        given = self.given[-1] if self.given else []
        mixed = [self.bag[place] for place in dice]
        self.shuffles.append((self.bag[: len(self.bag) - len(given)], given, mixed))
        self.bag = list(mixed)
        if not any(self.racks):
            for rack in self.racks:
                self._draw(rack, RACK)

    def _draw(self, rack: list[int], number: int) -> None:
        rack += self.bag[:number]
        del self.bag[:number]

    def _move(self, before: State, seat: int, move: str) -> None:
        if move == UPHELD and self.open is not None:
            owner, tiles = self.open
            self.racks[owner] += tiles
            return
        if self.open is not None:
            owner, _ = self.open
            self._draw(self.racks[owner], RACK - len(self.racks[owner]))
            self.open = None
        rack = self.racks[seat]
        if is_play(move):
            laid = self._taken(rack, placement(move).from_rack)
            self.known.update(laid)
            if before.challenge:
                self.open = (seat, laid)
            else:
                self._draw(rack, RACK - len(rack))
        elif move not in (ACCEPT, NO_PLAY, *JUDGED):
            given = self._taken(rack, move[_PLAIN:])
            self._draw(rack, len(given))
            self.bag += given
            self.given.append(given)

    def _taken(self, rack: list[int], letters: str) -> list[int]:
        taken: list[int] = []
        for letter in letters:
            tile = next(tile for tile in rack if self.letters[tile] == letter)
            rack.remove(tile)
            taken.append(tile)
        return taken

    def change(self, random: Random) -> None:
        unseen = [tile for tile in _PLACES if tile not in self.known]
        others = [TILES[tile] for tile in random.sample(unseen, len(unseen))]
        self.letters |= dict(zip(unseen, others, strict=True))

    def tell(self, before: State | None, event: MatchEvent) -> MatchEvent:
        if isinstance(event, DiceRolled) and before is not None and not before.lots:
            return msgspec.structs.replace(event, dice=self._order(*self.shuffles.pop(0)))
        if isinstance(event, MovePlayed) and not is_play(event.move):
            if event.move in (ACCEPT, NO_PLAY, *JUDGED):
                return event
            given = self.given.pop(0)
            return msgspec.structs.replace(event, move=exchange(self._text(given)))
        return event

    def _order(self, stayed: list[int], given: list[int], mixed: list[int]) -> tuple[int, ...]:
        """The draw that brings the bag, as it then lay, into the same mix."""
        lying = list(self._text(stayed) + in_order(self._text(given)))
        if len(mixed) == len(TILES):
            lying = list(TILES)
        dice: list[int] = []
        for letter in self._text(mixed):
            dice.append(lying.index(letter))
            lying[dice[-1]] = ""
        return tuple(dice)

    def _text(self, tiles: list[int]) -> str:
        return "".join(self.letters[tile] for tile in tiles)
