"""What the system's list of words costs scrabble: to build, to hold, to look a move up, and to choose one.

The list is built anew from ``hunspell-cs`` (without it nothing is measured). Seconds and megabytes are this
machine's; each time is also given as a multiple of a floor that is measured in the same run:

* building: the forms alone, made and sorted, without an automaton;
* start: a Python process that loads the rules and no list;
* a move of the computer: a plain loop that follows as many arcs of the automaton as the player may try.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import Any, Final, NamedTuple

import msgspec

from services.ghost.players import ScrabblePlayer, Seen
from services.ghost.players.scrabble import TRIED
from shared.adapters.word_lists import SETTING, SYSTEM_LIST, check, named, pending
from shared.match import view
from shared.rules.scrabble import RULES, State
from shared.rules.scrabble.automaton import NONE, ROOT, child
from shared.rules.scrabble.tiles import RACK, in_order
from shared.rules.scrabble.words import Lexicon, offer, withdraw
from tests.support.playing import walk
from tests.support.scripts.scrabble import begun

GOAL_MOVE: Final = 3.0
"""A move of the computer takes at most so many floors, whatever its rack."""

_GAMES: Final = 2
_STARTS: Final = 5
_FORMS: Final = """
import sys
from pathlib import Path
from shared.adapters.hunspell_words import forms
dic = Path(sys.argv[1])
sorted(set(forms(dic, dic.with_suffix(".aff"))))
"""
_START: Final = """
import os, sys
from pathlib import Path
from shared.adapters.word_lists import named
import shared.rules.registry
if sys.argv[1:]:
    sum(named({}, Path(sys.argv[1])).nodes[::256])  # all of it is looked at
sys.stdout.write(Path("/proc/self/status").read_text())
"""


class _Ended(NamedTuple):
    """A process: its time in seconds, of which so much on a processor; most megabytes; what it wrote."""

    s: float
    cpu_s: float
    most_mb: float
    said: str


def _child(*arguments: str) -> _Ended:
    """Run Python with these."""
    begin = perf_counter()
    process = subprocess.Popen(  # noqa: S603 - ourselves
        (sys.executable, *arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    said, errors = process.stdout.read(), process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    check(os.waitstatus_to_exitcode(status), errors)
    return _Ended(perf_counter() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, said)


def _resident_mb(status: str, kind: str) -> float:
    line = next(line for line in status.splitlines() if line.startswith(kind))
    return int(line.split()[1]) / 1024


def _building(directory: Path) -> dict[str, Any]:
    work = pending({}, directory)
    assert work is not None
    floor = _child("-c", _FORMS, str(SYSTEM_LIST))
    built = _child(*work.command[1:])
    return {
        "build_s": round(built.s, 1),
        "build_cpu_s": round(built.cpu_s, 1),
        "build_in_floors": round(built.cpu_s / floor.cpu_s, 1),
        "build_mb": round(built.most_mb),
        "file_mb": round(work.path.stat().st_size / 2**20, 1),
    }


def _starting(directory: Path) -> dict[str, Any]:
    """A process with the list (found built) and one without, by turns; the memory is private to each."""
    without, with_list = zip(
        *((_child("-c", _START), _child("-c", _START, str(directory))) for _ in range(_STARTS)), strict=True
    )
    bare_s, s = (median(each.cpu_s for each in runs) for runs in (without, with_list))
    private, mapped = (
        median(_resident_mb(each.said, kind) for each in with_list)
        - median(_resident_mb(each.said, kind) for each in without)
        for kind in ("RssAnon", "RssFile")
    )
    return {
        "start_cpu_ms": round(1000 * (s - bare_s), 1),
        "start_in_floors": round(s / bare_s, 2),
        "private_mb_each": round(private, 1),
        "loaded_mb": round(mapped, 1),
    }


def _asked(found: Lexicon) -> tuple[list[State], list[State]]:
    """Positions to move of played games, as they came; and the same with a blank on the rack."""
    start = RULES.setup(2, {"dictionary": found.id}, 0)
    short = ScrabblePlayer(4)

    def choose(state: State, seat: int, _: tuple[str, ...]) -> str:
        return short.move(_seen(state, seat))

    plain: list[State] = []
    for seed in range(_GAMES):
        states = walk(RULES, start, Random(seed), choose, RULES.legal)
        plain += [s for s in states if s.result is None and not s.mixing and len(s.racks[s.turn]) == RACK]
    plain = [state for state in plain if "?" not in state.racks[state.turn]]
    return plain, [_with_blank(state) for state in plain]


def _with_blank(state: State) -> State:
    rack = in_order("?" + state.racks[state.turn][1:])
    return msgspec.structs.replace(
        state, racks=tuple(rack if seat == state.turn else other for seat, other in enumerate(state.racks))
    )


_STORY: Final = begun("scrabble/bench").state


def _seen(state: State, seat: int) -> Seen:
    return Seen(view(msgspec.structs.replace(_STORY, position=state), seat), RULES.legal(state, seat))


def _ms(call: Callable[[], object]) -> float:
    begin = perf_counter()
    call()
    return 1000 * (perf_counter() - begin)


def _arcs(nodes: Any, tried: int) -> None:
    node = code = ROOT
    for _ in range(tried):
        code = code % 39 + 1
        node = child(nodes, node, code)
        node = ROOT if node == NONE else node


def _summary(times: list[float], floor_ms: float) -> dict[str, float]:
    ordered = sorted(times)
    p95 = ordered[int(len(ordered) * 0.95)]
    return {
        "p50_ms": round(median(ordered), 1),
        "p95_ms": round(p95, 1),
        "max_ms": round(ordered[-1], 1),
        "p95_in_floors": round(p95 / floor_ms, 2),
        "asked": len(ordered),
    }


def _choosing(found: Lexicon) -> dict[str, Any]:
    player = ScrabblePlayer()
    plain, blank = _asked(found)
    floor_ms = median(_ms(lambda: _arcs(found.nodes, TRIED)) for _ in range(5))
    figures: dict[str, Any] = {"floor_ms": round(floor_ms, 1)}
    for name, states in (("no blank", plain), ("a blank", blank)):
        questions = [_seen(state, state.turn) for state in states]
        views = [_ms(lambda s=state: _seen(s, s.turn)) for state in states]
        figures[f"view, {name}"] = _summary(views, floor_ms)
        moves = [_ms(lambda q=question: player.move(q)) for question in questions]
        figures[f"move, {name}"] = _summary(moves, floor_ms)
    figures["goal"] = f"p95 of a move at most {GOAL_MOVE} floors"
    figures["met"] = all(figures[f"move, {n}"]["p95_in_floors"] <= GOAL_MOVE for n in ("no blank", "a blank"))
    return figures


def run() -> dict[str, Any]:
    """Figures by what is done; only why not, where there is no list to measure."""
    if not SYSTEM_LIST.exists():
        return {"not measured": f"{SYSTEM_LIST} is not there: install hunspell-cs"}
    with tempfile.TemporaryDirectory(prefix="kronika-") as folder:
        directory = Path(folder)
        figures = {"building": _building(directory), "starting": _starting(directory)}
        found = named({SETTING: ""}, directory)
        assert found is not None
        offer(found)
        try:
            return {"words": found.count, **figures, "choosing": _choosing(found)}
        finally:
            withdraw(found.id)


if __name__ == "__main__":
    print(msgspec.json.format(msgspec.json.encode(run())).decode())  # noqa: T201 - a report
