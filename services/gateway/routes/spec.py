"""What the API says about itself."""

from typing import Final

from aiohttp import web

from services.gateway.call import JSON, Call
from services.gateway.router import Answer, Route


async def openapi(call: Call) -> web.Response:
    """The REST side."""
    return call.raw(call.gateway.documents.openapi, JSON)


async def asyncapi(call: Call) -> web.Response:
    """The socket."""
    return call.raw(call.gateway.documents.asyncapi, JSON)


async def home(call: Call) -> web.Response:
    """A page for people."""
    return call.raw(call.gateway.documents.page, "text/html; charset=utf-8")


ROUTES: Final = (
    Route(
        "GET",
        "/v1/openapi.json",
        openapi,
        "This API as OpenAPI 3.1.",
        Answer(200, dict, meaning="The document."),
        tag="about",
    ),
    Route(
        "GET",
        "/v1/asyncapi.json",
        asyncapi,
        "The socket's frames as AsyncAPI 3.",
        Answer(200, dict, meaning="The document."),
        tag="about",
    ),
    Route(
        "GET",
        "/",
        home,
        "A page for people: what there is at which address.",
        Answer(200, None, "text/html", "The page."),
        tag="about",
    ),
)
