"""Every error of the HTTP side as RFC 9457 ``application/problem+json``."""

from math import ceil
from typing import Final

import msgspec
from aiohttp import web

from shared.problems import Problem, Refused, problem

PROBLEM_JSON: Final = "application/problem+json"
UNAVAILABLE_RETRY_S: Final = 2


class Limited(Refused):
    """Refused because too much was asked; ``after_s`` is when to come back."""

    def __init__(self, after_s: float, detail: str = "") -> None:
        """Wait at least ``after_s`` seconds."""
        super().__init__("rate_limited", detail or f"Try again in {max(ceil(after_s), 1)} s.")
        self.after_s = after_s


def response(given: Problem, after_s: float | None = None) -> web.Response:
    """The HTTP answer that says ``given``; 429 and 503 carry ``Retry-After``."""
    answer = web.Response(body=msgspec.json.encode(given), status=given.status, content_type=PROBLEM_JSON)
    if given.status in (429, 503):
        answer.headers["Retry-After"] = str(max(ceil(after_s or UNAVAILABLE_RETRY_S), 1))
    if given.status == 401:  # noqa: PLR2004 - RFC 9110 §11.6.1 wants the challenge
        answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


def of_refused(refused: Refused) -> web.Response:
    """The HTTP answer to a refused request."""
    return response(refused.problem, getattr(refused, "after_s", None))


def of_status(status: int, detail: str = "") -> web.Response:
    """The problem for an error that the HTTP library found (broken head, too long a header)."""
    codes = {400: "malformed", 404: "unknown_route", 405: "method_not_allowed", 413: "too_large"}
    return response(problem(codes.get(status, "internal" if status >= 500 else "malformed"), detail))  # noqa: PLR2004
