"""A simple player over a socket: answers what its view asks for."""

import random
from collections.abc import Sequence
from typing import Any, Final

from tests.support.api import Frame, Socket

View = dict[str, Any]
_MOST_COMMITS: Final = 5_000


async def ready_both(match: str, *sockets: Socket) -> None:
    """Every seat says that it is ready."""
    for socket in sockets:
        n = socket.views(match)[-1]["n"]
        answer = await socket.command(match, {"type": "ready"}, n)
        assert answer["type"] == "view", answer


_ANSWERS: Final = ("take", "accept_beaver", "accept_resignation", "roll", "next")


async def choose(socket: Socket, view: View, dice: random.Random, doubles: float = 0.05) -> Frame | None:
    """A command that the viewer may give now and should; None if others are to decide."""
    may = view["may"]
    if "play" in may:
        moves = view["legal"]
        if moves is None:
            moves = (await socket.api.get(f"/v1/matches/{view['match']}/legal")).body["moves"]
        return {"type": "play", "move": dice.choice(moves)}
    if "take" in may and dice.random() < 0.3:
        return {"type": "pass"}
    if "double" in may and dice.random() < doubles:
        return {"type": "double"}
    return next(({"type": name} for name in _ANSWERS if name in may), None)


async def play_match(match: str, sockets: Sequence[Socket], dice: random.Random) -> dict[str, Any]:
    """Play to the end, seat after seat as the views say; the result."""
    newest = max(frame["n"] for socket in sockets for frame in socket.views(match))
    for _ in range(_MOST_COMMITS):
        views = [await socket.view(match, newest) for socket in sockets]
        if views[0]["result"] is not None:
            result: dict[str, Any] = views[0]["result"]
            return result
        for socket, view in zip(sockets, views, strict=True):
            command = await choose(socket, view, dice)
            if command is not None:
                answer = await socket.command(match, command, newest)
                assert answer["type"] == "view", (answer, command)
                newest = answer["n"]
                break
        else:
            raise AssertionError(f"nobody may do anything at {newest}: {views[0]['decide']}")
    raise AssertionError("the match does not end")
