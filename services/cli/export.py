"""``kronika export``: a match as a file, in any form that can hold it."""

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from services.cli.client_log import NoLog, load, nicknames
from services.cli.client_rest import server_url
from shared.events.codec import UnreadableLog
from shared.export import formats
from shared.export.form import NotExportable, begun


def command(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="A match's id, or an exported .ndjson file.")],
    form: Annotated[str, typer.Option("--format", help=f"{formats.PURPOSES}.")] = formats.DEFAULT,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write to this file instead of the terminal.")
    ] = None,
    url: Annotated[str, typer.Option(help="The server; by default the one that runs here.")] = "",
    data: Annotated[Path, typer.Option(envvar="KRONIKA_DATA", help="The server's directory.")] = Path(
        ".kronika"
    ),
) -> None:
    """Write a finished match as a file (a running one for the operator, as far as it goes)."""
    try:
        written = _written(match, form, url, data)
        if output is None:
            sys.stdout.buffer.write(written)
        else:
            output.write_bytes(written)
    except (NoLog, NotExportable, UnreadableLog, OSError) as error:
        Console(stderr=True).print(str(error), markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(1) from error


def _written(match: str, form: str, url: str, data: Path) -> bytes:
    wanted = formats.form_of(form)
    stored = load(match, url, data)
    names: list[str] = []
    if wanted.named:
        names = [seat.player for seat in begun(stored).seats]
        if not Path(match).is_file():  # a file needs no server; it knows the players by their ids
            names = asyncio.run(nicknames(names, server_url(url, data)))
    return formats.rendered(wanted, stored, names)
