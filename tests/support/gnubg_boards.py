"""What gnubg makes of files of matches. Run in a process of its own: it prints, and has global state.

The package of PyPI imports .mat files and writes SGF, but cannot load SGF: the parser is left out of it. A
program ``gnubg`` (as Debian has it) can.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

PROGRAM: Final = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")
"""Where gnubg itself is installed, if it is."""

# Whether gammons count before a double is a setting of the reader; the headers of a .mat file only tell.
_SCRIPT: Final = """
import json
import gnubg
out = []
for name in {names}:
    text = open(name, encoding="utf-8", errors="replace").read()
    gnubg.command("set jacoby " + ("on" if '[Jacoby "On"]' in text else "off"))
    gnubg.command(("load match" if name.endswith(".sgf") else "import mat") + ' "' + name + '"')
    gnubg.command('save match "{scratch}/saved.sgf"')
    found = gnubg.match(analysis=0, boards=1)
    games = [{{"info": g["info"], "actions": list(g["game"])}} for g in found["games"]]
    info = found["match-info"]
    out.append({{
        "target": info["match-length"],
        "variation": info["variation"],
        "names": [info["X"]["name"], info["O"]["name"]],
        "games": games,
        "sgf": open("{scratch}/saved.sgf", encoding="utf-8").read(),
    }})
json.dump(out, open("{scratch}/gnubg.json", "w"))
"""


def imported(files: Sequence[Path], scratch: Path) -> list[dict[str, Any]]:
    """What the package makes of .mat files.

    For each file its ``target``, ``variation``, ``names``, ``games`` (``info``, ``actions`` with the position
    id before each), and ``sgf``: the match as gnubg saves it. gnubg's X is the left player and White in SGF.
    """
    return _run([sys.executable, "-c"], files, scratch)


def loaded(files: Sequence[Path], scratch: Path) -> list[dict[str, Any]]:
    """The same of .sgf files, by the program ``gnubg``."""
    assert PROGRAM is not None
    script = scratch / "script.py"
    script.write_text(_script(files, scratch))
    return _run([PROGRAM, "--tty", "--quiet", "--no-rc", "--python"], files, scratch, script)


def _script(files: Sequence[Path], scratch: Path) -> str:
    return _SCRIPT.format(names=[str(file) for file in files], scratch=scratch)


def _run(
    command: list[str], files: Sequence[Path], scratch: Path, script: Path | None = None
) -> list[dict[str, Any]]:
    answer = scratch / "gnubg.json"
    answer.unlink(missing_ok=True)
    done = subprocess.run(  # noqa: S603 - our own program on our own files
        [*command, str(script) if script else _script(files, scratch)],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=120,
    )
    assert answer.exists(), done.stderr
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
