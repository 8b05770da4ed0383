"""A computer player of ours as a client: it sits at one seat and sends what it answers over a socket."""

from typing import Final

import msgspec

from services.ghost.domain import Turn, plain_answer
from services.ghost.players import Seen
from services.ghost.thinking import Thinker
from shared.commands import PlayerCommand
from shared.match.views import MatchView
from shared.rules.registry import rules
from tests.support.api import Socket

MOST_FRAMES: Final = 20_000
SUPERSEDED: Final = ("stale", "match_over", "not_your_turn", "wrong_phase")
"""The other seat was faster; its view is on the way."""


class Attached:
    """Plays one seat of one match to its end."""

    def __init__(self, socket: Socket, thinker: Thinker, level: int) -> None:
        """Over ``socket``; ``level`` is that of the player."""
        self._socket = socket
        self._thinker = thinker
        self._level = level

    async def play(self, match: str) -> MatchView:
        """Answer what is asked until the match is over; the last view."""
        await self._socket.send({"type": "watch", "match": match})
        answered = 0
        for number in range(MOST_FRAMES):
            frame = await self._socket.get(lambda f: f["type"] in ("view", "refused"))
            if frame["type"] == "refused":
                assert frame["problem"]["code"] in SUPERSEDED, frame
                continue
            view = msgspec.convert(frame["view"], MatchView)
            if view.result is not None:
                return view
            asked = next((demand.commands for demand in view.decide if demand.seat == view.seat), None)
            if asked is None or view.decision is None or view.decision <= answered:
                continue
            answered = view.decision
            command = msgspec.to_builtins(await self._answer(view, asked))
            order = {"type": "command", "id": f"{match}.{number}", "match": match, "expected": view.n}
            await self._socket.send(order | {"command": command})
        raise AssertionError("the match does not end")

    async def _answer(self, view: MatchView, asked: tuple[str, ...]) -> PlayerCommand:
        legal: tuple[str, ...] = view.legal or ()
        if view.legal is None and view.legal_count:
            answer = await self._socket.api.get(f"/v1/matches/{view.match}/legal")
            legal = tuple(answer.body["moves"])
        assert view.seat is not None
        plain = plain_answer(Turn(view.seat, "", view.decision or 0, asked), legal)
        if plain is not None:
            return plain
        played = rules(view.rules, view.rules_version)
        seen = Seen(view, legal)
        return await self._thinker.choose(played, seen, asked, self._level)
