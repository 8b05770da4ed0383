"""``kronika import``: recorded .mat matches, played through the running gateway as two real clients."""

import asyncio
import os
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from services.cli.client import Client
from services.cli.client_rest import Unreachable, operator_key, server_url
from services.cli.importer_plan import Plan, plan
from services.cli.importer_play import Imported, Incomplete, play
from services.cli.mat import MatError, parse
from shared.problems import Refused
from shared.tokens import BOT_FILE

_KEYS: Final = "keys"


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was not imported whole. ``match`` is the incomplete match, "" where none was begun."""

    file: str
    line: int
    reason: str
    match: str = ""
    marked: bool = False


Outcome = Imported | Failure


def command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE.mat...", help="Recorded matches.")],
    url: Annotated[str, typer.Option(help="The server; by default the one that runs here.")] = "",
    data: Annotated[Path, typer.Option(envvar="KRONIKA_DATA", help="The server's directory.")] = Path(
        ".kronika"
    ),
    bot_key_file: Annotated[
        Path | None,
        typer.Option(envvar="KRONIKA_BOT_KEY_FILE", help="The operator's key; by default DATA/keys/bot.key."),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="One JSON object for each file, for programs.")
    ] = False,
) -> None:
    """Play recorded matches again, move for move, with the dice that fell; then compare the scores.

    A line that cannot be read or replayed is named and nothing of its file is imported. The exit status is
    0 only if every file came through whole.
    """
    key = operator_key(bot_key_file or data / _KEYS / BOT_FILE)
    outcomes: list[Outcome] = []
    plans: list[Plan] = []
    for file in files:
        try:
            plans.append(plan(parse(_bytes(file), str(file))))
        except MatError as error:
            outcomes.append(Failure(file=error.file, line=error.line, reason=error.reason))
    console = Console(stderr=True)
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=json or not console.is_terminal,
    ) as progress:
        outcomes += asyncio.run(_all(plans, server_url(url, data), key, progress))
    if json:
        for outcome in outcomes:
            sys.stdout.write(_line(outcome))
    else:
        _summary(outcomes)
    if any(isinstance(outcome, Failure) for outcome in outcomes):
        raise typer.Exit(1)


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise MatError(str(file), 1, os.strerror(error.errno or 0)) from error


async def _all(plans: list[Plan], url: str, key: str, progress: Progress) -> list[Outcome]:
    """Every plan, one after the other, by the same two players."""
    if not plans:
        return []
    async with AsyncExitStack() as stack:
        clients = (await stack.enter_async_context(Client(url)), await stack.enter_async_context(Client(url)))
        try:
            for client in clients:
                await client.rest.register(bot_key=key)
        except (Refused, Unreachable) as error:
            reason = str(error) if key else f"{error}; without an operator's key nothing can be imported"
            return [Failure(file=p.match.file, line=1, reason=reason) for p in plans]
        outcomes: list[Outcome] = []
        for recorded in plans:
            outcomes.append(await _one(recorded, clients, progress))
            if (
                outcomes[-1].match
                and isinstance(outcomes[-1], Failure)
                and outcomes[-1].reason == "interrupted"
            ):
                break
        return outcomes


async def _one(recorded: Plan, clients: tuple[Client, Client], progress: Progress) -> Outcome:
    file = recorded.match.file
    task = progress.add_task(Path(file).name, total=recorded.plies)
    try:
        return await play(recorded, clients, lambda done: progress.update(task, completed=done))
    except MatError as error:
        return Failure(file=error.file, line=error.line, reason=error.reason)
    except Incomplete as error:
        why = error.error
        return Failure(
            file=why.file, line=why.line, reason=why.reason, match=error.match, marked=error.marked
        )


def _line(outcome: Outcome) -> str:
    fields: dict[str, Any] = {"ok": isinstance(outcome, Imported)} | msgspec.structs.asdict(outcome)
    return msgspec.json.encode(fields).decode() + "\n"


def _summary(outcomes: list[Outcome]) -> None:
    out = Console()
    done = [outcome for outcome in outcomes if isinstance(outcome, Imported)]
    if done:
        table = Table("file", "to", "games", "plies", "score", "match", "time", box=None, pad_edge=False)
        for outcome in done:
            table.add_row(
                outcome.file,
                str(outcome.target or "money"),
                str(outcome.games),
                str(outcome.plies),
                f"{outcome.score[0]}:{outcome.score[1]}",
                outcome.match,
                f"{outcome.took_ms / 1000:.1f} s",
            )
        out.print(table)
        for outcome in done:
            for note in outcome.notes:
                out.print(f"{outcome.file}: {note}", markup=False, highlight=False, soft_wrap=True)
        plies, seconds = sum(o.plies for o in done), sum(o.took_ms for o in done) / 1000
        out.print(
            f"{len(done)} imported, {sum(o.games for o in done)} games, {plies} plies in {seconds:.1f} s;"
            " every score is the one in its file.",
            highlight=False,
        )
    errors = Console(stderr=True)
    for outcome in outcomes:
        if isinstance(outcome, Failure):
            text = f"{outcome.file}:{outcome.line}: {outcome.reason}"
            if outcome.match:
                state = "a seat has left it" if outcome.marked else "IT IS STILL OPEN"
                text += f"\n  match {outcome.match} is incomplete; {state}"
            errors.print(text, markup=False, highlight=False, soft_wrap=True)
