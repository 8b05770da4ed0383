"""Nicknames: what is allowed, and when two of them are the same."""

import unicodedata
from typing import Final

from services.lobby import lookalikes
from shared.problems import Refused

LEAST: Final = 2
MOST: Final = 20
_ALSO: Final = frozenset(" _-.'")
_BLANK: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800")  # letters and symbols that print nothing
_RESERVED: Final = lookalikes.Words(
    "admin",
    "administrator",
    "computer",
    "ghost",
    "guest",
    "kronika",
    "moderator",
    "operator",
    "support",
    "system",
)


def check(nickname: str) -> str:
    """The nickname as it is kept (NFKC, no doubled blanks); raises ``Refused("invalid")`` with the reason."""
    if len(nickname) > 4 * MOST:
        raise Refused("invalid", f"nickname: at most {MOST} characters.")
    kept = unicodedata.normalize("NFKC", nickname)
    if kept != kept.strip() or "  " in kept:
        raise Refused("invalid", "nickname: no blanks around it, no two in a row.")
    if not LEAST <= len(kept) <= MOST:
        raise Refused("invalid", f"nickname: {LEAST} to {MOST} characters.")
    for character in kept:
        if character in _ALSO:
            continue
        if character in _BLANK or unicodedata.category(character)[0] not in "LMN":
            raise Refused("invalid", "nickname: letters, digits, blanks and _ - . ' only.")
    if unicodedata.category(kept[0])[0] not in "LN":
        raise Refused("invalid", "nickname: it begins with a letter or a digit.")
    if lookalikes.mixes_alphabets(kept):
        raise Refused("invalid", "nickname: letters of one alphabet only, these can be taken for another's.")
    if _RESERVED.in_name(kept):
        raise Refused("invalid", "nickname: that one is reserved.")
    return kept


def fold(nickname: str) -> str:
    """What is equal for two nicknames that differ only in case or compatibility forms (Unicode TR 15, 21)."""
    once = unicodedata.normalize("NFKC", nickname).casefold()
    return unicodedata.normalize("NFKC", once).casefold()


def guest(player: str) -> str:
    """A readable name for a guest, from the end of his id."""
    return f"Guest-{player[-4:]}"
