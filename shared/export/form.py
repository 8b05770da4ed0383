"""What a form of export is. One form is a module beside this one; ``formats`` lists them."""

from collections.abc import Callable, Sequence

import msgspec

from shared.events.codec import decode_match
from shared.events.match import MatchCreated
from shared.export import agreed


class NotExportable(Exception):  # noqa: N818 - says what the match is
    """This match cannot be told in this form; the text says why."""


class Form(msgspec.Struct, frozen=True, kw_only=True):
    """One form: ``name`` is what it is asked for by and what its files end in, ``media`` its media type.

    ``purpose`` says in a few words what it is good for. ``named``: it tells what the players are called.
    ``universal``: it holds every match, also of games that do not name it. ``uniform``: the file says once
    for all its games which one they are. ``render`` makes the file from all stored commits, from the first
    on, and the players' names by seat; it raises ``NotExportable``, and
    ``shared.events.codec.UnreadableLog`` for bytes that are no commits.
    """

    name: str
    media: str
    purpose: str
    named: bool
    render: Callable[[Sequence[bytes], Sequence[str]], bytes]
    universal: bool = False
    uniform: bool = False

    def why_not(self, created: MatchCreated) -> str:
        """Why this form cannot hold the match that begins with ``created``; "" if it can."""
        if self.universal:
            return ""
        if reason := agreed.why_not(created, self.name):
            return reason
        if self.uniform and len(agreed.words(created, self.name)) > 1:
            return f"A series of different games has no form as .{self.name}."
        return ""


def begun(stored: Sequence[bytes]) -> MatchCreated:
    """The first event of a log: who plays what.

    Raises ``NotExportable`` where it is another one, and ``shared.events.codec.UnreadableLog``.
    """
    first = decode_match(stored[0]).events[0] if stored else None
    if not isinstance(first, MatchCreated):
        raise NotExportable("The log does not begin with match_created.")
    return first
