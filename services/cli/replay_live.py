"""A match while it is played, for ``kronika replay --live``: as a spectator, through the gateway."""

import asyncio
from collections.abc import Callable

from services.cli.client import Client
from services.cli.client_log import asking
from shared.match import MatchView


def follow(match: str, server: str, show: Callable[[MatchView], None]) -> None:
    """``show`` the match now and whenever it, or who is there, has changed, to its end; raises ``NoLog``."""
    with asking(match):
        asyncio.run(_follow(match, server, show))


async def _follow(match: str, server: str, show: Callable[[MatchView], None]) -> None:
    async with Client(server) as client:
        await client.rest.register()
        watched = await client.watch(match)
        shown = await watched.until(lambda _: True)
        show(shown)
        while shown.result is None:
            shown = await watched.until(lambda view, old=shown: view != old)
            show(shown)
