"""``kronika audit verify`` as people and programs call it."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner, Result

from services.audit.report import Report, TimeReport
from services.cli.__main__ import application
from shared.adapters import word_lists
from shared.events.codec import decode_match
from shared.events.match import ClockCharged
from shared.rules.scrabble import words
from shared.rules.scrabble.own_words import OWN_WORDS
from shared.rules.scrabble.words import lexicon
from tests.support import golden
from tests.support.matches import rewritten


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(application("audit"), ["audit", "verify", *arguments])


@pytest.fixture
def forged(tmp_path: Path) -> Path:
    """A log whose winner was edited, with the chain made anew."""
    lines = golden.stored("backgammon/single")
    made = rewritten(lines, len(lines), lambda commit: commit["events"][-2].update(winner=1))
    path = tmp_path / "forged.ndjson"
    path.write_bytes(b"\n".join(made) + b"\n")
    return path


def test_a_folder_of_logs_in_order() -> None:
    done = _run(str(golden.ROOT))
    assert done.exit_code == 0, done.output
    assert f"{len(golden.names())} matches" in done.output
    assert "plies/s" in done.output
    assert "recorded: dice not checked" in done.output
    cancelled = sum(ended.cause.startswith("cancelled") for ended in golden.results().values())
    assert cancelled > 7
    assert f"{cancelled} cancelled, 1 unfinished" in done.output.splitlines()[-1], "the summary is one line"


def test_a_difference_is_told_with_its_place(forged: Path) -> None:
    done = _run(str(forged), str(golden.ROOT / "backgammon" / "single.ndjson"))
    assert done.exit_code == 1
    assert "commit 104, events[2].winner" in done.output
    assert "expected: 0" in done.output
    assert "found:    1" in done.output


def test_the_report_for_programs(forged: Path) -> None:
    done = _run("--json", str(forged))
    assert done.exit_code == 1
    report = msgspec.json.decode(done.stdout, type=Report)
    (match,) = report.matches
    assert not report.ok
    assert match.difference is not None
    assert (match.difference.n, match.difference.field) == (104, "events[2].winner")
    assert (match.difference.expected, match.difference.found) == (0, 1)
    assert match.difference.match == match.match


def _judged(name: str) -> tuple[str, TimeReport]:
    """What is said of the time of a golden match: in the line for people, and in the report for programs."""
    file = golden.ROOT / "backgammon" / f"{name}.ndjson"
    (match,) = msgspec.json.decode(_run("--json", str(file)).stdout, type=Report).matches
    said = [line for line in _run(str(file)).output.splitlines() if line.startswith(file.name)]
    return " | ".join(said), match.time


def test_what_the_clocks_were_charged_is_said_of_every_match_to_the_millisecond() -> None:
    """Who doubts it adds up the charges of the log himself."""
    for name in ("lost-on-time", "blitz-kick"):
        events = [
            event for line in golden.stored(f"backgammon/{name}") for event in decode_match(line).events
        ]
        charges = [event for event in events if isinstance(event, ClockCharged)]
        spent = tuple(sum(event.used_ms for event in charges if event.seat == seat) for seat in (0, 1))
        line, time = _judged(name)
        assert time.charged_ms == spent
        seats = ", ".join(f"seat {seat} {ms / 1000:.3f} s" for seat, ms in enumerate(spent))
        assert f"charged {seats} ({len(charges)} charges, each recomputed)" in line


@pytest.mark.parametrize(
    ("name", "said", "counted"),
    [
        (
            "blitz-kick",
            "flag fallen: seat 1 ×2; thrown out: seat 1 ×1",
            {"flags": (0, 2), "thrown_out": (0, 1)},
        ),
        ("time-asked", "more time asked for: seat 0 ×1", {"asked": (1, 0)}),
        ("lost-on-time", "extensions agreed on: 1", {"agreed": 1, "flags": (0, 1)}),
        ("outage", "given back 130.000 s", {"returned_ms": 130_000}),
        ("ghost", "turns of a ghost: seat 0 ×2, seat 1 ×1", {"ghost_turns": (2, 1)}),
    ],
)
def test_extensions_flags_time_given_back_and_ghosts_are_said(
    name: str, said: str, counted: dict[str, object]
) -> None:
    line, time = _judged(name)
    assert said in line
    assert {field: getattr(time, field) for field in counted} == counted


def test_the_turns_of_the_computer_after_a_kick_are_no_ghosts() -> None:
    assert _judged("kicked-by-the-computer")[1].ghost_turns == (0, 0)


def test_nothing_is_said_of_time_where_nobody_was_timed() -> None:
    assert _judged("single")[0] == ""


def test_a_charge_that_is_wrong_is_not_counted_as_recomputed(tmp_path: Path) -> None:
    lines = golden.stored("backgammon/lost-on-time")
    n, place = next(
        (commit.n, place)
        for commit in map(decode_match, lines)
        for place, event in enumerate(commit.events)
        if isinstance(event, ClockCharged)
    )
    forged = rewritten(lines, n, lambda commit: commit["events"][place].update(used_ms=1))
    path = tmp_path / "charged.ndjson"
    path.write_bytes(b"\n".join(forged) + b"\n")
    done = _run(str(path))
    assert f"commit {n}, events[{place}].used_ms" in done.output
    assert "recomputed" not in done.output


@pytest.mark.parametrize("what", ["missing.ndjson", "empty-folder"])
def test_nothing_to_judge(tmp_path: Path, what: str) -> None:
    (tmp_path / "empty-folder").mkdir()
    done = _run(str(tmp_path / what))
    assert done.exit_code == 2
    assert done.stdout == ""


def test_an_empty_file_is_no_match(tmp_path: Path) -> None:
    path = tmp_path / "empty.ndjson"
    path.write_bytes(b"")
    assert _run(str(path)).exit_code == 1


def test_one_match_is_one() -> None:
    done = _run(str(golden.ROOT / "backgammon" / "single.ndjson"))
    assert done.output.splitlines()[-1].startswith("1 match, ")


@pytest.mark.parametrize(
    "content", [b"# A page\n\nof prose\n", b'{"a":1}\n', b"\x7fELF\xf0\n", b"[" * 100_000]
)
def test_a_file_that_is_no_log_is_told_in_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "page.md"
    path.write_bytes(content)
    done = _run(str(path))
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == f"{path} is no exported log: no line of it is a commit of a match.\n"


def _forget() -> None:
    for known in words.known():
        words.withdraw(known)


def _written(path: Path, lines: list[bytes]) -> Path:
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def test_words_whose_list_is_not_here_are_a_status_of_their_own(
    tmp_path: Path, forged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a list that was built here once, or is named, its words are judged; of any other it is said."""
    monkeypatch.setenv("KRONIKA_DATA", str(tmp_path / "data"))
    monkeypatch.setenv(word_lists.SETTING, "own")
    text = tmp_path / "list.txt"
    text.write_text("\n".join(OWN_WORDS.lower().split()) + "\nhovado\n", encoding="utf-8")
    other = lexicon("words", [*OWN_WORDS.split(), "HOVADO"])

    def change(commit: dict[str, Any]) -> None:
        commit["events"][0]["options"]["dictionary"] = other.id

    log = _written(tmp_path / "log.ndjson", rewritten(golden.stored("scrabble/challenged"), 1, change))
    told = f"cannot judge the words: list {other.id} is not installed here"
    done = _run(str(log))
    assert (done.exit_code, told in done.output, "cannot judge" in done.output) == (3, True, True)
    report = msgspec.json.decode(_run("--json", str(log)).stdout, type=Report)
    (match,) = report.matches
    assert (report.ok, report.unjudged, match.status, match.missing) == (
        False,
        1,
        "cannot judge",
        (other.id,),
    )
    assert match.difference is None
    assert _run(str(log), str(forged)).exit_code == 1
    assert _run("--words", str(text), str(log)).exit_code == 0
    _forget()
    assert _run(str(log)).exit_code == 0, "it lies built now"
    _forget()
    assert "3 all in" in " ".join(_run("--help").output.replace("│", " ").split())
