"""What gnubg's importer makes of .mat files. Run in a process of its own: it prints, and has global state."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

_PROGRAM = """
import json, sys
import gnubg
out = []
for name in sys.argv[2:]:
    gnubg.command(f'import mat "{name}"')
    found = gnubg.match(analysis=0, boards=1)
    games = [{"info": g["info"], "actions": list(g["game"])} for g in found["games"]]
    out.append({"target": found["match-info"]["match-length"], "games": games})
json.dump(out, open(sys.argv[1], "w"))
"""


def imported(files: list[Path], scratch: Path) -> list[dict[str, Any]]:
    """For each file its ``target`` and ``games`` (``info``, ``actions`` with the position id before each)."""
    answer = scratch / "gnubg.json"
    done = subprocess.run(  # noqa: S603 - our own program on our own files
        [sys.executable, "-c", _PROGRAM, str(answer), *map(str, files)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(answer.read_text())


def gist(found: dict[str, Any]) -> list[Any]:
    """All that two records of one match must share; how the steps of a play are grouped they need not."""
    return [found["target"]] + [
        (
            game["info"],
            [(a["action"], a["player"], a.get("board"), sorted(a.get("dice", ()))) for a in game["actions"]],
        )
        for game in found["games"]
    ]
