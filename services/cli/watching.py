"""Watches a part that runs: says when it stays unwell and when it is well again, and has it started anew."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Final

GOOD: Final = "good"
BAD: Final = "bad"
_SAID_AGAIN_S: Final = 60.0  # reasons that keep changing do not fill the terminal


@dataclass(frozen=True)
class Looks:
    """How often is looked, and how long something lasts before it is said, and again before it is cured."""

    every_s: float = 2.0
    patience_s: float = 5.0


USUAL: Final = Looks()


@dataclass(frozen=True)
class Signs:
    """What can be seen of a running part.

    ``trouble`` says why it is of no use now (empty: it is well), ``curable`` whether to start it again.
    """

    trouble: Callable[[], Awaitable[str]]
    curable: Callable[[], Awaitable[bool]] | None = None


async def watch(signs: Signs, looks: Looks, say: Callable[[str, str], None]) -> None:
    """Return when the part should be started again; ``say(text, tone)`` takes a line for the operator."""
    began, told, told_at = 0.0, "", 0.0
    curable_since = 0.0
    while True:
        await asyncio.sleep(looks.every_s)
        why, now = await _trouble(signs), monotonic()
        if not why:
            if told:
                say(f"ready again after {now - began:.0f} s", GOOD)
            began, told, curable_since = 0.0, "", 0.0
            continue
        began = began or now
        if now - began < looks.patience_s:
            continue
        if why != told and (not told or now - told_at > _SAID_AGAIN_S):
            say(f"is not ready: {why}", BAD)
            told, told_at = why, now
        if not await _curable(signs):
            curable_since = 0.0
            continue
        curable_since = curable_since or now
        if now - curable_since >= looks.patience_s:
            say("stays so although there is room on the disk; starting it again", BAD)
            return


async def _trouble(signs: Signs) -> str:
    try:
        return await signs.trouble()
    except OSError as error:
        return f"it cannot be looked at: {error}"


async def _curable(signs: Signs) -> bool:
    with suppress(OSError):
        return signs.curable is not None and await signs.curable()
    return False
