"""Lists of words. A match names its list with its hash, so anybody can tell whether he judges by the same.

Rules read no files: a process that has a list offers it once, at its start (``offer``). Our own small list
is always there.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from shared.rules.scrabble.automaton import NONE, ROOT, built, child, ends, units
from shared.rules.scrabble.own_words import OWN_WORDS
from shared.rules.scrabble.tiles import ALPHABET

LONGEST: Final = 15
SHORTEST: Final = 2
CODES: Final = {letter: code for code, letter in enumerate(ALPHABET, 1)}
"""Letters in the automaton: one byte each, 1 to 39."""

OWN_NAME: Final = "kronika"
_ID: Final = re.compile(r"[a-z][a-z0-9-]{0,30}-[0-9a-f]{16}")


class Lexicon(msgspec.Struct, frozen=True, eq=False):
    """A list of ``count`` words: ``nodes`` are its automaton, ``digest`` begins the hash of its words."""

    name: str
    digest: str
    count: int
    nodes: Sequence[int]

    @property
    def id(self) -> str:
        """What a match pins: the name and the hash, ``hunspell-cs-0123456789abcdef``."""
        return f"{self.name}-{self.digest}"

    def __contains__(self, word: str) -> bool:
        """Whether ``word``, in capital letters, is on the list."""
        node = ROOT
        for letter in word:
            code = CODES.get(letter)
            if code is None:
                return False
            node = child(self.nodes, node, code)
            if node == NONE:
                return False
        return bool(word) and ends(self.nodes, node)


def playable(word: str) -> bool:
    """Whether there are tiles for ``word``, in capital letters, and room on the board."""
    return SHORTEST <= len(word) <= LONGEST and all(letter in CODES for letter in word)


def encoded(words: Iterable[str]) -> list[bytes]:
    """Words in capital letters as sorted keys of an automaton, each once."""
    return sorted({bytes(CODES[letter] for letter in word) for word in words})


def digest(keys: Iterable[bytes]) -> str:
    """The beginning of the SHA-256 of sorted keys, each followed by a zero byte."""
    found = hashlib.sha256()
    for key in keys:
        found.update(key + b"\0")
    return found.hexdigest()[:16]


def lexicon(name: str, words: Iterable[str]) -> Lexicon:
    """A list made in memory of words in capital letters that are ``playable``."""
    keys = encoded(words)
    return Lexicon(name, digest(keys), len(keys), units(built(keys)))


OWN: Final = lexicon(OWN_NAME, OWN_WORDS.split())
"""Some nine hundred common words: for tests, and where no other list is installed."""

_offered: Final[dict[str, Lexicon]] = {OWN.id: OWN}


def offer(found: Lexicon, *, default: bool = True) -> None:
    """Make ``found`` known here; as the ``default`` it is the one of tables that name none, from now on."""
    if not default:
        _offered.setdefault(found.id, found)
        return
    others = {known: other for known, other in _offered.items() if known != found.id}
    _offered.clear()
    _offered.update({found.id: found} | others)


def withdraw(dictionary: str) -> None:
    """Forget the list with this id; ours stays."""
    if dictionary != OWN.id:
        _offered.pop(dictionary, None)


def known() -> tuple[str, ...]:
    """The ids of the lists that are here; the first is the one for tables that name none."""
    return tuple(_offered)


def find(dictionary: str) -> Lexicon | None:
    """The list with this id, or None where it is not installed."""
    return _offered.get(dictionary)


def well_formed(dictionary: object) -> bool:
    """Whether this can be the id of a list, here or elsewhere."""
    return isinstance(dictionary, str) and _ID.fullmatch(dictionary) is not None
