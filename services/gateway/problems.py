"""Every error of the HTTP side as RFC 9457 ``application/problem+json``."""

from math import ceil
from typing import Final

import msgspec
from aiohttp import web

from shared.problems import Problem, Refused, problem

PROBLEM_JSON: Final = "application/problem+json"
RETRY_MS: Final = 2_000  # where nothing better is known


class Limited(Refused):
    """Refused because too much was asked; the problem says when to come back."""

    def __init__(self, after_s: float, detail: str = "") -> None:
        """Wait at least ``after_s`` seconds."""
        detail = detail or f"Try again in {max(ceil(after_s), 1)} s."
        super().__init__("rate_limited", detail, retry_after_ms=max(ceil(1000 * after_s), 1))


def response(given: Problem) -> web.Response:
    """The HTTP answer that says ``given``; 429 and 503 carry ``Retry-After``, and its milliseconds inside."""
    wait_ms = given.retry_after_ms or RETRY_MS
    if given.status in (429, 503):
        given = msgspec.structs.replace(given, retry_after_ms=wait_ms)
    answer = web.Response(body=msgspec.json.encode(given), status=given.status, content_type=PROBLEM_JSON)
    if given.status in (429, 503):
        answer.headers["Retry-After"] = str(ceil(wait_ms / 1000))
    if given.status == 401:  # noqa: PLR2004 - RFC 9110 §11.6.1 wants the challenge
        answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


def of_refused(refused: Refused) -> web.Response:
    """The HTTP answer to a refused request."""
    return response(refused.problem)


def of_status(status: int, detail: str = "") -> web.Response:
    """The problem for an error that the HTTP library found (broken head, too long a header)."""
    codes = {400: "malformed", 404: "unknown_route", 405: "method_not_allowed", 413: "too_large"}
    return response(problem(codes.get(status, "internal" if status >= 500 else "malformed"), detail))  # noqa: PLR2004
