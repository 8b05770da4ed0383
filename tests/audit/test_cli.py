"""``kronika audit verify`` as people and programs call it."""

from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner, Result

from services.audit.report import Report
from services.cli.__main__ import application
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
    assert "6 cancelled, 1 unfinished" in done.output.splitlines()[-1], "the summary is one line"


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
