"""The product's rules beside the second reading: one game that both play, compared at every turn."""

from dataclasses import dataclass
from typing import Any, cast

import msgspec

from shared.chance import Dice as DiceDraw
from shared.rules import registry
from shared.rules.protocol import PASS, Chance, Over, Players, Rules
from tests.support.naive.common import Dice, Ending, Game, Mode, Naive, Position, Side
from tests.support.naive.playouts import Rolled


def told_by(seat: int, view: dict[str, Any]) -> Position:
    """The position that a view shows, as ``seat`` tells it."""
    sides = [cast("Side", tuple(board)) for board in view["boards"]]
    pinned = [frozenset(cast("list[int]", points)) for points in view.get("pinned", ([], []))]
    return Position(sides[seat], sides[1 - seat], pinned[seat], pinned[1 - seat])


def ending(waiting: object) -> Ending | None:
    """How the product says that the game has ended, None while it goes on."""
    if not isinstance(waiting, Over):
        return None
    return Ending(waiting.result.winner, waiting.result.points)


@dataclass(frozen=True)
class Beside:
    """The product's rules of the variant that ``naive`` reads, and their state."""

    naive: Naive
    rules: Rules[Any]
    state: Any

    @classmethod
    def at_start(cls, naive: Naive, mode: Mode, first: int | None) -> "Beside":
        """Set up with the variant's options and ``mode``; ``first`` moves first, None where it is rolled."""
        rules = registry.rules(naive.name)
        return cls(naive, rules, rules.setup(2, {"mode": mode, **naive.options}, first))

    @classmethod
    def at(cls, naive: Naive, game: Game) -> "Beside":
        """Put into the midst of ``game``; the one place that knows the product's state."""
        start = cls.at_start(naive, game.mode, game.starter)
        pins = [tuple(sorted(game.position.my_pinned)), tuple(sorted(game.position.their_pinned))]
        pinned = None if start.state.pinned is None else tuple(pins[::-1] if game.seat else pins)
        state = msgspec.structs.replace(start.state, boards=game.sides(), turn=game.seat, pinned=pinned)
        return cls(naive, start.rules, state)

    def check(self, rolled: Rolled) -> "Beside":
        """Assert that the product agrees about this turn; the state after the play that was chosen."""
        game, seat = rolled.game, rolled.game.seat
        self._check_before(game, rolled)
        state = self.rules.settle(self.state, rolled.dice)
        assert self.rules.waiting(state) == Players((seat,)), rolled.what
        moves = self.rules.legal(state, seat)
        after = {move: self.rules.play(state, seat, move) for move in moves}
        reached = {told_by(seat, self.rules.view(then, None)): then for then in after.values()}
        assert set(reached) == rolled.results, self._difference(rolled, set(reached))
        assert len(reached) == len(moves), f"a result is listed twice: {rolled.what}"
        assert (moves == (PASS,)) == (rolled.results == {game.position}), rolled.what
        for position, then in reached.items():
            expected = self.naive.played(game, position).ending
            assert ending(self.rules.waiting(then)) == expected, f"{rolled.what}, played to {position}"
        self._check_short_finishes(state, game, rolled.dice)
        return Beside(self.naive, self.rules, reached[rolled.chosen])

    def check_opening(self, dice: Dice) -> None:
        """Assert that the product agrees about an opening roll."""
        state = self.rules.settle(self.state, dice)
        opening = self.naive.opening(dice)
        roll = DiceDraw(count=2, sides=6)
        if opening is None:
            assert self.rules.waiting(state) == Chance(roll, None)
            return
        seat, played = opening
        if played is None:
            assert self.rules.waiting(state) == Chance(roll, seat)
            return
        assert self.rules.waiting(state) == Players((seat,))
        after = [self.rules.play(state, seat, move) for move in self.rules.legal(state, seat)]
        reached = {told_by(seat, self.rules.view(then, None)) for then in after}
        assert reached == self.naive.results(Position(self.naive.start, self.naive.start), played)

    def _check_before(self, game: Game, rolled: Rolled) -> None:
        waiting = self.rules.waiting(self.state)
        assert isinstance(waiting, Chance), rolled.what
        assert (waiting.draw, waiting.seat) == (DiceDraw(count=2, sides=6), game.seat), rolled.what
        assert told_by(game.seat, self.rules.view(self.state, None)) == game.position, rolled.what
        for seat in (0, 1):
            for cause in ("resigned", "left"):
                result = self.rules.forfeit(self.state, seat, cause)
                price = Ending(result.winner, result.points)
                assert price == self.naive.given_up(game, seat, cause), f"{seat} has {cause}: {game}"

    def _check_short_finishes(self, state: Any, game: Game, dice: Dice) -> None:
        """§1.4: the last checker may go off with one die, though both could be played."""
        for source, _ in self.naive.short_finishes(game.position, dice):
            move = self.rules.read(state, game.seat, f"{source}/off")
            expected = self.naive.played(game, self._borne_off(game.position, source))
            assert ending(self.rules.waiting(self.rules.play(state, game.seat, move))) == expected.ending

    @staticmethod
    def _borne_off(position: Position, source: int) -> Position:
        mine = list(position.mine)
        mine[source] -= 1
        mine[0] += 1
        return Position(tuple(mine), position.theirs, position.my_pinned, position.their_pinned)

    @staticmethod
    def _difference(rolled: Rolled, reached: set[Position]) -> str:
        only_product = sorted(map(str, reached - rolled.results))
        only_naive = sorted(map(str, rolled.results - reached))
        return "\n".join(
            [rolled.what, "only the product:", *only_product, "only the second reading:", *only_naive]
        )
