"""Links to tables: a token that only its table's creator is told, and that the server keeps nowhere.

It is the table's id and a keyed hash of it. Who has it may see the table and sit down.
"""

import base64
import hmac
from typing import Final

_BYTES: Final = 20


class Links:
    """Makes and checks tokens."""

    def __init__(self, pepper: bytes) -> None:
        """``pepper`` keys them; all instances have the same."""
        self._pepper = pepper

    def token(self, table: str) -> str:
        """The token of ``table``: always the same."""
        digest = hmac.digest(self._pepper, f"link\0{table}".encode(), "sha256")
        return f"{table}.{base64.b32encode(digest[:_BYTES]).decode().lower()}"

    def opens(self, table: str, token: str) -> bool:
        """Whether ``token`` is that of ``table``; how long it takes does not say how much of it is right."""
        return hmac.compare_digest(self.token(table).encode(), token.encode())
