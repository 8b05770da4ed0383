"""Battleship told again: the others' nonces are drawn anew, their fleets lie elsewhere and answer alike."""

from random import Random
from typing import Any

import msgspec

from shared.events.match import DiceRolled, MatchEvent, MovePlayed
from shared.rules.battleship import State
from shared.rules.battleship.board import Fleet
from shared.rules.battleship.fleets import NONCE_BYTES, fleet_text
from tests.support.battleship import fleet_like


class Fleets:
    """See ``Retold``."""

    def __init__(self, viewer: int | None) -> None:
        self.hidden = tuple(seat for seat in (0, 1) if seat != viewer)
        self.last: State | None = None
        self.fleets: dict[int, Fleet] = {}
        self.nonces: dict[int, bytes] = {}

    def see(self, before: State | None, event: MatchEvent, after: State | None) -> None:
        del before, event
        self.last = after or self.last

    def change(self, random: Random) -> None:
        state = self.last
        for seat in self.hidden:
            self.nonces[seat] = random.randbytes(NONCE_BYTES)
            if state is not None and state.fleets[seat]:
                other = fleet_like(state.lengths, state.told(seat), random)
                self.fleets[seat] = other or state.fleets[seat]

    def tell(self, before: Any, event: MatchEvent) -> MatchEvent:
        if isinstance(event, DiceRolled):
            dice = list(event.dice)
            for seat, nonce in self.nonces.items():
                dice[seat * NONCE_BYTES : (seat + 1) * NONCE_BYTES] = [byte + 1 for byte in nonce]
            return msgspec.structs.replace(event, dice=tuple(dice))
        if isinstance(event, MovePlayed) and before.placing and event.seat in self.fleets:
            return msgspec.structs.replace(event, move=fleet_text(self.fleets[event.seat]))
        return event
