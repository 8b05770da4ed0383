"""What stays open: the socket and the stream of events."""

from typing import Final

from aiohttp import web

from services.gateway import stream as streams
from services.gateway.call import Call
from services.gateway.router import Answer, Query, Route
from services.gateway.socket import Socket
from shared.problems import Refused
from shared.tokens import PLAY, WATCH


async def socket(call: Call) -> web.StreamResponse:
    """Become a WebSocket."""
    request = call.request
    if not web.WebSocketResponse().can_prepare(request):
        raise Refused("malformed", "This address speaks WebSocket: send the headers of an upgrade.")
    origin = request.headers.get("Origin")
    if origin is not None and not call.gateway.origin_allowed(origin, request.host):
        raise Refused("origin_refused", "The operator lists origins in KRONIKA_ORIGINS.")
    return await Socket(call.gateway, call.address).run(request)


ROUTES: Final = (
    Route(
        "GET",
        "/v1/stream",
        streams.stream,
        "Views of one match as server-sent events: watching, view (its id is n), presence, ended, refused.",
        Answer(200, None, streams.MEDIA, "Events until the match ends."),
        scopes=(PLAY, WATCH),
        query=(
            Query("match", "string", "Which match.", required=True),
            Query("after", "integer", "The last n that you have seen; Last-Event-ID says it as well."),
        ),
        refusals=("unknown_match", "unreadable_log"),
        tag="live",
        lasting=True,
    ),
    Route(
        "GET",
        "/v1/socket",
        socket,
        "One WebSocket for many matches; its frames are described in /v1/asyncapi.json.",
        Answer(101, meaning="Switching to WebSocket; the first frame is auth."),
        refusals=("origin_refused",),
        tag="live",
        lasting=True,
    ),
)
