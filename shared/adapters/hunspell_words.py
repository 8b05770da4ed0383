"""The forms of a Hunspell dictionary: each word of its ``.dic`` with the affixes that its ``.aff`` allows.

For dictionaries like the Czech one: flags of one sign, one suffix and one prefix at most
(https://github.com/hunspell/hunspell, man page hunspell(5)). Forbidden words are left out, and no affix takes
a whole word off. ``unmunch`` is no measure: it compares the letters in the brackets of a condition
(``[čdlstvzž]ba``) byte by byte, so in UTF-8 it misses 11,817 forms of Debian's Czech list that are right
(semišek, gigolův) and makes 1,406 that are not. ``hunspell -l`` itself accepts every form made here and
refuses every one of those.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

_HEAD: Final = 4  # kind, flag, whether it goes with the other kind, how many rules
_RULE: Final = 5  # kind, flag, what is taken off, what is put on, condition
_MORE: Final = re.compile(r"\t|\s+[a-z]{2}:")  # what is said of a word after it
_SET: Final = re.compile(r"\[[^]]*\]")


class _Rule(NamedTuple):
    """Take ``off`` the end (or the beginning), put ``on`` instead, where the ``signs`` there fit."""

    off: str
    on: str
    signs: int
    fits: Callable[[str], object]


class _Affix(NamedTuple):
    prefix: bool
    crosses: bool
    rules: list[_Rule]


class _Affixes(NamedTuple):
    by_flag: dict[str, _Affix]
    forbidden: str


def forms(dic: Path, aff: Path) -> Iterator[str]:
    """Every form, some more than once; raises ``OSError`` and ``ValueError`` for what cannot be read."""
    affixes = _affixes(_text(aff).splitlines())
    lines = _text(dic).splitlines()[1:]  # the first says how many there are, about
    entries = [_MORE.split(line, maxsplit=1)[0].strip().partition("/") for line in lines]
    forbidden = (
        {word for word, _, flags in entries if affixes.forbidden in flags} if affixes.forbidden else ()
    )
    for word, _, flags in entries:
        if word and word not in forbidden:
            yield from (form for form in _of(word, flags, affixes.by_flag) if form not in forbidden)


def _text(file: Path) -> str:
    """The file without a mark of its byte order, every accent in one sign with its letter."""
    return unicodedata.normalize("NFC", file.read_text(encoding="utf-8-sig"))


def _affixes(lines: Iterable[str]) -> _Affixes:
    found: dict[str, _Affix] = {}
    forbidden = ""
    for line in lines:
        parts = line.split()
        if len(parts) > 1 and parts[0] == "FORBIDDENWORD":
            forbidden = parts[1]
        if len(parts) < _HEAD or parts[0] not in ("PFX", "SFX"):
            continue
        prefix, flag = parts[0] == "PFX", parts[1]
        if flag not in found:
            if len(flag) != 1 or not parts[3].isdecimal():
                raise ValueError(f"This begins no affix that is understood: {line!r}.")
            found[flag] = _Affix(prefix, parts[2] == "Y", [])
        elif len(parts) >= _RULE:
            off, on, condition = parts[2], parts[3].partition("/")[0], parts[4]
            signs = 0 if condition == "." else len(_SET.sub(".", condition))
            fits = re.compile(condition if signs else "").fullmatch
            found[flag].rules.append(_Rule("" if off == "0" else off, "" if on == "0" else on, signs, fits))
    return _Affixes(found, forbidden)


def _of(word: str, flags: str, affixes: dict[str, _Affix]) -> Iterator[str]:
    yield word
    chosen = [affixes[flag] for flag in flags if flag in affixes]
    prefixes = [affix for affix in chosen if affix.prefix and affix.crosses]
    for affix in chosen:
        for form in _with(word, affix):
            yield form
            if not affix.prefix and affix.crosses:
                for other in prefixes:
                    yield from _with(form, other)


def _with(word: str, affix: _Affix) -> Iterator[str]:
    for off, on, signs, fits in affix.rules:
        if affix.prefix:
            if len(word) > len(off) and word.startswith(off) and fits(word[:signs]):
                yield on + word[len(off) :]
        elif (
            len(word) > len(off)
            and word.endswith(off)
            and fits(word[len(word) - signs :] if signs <= len(word) else "")
        ):
            yield word[: len(word) - len(off)] + on
