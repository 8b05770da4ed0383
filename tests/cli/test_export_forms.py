"""``kronika export``: every form there is, from a stored log; what it cannot do it says."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from services.cli.__main__ import application
from shared.export.form import NotExportable
from shared.export.formats import DEFAULT, FORMATS, form_of, rendered
from shared.rules.registry import CURRENT
from tests.support import board_files, golden

LOG = Path(golden.ROOT) / "backgammon" / "match-to-3.ndjson"
BEGINS = {
    ("backgammon", "ndjson"): b'{"v":1,',
    ("backgammon", "mat"): b'; [Site "Kronika"]',
    ("backgammon", "sgf"): b"(;FF[4]GM[6]",
    ("chess", "pgn"): b'[Event "Chess m',
    ("draughts", "pdn"): b'[Event "Draughts m',
    ("gomoku", "sgf"): b"(;FF[4]GM[4]",
    ("reversi", "sgf"): b"(;FF[4]GM[2]",
    ("reversi", "txt"): b"# Kronika m",
    ("abalone", "json"): b'{\n "start": "standard"',
}


def export(*arguments: str | Path) -> Result:
    return CliRunner().invoke(application("export"), ["export", *map(str, arguments)])


@pytest.mark.parametrize(("game", "form"), BEGINS)
def test_every_form_is_written_to_the_terminal_or_to_a_file(game: str, form: str, tmp_path: Path) -> None:
    log = LOG
    if game != "backgammon":
        log = tmp_path / "log.ndjson"
        log.write_bytes(rendered(form_of("ndjson"), board_files.resigned(game, {}).lines))
    shown = export(log, "--format", form)
    assert shown.exit_code == 0
    assert shown.stdout_bytes.startswith(BEGINS[game, form])
    file = tmp_path / f"match.{form}"
    assert export(log, "--format", form, "-o", file).exit_code == 0
    assert file.read_bytes() == shown.stdout_bytes


def test_no_form_goes_untried() -> None:
    assert {form for _, form in BEGINS} == set(FORMATS)
    offered = {(game, form) for game, rules in CURRENT.items() for form in rules.traits.exports}
    relatives = {"hypergammon", "nackgammon"}
    assert {pair for pair in offered if pair[0] not in relatives} == set(BEGINS) - {("backgammon", "ndjson")}


def test_without_a_form_the_log_is_written_byte_for_byte() -> None:
    assert export(LOG).stdout_bytes == LOG.read_bytes()
    assert DEFAULT == "ndjson"


def test_a_file_names_the_players_by_their_ids() -> None:
    for form in ("mat", "sgf"):
        assert "pannanovakova" in export(LOG, "--format", form).stdout


def test_a_form_that_does_not_exist_is_answered_with_those_that_do(tmp_path: Path) -> None:
    file = tmp_path / "match.gif"
    done = export(LOG, "--format", "gif", "-o", file)
    assert done.exit_code == 1
    assert done.stderr == "There is no form 'gif'; there are ndjson, mat, pgn, pdn, sgf, txt, json.\n"
    assert not file.exists()


def test_a_match_that_a_form_cannot_hold_is_refused_with_those_that_can(tmp_path: Path) -> None:
    file = tmp_path / "match.sgf"
    done = export(Path(golden.ROOT) / "tavli" / "three-games.ndjson", "--format", "sgf", "-o", file)
    assert done.exit_code == 1
    assert done.stderr == "plakoto has no form as .sgf. It can be had as ndjson.\n"
    assert not file.exists()


def test_every_match_can_be_had_as_its_log() -> None:
    for name in golden.names():
        lines = golden.stored(name)
        assert rendered(form_of("ndjson"), lines) == b"".join(line + b"\n" for line in lines)


def test_a_log_that_begins_elsewhere_is_refused() -> None:
    for lines in ([], golden.stored("backgammon/single")[1:]):
        for form in FORMATS.values():
            with pytest.raises(NotExportable, match="match_created"):
                rendered(form, lines)
