"""Hidden hand: a tiny whole game with secrets, for tests of what must never leak.

Two or three seats are dealt three of nine cards each; the rest stays hidden from everybody. In each round
all seats choose a card at the same time; a choice is secret until the last seat has chosen. The highest card
takes the round; who takes most rounds wins. It is registered only where a test asks for it: ``register``.
"""

from collections.abc import Mapping
from random import Random
from typing import Any, Final

import msgspec
import pytest

from shared.chance import Shuffle
from shared.problems import Refused
from shared.rules import registry
from shared.rules.protocol import Chance, Over, Players, Result, Traits, Waiting

CARDS: Final = 9
HAND: Final = 3


class State(msgspec.Struct, frozen=True):
    """``hands`` and ``chosen`` are secret by seat, ``rest`` from all; ``shown`` is the last round's cards."""

    rounds: int
    hands: tuple[tuple[int, ...], ...]
    chosen: tuple[int | None, ...]
    rest: tuple[int, ...] = ()
    taken: tuple[int, ...] = ()
    shown: tuple[int, ...] = ()
    dealt: bool = False
    played: int = 0


class HiddenHand:
    """Rules (see ``shared.rules.protocol``); a move is the number of a card, 0 to 8."""

    name: str = "hidden_hand"
    title: str = "Hidden hand"
    version: int = 1
    seats: tuple[int, int] = (2, 3)
    traits: Traits = Traits()

    def options(self) -> dict[str, Any]:
        """``rounds``: 1 to 3."""
        rounds = {"type": "integer", "minimum": 1, "maximum": HAND, "default": HAND, "description": "Rounds."}
        return {"type": "object", "properties": {"rounds": rounds}, "additionalProperties": False}

    def offers(self, options: Mapping[str, Any]) -> Traits:
        """The same under all options."""
        self.setup(self.seats[0], options, None)
        return self.traits

    def setup(self, seats: int, options: Mapping[str, Any], first: int | None) -> State:
        """Nothing is dealt yet; ``first`` has no meaning, all choose at once."""
        del first
        rounds: Any = options.get("rounds", HAND)
        if set(options) - {"rounds"} or type(rounds) is not int or not 1 <= rounds <= HAND:
            raise Refused("invalid_options", "The only option is rounds, 1 to 3.")
        if not self.seats[0] <= seats <= self.seats[1]:
            raise Refused("invalid_options", "Two or three play.")
        return State(rounds=rounds, hands=((),) * seats, chosen=(None,) * seats, taken=(0,) * seats)

    def waiting(self, state: State) -> Waiting:
        """The deal, then all who have not chosen, then the end."""
        if not state.dealt:
            return Chance(Shuffle(CARDS))
        if state.played == state.rounds:
            best = sorted(state.taken, reverse=True)
            places = tuple(best.index(n) + 1 for n in state.taken)
            draw = places.count(1) > 1
            return Over(Result(places=places, kind="draw" if draw else "rounds", points=0 if draw else 1))
        return Players(tuple(seat for seat, card in enumerate(state.chosen) if card is None))

    def legal(self, state: State, seat: int) -> tuple[str, ...]:
        """The cards in hand of a seat that has not chosen."""
        waiting = self.waiting(state)
        if not isinstance(waiting, Players) or seat not in waiting.seats:
            return ()
        return tuple(str(card) for card in state.hands[seat])

    def read(self, state: State, seat: int, text: str) -> str:
        """A card number, with any blanks around it."""
        move = text.strip()
        if not move.isdecimal():
            raise Refused("unreadable_move", "Write the number of a card.")
        if move not in self.legal(state, seat):
            raise Refused("illegal_move", "That card is not yours to play now.")
        return move

    def write(self, state: State, seat: int, move: str, viewer: int | None) -> str:
        """The number for the one who chose it; "a card" for everybody else."""
        del state
        return move if viewer == seat else "a card"

    def play(self, state: State, seat: int, move: str) -> State:
        """The card is set aside; with the last one the round is shown and taken."""
        card = int(move)
        hands = _with(state.hands, seat, tuple(c for c in state.hands[seat] if c != card))
        chosen = _with(state.chosen, seat, card)
        shown = tuple(c for c in chosen if c is not None)
        if len(shown) < len(chosen):
            return msgspec.structs.replace(state, hands=hands, chosen=chosen)
        winner = shown.index(max(shown))
        return msgspec.structs.replace(
            state,
            hands=hands,
            chosen=(None,) * len(chosen),
            shown=shown,
            taken=_with(state.taken, winner, state.taken[winner] + 1),
            played=state.played + 1,
        )

    def half_moves(self, state: State, move: str) -> int:
        """One."""
        del state, move
        return 1

    def claim(self, state: State, seat: int, move: str) -> Result | None:
        """Nothing is claimed."""
        del state, seat, move

    def settle(self, state: State, drawn: tuple[int, ...]) -> State:
        """Deal: three cards to each seat, in order."""
        seats = len(state.hands)
        hands = tuple(tuple(sorted(drawn[HAND * s : HAND * (s + 1)])) for s in range(seats))
        return msgspec.structs.replace(state, hands=hands, rest=drawn[HAND * seats :], dealt=True)

    def forfeit(self, state: State, seat: int, cause: str) -> Result:
        """The seat that gives up is last, the others share the first place."""
        del cause
        seats = len(state.hands)
        return Result(tuple(seats if s == seat else 1 for s in range(seats)), kind="forfeit", points=1)

    def view(self, state: State, seat: int | None) -> dict[str, Any]:
        """The own hand and choice; of the others only how many cards and whether they have chosen."""
        return {
            "hand": None if seat is None else list(state.hands[seat]),
            "choice": None if seat is None else state.chosen[seat],
            "cards": [len(hand) for hand in state.hands],
            "has_chosen": [card is not None for card in state.chosen],
            "shown": list(state.shown),
            "taken": list(state.taken),
        }

    def position(self, state: State) -> str:
        """There is no standard form."""
        del state
        return ""

    def finishing_move(self, state: State, seat: int) -> str | None:
        """Never."""
        del state, seat


T = Any


def _with(values: tuple[T, ...], seat: int, value: T) -> tuple[T, ...]:
    return (*values[:seat], value, *values[seat + 1 :])


RULES: Final = HiddenHand()


def rehidden(state: State, seat: int | None, random: Random) -> State:
    """A state that differs from ``state`` only in what ``seat`` (None: a spectator) may not know.

    All cards that he has not seen are dealt anew: to the other hands and choices and to the rest.
    """
    others = [s for s in range(len(state.hands)) if s != seat]
    unseen = [c for s in others for c in state.hands[s]] + list(state.rest)
    unseen += [c for s in others if (c := state.chosen[s]) is not None]
    random.shuffle(unseen)
    hands, chosen = list(state.hands), list(state.chosen)
    for s in others:
        hands[s] = tuple(sorted(unseen.pop() for _ in hands[s]))
        chosen[s] = None if chosen[s] is None else unseen.pop()
    return msgspec.structs.replace(state, hands=tuple(hands), chosen=tuple(chosen), rest=tuple(unseen))


def register(monkeypatch: pytest.MonkeyPatch) -> HiddenHand:
    """Make the game known to the registry of this process until the test ends."""
    monkeypatch.setitem(registry.RULES, (RULES.name, RULES.version), RULES)
    monkeypatch.setitem(registry.CURRENT, RULES.name, RULES)
    return RULES


@pytest.fixture
def hidden_hand(monkeypatch: pytest.MonkeyPatch) -> HiddenHand:
    """The game, registered for this test (import this fixture where it is wanted)."""
    return register(monkeypatch)
