"""The log as it is stored, commit by commit: the one form that holds every match, and all of it."""

from collections.abc import Sequence
from typing import Final

from shared.events.match import MatchCreated
from shared.export.form import Form


def _render(stored: Sequence[bytes], names: Sequence[str]) -> bytes:
    """The stored bytes, never encoded anew, one commit a line; names are not part of a log."""
    del names
    return b"".join(line + b"\n" for line in stored)


def _why_not(created: MatchCreated) -> str:
    del created
    return ""


FORM: Final = Form(
    name="ndjson",
    media="application/x-ndjson",
    purpose="the log as stored",
    named=False,
    why_not=_why_not,
    render=_render,
)
