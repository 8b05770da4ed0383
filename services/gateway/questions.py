"""Questions to the services beside ``game``: asked again while nobody answers, where that does no harm."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeVar

from services.gateway.commands import SENDER
from services.gateway.problems import Limited
from shared import subjects
from shared.ports.bus import Bus, NoAnswer
from shared.problems import Problem, Refused

T = TypeVar("T")
_PAUSE_S: Final = 0.3  # without anybody there a question fails at once


class Refusal(Protocol):
    """What every service's refusal says."""

    @property
    def problem(self) -> Problem:
        """Why."""
        ...


async def ask(
    bus: Bus,
    service: str,
    key: str,
    data: bytes,
    *,
    decode: Callable[[bytes], object],
    refusal: type[Refusal],
    answer: type[T],
    timeouts_ms: Sequence[int],
) -> T:
    """The answer of ``service`` to ``data`` about ``key``, asked once for each of ``timeouts_ms``.

    Raises what was refused (a ``refusal``), or ``unavailable``; ``TypeError`` where it is no ``answer``.
    """
    subject = subjects.command(SENDER, service, key)
    for attempt, timeout_ms in enumerate(timeouts_ms):
        if attempt:
            await asyncio.sleep(_PAUSE_S)
        try:
            got = decode(await bus.request(subject, data, timeout_ms))
        except NoAnswer:
            continue
        if isinstance(got, refusal):
            raise _refused(got)
        if not isinstance(got, answer):
            raise TypeError(f"{service} answered {type(got).__name__} instead of {answer.__name__}")
        return got
    raise Refused("unavailable")


def _refused(refusal: Refusal) -> Refused:
    after_ms = getattr(refusal, "retry_after_ms", 0)
    if after_ms:
        return Limited(after_ms / 1000, refusal.problem.detail)
    return Refused.of(refusal.problem)
