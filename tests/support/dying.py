"""``python -m tests.support.dying services.rating``: a service that is killed right after its effect.

What it was delivered has its entry in the log then, and was never acknowledged.
"""

import os
import runpy
import signal
import sys

from shared.adapters.nats_facts import NatsFacts

_put = NatsFacts.put


async def put_and_die(self: NatsFacts, group: str, key: str, data: bytes) -> bytes:
    """Store it, and be no more."""
    await _put(self, group, key, data)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("killed")


if __name__ == "__main__":
    NatsFacts.put = put_and_die
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
