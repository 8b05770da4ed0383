"""One stored line to a commit, strictly: no duplicate key, float or integer that JSON readers disagree on.

Most lines are judged by encoding them again: equal bytes leave no room for any of these. Only others, and
the first (its options are open JSON), are read a second time by the slow, strict reader. Numbers within a
later commit need no second look: all but its times are compared with what they must be.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Final, cast

import msgspec

from services.audit.report import Differs
from shared.events.base import Commit
from shared.events.codec import MatchCommit
from shared.events.match import MatchEvent
from shared.events.retired import RetiredMatchEvent, upcast

LIMIT: Final = 1 << 53
_DECODER: Final = msgspec.json.Decoder(Commit[MatchEvent | RetiredMatchEvent])
_ENCODER: Final = msgspec.json.Encoder()
_WHERE: Final = re.compile(r"^(.*?)(?: - at `\$\.?(.*)`)?$", re.DOTALL)


class Read(msgspec.Struct, frozen=True):
    """A commit, and the fields in it that this version does not know."""

    commit: MatchCommit
    unknown: tuple[str, ...] = ()


def read(stored: bytes, *, first: bool) -> Read:
    """The commit in ``stored``, retired shapes brought up to date; raises ``Differs``."""
    try:
        commit = _DECODER.decode(stored)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        _strict(stored)
        what, where = _parts(str(error))
        raise Differs(
            where, "a commit that this version can read", what, f"The line cannot be read: {error}."
        ) from error
    unknown: tuple[str, ...] = ()
    if first or _ENCODER.encode(commit) != stored or commit.at_ms >= LIMIT:
        unknown = tuple(_unknown("", _strict(stored), commit))
    if any(isinstance(event, RetiredMatchEvent) for event in commit.events):
        events = tuple(upcast(e) if isinstance(e, RetiredMatchEvent) else e for e in commit.events)
        return Read(cast("MatchCommit", msgspec.structs.replace(commit, events=events)), unknown)
    return Read(cast("MatchCommit", commit), unknown)


def _parts(message: str) -> tuple[str, str]:
    found = _WHERE.match(message)
    return (found[1], found[2] or "line") if found else (message, "line")


class _Object(dict[str, Any]):
    """A JSON object that remembers a key it was given twice."""

    twice: str | None = None


def _object(pairs: list[tuple[str, Any]]) -> _Object:
    made = _Object(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        made.twice = next(key for key, _ in pairs if key in seen or seen.add(key))
    return made


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _strict(stored: bytes) -> _Object:
    """The line as plain data; raises ``Differs`` for whatever two readers could read differently."""
    if stored != stored.strip():
        raise Differs("line", "the stored bytes", "blanks around them", "The line is not the stored bytes.")
    try:
        tree = json.loads(
            stored.decode("utf-8"), object_pairs_hook=_object, parse_constant=_constant, parse_int=_integer
        )
    except (ValueError, RecursionError) as error:
        raise Differs("line", "JSON", str(error), f"The line is not JSON: {error}.") from error
    if not isinstance(tree, _Object):
        raise Differs("line", "an object", type(tree).__name__, "The line is not a JSON object.")
    _check("", tree)
    return tree


def _integer(text: str) -> int:
    # Text of any length may stand there; what is too long to matter is not even turned into a number.
    return int(text) if len(text) <= len(str(LIMIT)) + 1 else LIMIT


def _check(path: str, value: Any) -> None:
    if isinstance(value, _Object):
        if value.twice is not None:
            where = _join(path, value.twice)
            raise Differs(where, "one value", "two values", f"The key {where} stands there twice.")
        for key, inner in value.items():
            _check(_join(path, key), inner)
    elif isinstance(value, list):
        for place, inner in enumerate(cast("list[Any]", value)):
            _check(f"{path}[{place}]", inner)
    elif isinstance(value, float):
        raise Differs(path, "an integer", str(value), f"{path} is no integer; a log has no floats.")
    elif isinstance(value, int) and abs(value) >= LIMIT:
        raise Differs(path, "an integer below 2^53", str(value), f"{path} is too large to be read exactly.")


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _unknown(path: str, raw: Any, known: Any) -> Iterator[str]:
    """The paths of the fields in ``raw`` that the decoded value has not."""
    if isinstance(known, msgspec.Struct):
        fields = dict(zip(known.__struct_encode_fields__, known.__struct_fields__, strict=True))
        for key, inner in cast("dict[str, Any]", raw).items():
            if key in fields:
                yield from _unknown(_join(path, key), inner, getattr(known, fields[key]))
            elif key != known.__struct_config__.tag_field:
                yield _join(path, key)
    elif isinstance(known, tuple):
        for place, (inner, one) in enumerate(zip(raw, cast("tuple[Any, ...]", known), strict=True)):
            yield from _unknown(f"{path}[{place}]", inner, one)
