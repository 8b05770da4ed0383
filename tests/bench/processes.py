"""CPU time and memory of processes, read from /proc (Linux)."""

import os
from pathlib import Path

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def cpu_s(pid: int) -> float:
    """User and system time that ``pid`` has used, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * _TICK_S


def resident_bytes(pid: int) -> int:
    """Memory that ``pid`` holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
