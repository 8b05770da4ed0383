"""The forms that a match can be written in. Another one is a module and a line in ``FORMATS``."""

from collections.abc import Sequence
from typing import Final

from shared.export import json, mat, ndjson, pdn, pgn, sgf, txt
from shared.export.form import Form, NotExportable, begun
from shared.rules.protocol import Traits

FORMATS: Final[dict[str, Form]] = {
    module.FORM.name: module.FORM for module in (ndjson, mat, pgn, pdn, sgf, txt, json)
}
"""By name; the first is what everybody gets who asks for none."""

DEFAULT: Final = ndjson.FORM.name

PURPOSES: Final = ", ".join(f"{form.name} ({form.purpose})" for form in FORMATS.values())
"""What there is, in words."""


def form_of(name: str) -> Form:
    """The form called ``name``; raises ``NotExportable``, naming those that there are."""
    form = FORMATS.get(name)
    if form is None:
        raise NotExportable(f"There is no form {name!r}; there are {', '.join(FORMATS)}.")
    return form


def forms_of(traits: Traits) -> tuple[str, ...]:
    """The names of the forms that hold matches of a game with these ``traits``."""
    return tuple(name for name, form in FORMATS.items() if form.universal or name in traits.exports)


def rendered(form: Form, stored: Sequence[bytes], names: Sequence[str] = ()) -> bytes:
    """The match as a file of ``form``; ``names`` by seat (without: ``Seat 0`` …).

    Raises ``NotExportable``, saying why, and which forms can hold the match; and
    ``shared.events.codec.UnreadableLog`` for bytes that are no commits.
    """
    created = begun(stored)
    if reason := form.why_not(created):
        possible = [other.name for other in FORMATS.values() if not other.why_not(created)]
        raise NotExportable(f"{reason} It can be had as {', '.join(possible)}.")
    return form.render(stored, names)
