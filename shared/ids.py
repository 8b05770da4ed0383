"""Ids: short lower-case text, safe in a broker subject, a URL and a file name."""

import base64
import hashlib
import re
import secrets
from typing import Final

ID_PATTERN: Final = r"^[a-z0-9]{8,40}$"
COMMAND_ID_PATTERN: Final = r"^[A-Za-z0-9_.:-]{1,64}$"
_ID = re.compile(ID_PATTERN)
_COMMAND_ID = re.compile(COMMAND_ID_PATTERN)
COMPUTER: Final = "pcomputer"  # the player's id of the computer, in every seat that it plays
_DIGITS = 3  # of the number of one of several computers; the ids of persons are longer
_BYTES = 15  # 120 bits: 24 base-32 characters, no padding


def _text(prefix: str, raw: bytes) -> str:
    return prefix + base64.b32encode(raw).decode("ascii").lower()


def new_id(prefix: str) -> str:
    """A fresh unguessable id: ``prefix`` (one letter: m match, t table, p player) and 24 characters."""
    return _text(prefix, secrets.token_bytes(_BYTES))


def derived_id(prefix: str, *parts: str) -> str:
    """The id that ``parts`` always lead to, so that a repeated creation finds the first one."""
    digest = hashlib.sha256("\0".join(parts).encode()).digest()
    return _text(prefix, digest[:_BYTES])


def match_of(table: str) -> str:
    """The id of the match that ``table`` becomes: always the same, so a repeated creation finds it."""
    return derived_id("m", "table", table)


def is_computer(player: str) -> bool:
    """Whether the player's id ``player`` is the computer's, or that of one of several."""
    number = player.removeprefix(COMPUTER)
    return player.startswith(COMPUTER) and (not number or number.isdigit()) and len(number) <= _DIGITS


def is_id(text: str) -> bool:
    """Whether ``text`` is safe as the id of a match, table or player."""
    return _ID.fullmatch(text) is not None  # `$` alone would let a line feed through


def is_command_id(text: str) -> bool:
    """Whether ``text`` may name a command (or be an idempotency key): 1 to 64 plain characters."""
    return _COMMAND_ID.fullmatch(text) is not None
