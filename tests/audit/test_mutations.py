"""Any one value of any commit, changed with the chain made anew, is found; or it is shown to mean nothing."""

import re
from collections.abc import Iterator
from typing import Any, Final, cast

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.audit.domain import verify
from services.audit.report import CANNOT_JUDGE
from tests.support import golden
from tests.support.matches import rewritten

# What a log alone cannot show, each with its reason (docs/fairness.md tells the players).
MEANINGLESS: Final = (
    (r"command", "a name that the sender chose; only the sender knows which"),
    (r"command_hash", "the sender's text of the command and its `expected` are not in the log"),
    (r"at_ms", "within the window between two commits and the command's arrival"),
    (r"arrived_ms", "within the 500 ms before at_ms"),
    (r"events\[0\]\.table", "the table is another log"),
    (r"events\[0\]\.seats(\[\d\](\.player)?)?", "who sat there stands in the table's log as well"),
    (r"events\[0\]\.terms(\.\w+)*", "terms that never came to bear in this match"),
    (r"events\[0\]\.since_ms", "since when a player was silent is known to the clock service alone"),
    (r"events\[0\]\.on", "a switch that was thrown where nothing was left to roll"),
)
UNFINISHED: Final = (
    (r"salt", "no secret is revealed yet"),
    (r"events\[\d+\]\.dice(\[\d\])?", "no secret is revealed yet"),
    (r"events\[0\]\.secret_hash", "no secret is revealed yet"),
)
RECORDED: Final = (
    (r"events\[\d+\]\.dice(\[\d\])?", "recorded dice are taken as given, where the moves fit them"),
    (r"by\.seat", "in a recorded match anybody says what fell in the opening roll"),
)
OUTAGE: Final = ((r"events\[0\]\.from_ms", "when an outage began that took time from its clock's start on"),)
UNREVEALED: Final = ((r"events\[0\]\.hash", "a string that its seat never revealed"),)
ANNULLED: Final = ((r"events\[0\]\.seat", "whoever stayed away: nobody wins and nobody loses"),)

LOGS: Final = {name: golden.stored(name) for name in golden.names()}


def _leaves(
    value: object, path: str = "", keys: tuple[Any, ...] = ()
) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The path and keys of everything in a commit that can be changed, containers included."""
    if keys:
        yield path, keys
    if isinstance(value, dict):
        for key, inner in cast("dict[str, Any]", value).items():
            yield from _leaves(inner, f"{path}.{key}" if path else key, (*keys, key))
    elif isinstance(value, list):
        for place, inner in enumerate(cast("list[Any]", value)):
            yield from _leaves(inner, f"{path}[{place}]", (*keys, place))


def _changed(value: object, how: int) -> Any:
    """Another value of the same kind, so that the commit can still be read."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return [value + 1, value - 1, 1 - value, value + 3, -value - 1][how % 5]
    if isinstance(value, str):
        other = "0" if not value.endswith("0") else "1"
        return [value[:-1] + other, other + value[1:], value + other, value[1:], ""][how % 5]
    if isinstance(value, list):
        several = cast("list[Any]", value)
        return [several[:-1], several + several[-1:], several[::-1], several[1:], []][how % 5]
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        droppable = [key for key in fields if key != "type"]
        dropped = droppable[how % len(droppable)] if droppable else None
        return {key: inner for key, inner in fields.items() if key != dropped}
    return value


DEFAULTS: Final = ((r"events\[0\]\.options\.challenge", "left out it is the default, and that was named"),)
UNJUDGED: Final = ((r"events\[0\]\.options\.dictionary", "by this list no word of the match was judged"),)
WITHOUT_JUDGEMENT: Final = ("scrabble/draw", "scrabble/out", "scrabble/out-of-four")
"""Nobody laid a tile, or everybody whatever he had, and nobody challenged it."""


def _is_meaningless(name: str, path: str) -> bool:
    known = MEANINGLESS
    known += DEFAULTS if name.startswith("scrabble/") else ()
    known += UNJUDGED if name in WITHOUT_JUDGEMENT else ()
    known += UNFINISHED if name == "backgammon/unfinished" else ()
    known += RECORDED if name in ("backgammon/recorded", "fevga/prime-not-closed") else ()
    known += OUTAGE if name == "backgammon/outage" else ()
    known += UNREVEALED if name == "backgammon/not-revealed" else ()
    known += ANNULLED if name.endswith("/annulled") or name == "battleship/absent-placing" else ()
    return any(re.fullmatch(pattern, path) for pattern, _ in known)


def _mutate(name: str, n: int, leaf: int, how: int) -> None:
    lines = LOGS[name]
    commit: dict[str, Any] = msgspec.json.decode(lines[n - 1])
    leaves = list(_leaves(commit))
    path, keys = leaves[leaf % len(leaves)]
    was: Any = commit
    for key in keys:
        was = was[key]
    becomes = _changed(was, how)
    if isinstance(was, dict):  # a field was left out: it is that field that was changed
        path = ".".join([path, *(cast("dict[str, Any]", was).keys() - becomes.keys())])

    def change(found: dict[str, Any]) -> None:
        inner: Any = found
        for key in keys[:-1]:
            inner = inner[key]
        inner[keys[-1]] = becomes

    made = rewritten(lines, n, change)
    if [msgspec.json.decode(line) for line in made] == [msgspec.json.decode(line) for line in lines]:
        return
    report = verify(made)
    if report.ok:
        assert _is_meaningless(name, path), f"{name} {n} {path}: {was!r} -> {becomes!r} went unnoticed"
    elif report.status == CANNOT_JUDGE:  # another list of words was named, which is nowhere
        assert path.endswith("options.dictionary"), f"{name} {n} {path}: {was!r} -> {becomes!r} is not judged"
    else:
        assert report.difference is not None
        assert report.difference.n >= n
        assert report.difference.field
        assert report.difference.sentence


mutations = given(
    name=st.sampled_from(sorted(LOGS)),
    place=st.integers(0, 10**6),
    leaf=st.integers(0, 10**3),
    how=st.integers(0, 9),
)
quick = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
long = settings(max_examples=3_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@quick
@mutations
def test_any_changed_value_is_found_or_means_nothing(name: str, place: int, leaf: int, how: int) -> None:
    _mutate(name, place % len(LOGS[name]) + 1, leaf, how)


@pytest.mark.nightly
@long
@mutations
def test_very_many_changed_values(name: str, place: int, leaf: int, how: int) -> None:
    _mutate(name, place % len(LOGS[name]) + 1, leaf, how)


SHORT: Final = 14
SHORT_ON_BOARDS: Final = 10
"""Commits of a log in which every value is changed in every run; of a board game up to ``SHORT`` at night."""


def _short() -> Iterator[Any]:
    for name, lines in sorted(LOGS.items()):
        if len(lines) <= SHORT:
            long_board = name.partition("/")[0] in golden.BOARDS and len(lines) > SHORT_ON_BOARDS
            yield pytest.param(name, marks=[pytest.mark.nightly] if long_board else [])


@pytest.mark.parametrize("name", list(_short()))
def test_every_value_of_the_short_logs(name: str) -> None:
    for n, line in enumerate(LOGS[name], 1):
        for leaf in range(len(list(_leaves(msgspec.json.decode(line))))):
            for how in range(5):
                _mutate(name, n, leaf, how)
