"""The page at ``/``: for a person who opened the server's address in a browser."""

from html import escape
from typing import Final

from services.gateway.router import Route

_HEAD: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Kronika</title>
<style>
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
         color: #1d1d1f; background: #fdfdfc }
  h1 { margin-bottom: 0 } table { border-collapse: collapse; width: 100% }
  td { padding: .35rem .8rem .35rem 0; border-top: 1px solid #d9d9d6; vertical-align: top }
  code { font: .9em ui-monospace, monospace; white-space: nowrap }
  @media (prefers-color-scheme: dark) { body { color: #e8e8e6; background: #1a1a1c } td { border-color: #444 }
    a { color: #8ab4f8 } }
</style>
<h1>Kronika</h1>
<p>A server for turn-based games. Every match is a chronicle: one append-only, hash-chained log.</p>
<p>Programs read <a href="/v1/openapi.json">/v1/openapi.json</a> (REST) and
<a href="/v1/asyncapi.json">/v1/asyncapi.json</a> (the socket).</p>
<h2>Addresses</h2>
<table>
"""


def document(routes: tuple[Route, ...]) -> bytes:
    """The page, with one line for each of ``routes``."""
    lines = [
        f"<tr><td><code>{escape(route.method)}</code><td><code>{_linked(route)}</code>"
        f"<td>{escape(route.summary)}\n"
        for route in routes
    ]
    return (_HEAD + "".join(lines) + "</table>\n").encode()


def _linked(route: Route) -> str:
    path = escape(route.path)
    readable = route.method == "GET" and not route.scopes and "{" not in path and route.answer.status < 300  # noqa: PLR2004 - what a browser can show
    return f'<a href="{path}">{path}</a>' if readable else path
