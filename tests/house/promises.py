"""Which promises of the houses (docs/house-rules.md) the tests name; ``make promises`` prints the others.

A test names a promise with ``@pytest.mark.rule("B7")``; a module with ``pytestmark``.
"""

import ast
import re
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
_ROW: Final = re.compile(r"^\| ([BSN]\d+) \| (.+) \|$", re.MULTILINE)


def promised() -> dict[str, str]:
    """Every promise by its id."""
    return dict(_ROW.findall((ROOT / "docs" / "house-rules.md").read_text()))


def named() -> dict[str, list[str]]:
    """The ids that tests name, with the files that do."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.rule"):
                for argument in node.args:
                    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                        found.setdefault(argument.value, []).append(str(path.relative_to(ROOT)))
    return found


def main() -> None:
    """Print the promises that no test names."""
    shown = named()
    missing = {rule: text for rule, text in promised().items() if rule not in shown}
    for rule, text in missing.items():
        sys.stdout.write(f"{rule:4} {text[:110]}\n")
    sys.stdout.write(f"{len(promised()) - len(missing)} of {len(promised())} promises are named by a test.\n")


if __name__ == "__main__":
    main()
