"""Questions to the tournament service."""

from typing import Final, TypeVar

from services.gateway.commands import SENDER
from shared import subjects
from shared.ports.bus import Bus, NoAnswer
from shared.problems import Refused
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
    subject = subjects.command(SENDER, "tournament", subject_key(request.request))
    data = ENCODER.encode(request)
    again = bool(request.key) or isinstance(request.request, GetTournament | ListTournaments)
    for timeout_ms in TIMEOUTS_MS if again else TIMEOUTS_MS[:1]:
        try:
            got = TOURNAMENT_ANSWER.decode(await bus.request(subject, data, timeout_ms))
        except NoAnswer:
            continue
        if isinstance(got, RefusedAnswer):
            raise Refused.of(got.problem)
        if not isinstance(got, answer):
            raise TypeError(f"tournament answered {type(got).__name__} instead of {answer.__name__}")
        return got
    raise Refused("unavailable")
