"""Names that look like other names: alphabets that share shapes, and words that only we may use.

Only what reserved words need of Unicode's confusables (TR 39) is here: two players may still be called
``Jana`` and ``Jàna``.
"""

import re
import unicodedata
from typing import Final

_ALPHABETS: Final = frozenset({"LATIN", "CYRILLIC", "GREEK", "COPTIC", "ARMENIAN", "CHEROKEE", "LISU"})
_LATIN: Final = re.compile(
    r"LATIN (?:SMALL LETTER|LETTER SMALL CAPITAL) (?:SCRIPT |DOTLESS |OPEN |LONG )?([A-Z])(?: WITH .*)?"
)
_SEPARATORS: Final = re.compile(r"[ _.'-]+")
_DIGITS: Final = "0123456789"
_SHAPES: Final = str.maketrans(
    # Cyrillic, then Greek, then digits; i, l and 1 are one shape
    "абвгдеёзијкмнорстухһԍԛԝѕьԁ" + "αβγεικνμορστυχ" + "0134578ilɑ",
    "abbrdeeeljkmhopctyxhgqwsbd" + "abyelkvmopotux" + "oleastblla",
)


class Words:
    """Words that nobody may have in his name, however they are written."""

    def __init__(self, *words: str) -> None:
        """``words`` in plain lower-case Latin letters."""
        self._shapes = frozenset(shape(word) for word in words)

    def in_name(self, name: str) -> bool:
        """Whether a word of ``name``, digits behind it left aside, or all of it together is one of them."""
        folded = unicodedata.normalize("NFKC", name).casefold()
        words = _SEPARATORS.split(folded)
        words += [word.strip(_DIGITS) for word in words]
        return any(shape(word) in self._shapes for word in (*words, "".join(_SEPARATORS.split(folded))))


def shape(word: str) -> str:
    """What is equal for two words that can be taken for each other: ``admin``, ``ÁDM1N``, ``adrnin``."""
    bare = (c for c in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(c))
    return "".join(_letter(c) for c in bare).translate(_SHAPES).replace("rn", "m").replace("vv", "w")


def _letter(character: str) -> str:
    """The plain Latin letter that a decorated one is read as; everything else as it is."""
    read = _LATIN.fullmatch(unicodedata.name(character, ""))
    return character if read is None else read.group(1).lower()


def mixes_alphabets(name: str) -> bool:
    """Whether ``name`` has letters of two alphabets that share shapes (``Jаnа`` with Cyrillic а)."""
    first_words = {
        unicodedata.name(c, "").partition(" ")[0] for c in name if unicodedata.category(c).startswith("L")
    }
    return len(first_words & _ALPHABETS) > 1
