"""Questions to the tournament service."""

from typing import Final, TypeVar

from services.gateway.questions import ask
from shared.ports.bus import Bus
from shared.wire.tournament import (
    ENCODER,
    TOURNAMENT_ANSWER,
    GetTournament,
    ListTournaments,
    RefusedAnswer,
    TournamentRequest,
    subject_key,
)

T = TypeVar("T")
TIMEOUTS_MS: Final = (3_000, 4_000, 5_000)


async def ask_tournament(bus: Bus, request: TournamentRequest, answer: type[T]) -> T:
    """The answer, which must be an ``answer``; raises what was refused, or ``unavailable``.

    A question may be asked again, and a change that has a key.
    """
    again = bool(request.key) or isinstance(request.request, GetTournament | ListTournaments)
    return await ask(
        bus,
        "tournament",
        subject_key(request.request),
        ENCODER.encode(request),
        decode=TOURNAMENT_ANSWER.decode,
        refusal=RefusedAnswer,
        answer=answer,
        timeouts_ms=TIMEOUTS_MS if again else TIMEOUTS_MS[:1],
    )
