"""Questions to the rating service."""

import asyncio
from typing import Final, TypeVar

from services.gateway.commands import SENDER
from shared import subjects
from shared.ports.bus import Bus, NoAnswer
from shared.problems import Refused
from shared.wire import rating
from shared.wire.rating import GatewayQuestion, RefusedAnswer

T = TypeVar("T")
TIMEOUTS_MS: Final = (3_000, 4_000)
_PAUSE_S: Final = 0.3


async def ask_rating(bus: Bus, key: str, question: GatewayQuestion, answer: type[T]) -> T:
    """The answer, which must be an ``answer``; raises what was refused, or ``unavailable``.

    ``key`` is the kind or the player asked for.
    """
    subject, data = subjects.command(SENDER, "rating", key), rating.ENCODER.encode(question)
    for timeout_ms in TIMEOUTS_MS:
        try:
            got = rating.RATING_ANSWER.decode(await bus.request(subject, data, timeout_ms))
        except NoAnswer:
            await asyncio.sleep(_PAUSE_S)
            continue
        if isinstance(got, RefusedAnswer):
            raise Refused.of(got.problem)
        if not isinstance(got, answer):
            raise TypeError(f"rating answered {type(got).__name__} instead of {answer.__name__}")
        return got
    raise Refused("unavailable")
