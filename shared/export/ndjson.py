"""The log as it is stored, commit by commit: the one form that holds every match, and all of it."""

from collections.abc import Sequence
from typing import Final

from shared.export.form import Form


def _render(stored: Sequence[bytes], names: Sequence[str]) -> bytes:
    """The stored bytes, never encoded anew, one commit a line; names are not part of a log."""
    del names
    return b"".join(line + b"\n" for line in stored)


FORM: Final = Form(
    name="ndjson",
    media="application/x-ndjson",
    purpose="the log as stored",
    named=False,
    universal=True,
    render=_render,
)
