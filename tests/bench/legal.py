"""How long rules take: every call of backgammon on recorded matches, ``legal`` and ``play`` on played ones.

``python -m tests.bench.legal`` prints microseconds of the processor. ``legal`` is measured without its memo,
as on a first push; ``read``, ``play``, ``position`` and ``view`` as the server calls them, right after
``legal``. The goals: a mean of ``legal`` under 250 µs in backgammon and 400 µs in each game, and no roll of
any over 10 ms. In the games of the tables family that are played for this, some sides move at random and
some hold as many points as they can, one behind the other: positions with many plays and with many blocks.
The board games are played at random to their end.
"""

from collections.abc import Callable, Iterator
from random import Random
from statistics import mean, median
from time import thread_time_ns
from typing import Any, Final

from shared.rules.abalone import moves as abalone
from shared.rules.alternating import Alternating
from shared.rules.backgammon import RULES
from shared.rules.chess import game as chess
from shared.rules.draughts import moves as draughts
from shared.rules.gomoku import board as gomoku
from shared.rules.nard import hitting, parallel, pinning
from shared.rules.nard.game import Nard, State
from shared.rules.protocol import Over
from shared.rules.registry import CURRENT
from shared.rules.reversi import moves as reversi
from tests.support.playing import walk
from tests.support.recorded import all_turns

GOAL_US: Final = 250.0
GOAL_EACH_US: Final = 400.0
GOAL_WORST_US: Final = 10_000.0
GAMES: Final = 40
_AGAIN: Final = 5  # the worst is measured so often, lest another process be measured
_SUSPECT_US: Final = 1_000.0


def _us(call: Callable[[], object]) -> float:
    start = thread_time_ns()
    call()
    return (thread_time_ns() - start) / 1000


def _memos() -> tuple[Callable[[], None], ...]:
    """What empties the memos of all rules that have one."""
    modules = (hitting, pinning, parallel, chess, draughts, abalone, reversi, gomoku)
    kept = {id(value): value for module in modules for value in vars(module).values()}
    return tuple(value.cache_clear for value in kept.values() if hasattr(value, "cache_clear"))


_MEMOS: Final = _memos()


def _forget() -> None:
    for clear in _MEMOS:
        clear()


def _summary(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {
        "mean_us": round(mean(ordered), 1),
        "p50_us": round(median(ordered), 1),
        "p95_us": round(ordered[int(len(ordered) * 0.95)], 1),
        "worst_us": round(ordered[-1], 1),
    }


def _recorded() -> dict[str, dict[str, float]]:
    times: dict[str, list[float]] = {
        name: [] for name in ("legal", "read", "read_written", "play", "position", "view")
    }
    for state, seat, text in all_turns():
        _forget()
        times["legal"].append(_us(lambda: RULES.legal(state, seat)))  # noqa: B023 - called at once
        move = RULES.read(state, seat, text)
        times["read"].append(_us(lambda: RULES.read(state, seat, move)))  # noqa: B023 - as above
        times["read_written"].append(_us(lambda: RULES.read(state, seat, text)))  # noqa: B023 - as above
        times["play"].append(_us(lambda: RULES.play(state, seat, move)))  # noqa: B023 - as above
        times["position"].append(_us(lambda: RULES.position(state)))  # noqa: B023 - as above
        times["view"].append(_us(lambda: RULES.view(state, seat)))  # noqa: B023 - as above
    return {name: _summary(found) for name, found in times.items()}


def _longest_run(rules: Nard, state: State, seat: int, move: str) -> int:
    longest = run = 0
    for count in rules.play(state, seat, move).boards[seat][1:25]:
        run = run + 1 if count else 0
        longest = max(longest, run)
    return longest


def _rolled(rules: Nard) -> Iterator[State]:
    """Rolled positions of games in which each side has a temper of its own."""
    for seed in range(GAMES):
        random = Random(seed)
        builds = [random.random() < 0.5 for _ in range(2)]

        def choose(
            state: State,
            seat: int,
            legal: tuple[str, ...],
            random: Random = random,
            builds: list[bool] = builds,
        ) -> str:
            if not builds[seat] or random.random() < 0.3:
                return random.choice(legal)
            return max(legal, key=lambda move: _longest_run(rules, state, seat, move))

        start = rules.setup(2, {}, random.randrange(2))
        yield from (state for state in walk(rules, start, random, choose) if state.dice)


def _steady(call: Callable[[], float]) -> float:
    """What ``call`` has measured; the least of several times if it seems much."""
    took = call()
    return took if took <= _SUSPECT_US else min(took, *(call() for _ in range(_AGAIN)))


def _each(rules: Nard) -> dict[str, float]:
    times: list[float] = []
    for state in _rolled(rules):
        seat = state.turn or 0

        def list_anew(state: State = state, seat: int = seat) -> float:
            _forget()
            return _us(lambda: rules.legal(state, seat))

        times.append(_steady(list_anew))
    return _summary(times)


def _board_game(rules: Any) -> dict[str, dict[str, float]]:
    """``legal`` on a fresh position, and ``play`` after it, in whole random games."""
    listed: list[float] = []
    played: list[float] = []
    for seed in range(GAMES):
        random = Random(seed)
        for state in walk(rules, rules.setup(2, {}, seed % 2), random):
            if isinstance(rules.waiting(state), Over):
                continue

            def list_anew(state: Any = state) -> float:
                _forget()
                return _us(lambda: rules.legal(state, state.turn))

            listed.append(_steady(list_anew))
            move = random.choice(rules.legal(state, state.turn))

            def play_anew(state: Any = state, move: str = move) -> float:
                _forget()
                rules.legal(state, state.turn)
                return _us(lambda: rules.play(state, state.turn, move))

            played.append(_steady(play_anew))
    return {f"legal {rules.name}": _summary(listed), f"play {rules.name}": _summary(played)}


def run() -> dict[str, dict[str, float]]:
    """By call (of backgammon) and by game (``legal <name>``): mean, p50, p95 and worst, in microseconds."""
    games: list[Any] = list(CURRENT.values())
    each = {f"legal {rules.name}": _each(rules) for rules in games if isinstance(rules, Nard)}
    for rules in games:
        if isinstance(rules, Alternating):
            each |= _board_game(rules)
    return _recorded() | each


def main() -> None:
    """Print the figures and the goals."""
    for name, figures in run().items():
        print(f"{name:18}", "  ".join(f"{key} {value:7.1f}" for key, value in figures.items()))  # noqa: T201 - a report
    print(  # noqa: T201 - a report
        f"goals: mean of legal under {GOAL_US:.0f} us in backgammon and {GOAL_EACH_US:.0f} us in every game, "
        f"worst under {GOAL_WORST_US:.0f} us"
    )


if __name__ == "__main__":
    main()
