"""From a request to its answer: route, limits, token, key, body, handler; every error as a problem."""

from typing import Final

import structlog
from aiohttp import web

from services.gateway import problems
from services.gateway.call import KEY_HEADER, Call, idempotency_key, read_body
from services.gateway.gateway import Gateway
from services.gateway.limits import Purse
from services.gateway.router import Route, Router
from shared import telemetry
from shared.problems import Refused, problem
from shared.tokens import Token

_log = structlog.get_logger("gateway")
_PREFLIGHT: Final = {
    "Access-Control-Allow-Methods": "GET, POST, DELETE, OPTIONS",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, Idempotency-Key, Last-Event-ID",
    "Access-Control-Max-Age": "86400",
}
_EXPOSED: Final = "Location, RateLimit, RateLimit-Policy, Retry-After, Content-Disposition"


class Dispatch:
    """Answers every HTTP request of a gateway."""

    def __init__(self, gateway: Gateway, router: Router) -> None:
        """``router`` knows all routes."""
        self._gateway = gateway
        self._router = router

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        """The answer to ``request``; never raises but when the connection is gone."""
        headers = self._common_headers(request)
        try:
            answer = await self._answer(request, headers)
        except Refused as refused:
            answer = problems.of_refused(refused)
            telemetry.REFUSALS.labels(refused.problem.code).inc()
            if refused.problem.code == "method_not_allowed":
                answer.headers["Allow"] = ", ".join((*self._router.methods(request.path), "OPTIONS"))
        except ConnectionError:
            raise
        except Exception:  # noqa: BLE001 - the asker gets a problem, the log the reason
            _log.exception("a request failed", method=request.method, path=request.path)
            answer = problems.response(problem("internal"))
            telemetry.UNEXPECTED.inc()
        if not answer.prepared:
            answer.headers.update(headers)
        return answer

    async def _answer(self, request: web.BaseRequest, headers: dict[str, str]) -> web.StreamResponse:
        if request.method == "OPTIONS":
            return self._options(request)
        route, variables = self._router.match(request.method, request.path)
        address = self.address(request)
        try:
            who = self._gateway.tokens.of_header(request.headers.get("Authorization"))
        except Refused:  # a bad token costs us a check of its signature, so it counts against the address
            self._admit(route, None, address, headers)
            raise
        purse = self._admit(route, who, address, headers)
        self._authorise(route, who)
        takes_key = route.keyed or (route.optional_key and KEY_HEADER in request.headers)
        key = idempotency_key(request) if takes_key else ""
        limits = self._gateway.limits
        sent = await read_body(request, limits.body_bytes, limits.body_ms) if route.body else b""
        call = Call(
            gateway=self._gateway,
            request=request,
            needs_body=not route.optional_body,
            variables=variables,
            who=who,
            address=address,
            key=key,
            sent=sent,
            headers=headers,
            purse=purse,
        )
        try:
            return await route.handler(call)
        finally:
            headers.update(purse.headers())  # it may have cost more

    def address(self, request: web.BaseRequest) -> str:
        """The client's address: the one that the outermost of our trusted proxies saw."""
        proxies = self._gateway.proxies
        if proxies:
            seen = [a.strip() for a in request.headers.get("X-Forwarded-For", "").split(",") if a.strip()]
            if len(seen) >= proxies:
                return seen[-proxies]
        return request.remote or "unknown"

    def _admit(self, route: Route, who: Token | None, address: str, headers: dict[str, str]) -> Purse:
        buckets = self._gateway.buckets
        by_player = who is not None and route.bucket != "sign_ins"
        key = who.player if who is not None and by_player else address
        purse = Purse(buckets.named(route.bucket), key, buckets.cost(who) if by_player else 1.0)
        try:
            purse.pay(1)
        finally:
            headers.update(purse.headers())
        return purse

    def _authorise(self, route: Route, who: Token | None) -> None:
        if not route.scopes:
            return
        if who is None:
            raise Refused("unauthorized")
        if not set(route.scopes) & set(who.scopes):
            raise Refused("forbidden", f"This needs a token with scope {' or '.join(route.scopes)}.")

    def _options(self, request: web.BaseRequest) -> web.Response:
        methods = self._router.methods(request.path)
        if not methods:
            raise Refused("unknown_route")
        return web.Response(status=204, headers={"Allow": ", ".join((*methods, "OPTIONS")), **_PREFLIGHT})

    def _common_headers(self, request: web.BaseRequest) -> dict[str, str]:
        headers = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Vary": "Origin"}
        origin = request.headers.get("Origin")
        if origin is not None and self._gateway.origin_allowed(origin, request.host):
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Expose-Headers"] = _EXPOSED
        return headers
