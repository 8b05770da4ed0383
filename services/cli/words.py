"""The list of words, before anything is started: built once for all services, and named on a line."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from services.cli.watching import BAD, GOOD
from shared.adapters.word_lists import SETTING, NotWritable, Work, check, named, pending
from shared.rules.scrabble.words import OWN
from shared.settings import SettingsError

NAME: Final = "words"


async def prepare(environment: Mapping[str, str], data: Path, say: Callable[[str, str, str], None]) -> None:
    """Have the list ready that services find in ``data``; ``say(name, text, tone)`` takes a line.

    Without this each service would build it while it must become ready in time. Raises ``SettingsError``.
    """
    work = pending(environment, data)
    if work is not None:
        say(NAME, f"made from {work.source}, once: half a minute, or more on a slow machine …", GOOD)
        try:
            await _built(work)
        except NotWritable as error:
            say(NAME, f"{error} Scrabble has only its own small list: {OWN.count:,} words", BAD)
            return
    found = named(environment, data)
    if found is None:
        say(NAME, f"{OWN.id}, {OWN.count:,} words (install hunspell-cs, or set {SETTING}, for more)", GOOD)
    else:
        say(NAME, f"{found.id}, {found.count:,} words", GOOD)


async def _built(work: Work) -> None:
    builder = await asyncio.create_subprocess_exec(
        *work.command, stdin=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
    )
    try:
        _, errors = await builder.communicate()
    finally:
        if builder.returncode is None:  # whoever waited was told to stop
            with suppress(ProcessLookupError):
                builder.kill()
            await builder.wait()
    status = builder.returncode
    assert status is not None  # noqa: S101 - it has ended
    try:
        check(status, errors.decode(errors="replace"))
    except ValueError as error:
        raise SettingsError(f"{SETTING}: {work.source} cannot be used: {error}") from error
