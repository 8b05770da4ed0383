"""Which command ids a match has taken, in 16 bytes a commit: a million idle commits stay small in memory."""

import hashlib
from typing import Final

_HALF: Final = 8
_RECORD: Final = 2 * _HALF


def record(owner: str, command: str, command_hash: str) -> bytes:
    """What is kept of a command."""
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

    def add(self, taken: bytes) -> None:
        """The next commit stores the command with this ``record``."""
        self._records += taken

    def find(self, wanted: bytes) -> tuple[int, bool] | None:
        """(n, same body) of the commit that stored this id, or None if the id is new."""
        name = wanted[:_HALF]
        place = self._records.find(name)
        while place >= 0 and place % _RECORD:
            place = self._records.find(name, place + 1)
        if place < 0:
            return None
        return place // _RECORD + 1, self._records.startswith(wanted, place)
