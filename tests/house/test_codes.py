"""Every refusal has a code that the table of problems knows (DESIGN §4)."""

import ast
from pathlib import Path

from shared.problems import KINDS
from tests.house.promises import ROOT

NAMED = {"Refused", "problem"}
"""What takes a code first."""


def _codes(path: Path) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called not in NAMED:
            continue
        first = node.args[0]  # a code, or one of two by a condition
        literals = [first.body, first.orelse] if isinstance(first, ast.IfExp) else [first]
        place = f"{path.relative_to(ROOT)}:{node.lineno}"
        found |= {
            (each.value, place)
            for each in literals
            if isinstance(each, ast.Constant) and isinstance(each.value, str)
        }
    return found


def test_every_code_of_a_refusal_is_in_the_table() -> None:
    files = [path for folder in ("shared", "services") for path in (ROOT / folder).rglob("*.py")]
    codes = {code for path in files for code in _codes(path)}
    assert len({code for code, _ in codes}) > 50
    assert [(code, place) for code, place in sorted(codes) if code not in KINDS] == []
