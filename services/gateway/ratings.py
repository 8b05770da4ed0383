"""Questions to the rating service."""

from typing import Final, TypeVar

from services.gateway.questions import ask
from shared.ports.bus import Bus
from shared.wire import rating
from shared.wire.rating import GatewayQuestion, RefusedAnswer

T = TypeVar("T")
TIMEOUTS_MS: Final = (3_000, 4_000)


async def ask_rating(bus: Bus, key: str, question: GatewayQuestion, answer: type[T]) -> T:
    """The answer, which must be an ``answer``; raises what was refused, or ``unavailable``.

    ``key`` is the kind or the player asked for.
    """
    data = rating.ENCODER.encode(question)
    return await ask(
        bus,
        "rating",
        key,
        data,
        decode=rating.RATING_ANSWER.decode,
        refusal=RefusedAnswer,
        answer=answer,
        timeouts_ms=TIMEOUTS_MS,
    )
