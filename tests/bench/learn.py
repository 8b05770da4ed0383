"""How the computer learns what positions are worth: from games against itself, by temporal differences.

``python -m tests.bench.learn pinning`` goes on from what lies in ``services/ghost/players/learned`` and
writes it there again; ``--anew 80`` begins with so many random hidden units. Some fifteen games a second are
played, and a network wants a hundred thousand before it plays well. (Those that lie there were begun after
the same recipe by a compiled program.)

Both sides play what the network likes best. Afterwards each position of the game is taught what became of it:
a mixture of what the network said of those that followed, the nearer the more, and of the result. In some
games one side or both play at random for a while, so that it learns about places where it never goes itself.
"""

import argparse
from collections.abc import Sequence
from random import Random
from struct import calcsize, pack, unpack_from
from sys import stdout
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from services.ghost.players.nard import LEARNED, MOST_MORE, counts
from services.ghost.players.network import CELLS, HEADER, ROWS
from shared.rules.nard.game import State
from shared.rules.protocol import Chance, Players, Result
from shared.rules.registry import AnyRules, rules
from tests.support.playing import drawn

Floats = npt.NDArray[np.float32]
Counts = npt.NDArray[np.uint8]

AT_ONCE: Final = 48  # games whose positions are judged together
BATCH: Final = 256
FURTHER: Final = 0.6  # how much of what follows is learned from beyond the next position
BLIND: Final = 0.4  # of the games
MOST_BLIND: Final = 90  # plays at the beginning of such a game
MOST_PLAYS: Final = 1_500
RATES: Final = (2e-3, 4e-5)  # at the beginning and at the end

LESSONS: Final[dict[str, dict[str, int]]] = {
    "hitting": {"backgammon": 5, "nackgammon": 2},
    "hitting_few": {"hypergammon": 1},
    "pinning": {"plakoto": 1},
    "headed": {"long_nardy": 1},
    "parallel": {"fevga": 1},
}
"""By network: the games that it is learned from, and how often each; ``<name>_giveaway`` is for that mode."""

GIVEAWAY: Final = "_giveaway"

ADDED: Final[Floats] = np.array([[rows.count(row) for row in range(5)] for rows in ROWS], np.float32)
"""By count: how often each row of weights is added."""


class Learner:
    """A network that learns (by Adam, from the cross-entropy of its outputs)."""

    def __init__(self, weights: list[Floats]) -> None:
        """Begin with these: of the inputs, of the hidden units, and what is added to the sums of both."""
        self.weights = weights
        self._rows = len(weights[0]) // CELLS
        self._means = [np.zeros_like(w) for w in weights]
        self._squares = [np.zeros_like(w) for w in weights]
        self._steps = 0

    @classmethod
    def new(cls, rows: int, hidden: int, outputs: int) -> "Learner":
        """One that knows nothing."""
        random = np.random.default_rng(1)
        shapes = ((CELLS * rows, hidden), (hidden, outputs))
        first, second = (random.normal(0, 0.1, shape).astype(np.float32) for shape in shapes)
        return cls([first, second, np.zeros(hidden, np.float32), np.zeros(outputs, np.float32)])

    @classmethod
    def read(cls, stored: bytes) -> "Learner":
        """One that goes on from a file."""
        rows, hidden, outputs = unpack_from(HEADER, stored)
        flat = np.frombuffer(stored, "<f2", offset=calcsize(HEADER)).astype(np.float32)
        first, begin, rest = np.split(flat, [CELLS * rows * hidden, (CELLS * rows + 1) * hidden])
        ends = rest.reshape(outputs, hidden + 1)
        return cls([first.reshape(-1, hidden), ends[:, :-1].T.copy(), begin.copy(), ends[:, -1].copy()])

    def stored(self) -> bytes:
        """As ``Network`` reads it."""
        first, second, begin, bias = self.weights
        ends = np.concatenate([second.T, bias[:, None]], 1)
        flat = np.concatenate([first.ravel(), begin, ends.ravel()])
        return pack(HEADER, self._rows, len(begin), len(bias)) + flat.astype("<f2").tobytes()

    def _passed(self, positions: Counts) -> tuple[Floats, Floats, Floats]:
        first, second, begin, bias = self.weights
        inputs: Floats = ADDED[positions, : self._rows].reshape(len(positions), -1)
        heard = np.maximum(inputs @ first + begin, 0)
        chances = 1 / (1 + np.exp(-(heard @ second + bias)))
        return inputs, heard, chances.astype(np.float32)

    def chances(self, positions: Counts) -> Floats:
        """What the network says of each."""
        return self._passed(positions)[2]

    def learn(self, positions: Counts, truths: Floats, rate: float) -> None:
        """Move the weights a step towards what it should say."""
        inputs, heard, chances = self._passed(positions)
        wrong = (chances - truths) / len(positions)
        back = (wrong @ self.weights[1].T) * (heard > 0)
        self._steps += 1
        for at, slope in enumerate((inputs.T @ back, heard.T @ wrong, back.sum(0), wrong.sum(0))):
            self._means[at] += 0.1 * (slope - self._means[at])
            self._squares[at] += 0.001 * (slope * slope - self._squares[at])
            mean = self._means[at] / (1 - 0.9**self._steps)
            spread = np.sqrt(self._squares[at] / (1 - 0.999**self._steps))
            self.weights[at] -= (rate * mean / (spread + 1e-8)).astype(np.float32)


class Met(NamedTuple):
    """A position, for the seat that has just moved, and what was said of it (of an end: what is true)."""

    position: Sequence[int]
    said: Floats


class Game:
    """One game of the network against itself."""

    def __init__(self, played: AnyRules, options: dict[str, str], random: Random, outputs: int) -> None:
        self.played, self._random, self._outputs = played, random, outputs
        self.state: State = played.setup(2, options, random.randrange(2))
        self.met: list[Met] = []
        self.blind = random.randint(1, MOST_BLIND) if random.random() < BLIND else 0
        self._blind_seats = random.choice(((0,), (1,), (0, 1)))

    def choices(self) -> list[State]:
        """What the seat to move can move to; rolls for it before."""
        waiting = self.played.waiting(self.state)
        if isinstance(waiting, Chance):
            self.state = self.played.settle(self.state, drawn(waiting.draw, self._random))
            waiting = self.played.waiting(self.state)
        assert isinstance(waiting, Players)
        (seat,) = waiting.seats
        legal = self.played.legal(self.state, seat)
        if len(self.met) < self.blind and seat in self._blind_seats:
            legal = (self._random.choice(legal),)
        return [self.played.play(self.state, seat, move) for move in legal]

    def truth(self, result: Result, seat: int) -> Floats:
        """What should be said of an end, for ``seat``: whether it has won, and by how much more than one."""
        if result.winner is None:
            said = [0.5, 0.0, 0.0]
        else:
            more = (result.points - 1) / MOST_MORE
            said = [1.0, more, 0.0] if result.winner == seat else [0.0, 0.0, more]
        return np.array(said[: self._outputs], np.float32)

    def move(self, choices: list[State], positions: list[list[int]], said: Floats) -> bool:
        """Go where it is best; whether that ends the game."""
        seat = self.state.turn or 0
        said = said.copy()
        for at, then in enumerate(choices):
            if then.result is not None:
                said[at] = self.truth(then.result, seat)
        best = int(np.argmax(expected(said)))
        self.state = choices[best]
        self.met.append(Met(positions[best], said[best]))
        return self.state.result is not None

    def lessons(self) -> list[Met]:
        """The positions that followed the blind play, with what should have been said of them."""
        truth = self.met[-1].said
        found: list[Met] = []
        for at in range(len(self.met) - 2, max(self.blind, 1) - 2, -1):
            mixed = (1 - FURTHER) * self.met[at + 1].said + FURTHER * truth
            truth = mirrored(mixed.astype(np.float32))
            found.append(Met(self.met[at].position, truth))
        return found


def expected(said: Floats) -> Floats:
    """What positions are worth, in single games."""
    single = np.float32(2) * said[:, 0] - np.float32(1)
    return single + np.float32(MOST_MORE) * (said[:, 1] - said[:, 2]) if said.shape[1] > 1 else single


def mirrored(said: Floats) -> Floats:
    """The same for the other side."""
    return np.concatenate([np.float32(1) - said[:1], said[:0:-1]])


def learn(name: str, learner: Learner, games: int, seed: int) -> None:
    """Play so many games, and learn from each."""
    random = Random(seed)
    lesson = LESSONS[name.removesuffix(GIVEAWAY)]
    known = [rules(game) for game, often in lesson.items() for _ in range(often)]
    options = {"mode": "giveaway"} if name.endswith(GIVEAWAY) else {}
    outputs = len(learner.weights[3])

    def new() -> Game:
        return Game(random.choice(known), options, random, outputs)

    playing = [new() for _ in range(AT_ONCE)]
    heap: list[Met] = []
    done = 0
    while done < games:
        choices = [game.choices() for game in playing]
        positions = [[counts(s, g.state.turn or 0) for s in c] for g, c in zip(playing, choices, strict=True)]
        said = learner.chances(np.array([p for each in positions for p in each], np.uint8))
        at = 0
        for place, game in enumerate(playing):
            more = at + len(choices[place])
            ended = game.move(choices[place], positions[place], said[at:more])
            at = more
            if ended or len(game.met) > MOST_PLAYS:
                heap += game.lessons() if ended else []
                playing[place] = new()
                done += 1
        if len(heap) >= 8 * BATCH:
            part = done / games
            random.shuffle(heap)
            while len(heap) >= BATCH:
                batch, heap = heap[:BATCH], heap[BATCH:]
                truths = np.array([met.said for met in batch], np.float32)
                rate = RATES[0] * (1 - part) + RATES[1] * part
                learner.learn(np.array([met.position for met in batch], np.uint8), truths, rate)
            stdout.write(f"\r{name}: {done} of {games} games")
            stdout.flush()


def main() -> None:
    """Learn what is named on the command line."""
    names = [*LESSONS, *(name + GIVEAWAY for name in LESSONS)]
    parser = argparse.ArgumentParser(description="Learn from games against oneself.")
    parser.add_argument("name", choices=names)
    parser.add_argument("--games", type=int, default=5_000)
    parser.add_argument(
        "--anew", type=int, metavar="UNITS", help="forget all, begin with so many hidden units"
    )
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    file = LEARNED / f"{given.name}.bin"
    if given.anew:
        rows = 5 if given.name.startswith("pinning") else 4
        learner = Learner.new(rows, given.anew, 1 if given.name.endswith(GIVEAWAY) else 3)
    else:
        learner = Learner.read(file.read_bytes())
    learn(given.name, learner, given.games, given.seed)
    file.write_bytes(learner.stored())


if __name__ == "__main__":
    main()
