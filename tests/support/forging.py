"""A forger's tools for golden logs, and what the verifier must say to his work."""

from collections.abc import Callable
from typing import Any

import msgspec

from services.audit.report import MatchReport
from tests.support import golden
from tests.support.matches import rewritten

Commit = dict[str, Any]


def log(name: str) -> list[bytes]:
    """The stored lines of a golden log (``folder/name``; of backgammon without a folder)."""
    return golden.stored(name if "/" in name else f"backgammon/{name}")


def where(lines: list[bytes], tag: str, nth: int = 0) -> tuple[int, int]:
    """(n, place) of the nth event with this tag."""
    found = [
        (n, place)
        for n, line in enumerate(lines, 1)
        for place, event in enumerate(msgspec.json.decode(line)["events"])
        if event["type"] == tag
    ]
    return found[nth]


def expect(report: MatchReport, n: int, field: str) -> None:
    """The report's first difference is in commit ``n`` at ``field``; all before it was in order."""
    assert not report.ok
    assert report.difference is not None
    assert (report.difference.n, report.difference.field) == (n, field), report.difference
    assert report.difference.sentence
    assert report.commits == n - 1
    assert msgspec.json.encode(report)


def edited(name: str, tag: str, nth: int, change: Callable[[Commit], None]) -> tuple[list[bytes], int, str]:
    """The log with one event changed and the chain made anew; where that was."""
    lines = log(name)
    n, place = where(lines, tag, nth)
    made = rewritten(lines, n, lambda commit: change(commit["events"][place]))
    assert made != lines
    return made, n, f"events[{place}]"
