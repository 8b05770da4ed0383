"""Waiting for something that happens in another task or process."""

import asyncio
from collections.abc import Callable


async def until(true: Callable[[], bool], seconds: float = 10) -> None:
    """Return as soon as ``true()``; fail after ``seconds``."""
    async with asyncio.timeout(seconds):
        while not true():  # noqa: ASYNC110 - it looks at what knows no event, such as lists and processes
            await asyncio.sleep(0.005)
