"""OpenAPI 3.1 made from the table of routes and the types that they read and answer."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from services.gateway.call import JSON, KEY_HEADER
from services.gateway.limits import Limits
from services.gateway.problems import PROBLEM_JSON
from services.gateway.router import Query, Route
from shared.ids import COMMAND_ID_PATTERN, ID_PATTERN
from shared.problems import KINDS, Problem

REF: Final = "#/components/schemas/{name}"
VERSION: Final = "1"
_PATTERNS: Final = {"kind": r"^[a-z0-9_]{1,40}$"}  # of what is no id in a path
_ALWAYS: Final = ("malformed", "rate_limited", "unavailable", "internal")


def schemas(types: Iterable[Any]) -> tuple[dict[Any, dict[str, Any]], dict[str, Any]]:
    """For each type its schema, and the components that these refer to."""
    chosen = list(dict.fromkeys(types))
    found, components = msgspec.json.schema_components(chosen, ref_template=REF)
    return dict(zip(chosen, found, strict=True)), components


def document(routes: tuple[Route, ...], limits: Limits) -> bytes:
    """The specification of ``routes`` as JSON, with the ``limits`` that hold here."""
    types = [Problem, *(r.body for r in routes if r.body), *(r.answer.body for r in routes if r.answer.body)]
    known, components = schemas(types)
    _relax_tags(components, [r.body for r in routes if r.body])
    paths: dict[str, dict[str, Any]] = defaultdict(dict)
    for route in routes:
        paths[route.path][route.method.lower()] = _operation(route, known)
    return msgspec.json.encode(
        {
            "openapi": "3.1.0",
            "info": {
                "title": "Kronika",
                "version": VERSION,
                "description": "A server for turn-based games. Times are integer milliseconds, ids are text, "
                "readers ignore unknown fields. Errors are RFC 9457 problems with a stable code.\n\n"
                + limits.of_requests(),
                "license": {"name": "GPL-3.0-or-later", "identifier": "GPL-3.0-or-later"},
            },
            "paths": paths,
            "components": {
                "schemas": components,
                "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}},
            },
        }
    )


def _relax_tags(components: dict[str, Any], bodies: list[Any]) -> None:
    """A request's body needs no ``type``: the address says what it is."""
    for body in bodies:
        schema = components.get(body.__name__, {})
        if body.__struct_config__.tag is not None:
            schema["required"] = [name for name in schema["required"] if name != "type"]


def _operation(route: Route, known: dict[Any, dict[str, Any]]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": f"{route.method.lower()}_{route.handler.__module__.rpartition('.')[2]}_"
        f"{route.handler.__name__}",
        "summary": route.summary,
        "tags": [route.tag],
        "parameters": _parameters(route),
        "responses": _responses(route, known),
    }
    if route.scopes:
        operation["security"] = [{"bearer": []}]
        operation["description"] = f"Needs a token with scope {' or '.join(route.scopes)}."
    else:
        operation["security"] = [{}, {"bearer": []}]
    if route.body is not None:
        operation["requestBody"] = {
            "required": not route.optional_body,
            "content": {JSON: {"schema": known[route.body]}},
        }
    return operation


def _parameters(route: Route) -> list[dict[str, Any]]:
    parameters: list[dict[str, Any]] = [
        {
            "name": segment[1:-1],
            "in": "path",
            "required": True,
            "schema": {"type": "string", "pattern": _PATTERNS.get(segment[1:-1], ID_PATTERN)},
        }
        for segment in route.path.split("/")
        if segment.startswith("{")
    ]
    parameters += [_query(query) for query in route.query]
    if route.keyed or route.optional_key:
        parameters.append(
            {
                "name": KEY_HEADER,
                "in": "header",
                "required": route.keyed,
                "description": route.optional_key
                or "Mine for ever: the same again gets the same answer, with another body 422.",
                "schema": {"type": "string", "pattern": COMMAND_ID_PATTERN},
            }
        )
    return parameters


def _query(query: Query) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": query.kind}
    if query.kind == "integer":
        schema["minimum"] = query.least
        if query.most is not None:
            schema["maximum"] = query.most
    return {
        "name": query.name,
        "in": "query",
        "required": query.required,
        "description": query.meaning,
        "schema": schema,
    }


def _responses(route: Route, known: dict[Any, dict[str, Any]]) -> dict[str, Any]:
    answer = route.answer
    success: dict[str, Any] = {"description": answer.meaning}
    if answer.status < 300 and answer.status != 204:  # noqa: PLR2004 - these carry a body
        schema = known[answer.body] if answer.body is not None else {"type": "string"}
        success["content"] = {media: {"schema": schema} for media in (answer.media, *answer.other_media)}
    if answer.status != 101:  # noqa: PLR2004 - as above
        success["headers"] = {
            name: {"description": "draft-ietf-httpapi-ratelimit-headers", "schema": {"type": "string"}}
            for name in ("RateLimit", "RateLimit-Policy")
        }
    responses = {str(answer.status): success}
    for status, codes in sorted(_refusals(route).items()):
        refused: dict[str, Any] = {
            "description": "Refused: " + ", ".join(sorted(codes)) + ".",
            "content": {PROBLEM_JSON: {"schema": known[Problem]}},
        }
        if status in (429, 503):
            refused["headers"] = {
                "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}
            }
        responses[str(status)] = refused
    return responses


def _refusals(route: Route) -> dict[int, set[str]]:
    """The problem codes that ``route`` may answer, by status."""
    codes = {*_ALWAYS, *route.refusals, "unauthorized", "token_expired"}
    if route.scopes:
        codes |= {"forbidden"}
    if route.body is not None:
        codes |= {"too_large", "invalid"}
    if route.keyed or route.optional_key or route.query:
        codes |= {"invalid"}
    by_status: dict[int, set[str]] = defaultdict(set)
    for code in codes:
        by_status[KINDS[code].status].add(code)
    return by_status
