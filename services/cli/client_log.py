"""Where ``replay`` and ``export`` take a log from: an exported file, or the gateway."""

import asyncio
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from services.cli.client import Client
from services.cli.client_rest import Unreachable, operator_key, server_url
from shared.ids import is_id
from shared.problems import Refused
from shared.tokens import AUDIT_FILE
from shared.wire.lobby import PlayerView

KEYS: Final = "keys"


class NoLog(Exception):  # noqa: N818 - what the user reads
    """The log cannot be had; the text says why and what to do."""


def read_log_file(file: Path) -> list[bytes]:
    """The stored commits of an exported log, byte for byte; raises ``NoLog``."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise NoLog(f"{file}: {os.strerror(error.errno or 0)}") from error
    lines = content.removesuffix(b"\n").split(b"\n")
    if lines == [b""]:
        raise NoLog(f"{file} is empty")
    return lines


def load(wanted: str, url: str, data: Path) -> list[bytes]:
    """The stored commits of ``wanted``: a file's name, or a match's id at the server; raises ``NoLog``.

    A running match's log is only for scope ``audit``: the operator's key under ``data`` gives it.
    """
    if Path(wanted).is_file():
        return read_log_file(Path(wanted))
    if not is_id(wanted):
        raise NoLog(f"{wanted!r} is neither a file nor the id of a match")
    key = operator_key(data / KEYS / AUDIT_FILE)
    with asking(wanted):
        return asyncio.run(_commits(wanted, server_url(url, data), key))


@contextmanager
def asking(match: str) -> Generator[None]:
    """Ask a server about ``match``: what it refuses, and that nobody answers, is raised as ``NoLog``."""
    try:
        yield
    except Unreachable as error:
        raise NoLog(f"{error}; name the server with --url, or start one with: kronika up") from error
    except Refused as refused:
        raise NoLog(f"{match}: {refused.problem.title} {refused.problem.detail}".rstrip()) from refused


async def _commits(match: str, server: str, audit_key: str) -> list[bytes]:
    path = f"/v1/matches/{match}/commits"
    async with Client(server) as client:
        try:
            content = await client.rest.call("GET", path)
        except Refused as refused:
            if refused.problem.code not in {"unauthorized", "forbidden"} or not audit_key:
                raise
            await client.rest.register(audit_key=audit_key)
            content = await client.rest.call("GET", path)
    return content.removesuffix(b"\n").split(b"\n")


async def nicknames(players: list[str], server: str) -> list[str]:
    """What these players call themselves; their ids where the server does not tell."""
    names: list[str] = []
    async with Client(server) as client:
        for player in players:
            try:
                found = await client.rest.get(f"/v1/players/{player}", PlayerView)
            except (Refused, Unreachable):
                names.append(player)
            else:
                names.append(found.nickname or player)
    return names
