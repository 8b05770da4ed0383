"""``make bench``: everything that is measured, with its goals; ``make bench ARGS="legal moves"`` for some."""

import importlib
import sys
from typing import Final

import msgspec

MEASURED: Final = ("legal", "audit", "ghost", "words", "log", "rebuild", "ratings", "memory", "moves")


def main() -> None:
    """Run what is named, or all."""
    wanted = sys.argv[1:] or list(MEASURED)
    if set(wanted) - set(MEASURED):
        sys.exit(f"There is {', '.join(MEASURED)}.")
    for name in wanted:
        figures = importlib.import_module(f"tests.bench.{name}").run()
        sys.stdout.write(f"== {name}\n{msgspec.json.format(msgspec.json.encode(figures)).decode()}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
