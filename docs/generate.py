# ruff: noqa: INP001 - a script beside the pages it writes, no module of the product
"""Writes the generated pages of this folder; with ``--check`` only says whether they are current.

``make docs`` writes them, ``make check`` checks them. A page is made from the code's own docstrings.
"""

import inspect
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

import msgspec

from shared.events.base import By, Commit, Entry
from shared.events.match import ClockTerms, MatchEvent, Seat, Terms
from shared.events.player import PlayerEvent
from shared.events.retired import RetiredMatchEvent
from shared.events.table import TableEvent

HERE: Final = Path(__file__).parent

_INTRODUCTION: Final = """# Events

<!-- Written by docs/generate.py from the docstrings of shared/events. Change those, then run `make docs`. -->

What the logs hold: facts in the past tense, stored for ever and never rewritten. Every event has its tag in
`type`. A field that stands at its default is left out where "may be left out" is said. Readers ignore fields
that they do not know; a new meaning gets a new tag, and the old shape moves to *Retired*.
"""

_SECTIONS: Final[tuple[tuple[str, str, Any], ...]] = (
    (
        "Match",
        "In `game.<match>.<n>`, in the order in which a match meets them.",
        MatchEvent,
    ),
    ("Table", "In `table.<id>.<n>`.", TableEvent),
    ("Player", "In `player.<id>.<n>`.", PlayerEvent),
    ("Retired", "No longer written, readable for ever.", RetiredMatchEvent),
)
_FRAMES: Final = (("Commit", Commit), ("By", By), ("Entry", Entry))
_PARTS: Final = (("Seat", Seat), ("Terms", Terms), ("ClockTerms", ClockTerms))

_WORDS: Final[dict[Any, str]] = {
    int: "integer",
    str: "text",
    bool: "true or false",
    type(None): "null",
    Any: "anything",
}


def _type(kind: Any) -> str:
    """A Python annotation in JSON's words."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return " or ".join(_type(k) for k in inner)
    if origin is tuple:
        return f"list of {_type(inner[0])}"
    if origin is dict:
        return "object"
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return f"`{kind.__name__}`"
    return _WORDS.get(kind, "event")


def _fields(struct: Any) -> Iterator[str]:
    hints = get_type_hints(struct)
    optional: bool = struct.__struct_config__.omit_defaults
    fields = msgspec.structs.fields(struct)
    if not fields:
        return
    yield "| field | value | |"
    yield "|---|---|---|"
    for field in fields:
        default = "" if field.default is msgspec.NODEFAULT else _json(field.default)
        if field.default_factory is not msgspec.NODEFAULT:
            default = "{}" if field.default_factory is dict else "defaults"
        said = "" if not default else f"may be left out: {default}" if optional else f"always {default}"
        yield f"| `{field.encode_name}` | {_type(hints[field.name])} | {said} |"
    yield ""


def _json(value: Any) -> str:
    if isinstance(value, msgspec.Struct):
        return "defaults"
    return msgspec.json.encode(value).decode()


def _prose(struct: Any) -> str:
    return (inspect.getdoc(struct) or "").replace("``", "`")


def _part(heading: str, struct: Any) -> Iterator[str]:
    yield f"### {heading}"
    yield ""
    yield _prose(struct)
    yield ""
    yield from _fields(struct)


def events() -> str:
    """``events.md``."""
    lines = [_INTRODUCTION, "## Around the events", ""]
    for heading, struct in _FRAMES:
        lines += _part(heading, struct)
    for heading, where, union in _SECTIONS:
        lines += [f"## {heading}", "", where, ""]
        structs: tuple[Any, ...] = get_args(union) or (union,)
        for struct in structs:
            lines += _part(f"`{struct.__struct_config__.tag}`", struct)
        if heading == "Match":
            for name, struct in _PARTS:
                lines += _part(name, struct)
    return "\n".join(lines).rstrip() + "\n"


PAGES: Final[dict[str, Callable[[], str]]] = {"events.md": events}


def main(arguments: list[str]) -> int:
    """Write the pages, or with ``--check`` return 1 if one is not current."""
    stale: list[str] = []
    for name, make in PAGES.items():
        page, text = HERE / name, make()
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            stale.append(name)
            if "--check" not in arguments:
                page.write_text(text, encoding="utf-8")
    if "--check" in arguments and stale:
        sys.stderr.write(f"Not current: {', '.join(stale)}. Run `make docs`.\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
