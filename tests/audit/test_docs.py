"""``docs/fairness.md`` says what is true: its numbers and its Python are run from the page itself."""

import hashlib
import hmac
import re
import runpy
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from services.gateway.limits import Limits
from shared.chance import Dice, Draw, Lot, Shuffle
from shared.draws import draw, secret_hash, string_hash
from shared.events.base import salt
from shared.events.match import TAGS
from shared.export.formats import FORMATS
from shared.match import Phase
from shared.rules.backgammon import RULES
from tests.support import golden
from tests.support.matches import rewritten

DOCS: Final = Path(__file__).parents[2] / "docs"
PAGE: Final = (DOCS / "fairness.md").read_text(encoding="utf-8")


def _block(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return found


VECTORS: Final[dict[str, Any]] = msgspec.json.decode(_block("json"))
SECRET: Final = bytes.fromhex(VECTORS["secret"])
STRINGS: Final = tuple(bytes.fromhex(string) for string in VECTORS["strings"])
SPECS: Final[dict[str, type[Dice | Shuffle | Lot]]] = {"dice": Dice, "shuffles": Shuffle, "lots": Lot}


def test_the_page_says_whose_secret_and_strings_they_are() -> None:
    assert bytes(range(32)) == SECRET
    assert (b"\x11" * 32, bytes(32)) == STRINGS
    assert secret_hash(SECRET) == VECTORS["secret_hash"]
    assert string_hash(STRINGS[0]) == VECTORS["hash_of_string_0"]
    for n, value in VECTORS["salts"].items():
        assert salt(SECRET, VECTORS["match"], int(n)) == value


@pytest.mark.parametrize("kind", SPECS)
def test_the_numbers_on_the_page(kind: str) -> None:
    for vector in VECTORS[kind]:
        arguments = {key: value for key, value in vector.items() if key not in ("i", "drawn")}
        spec: Draw = SPECS[kind](**arguments)
        drawn = draw(SECRET, VECTORS["match"], STRINGS, vector["i"], spec)
        assert list(drawn) == vector["drawn"]


def test_the_byte_layout_on_the_page() -> None:
    message = b"kronika/draw/1" + b"\0" + VECTORS["match"].encode() + b"\0" + b"".join(STRINGS) + bytes(8)
    block = hmac.new(SECRET, message, hashlib.sha256).hexdigest()
    assert block == VECTORS["first_block_of_draw_0"]
    assert [byte % 6 + 1 for byte in bytes.fromhex(block)[:2]] == VECTORS["dice"][0]["drawn"]


@pytest.fixture
def page(tmp_path: Path) -> dict[str, Any]:
    """What the page's Python defines."""
    script = tmp_path / "page.py"
    script.write_text(_block("python"), encoding="utf-8")
    return runpy.run_path(str(script))


def test_the_pages_python_draws_the_pages_dice(page: dict[str, Any]) -> None:
    for vector in VECTORS["dice"]:
        assert page["dice"](SECRET, VECTORS["match"], b"".join(STRINGS), vector["i"]) == vector["drawn"]


@pytest.mark.parametrize("name", ["single", "luck-strings", "one-luck-string", "match-to-3", "cancelled"])
def test_the_pages_python_checks_a_match(page: dict[str, Any], name: str) -> None:
    page["check"](golden.ROOT / "backgammon" / f"{name}.ndjson")


def test_the_pages_python_finds_an_edited_die(page: dict[str, Any], tmp_path: Path) -> None:
    lines = golden.stored("backgammon/luck-strings")
    n = next(n for n, line in enumerate(lines, 1) if b'"dice_rolled"' in line)

    def change(commit: dict[str, Any]) -> None:
        roll = next(event for event in commit["events"] if event["type"] == "dice_rolled")
        roll["dice"] = roll["dice"][::-1]

    path = tmp_path / "forged.ndjson"
    path.write_bytes(b"\n".join(rewritten(lines, n, change)))
    with pytest.raises(AssertionError):
        page["check"](path)


def test_the_page_of_events_is_current_and_names_every_tag() -> None:
    generate = runpy.run_path(str(DOCS / "generate.py"))
    assert generate["main"](["--check"]) == 0
    page = (DOCS / "events.md").read_text(encoding="utf-8")
    for tag in TAGS.values():
        assert f"### `{tag}`\n" in page


def test_the_page_of_settings_names_every_variable_that_is_read() -> None:
    """``generate.main(["--check"])`` above holds its defaults against the code."""
    page = (DOCS / "settings.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"KRONIKA_[A-Z_]+[A-Z]", page))
    sources = [path for part in ("services", "shared") for path in (DOCS.parent / part).rglob("*.py")]
    read = {name for path in sources for name in re.findall(r"KRONIKA_[A-Z_]+[A-Z]", path.read_text("utf-8"))}
    own = {name for name in read if re.fullmatch(r"KRONIKA_[A-Z]+_NATS_PASSWORD", name)}  # one row for all
    assert read - own - {"KRONIKA_LIMIT"} <= listed
    assert {f"KRONIKA_LIMIT_{name.upper()}" for name in Limits.__struct_fields__} <= listed


def table(page: str, heading: str) -> list[str]:
    """The first cells of the table under this heading, its own heading left out."""
    (section,) = (part for part in page.split("\n## ") if part.startswith(f"{heading}\n"))
    return [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]


def test_the_page_for_clients_names_every_form_of_a_match_besides_the_log_itself() -> None:
    page = (DOCS / "clients.md").read_text(encoding="utf-8")
    forms = [name for row in table(page, "A match as a file") for name in re.findall(r"`(\w+)`", row)]
    assert sorted([*forms, "ndjson"]) == sorted(FORMATS)


def test_the_page_for_clients_explains_every_field_of_the_board_and_every_phase_of_a_match() -> None:
    page = (DOCS / "clients.md").read_text(encoding="utf-8")
    rows = table(page, "The board of backgammon")
    view = RULES.view(RULES.setup(2, {}, None), None)
    assert [name for row in rows for name in re.findall(r"`(\w+)`", row)] == list(view)
    for word in Phase:
        assert f"`{word.value}`: " in page or f"`{word.value}`." in page
