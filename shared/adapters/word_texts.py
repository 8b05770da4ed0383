"""Words as their sources write them: a Hunspell dictionary, or a text with a word on each line."""

import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from shared.adapters.hunspell_words import forms
from shared.rules.scrabble.words import CODES, LONGEST, SHORTEST

COMMENT: Final = "#"
_DIC: Final = ".dic"
_NO_LETTER: Final = "\x7f"
STOPPED: Final = """
bm ca cd cm cz db dl dm eg ff fp ft hl hm kg km kp lg lm ln lx mf mg ml mm mp nf nt pc pf pp rb tf tg um vf vn
vs yd ccm dkg ppm tbc
brr bzz crč fff frc frr frč grr hmm hí hý kš kšš ppp prr pš pšš pšt pst vrr
"""
"""Units, abbreviations and interjections of the system's list, which are never valid (boardgames §9)."""


def files(source: Path) -> tuple[Path, ...]:
    """What is read for ``source``: with a ``.dic`` its ``.aff`` beside it."""
    if source.suffix.lower() != _DIC:
        return (source,)
    return (source, source.with_suffix(".aff" if source.suffix == _DIC else ".AFF"))


def keys(source: Path) -> list[bytes]:
    """Sorted keys of the words in ``source`` that can be laid.

    Names, which begin with a capital letter, are none, nor are phrases. Raises ``OSError``, and
    ``ValueError`` with a sentence.
    """
    try:
        found = sorted(_laid(_words(source)))
    except UnicodeDecodeError as error:
        raise ValueError("it is not written in UTF-8.") from error
    if not found:
        raise ValueError(
            f"it holds no word to lay: a word is {SHORTEST} to {LONGEST} small Czech letters on a line of its"
            f" own; names (with a capital first), phrases and comments ({COMMENT}) are skipped."
        )
    return found


def _words(source: Path) -> Iterable[str]:
    read = files(source)
    return forms(*read) if len(read) > 1 else _lines(source)


def _lines(source: Path) -> Iterator[str]:
    """The words of a text; one that is in capitals throughout is meant in small letters."""
    text = unicodedata.normalize("NFC", source.read_text(encoding="utf-8-sig"))
    words = [line.partition(COMMENT)[0].strip() for line in text.splitlines()]
    shouted = any(words) and all(word == word.upper() for word in words)
    return (word.lower() if shouted else word for word in words if word)


def _laid(words: Iterable[str]) -> set[bytes]:
    table = _Letters({ord(letter.lower()): chr(code) for letter, code in CODES.items()})
    found = {
        coded.encode("ascii")
        for word in words
        if SHORTEST <= len(word) <= LONGEST and _NO_LETTER not in (coded := word.translate(table))
    }
    return found - {word.translate(table).encode("ascii") for word in STOPPED.split()}


class _Letters(dict[int, str]):
    def __missing__(self, sign: int) -> str:
        return _NO_LETTER
