"""AsyncAPI 3 for the socket, made from the types of its frames."""

from typing import Any, Final

import msgspec

from services.gateway.limits import Limits
from services.gateway.openapi import VERSION, schemas
from shared.match import MatchView
from shared.wire import frames
from shared.wire.lobby import TableView

CLOSES: Final = {
    frames.CLOSE_REFUSED: "malformed frames again and again, or no auth in time",
    frames.CLOSE_TOO_BIG: "a frame above the limit",
    frames.CLOSE_DRAINING: 'this instance goes away; the reason is {"retry_after_ms": …}',
    frames.CLOSE_UNAUTHORIZED: "the token is not valid, or ran out",
    frames.CLOSE_SILENT: "nothing was heard from the client",
    frames.CLOSE_TOO_SLOW: "the client does not read what it is sent",
    frames.CLOSE_TOO_MANY: "sockets of one player that push each other out again and again",
    frames.CLOSE_REPLACED: "a newer socket of the player has its place; do not come back by yourself",
}
_ANSWERS: Final = {
    frames.Auth: (frames.Hello, frames.Refused),
    frames.Watch: (frames.Watching, frames.View, TableView, frames.Refused),
    frames.Command: (frames.View, frames.Accepted, frames.Refused),
    frames.Ping: (frames.Pong,),
}


def document(limits: Limits) -> bytes:
    """The specification of the socket as JSON, with the ``limits`` that hold here."""
    sent: tuple[Any, ...] = frames.ClientFrame.__args__
    received: tuple[Any, ...] = frames.ServerFrame.__args__
    _, components = schemas((*sent, *received, MatchView))
    components["View"]["properties"]["view"] = {"$ref": "#/components/schemas/MatchView"}
    components["Ended"]["properties"]["result"] = {"$ref": "#/components/schemas/ResultView"}
    closing = "\n".join(f"* {code}: {why}" for code, why in CLOSES.items())
    return msgspec.json.encode(
        {
            "asyncapi": "3.0.0",
            "info": {
                "title": "Kronika's socket",
                "version": VERSION,
                "description": "One JSON text message a frame, type first; readers ignore unknown fields and "
                f"frames. The first frame is auth, within {limits.auth_ms} ms.\n\n{limits.of_socket()}\n\n"
                f"Close codes:\n{closing}",
                "license": {"name": "GPL-3.0-or-later"},
            },
            "defaultContentType": "application/json",
            "channels": {
                "socket": {
                    "address": "/v1/socket",
                    "messages": {_tag(kind): _ref("messages", _tag(kind)) for kind in (*sent, *received)},
                    "bindings": {"ws": {"method": "GET"}},
                }
            },
            "operations": {
                **{_tag(kind): _operation(kind, "receive") for kind in sent},
                **{_tag(kind): _operation(kind, "send") for kind in received},
            },
            "components": {
                "messages": {_tag(kind): _message(kind) for kind in (*sent, *received)},
                "schemas": components,
            },
        }
    )


def _tag(kind: Any) -> str:
    return str(kind.__struct_config__.tag)


def _ref(section: str, name: str) -> dict[str, str]:
    return {"$ref": f"#/components/{section}/{name}"}


def _message(kind: Any) -> dict[str, Any]:
    return {
        "name": _tag(kind),
        "title": kind.__name__,
        "summary": (kind.__doc__ or "").split("\n", 1)[0],
        "contentType": "application/json",
        "payload": _ref("schemas", kind.__name__),
    }


def _operation(kind: Any, action: str) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "action": action,
        "channel": {"$ref": "#/channels/socket"},
        "messages": [{"$ref": f"#/channels/socket/messages/{_tag(kind)}"}],
    }
    answers = _ANSWERS.get(kind)
    if answers is not None:
        operation["reply"] = {
            "channel": {"$ref": "#/channels/socket"},
            "messages": [{"$ref": f"#/channels/socket/messages/{_tag(answer)}"} for answer in answers],
        }
    return operation
