"""Ports for tests: blocks of them, each held by one process as long as it lives."""

import fcntl
import os
import random
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_FIRST: Final = 20_000
_END: Final = 32_600  # the system gives those above to outgoing connections
_BLOCK: Final = 20
_held: list[int] = []  # locks, given back by the system when this process ends, however it ends


def free_port() -> int:
    """A port that nothing listens on and that no other run of the tests gets; never the same one twice."""
    for port in _ports:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                continue
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
    raise RuntimeError("there are no more ports for tests")


def _of_our_blocks() -> Iterator[int]:
    directory = Path(tempfile.gettempdir()) / f"kronika-test-ports-{os.getuid()}"
    directory.mkdir(exist_ok=True)
    firsts = list(range(_FIRST, _END, _BLOCK))
    random.SystemRandom().shuffle(firsts)  # other users' runs have a directory of their own
    for first in firsts:
        if _hold(directory / str(first)):
            yield from range(first, first + _BLOCK)


def _hold(lock: Path) -> bool:
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return False
    _held.append(descriptor)
    return True


_ports: Final = _of_our_blocks()
