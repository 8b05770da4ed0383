"""The ledger service, killed (SIGKILL) when it has settled a match and not yet acknowledged its end."""

import os
import signal

from services.ledger import app
from services.ledger.handlers import Ledger
from shared.service import run


class Mortal(Ledger):
    """Pays, and dies of it."""

    async def on_commit(self, match: str, n: int, stored: bytes) -> None:
        """See ``Ledger.on_commit``."""
        await super().on_commit(match, n, stored)
        if b'"match_ended"' in stored:
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    setattr(app, "Ledger", Mortal)  # noqa: B010 - the wiring takes this one instead
    run("ledger", app.start)
