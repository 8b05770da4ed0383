"""What a table may choose: the list of words, and whether plays are checked at once or only on challenge."""

from collections.abc import Mapping
from typing import Any, Final

from shared.problems import Refused
from shared.rules.scrabble.words import known, well_formed

DICTIONARY: Final = "dictionary"
CHALLENGE: Final = "challenge"
_ALL: Final = (DICTIONARY, CHALLENGE)


def schema() -> dict[str, Any]:
    """The JSON schema. The first list installed here is the default; a table writes it down (``pinned``)."""
    lists = known()
    dictionary = {
        "enum": list(lists),
        "default": lists[0],
        "description": "The list of words, with the hash of its words.",
        "pinned": True,
    }
    challenge = {
        "type": "boolean",
        "default": False,
        "description": "Words are checked only when the next player challenges the play.",
    }
    return {
        "type": "object",
        "properties": {DICTIONARY: dictionary, CHALLENGE: challenge},
        "additionalProperties": False,
    }


def chosen(options: Mapping[str, Any]) -> tuple[str, bool]:
    """The list's id and whether plays are challenged.

    A list that is not installed here may be named: a match that was played by it can still be shown. Raises
    ``Refused("invalid_options")``.
    """
    for name in options:
        if name not in _ALL:
            raise Refused("invalid_options", f"scrabble has no option {name!r}.")
    dictionary = options.get(DICTIONARY, known()[0])
    if not well_formed(dictionary):
        raise Refused("invalid_options", f"dictionary is the id of a list of words, as {known()[0]}.")
    challenge = options.get(CHALLENGE, False)
    if not isinstance(challenge, bool):
        raise Refused("invalid_options", "challenge is true or false.")
    return dictionary, challenge
