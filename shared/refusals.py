"""What an asker is told whose request failed; what is our own fault is logged and counted."""

from structlog.typing import FilteringBoundLogger

from shared import telemetry
from shared.events.codec import UnreadableLog
from shared.ports.log import LogUnavailable
from shared.problems import Problem, Refused, problem


def problem_of(error: Exception, log: FilteringBoundLogger, **about: str) -> Problem:
    """The problem that ``error`` comes to; ``about`` says in our log what was asked."""
    match error:
        case Refused():
            return error.problem
        case LogUnavailable():
            log.warning("unavailable", why=str(error), **about)
            return problem("unavailable")
        case _:
            log.error("unexpected", exc_info=error, **about)
            telemetry.UNEXPECTED.inc()
            return problem("unreadable_log" if isinstance(error, UnreadableLog) else "internal")
