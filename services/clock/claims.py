"""Claims on their way to ``game``, sent until they are judged.

Where nothing can be judged (an outage of ours) many wait at once: each as long as it is told, and that they
wait is said once for all.
"""

import asyncio
from typing import Final

import structlog
from prometheus_client import Gauge

from services.clock import domain
from services.clock.domain import After
from shared.commands import ClaimFlag
from shared.match.timing import Deadline
from shared.ports.bus import Bus, NoAnswer
from shared.subjects import command as command_subject
from shared.wire.match import COMMAND_ANSWER, ENCODER, CommandRequest, RefusedAnswer

_ANSWER_MS: Final = 2_000
_FIRST_PAUSE_S: Final = 0.1
_LONGEST_PAUSE_S: Final = 2.0

WAITING: Final = Gauge("kronika_clock_waiting", "Claims that were sent and that nobody can judge yet.")

_log = structlog.get_logger("clock")


class Draining(Exception):  # noqa: N818 - no error: the timer is given back, for whoever runs next
    """This process stops before the claim has its answer."""


class Claims:
    """Sends claims; a match has one under way at a time."""

    def __init__(self, bus: Bus) -> None:
        """Nothing is claimed yet."""
        self._bus = bus
        self._stopping = asyncio.Event()
        self._waiting: dict[str, set[str]] = {}
        """By reason: the matches whose claims wait."""

    def close(self) -> None:
        """Who waits for an answer gives up."""
        self._stopping.set()

    async def once(self, match: str, claimed: Deadline) -> RefusedAnswer | None:
        """The answer to one claim: None if it was accepted. Raises ``NoAnswer``."""
        request = CommandRequest(id=domain.claim_id(match, claimed), command=ClaimFlag())
        subject = command_subject("clock", "game", match)
        answer = COMMAND_ANSWER.decode(await self._bus.request(subject, ENCODER.encode(request), _ANSWER_MS))
        return answer if isinstance(answer, RefusedAnswer) else None

    async def judged(self, match: str, claimed: Deadline) -> RefusedAnswer | None:
        """Claim until there is an answer that stays: None if it was accepted, or the refusal.

        Raises ``Draining`` when this process stops first.
        """
        pause_s = _FIRST_PAUSE_S
        try:
            while True:
                told_s: float | None = None
                try:
                    refused = await self.once(match, claimed)
                except NoAnswer:
                    why = "no answer"
                else:
                    if refused is None or domain.after(refused.problem) is not After.AGAIN:
                        return refused
                    why = refused.problem.detail or refused.problem.code
                    if refused.problem.retry_after_ms is not None:
                        told_s = refused.problem.retry_after_ms / 1000
                self._waits(match, why)
                await self._pause(match, pause_s if told_s is None else told_s)
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        finally:
            self._waits_no_more(match)

    def _waits(self, match: str, why: str) -> None:
        matches = self._waiting.setdefault(why, set())
        if not matches:
            _log.warning("no answer yet, claiming again", match=match, why=why)
        matches.add(match)
        WAITING.set(sum(map(len, self._waiting.values())))

    def _waits_no_more(self, match: str) -> None:
        for why, matches in list(self._waiting.items()):
            matches.discard(match)
            if not matches:
                del self._waiting[why]
                _log.info("claims are answered again", why=why)
        WAITING.set(sum(map(len, self._waiting.values())))

    async def _pause(self, match: str, pause_s: float) -> None:
        try:
            async with asyncio.timeout(pause_s):
                await self._stopping.wait()
        except TimeoutError:
            return
        raise Draining(match)
