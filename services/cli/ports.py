"""The ports of ``kronika up``: the ones that were asked for, or free ones."""

import os
import socket


class CannotStart(Exception):  # noqa: N818 - what the operator reads
    """Kronika cannot be started here; the text is the one sentence that the operator needs."""


class Port:
    """A port as it was asked for; for 0 a free one.

    Between choosing a free port and listening on it somebody else may take it, so it is chosen anew before
    every start, until ``settle`` says that somebody listens there whom others know by it.
    """

    def __init__(self, host: str, asked: int, variable: str, whom: str) -> None:
        """Raises ``CannotStart`` with the sentence for a taken one, which names ``variable`` and ``whom``."""
        self._host = host
        self._free = asked == 0
        self.number = _usable(host, asked, variable, whom)

    def choose(self) -> int:
        """The port for the next start."""
        if self._free:
            self.number = free_port(self._host)
        return self.number

    def settle(self) -> None:
        """Stay with the present one."""
        self._free = False


def free_port(host: str = "127.0.0.1") -> int:
    """A port that nobody uses at this moment."""
    with socket.socket(_family(host)) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def _usable(host: str, port: int, variable: str, whom: str) -> int:
    with socket.socket(_family(host)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise CannotStart(
                f"Port {port} on {host}, meant for {whom}, cannot be used ({os.strerror(error.errno or 0)});"
                f" set {variable} to another one (0: any free one)."
            ) from error
        return int(probe.getsockname()[1])


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET
