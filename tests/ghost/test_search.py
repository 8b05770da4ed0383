"""What holds for every player who looks ahead: it is legal, always the same, and within its budget."""

from itertools import islice

import pytest

from services.ghost.players import Searcher, Seeded, Seen, own_player
from services.ghost.players.search import searcher
from services.ghost.players.search.alphabeta import WIN, Budget, Loud, Search
from shared.match import view
from shared.rules.backgammon import RULES as BACKGAMMON
from shared.rules.gomoku3d import RULES as GOMOKU3D
from tests.support.ghosts import BOARD_GAMES, seen
from tests.support.playing import some_states
from tests.support.story import Story

every_game = pytest.mark.parametrize("game", BOARD_GAMES)


class Tree:
    """A game of three choices a move, ``depth`` moves long; a seed says what ends are worth. ``Board``."""

    def __init__(self, seed: int, depth: int) -> None:
        """At its root."""
        self._seed, self._depth = seed, depth
        self._path: list[int] = []
        self.looked = 0

    def make(self, move: int) -> None:
        self._path.append(move)
        self.looked += 1

    def unmake(self) -> None:
        self._path.pop()

    def ended(self) -> int | None:
        return (-WIN, None, None, None, None, 0)[self._noise() % 6] if len(self._path) > 1 else None

    def moves(self) -> list[int]:
        return [0, 1, 2] if len(self._path) < self._depth else []

    def stuck(self) -> int:
        return 0

    def loud(self) -> Loud[int]:
        return Loud((), forced=False)

    def judge(self) -> int:
        return self._noise() % 199 - 99

    def key(self) -> tuple[int, ...]:
        return tuple(self._path)

    def _noise(self) -> int:
        found = self._seed
        for move in self._path:
            found = (found * 31 + move + 7) * 2654435761 % 2**32
        return found >> 7

    def minimax(self, depth: int, ply: int = 0) -> int:
        """The worth without any pruning."""
        over = self.ended() if ply else None
        if over is not None:
            return over + ply if over < 0 else over
        if not depth:
            return self.judge()
        values = [self._after(move, depth, ply) for move in self.moves()]
        return max(values, default=0)

    def _after(self, move: int, depth: int, ply: int) -> int:
        self._path.append(move)
        value = -self.minimax(depth - 1, ply + 1)
        self._path.pop()
        return value


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_the_search_finds_what_looking_at_everything_finds(depth: int) -> None:
    pruned = 0
    for seed in range(60):
        whole = Tree(seed, 8)
        found = Search(Tree(seed, 8), Budget(10**6, depth)).choose([0, 1, 2])
        value = whole.minimax(depth)
        if abs(found.value) < WIN - 1000:
            assert found.value == value
        else:
            assert (found.value > 0) == (value > 0)
            assert found.value == Tree(seed, 8).minimax(found.depth)
        pruned += found.nodes < 3**depth
    assert pruned > 30 or depth < 4


def test_the_budget_is_kept_and_the_best_so_far_is_played() -> None:
    for nodes in (1, 2, 10, 100):
        tree = Tree(5, 20)
        found = Search(tree, Budget(nodes)).choose([0, 1, 2])
        assert tree.looked <= nodes + 1
        assert found.move in (0, 1, 2)


def shown_in(game: str, seed: int = 3, every: int = 24) -> list[Seen]:
    """What is seen in a random game, now and then."""
    rules, options = BOARD_GAMES[game]
    states = [state for state in some_states(rules, seed, options=options) if state.result is None]
    return [seen(state, state.turn, rules=rules, options=options) for state in islice(states, 0, 100, every)]


@every_game
def test_every_choice_is_legal_and_always_the_same(game: str) -> None:
    rules, options = BOARD_GAMES[game]
    for shown in shown_in(game):
        for level in (1, 2, 0):
            move = own_player(rules, options, level).move(shown)
            assert move in shown.legal
            assert own_player(rules, options, level).move(shown) == move


@every_game
def test_a_level_says_how_far_anybody_looks(game: str) -> None:
    rules, options = BOARD_GAMES[game]
    assert isinstance(own_player(rules, options, 1), Seeded)
    shallow, deep = own_player(rules, options, 2), own_player(rules, options, 3)
    assert isinstance(shallow, Searcher)
    assert isinstance(deep, Searcher)
    assert own_player(rules, options) is deep
    assert shallow is not deep


def test_games_of_dice_are_not_searched() -> None:
    assert searcher(BACKGAMMON, shallow=False) is None


def test_without_the_position_of_an_open_game_there_is_no_search() -> None:
    story = Story(rules="gomoku3d").started()
    blind = Seen(view(story.state, 0), GOMOKU3D.legal(story.state.position, 0))
    with pytest.raises(LookupError, match="position"):
        own_player(GOMOKU3D, {}).move(blind)
