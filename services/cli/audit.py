"""``kronika audit``: judge exported logs offline.

Exit status: 0 all in order, 1 a difference was found, 2 something could not be read at all, 3 all in order
but words that could not be judged, because the list of a match is not here.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from time import perf_counter
from typing import Annotated, Final

import msgspec
import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from services.audit.domain import verify as judge
from services.audit.report import CANNOT_JUDGE, DIFFERS, OK, MatchReport, Report, total
from shared.adapters import word_lists
from shared.adapters.word_files import NotWritable
from shared.rules.scrabble.words import offer
from shared.settings import SettingsError, from_environment

DIFFERENT: Final = 1
UNREADABLE: Final = 2
UNJUDGED: Final = 3
ENDING: Final = "*.ndjson"


class _Numbered(msgspec.Struct):
    """The least by which a line is known as a stored commit, however wrong the rest of it is."""

    match: str
    n: int


_NUMBERED: Final = msgspec.json.Decoder(_Numbered)

app = typer.Typer(no_args_is_help=True, help="Judge matches by their logs.")


@app.callback()
def audit() -> None:
    """Judge matches by their logs."""


@app.command()
def verify(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH…", help="Exported logs (.ndjson), or folders full of them.")
    ],
    *,
    lists: Annotated[
        list[Path] | None,
        typer.Option("--words", metavar="FILE", help="A list of words to judge by (again for each)."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Check exported logs offline: chain, numbering, every move, dice, clocks, scores.

    Words are judged by the lists that KRONIKA_DATA and --words have.

    Exit status: 0 all in order, 1 a difference was found, 2 something could not be read at all, 3 all in
    order but words that cannot be judged, because a match's list is not installed here.
    """
    problems = Console(stderr=True)
    try:
        files = list(_files(paths))
    except OSError as error:
        problems.print(f"[red]{escape(str(error))}[/red]")
        raise typer.Exit(UNREADABLE) from error
    if not files:
        problems.print("[red]No .ndjson file is there.[/red]")
        raise typer.Exit(UNREADABLE)
    _offer_words(lists or [], problems)
    report = _judged(files, problems)
    if as_json:
        sys.stdout.write(msgspec.json.encode(report).decode() + "\n")
    elif report.matches:
        show(report, Console())
    if len(report.matches) < len(files):
        raise typer.Exit(UNREADABLE)
    if report.ok:
        raise typer.Exit
    raise typer.Exit(DIFFERENT if any(match.difference for match in report.matches) else UNJUDGED)


def _offer_words(lists: list[Path], problems: Console) -> None:
    """The lists of words that lie built here, and those that are named: they judge words too.

    What no server here has built yet is only built if it is named: most logs have no words in them.
    """
    try:
        data = from_environment(os.environ).data
        for found in word_lists.stored(data):
            offer(found, default=False)
        named: list[Mapping[str, str]] = [{word_lists.SETTING: str(source)} for source in lists]
        if os.environ.get(word_lists.SETTING) or word_lists.pending(os.environ, data) is None:
            named.append(os.environ)
        for each in named:
            if (judging := word_lists.named(each, data)) is not None:
                offer(judging)
                # the system's list of another day, copied, is still called as it was in matches
                offer(msgspec.structs.replace(judging, name=word_lists.SYSTEM_NAME), default=False)
    except word_lists.NotBuilt as error:  # nobody asked for it
        problems.print(f"[yellow]{escape(str(error))}[/yellow]", soft_wrap=True)
    except (SettingsError, NotWritable) as error:
        problems.print(f"[red]{escape(str(error))}[/red]")
        raise typer.Exit(UNREADABLE) from error


def _files(paths: list[Path]) -> Iterator[Path]:
    """The files that are meant, each once; raises ``FileNotFoundError`` with its name."""
    seen: set[Path] = set()
    for path in paths:
        if not path.exists():
            raise FileNotFoundError(f"There is no {path}.")
        for file in sorted(path.rglob(ENDING)) if path.is_dir() else [path]:
            if file.resolve() not in seen:
                seen.add(file.resolve())
                yield file


def lines(file: Path) -> list[bytes]:
    """The stored commits of an exported log: what stands between newlines, byte for byte."""
    content = file.read_bytes()
    return content.removesuffix(b"\n").split(b"\n") if content else []


def _is_log(log: list[bytes]) -> bool:
    """Whether any line looks like a commit. An empty file may be a log of which nothing is left."""
    return not log or any(map(_is_commit, log))


def _is_commit(line: bytes) -> bool:
    try:
        _NUMBERED.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return True


def _judged(files: list[Path], problems: Console) -> Report:
    begin = perf_counter()
    matches: list[MatchReport] = []
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[plies]} plies"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=problems, transient=True, disable=not problems.is_terminal) as progress:
        task = progress.add_task("Verifying", total=len(files), plies=0)
        plies = 0
        for file in files:
            try:
                log = lines(file)
            except OSError as error:
                problems.print(f"[red]{escape(str(error))}[/red]")
            else:
                if _is_log(log):
                    matches.append(judge(log, str(file)))
                    plies += matches[-1].plies
                else:
                    why = f"{file} is no exported log: no line of it is a commit of a match."
                    problems.print(f"[red]{escape(why)}[/red]", soft_wrap=True)
            progress.update(task, advance=1, plies=plies)
    return total(tuple(matches), round(1000 * (perf_counter() - begin)))


_MARKS: Final = {
    OK: "[green]ok[/green]",
    CANNOT_JUDGE: "[yellow]cannot judge[/yellow]",
    DIFFERS: "[red]DIFFERS[/red]",
}


def show(report: Report, console: Console) -> None:
    """The report for people: a row for each match, every difference in full, and the sums."""
    table = Table(box=None, pad_edge=False)
    for heading in ("log", "", "outcome"):
        table.add_column(heading, overflow="fold")
    for heading in ("score", "commits", "plies", "draws"):
        table.add_column(heading, justify="right")
    for match in report.matches:
        table.add_row(
            escape(Path(match.file).stem),
            _MARKS[match.status],
            match.outcome,
            ":".join(map(str, match.score)),
            str(match.commits),
            str(match.plies),
            f"{match.checked_draws} of {match.draws}",
        )
    console.print(table)
    for match in report.matches:
        name = escape(Path(match.file).name)
        if spent := _time(match):
            console.print(f"{name}: {spent}", soft_wrap=True)
        for note in match.notes:
            console.print(f"{name}: {escape(note)}", soft_wrap=True)
        if match.difference is not None:
            found = match.difference
            console.print(
                f"[red]{name}: commit {found.n}, {escape(found.field)}[/red]: {escape(found.sentence)}\n"
                f"    expected: {_short(found.expected)}\n    found:    {_short(found.found)}",
                soft_wrap=True,
            )
    console.print(
        f"{_many(len(report.matches), 'match', 'matches')}, {_many(report.commits, 'commit', 'commits')},"
        f" {_many(report.plies, 'ply', 'plies')}, {_many(report.draws, 'draw', 'draws')},"
        f" {_many(report.charges, 'charge', 'charges')}"
        f" in {report.took_ms / 1000:.2f} s ({_rate(report)} plies/s);"
        f" {report.cancelled} cancelled, {report.unfinished} unfinished"
        + (f", {report.unjudged} whose words cannot be judged here." if report.unjudged else "."),
        soft_wrap=True,
    )


def _time(match: MatchReport) -> str:
    """What time did in a match, in one line; empty where nobody was timed, or away."""
    time = match.time
    said: list[str] = []
    if match.charges:
        charged = ", ".join(f"seat {seat} {_seconds(ms)}" for seat, ms in enumerate(time.charged_ms))
        said.append(f"charged {charged} ({_many(match.charges, 'charge', 'charges')}, each recomputed)")
    for what, counts in (
        ("more time asked for", time.asked),
        ("flag fallen", time.flags),
        ("thrown out", time.thrown_out),
        ("turns of a ghost", time.ghost_turns),
    ):
        if any(counts):
            by_seat = ", ".join(f"seat {seat} ×{count}" for seat, count in enumerate(counts) if count)
            said.append(f"{what}: {by_seat}")
    if time.agreed:
        said.append(f"extensions agreed on: {time.agreed}")
    if time.returned_ms:
        said.append(f"given back {_seconds(time.returned_ms)}")
    return "; ".join(said)


def _seconds(ms: int) -> str:
    """Exactly, for whoever adds it up himself."""
    return f"{ms // 1000}.{ms % 1000:03} s"


def _many(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"


def _short(value: object) -> str:
    return escape("nothing" if value is None else value if isinstance(value, str) else repr(value))


def _rate(report: Report) -> int:
    return round(1000 * report.plies / max(report.took_ms, 1))
