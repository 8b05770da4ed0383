"""Prší told again: the cards that the viewer has never seen change places with each other."""

from random import Random

import msgspec

from shared.events.match import DiceRolled, MatchEvent, SeatOut
from shared.rules.prsi import State
from shared.rules.prsi.cards import PACK


class Cards:
    """See ``Retold``. A card is its own name, so the deal told with other names is all that changes.

    The hand of who gave up goes under the stock in the order of its names: those cards keep theirs.
    """

    def __init__(self, viewer: int | None) -> None:
        self.viewer = viewer
        self.known: set[int] = set()
        self.names: dict[int, int] = {}

    def see(self, before: State | None, event: MatchEvent, after: State | None) -> None:
        if isinstance(event, SeatOut) and before is not None:
            self.known.update(before.hands[event.seat])
        if after is not None:
            self.known.update(after.pile)
            if self.viewer is not None:
                self.known.update(after.hands[self.viewer])

    def change(self, random: Random) -> None:
        unseen = [card for card in range(PACK) if card not in self.known]
        self.names = dict(zip(unseen, random.sample(unseen, len(unseen)), strict=True))

    def tell(self, before: State | None, event: MatchEvent) -> MatchEvent:
        if (
            isinstance(event, DiceRolled)
            and before is not None
            and before.turn is not None
            and not before.dealt
        ):
            return msgspec.structs.replace(
                event, dice=tuple(self.names.get(card, card) for card in event.dice)
            )
        return event
