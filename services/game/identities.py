"""Which command ids a match has taken, in 16 bytes a commit: a million idle commits stay small in memory."""

import hashlib
from typing import Final

_HALF: Final = 8
_RECORD: Final = 2 * _HALF


def _record(owner: str, command: str, command_hash: str) -> bytes:
    name = hashlib.sha256(f"{owner}\0{command}".encode()).digest()[:_HALF]
    return name + bytes.fromhex(command_hash[: 2 * _HALF])


class Identities:
    """Maps (owner, command id) to the commit that stored it. ``owner`` is a seat or a service (DESIGN §1.4).

    Both are kept as 64 bits of a SHA-256. Who searches for two ids that collide only makes his own command
    look used, for the owner is part of what is hashed.
    """

    __slots__ = ("_records",)

    def __init__(self) -> None:
        """No command yet."""
        self._records = bytearray()

    def add(self, owner: str, command: str, command_hash: str) -> None:
        """The next commit stores this command."""
        self._records += _record(owner, command, command_hash)

    def find(self, owner: str, command: str, command_hash: str) -> tuple[int, bool] | None:
        """(n, same body) of the commit that stored this id, or None if the id is new."""
        record = _record(owner, command, command_hash)
        place = self._records.find(record[:_HALF])
        while place >= 0 and place % _RECORD:
            place = self._records.find(record[:_HALF], place + 1)
        if place < 0:
            return None
        return place // _RECORD + 1, bytes(self._records[place : place + _RECORD]) == record
