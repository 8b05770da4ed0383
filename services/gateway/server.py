"""The HTTP server: aiohttp's low-level one, so that what its parser refuses is a problem, too."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast

import structlog
from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError, LineTooLong

from services.gateway import problems
from services.gateway.gateway import Gateway

_log = structlog.get_logger("gateway")
Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
MOST_HEADERS = 64
LONGEST_HEADER = 8_190


class _Protocol(web.RequestHandler):
    """One connection. Counted per address; its errors are problems."""

    def __init__(self, manager: "Server", gateway: Gateway, **settings: Any) -> None:
        super().__init__(manager, **settings)
        self._gateway = gateway
        self._counted = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if self._gateway.proxies == 0:  # behind a proxy all come from its address
            peer = transport.get_extra_info("peername")
            address = str(peer[0]) if peer else "local"
            if not self._gateway.connections.enter(address):
                _log.info("too many connections", address=address)
                cast("asyncio.Transport", transport).abort()
                return
            self._counted = address
        super().connection_made(transport)

    def connection_lost(self, exc: BaseException | None) -> None:
        if self._counted:
            self._gateway.connections.leave(self._counted)
            self._counted = ""
        super().connection_lost(exc)

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """The problem that says what was wrong with the head of a request."""
        if request.writer.output_size > 0:
            raise ConnectionError("the answer has already begun")
        if isinstance(exc, LineTooLong):
            answer = problems.of_status(413, "A line of the head is too long.")
        elif isinstance(exc, HttpProcessingError):
            answer = problems.of_status(status, (message or "").strip().split("\n", 1)[0][:200])
        else:
            _log.error("a connection failed", status=status, why=repr(exc))
            answer = problems.of_status(status)
        answer.force_close()
        return answer


class Server(web.Server):
    """Makes a protocol for each connection."""

    def __init__(self, handler: Handler, gateway: Gateway) -> None:
        """``handler`` answers every request that can be read."""
        super().__init__(handler, handler_cancellation=True)
        self._gateway = gateway

    def __call__(self) -> web.RequestHandler:
        """The protocol of a new connection."""
        return _Protocol(
            self,
            self._gateway,
            loop=asyncio.get_running_loop(),
            access_log=None,
            keepalive_timeout=self._gateway.limits.header_ms / 1000,  # the time for a head, too
            max_headers=MOST_HEADERS,
            max_line_size=LONGEST_HEADER,
            max_field_size=LONGEST_HEADER,
            lingering_time=2.0,
            auto_decompress=False,  # 58 KB of zeros cost 0.2 s, whether anybody reads them or not
        )
