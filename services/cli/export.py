"""``kronika export``: a match's log as it is stored, or as a .mat file."""

import asyncio
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from services.cli.client_log import NoLog, load, nicknames
from services.cli.client_rest import server_url
from shared.events.codec import UnreadableLog, decode_match
from shared.events.match import MatchCreated
from shared.export.mat import NotExportable, to_mat


class Format(Enum):
    """What a match can be written as."""

    NDJSON = "ndjson"
    MAT = "mat"


def command(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="A match's id, or an exported .ndjson file.")],
    form: Annotated[
        Format, typer.Option("--format", help="ndjson: the log as stored; mat: for backgammon programs.")
    ] = Format.NDJSON,
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


def _written(match: str, form: Format, url: str, data: Path) -> bytes:
    stored = load(match, url, data)
    if form is Format.NDJSON:
        return b"".join(line + b"\n" for line in stored)
    names: list[str] = []
    first = decode_match(stored[0]).events[0]
    if isinstance(first, MatchCreated):
        names = [seat.player for seat in first.seats]
        if not Path(match).is_file():  # a file needs no server; it knows the players by their ids
            names = asyncio.run(nicknames(names, server_url(url, data)))
    return to_mat(stored, names).encode()
