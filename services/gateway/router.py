"""The table of routes: one entry says how a route is matched, guarded, read, answered and documented."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import web

from services.gateway.call import JSON, Call
from shared.problems import Refused

NDJSON: Final = "application/x-ndjson"


@dataclass(frozen=True)
class Query:
    """One parameter in the address, after the question mark; ``kind`` is a JSON schema type.

    A number is at least ``least``, and at most ``most`` if that is given.
    """

    name: str
    kind: str
    meaning: str
    required: bool = False
    least: int = 0
    most: int | None = None


@dataclass(frozen=True)
class Answer:
    """What a route answers when it succeeds. ``body`` is a msgspec type, None for text or bytes."""

    status: int = 200
    body: Any = None
    media: str = JSON
    meaning: str = "Done."
    other_media: tuple[str, ...] = ()


@dataclass(frozen=True)
class Route:
    """One method at one path.

    ``scopes``: one of these must be in the token; empty: open to anyone (a token is read if there is one).
    ``body``: the msgspec type of the request's JSON, None for none; ``optional_body``: it may be absent.
    ``keyed``: a changing request that must carry an ``Idempotency-Key``. ``optional_key``: what one is good
    for where it may be left out. ``bucket``: the limit it counts
    against. ``refusals``: problem codes of its own, beside those that any route may answer. ``lasting``: its
    answer stays open.
    """

    method: str
    path: str
    handler: Callable[[Call], Awaitable[web.StreamResponse]]
    summary: str
    answer: Answer
    scopes: tuple[str, ...] = ()
    body: Any = None
    optional_body: bool = False
    keyed: bool = False
    optional_key: str = ""
    bucket: str = "reads"
    query: tuple[Query, ...] = ()
    refusals: tuple[str, ...] = ()
    tag: str = "other"
    lasting: bool = False


@dataclass
class _Node:
    """One segment of a path."""

    fixed: "dict[str, _Node]" = field(default_factory=dict[str, "_Node"])
    variable: "tuple[str, _Node] | None" = None
    methods: dict[str, Route] = field(default_factory=dict[str, Route])


class Router:
    """Finds the route of a request; the same table is what the specification is made from."""

    def __init__(self, routes: tuple[Route, ...]) -> None:
        """``routes``: all there are."""
        self.routes = routes
        self._root = _Node()
        for route in routes:
            node = self._root
            for segment in route.path.strip("/").split("/"):
                node = _child(node, segment)
            node.methods[route.method] = route

    def methods(self, path: str) -> tuple[str, ...]:
        """The methods that ``path`` answers; empty if there is nothing."""
        found = self._find(path)
        return () if found is None else tuple(sorted(found[0].methods))

    def match(self, method: str, path: str) -> tuple[Route, dict[str, str]]:
        """The route and the variable parts of its path.

        Raises ``Refused("unknown_route")`` or ``Refused("method_not_allowed")``.
        """
        found = self._find(path)
        if found is None or not found[0].methods:
            raise Refused("unknown_route")
        node, variables = found
        route = node.methods.get(method)
        if method == "HEAD":
            route = node.methods.get("GET")
            if route is not None and route.lasting:  # a head without an end is of no use to anybody
                route = None
        if route is None:
            raise Refused("method_not_allowed", f"It answers {', '.join(sorted(node.methods))}.")
        return route, variables

    def _find(self, path: str) -> tuple[_Node, dict[str, str]] | None:
        node = self._root
        variables: dict[str, str] = {}
        for segment in path.strip("/").split("/"):
            following = node.fixed.get(segment)
            if following is None:
                if node.variable is None:
                    return None
                name, following = node.variable
                variables[name] = segment
            node = following
        return node, variables


def _child(node: _Node, segment: str) -> _Node:
    if not segment.startswith("{"):
        return node.fixed.setdefault(segment, _Node())
    if node.variable is None:
        node.variable = (segment[1:-1], _Node())
    return node.variable[1]
