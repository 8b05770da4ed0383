"""Asking a service's probes."""

import json
import urllib.error
import urllib.request
from asyncio import sleep, timeout, to_thread
from typing import Any

from tests.support.running import Program


async def probes_of(running: Program) -> str:
    """The address of the probes of a service that has just been started."""
    line: dict[str, Any] = json.loads(await running.says('"probes"'))
    return line["address"]


async def get(url: str) -> tuple[int, str]:
    """Status and body."""

    def ask() -> tuple[int, str]:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310 - our own http address
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    return await to_thread(ask)


async def ready(address: str, why: list[str]) -> None:
    """Wait until exactly this keeps the service with its probes at ``address`` from being ready."""
    found: Any = None
    async with timeout(15):
        while found != why:  # another process tells nobody
            await sleep(0.05)
            _, body = await get(f"{address}/health/ready")
            found = sorted(json.loads(body)["why"])
