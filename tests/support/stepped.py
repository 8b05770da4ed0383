"""A service on a host whose wall clock somebody sets while it runs, or has set before it starts.

``python -m tests.support.stepped services.game`` runs that module; SIGUSR1 sets its wall clock back an hour,
SIGUSR2 on an hour. What is set is what Python calls the wall clock, in this process; the monotonic clock
goes on, as it does on a real host. ``AHEAD`` in the environment is how far the clock is off at the start.

The broker's own clock cannot be set in this way: nats-server is a static binary that asks the kernel without
any library between, and the kernel has one wall clock for all. (What timers make of a broker whose clock is
off is shown in ``test_timers``.) Nor can Valkey's; there a step is an early or late expiry of what it holds,
and all of that may be lost at any time.
"""

import os
import runpy
import signal
import sys
import threading
import time
from typing import Final

HOUR_MS: Final = 3_600_000
AHEAD: Final = "KRONIKA_TEST_AHEAD_MS"
BACK: Final = signal.SIGUSR1
ON: Final = signal.SIGUSR2
_STEPS: Final = {BACK: -HOUR_MS, ON: HOUR_MS}
SAID: Final = "the wall clock was set"


class _WallClock:
    """The wall clock of this process, ``ahead_ns`` ahead of the host's."""

    def __init__(self, ahead_ms: int) -> None:
        self.ahead_ns = ahead_ms * 1_000_000
        self._time_ns = time.time_ns
        self._of = time.clock_gettime_ns

    def time_ns(self) -> int:
        return self._time_ns() + self.ahead_ns

    def time(self) -> float:
        return self.time_ns() / 1e9

    def of_ns(self, clock: int) -> int:
        return self.time_ns() if clock == time.CLOCK_REALTIME else self._of(clock)

    def of(self, clock: int) -> float:
        return self.of_ns(clock) / 1e9

    def obey(self) -> None:
        """Set it whenever a signal says so."""
        while True:
            number = signal.sigwait(_STEPS)
            self.ahead_ns += _STEPS[signal.Signals(number)] * 1_000_000
            sys.stderr.write(f"{SAID}: {self.ahead_ns // 1_000_000} ms ahead\n")
            sys.stderr.flush()


def _main() -> None:
    """Before anything of the product is imported, which may keep a hand on the clock from the start."""
    clock = _WallClock(int(os.environ.get(AHEAD, "0")))
    time.time, time.time_ns = clock.time, clock.time_ns
    time.clock_gettime, time.clock_gettime_ns = clock.of, clock.of_ns
    signal.pthread_sigmask(signal.SIG_BLOCK, _STEPS)  # for every thread: only ``obey`` takes them
    threading.Thread(target=clock.obey, daemon=True).start()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _main()
