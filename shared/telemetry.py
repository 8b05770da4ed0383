"""Logs and metrics. Logs are JSON lines on stderr (readable on a terminal); nothing secret gets into them."""

import logging
import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from time import perf_counter
from typing import Any, Final, cast

import structlog
from prometheus_client import Counter, Gauge, Histogram, disable_created_metrics
from structlog.typing import EventDict, FilteringBoundLogger, Processor

disable_created_metrics()  # one time stamp per series doubles the page and nobody reads it

_FAST: Final = (
    0.0005,
    0.001,
    0.002,
    0.003,
    0.005,
    0.0075,
    0.01,
    0.02,
    0.05,
    0.1,
    0.25,
    0.5,
    1.0,
    2.5,
    5.0,
    10.0,
)

COMMAND_SECONDS: Final = Histogram(
    "kronika_command_seconds", "From a command's arrival to its answer.", ["outcome"], buckets=_FAST
)
APPEND_SECONDS: Final = Histogram(
    "kronika_append_seconds", "From sending a commit to its acknowledgement by the stream.", buckets=_FAST
)
REFUSALS: Final = Counter("kronika_refusals", "Refused commands and requests.", ["code"])
REPEATED: Final = Counter("kronika_repeated_commands", "Commands that were stored before: answered again.")
CONFLICTS: Final = Counter("kronika_append_conflicts", "Appends that found another commit at their number.")
NOT_STORED: Final = Counter(
    "kronika_appends_failed",
    "Commits and secrets that the broker did not store (disk full, no leader): alarm.",
)
UNEXPECTED: Final = Counter("kronika_unexpected_errors", "Commands refused because of our own fault: alarm.")
DROPPED: Final = Counter(
    "kronika_requests_dropped",
    "Requests without an answer, because too many were in work (full), it took too long (late), or the"
    " connection that they came over broke (lost).",
    ["why"],
)
SOCKETS: Final = Gauge("kronika_sockets", "Open sockets of players.")
WATCHED: Final = Gauge("kronika_watched_matches", "Matches held in memory because somebody watches them.")
CLOCK_PUSHED_MS: Final = Gauge(
    "kronika_clock_pushed_ms", "How far commits of faster clocks have pushed this process's clock on."
)
READY: Final = Gauge("kronika_ready", "1 while this process takes work.")

_HIDDEN: Final = "[hidden]"
_SECRET_KEY: Final = re.compile(
    r"pass(word|wd|phrase)|secret$|token|authorization|cookie|pepper|private|credential|api_?key|sealed|jwt",
    re.IGNORECASE,
)
_SECRET_TEXT: Final = (
    (re.compile(r"(?<=://)[^/\s:@]*:[^/\s@]+(?=@)"), _HIDDEN),  # user:password in an address
    (re.compile(r"(?i)\bbearer\s+[\w.~+/=-]+"), f"Bearer {_HIDDEN}"),
    (re.compile(r"\beyJ[\w-]+\.[\w-]+\.[\w-]+"), _HIDDEN),  # a signed token
    (
        re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----", re.DOTALL),
        _HIDDEN,
    ),
)


def configure(service: str, level: str = "info") -> FilteringBoundLogger:
    """Set this process's logging up and give its logger. Libraries' own logs take the same way out."""
    human = sys.stderr.isatty()
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        structlog.processors.format_exc_info,  # plain text: rendered local variables would show secrets
        hide_secrets,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    last: Processor = (
        structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
        if human
        else structlog.processors.JSONRenderer()
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, last],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for chatty in ("asyncio", "nats", "aiohttp.access"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    return cast("FilteringBoundLogger", structlog.get_logger(service).bind(service=service))


def hide_secrets(_logger: object, _method: str, event: EventDict) -> EventDict:
    """A structlog processor: values under telling names, and secrets inside any text, become ``[hidden]``."""
    return cast("EventDict", _hidden(event))


def _hidden(value: Any) -> Any:
    if isinstance(value, str):
        for pattern, instead in _SECRET_TEXT:
            value = pattern.sub(instead, value)
        return value
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value).items()
        return {k: _HIDDEN if isinstance(k, str) and _SECRET_KEY.search(k) else _hidden(v) for k, v in items}
    if isinstance(value, list | tuple):
        return [_hidden(v) for v in cast("list[Any]", value)]
    if isinstance(value, bytes):
        return f"<{len(value)} bytes>"  # keys, secrets and sealed boxes are bytes
    return value


@contextmanager
def timed(histogram: Histogram) -> Generator[None]:
    """Observe how long the block took, in seconds, when it ends without an exception."""
    start = perf_counter()
    yield
    histogram.observe(perf_counter() - start)


_command_seconds = {outcome: COMMAND_SECONDS.labels(outcome) for outcome in ("accepted", "refused", "failed")}


def command_answered(outcome: str, seconds: float, code: str = "") -> None:
    """Count one answered command.

    ``outcome`` is accepted, refused or failed; ``code`` is the refusal's.
    """
    _command_seconds[outcome].observe(seconds)
    if code:
        REFUSALS.labels(code).inc()
