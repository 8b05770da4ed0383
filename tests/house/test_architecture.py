"""What DESIGN §6 says of the house itself and no import contract can hold."""

import re
import subprocess
from pathlib import Path

import pytest

from shared.rules.registry import CURRENT
from tests.house.promises import ROOT

TOP = {"README.md", "services", "shared", "deploy", "tests", "docs", "Makefile", "pyproject.toml", "LICENSE"}
SERVICES = ("gateway", "lobby", "game", "ghost", "ledger", "clock", "rating")
SAID = ("owns", "listens", "accepts", "sends")
TOOLS = ("audit", "cli")  # parts of the command `kronika`, not processes


def python(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def test_the_top_level_is_what_the_design_says() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S607 - git from the path
    top = {line.partition("/")[0] for line in listed.stdout.splitlines()}
    assert {name for name in top if not name.startswith(".")} == TOP


def test_every_folder_of_services_is_known() -> None:
    folders = {path.parent.name for path in (ROOT / "services").glob("*/__init__.py")}
    assert folders == {*SERVICES, *TOOLS}


@pytest.mark.parametrize("service", SERVICES)
def test_every_service_has_the_same_shape(service: str) -> None:
    folder = ROOT / "services" / service
    assert all((folder / name).exists() for name in ("__init__.py", "__main__.py", "app.py"))
    said = (folder / "__init__.py").read_text().lower()
    assert all(word in said for word in SAID)


def test_audit_says_what_a_service_says_though_it_is_none_yet() -> None:
    """It has no process, but an owner of things all the same: DESIGN §5 gives it ``audit.*``."""
    said = (ROOT / "services/audit/__init__.py").read_text().lower()
    assert all(word in said for word in SAID)
    assert (ROOT / "services/audit/domain.py").exists()


def test_only_gateway_and_probes_serve_http() -> None:
    serving = {
        str(path.relative_to(ROOT).parent)
        for path in python("services", "shared")
        if re.search(r"from aiohttp import .*\bweb\b|aiohttp\.web", path.read_text())
    }
    assert serving <= {"services/gateway", "services/gateway/routes", "shared"}


def test_a_games_name_occurs_only_in_its_folder_and_its_registry_line() -> None:
    elsewhere = {
        "shared/rules/registry.py",
        "shared/series.py",  # a series is made of games (ADR 0011)
        "shared/catalogue.py",  # a house names the games of its matches (ADR 0011)
        "shared/clocks.py",  # a chess clock is no game
    }
    for name in CURRENT:
        literal = re.compile(rf"""["']{name}["']""")
        for path in python("services", "shared"):
            where = str(path.relative_to(ROOT))
            if where in elsewhere or where.startswith(f"shared/rules/{name}/"):
                continue
            text = re.sub(r'3: "backgammon"', "", path.read_text())  # the word for a win of three points
            assert not literal.search(text), f"{name} stands in {where}"


def test_no_module_is_too_large_to_have_one_reason() -> None:
    assert {str(p) for p in python("services", "shared") if len(p.read_text().splitlines()) > 450} == set()
