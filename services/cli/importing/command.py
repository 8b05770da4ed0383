"""``kronika import``: recorded matches, played through the running gateway as two real clients."""

import asyncio
import os
import sys
from pathlib import Path
from time import monotonic
from typing import Annotated, Any, Final

import msgspec
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from services.cli.client import Client
from services.cli.client_log import KEYS
from services.cli.client_rest import Unreachable, operator_key, server_url
from services.cli.importing.forms import FORMS, plans
from services.cli.importing.planning.steps import Plan
from services.cli.importing.playing import Imported, Incomplete, play
from services.cli.importing.reading.file import MAX_BYTES, RecordError
from shared.problems import Refused
from shared.tokens import BOT_FILE

_PIPED: Final = 160  # columns where nobody's terminal says how wide it is
_SHORTEST: Final = 12  # columns that a file's name keeps in a narrow terminal


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was not imported whole. ``match`` is the incomplete match, "" where none was begun."""

    file: str
    line: int
    reason: str
    match: str = ""
    marked: bool = False


Outcome = Imported | Failure


def command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Recorded matches.")],
    url: Annotated[str, typer.Option(help="The server; by default the one that runs here.")] = "",
    data: Annotated[Path, typer.Option(envvar="KRONIKA_DATA", help="The server's directory.")] = Path(
        ".kronika"
    ),
    bot_key_file: Annotated[
        Path | None,
        typer.Option(envvar="KRONIKA_BOT_KEY_FILE", help="The operator's key; by default DATA/keys/bot.key."),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, max=16, help="So many matches at the same time.")] = 4,
    *,
    form: Annotated[
        str, typer.Option(help=f"{', '.join(FORMS)}; by default recognised by the ending or the content.")
    ] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object for each file, for programs.")
    ] = False,
) -> None:
    """Play recorded matches again, move for move, with the dice that fell; then compare the results.

    A line that cannot be read or replayed is named and nothing of its file is imported. The exit status is
    0 only if every file came through whole.
    """
    key = operator_key(bot_key_file or data / KEYS / BOT_FILE)
    began = monotonic()
    outcomes: list[Outcome] = []
    planned: list[Plan] = []
    for file in files:
        try:
            planned += plans(_bytes(file), str(file), form)
        except RecordError as error:
            outcomes.append(Failure(file=error.file, line=error.line, reason=error.reason))
        except Exception as error:  # noqa: BLE001 - a reader that falls over one file must not keep out the others
            reason = f"it could not be read ({error!r}); please report this with the file"
            outcomes.append(Failure(file=str(file), line=1, reason=reason))
    console = Console(stderr=True)
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=as_json or not console.is_terminal,
    ) as progress:
        outcomes += asyncio.run(_all(planned, server_url(url, data), key, progress, jobs))
    if as_json:
        for outcome in outcomes:
            sys.stdout.write(_line(outcome))
    else:
        _summary(outcomes, monotonic() - began)
    if any(isinstance(outcome, Failure) for outcome in outcomes):
        raise typer.Exit(1)


def _bytes(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(MAX_BYTES + 1)  # one more is too large
    except OSError as error:
        raise RecordError(str(file), 1, os.strerror(error.errno or 0)) from error


async def _all(planned: list[Plan], url: str, key: str, progress: Progress, jobs: int) -> list[Outcome]:
    """Every plan, ``jobs`` at a time, each by two players of its own; in the order of the plans."""
    outcomes: dict[int, Outcome] = {}
    waiting = list(enumerate(planned))
    waiting.reverse()

    async def work() -> None:
        async with Client(url) as left, Client(url) as right:
            if why := await _sign_in((left, right), key):
                while waiting:
                    place, recorded = waiting.pop()
                    outcomes[place] = Failure(file=recorded.file, line=recorded.line, reason=why)
            while waiting:
                place, recorded = waiting.pop()
                outcomes[place] = await _one(recorded, (left, right), progress)

    workers = [asyncio.create_task(work()) for _ in range(min(jobs, len(planned)))]
    try:
        await asyncio.gather(*workers)
    except asyncio.CancelledError:
        waiting.clear()  # interrupted: what is under way is ended visibly, nothing more is begun
        for worker in workers:
            worker.cancel()
        await asyncio.wait(workers)
    return [outcomes[place] for place in sorted(outcomes)]


async def _sign_in(clients: tuple[Client, Client], key: str) -> str:
    """Register both as guests; "" or the reason why that cannot be."""
    if not key:
        return "there is no operator's key (bot.key); name its file with --bot-key-file"
    try:
        for client in clients:
            await client.rest.register(bot_key=key)
    except (Refused, Unreachable) as error:
        return str(error)
    return ""


async def _one(recorded: Plan, clients: tuple[Client, Client], progress: Progress) -> Outcome:
    task = progress.add_task(Path(recorded.file).name, total=recorded.plies)
    try:
        return await play(recorded, clients, lambda done: progress.update(task, completed=done))
    except RecordError as error:
        return Failure(file=error.file, line=error.line, reason=error.reason)
    except Incomplete as error:
        why = error.error
        return Failure(
            file=why.file, line=why.line, reason=why.reason, match=error.match, marked=error.marked
        )


def _line(outcome: Outcome) -> str:
    fields: dict[str, Any] = {"ok": isinstance(outcome, Imported)} | msgspec.structs.asdict(outcome)
    return msgspec.json.encode(fields).decode() + "\n"


def _summary(outcomes: list[Outcome], seconds: float) -> None:
    out = Console()
    if not out.is_terminal:
        out.width = _PIPED
    done = [outcome for outcome in outcomes if isinstance(outcome, Imported)]
    if done:
        table = Table(box=None, pad_edge=False)
        table.add_column("file", overflow="ellipsis", no_wrap=True, min_width=_SHORTEST)
        for name in ("line", "game", "to", "games", "plies", "score", "match", "time"):
            table.add_column(name, no_wrap=True)
        for outcome in done:
            table.add_row(
                Path(outcome.file).name,
                str(outcome.line),
                outcome.game,
                "single" if outcome.target is None else str(outcome.target or "money"),
                str(outcome.games),
                str(outcome.plies),
                f"{outcome.score[0]}:{outcome.score[1]}",
                outcome.match,
                f"{outcome.took_ms / 1000:.1f} s",
            )
        out.print(table)
        for outcome in done:
            for note in outcome.notes:
                out.print(f"{_place(outcome)}: {note}", markup=False, highlight=False, soft_wrap=True)
        games, plies = sum(o.games for o in done), sum(o.plies for o in done)
        but = ", but for what is noted" if any(outcome.notes for outcome in done) else ""
        text = (
            f"{len(done)} imported, {games} games, {plies} plies in {seconds:.1f} s; results as written{but}."
        )
        out.print(text, highlight=False, soft_wrap=True)
    errors = Console(stderr=True)
    for outcome in outcomes:
        if isinstance(outcome, Failure):
            text = f"{outcome.file}:{outcome.line}: {outcome.reason}"
            if outcome.match:
                state = "a seat has left it" if outcome.marked else "IT IS STILL OPEN"
                text += f"\n  match {outcome.match} is incomplete; {state}"
            errors.print(text, markup=False, highlight=False, soft_wrap=True)


def _place(outcome: Imported) -> str:
    return f"{Path(outcome.file).name}:{outcome.line}"
