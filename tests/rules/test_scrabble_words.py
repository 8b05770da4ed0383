"""Lists of words: from a Hunspell dictionary or a text, built once, named by their hash (boardgames §9)."""

from collections.abc import Iterator
from pathlib import Path
from shutil import which
from subprocess import PIPE, Popen, run
from typing import Any
from zlib import crc32

import pytest
import structlog
from structlog.testing import capture_logs

from services.lobby.terms import agree
from shared.adapters import word_lists
from shared.adapters.hunspell_words import forms
from shared.problems import Refused
from shared.rules.scrabble import RULES, words
from shared.rules.scrabble.words import OWN, lexicon
from shared.settings import SettingsError
from shared.wire.lobby import OpenTable
from tests.support.running import ROOT
from tests.support.scrabble import at

AFF = """SET UTF-8
FORBIDDENWORD q
PFX N Y 1
PFX N 0 ne .
SFX Z Y 3
SFX Z a y [^ai]a
SFX Z a ou a
SFX Z 0 mi [bc]a
SFX K N 1
SFX K 0 ka .
"""
DIC = """7
žába/ZN
Praha/Z
kg
xylofon/K
quiz
bradla/qZ
les/N	po:noun
"""


@pytest.fixture
def dictionary(tmp_path: Path) -> Path:
    (tmp_path / "cs.aff").write_text(AFF, encoding="utf-8")
    (tmp_path / "cs.dic").write_text(DIC, encoding="utf-8")
    return tmp_path / "cs.dic"


@pytest.fixture(autouse=True)
def only_own() -> Iterator[None]:
    before = {known: words.find(known) for known in words.known()}
    yield
    for found in reversed(list(before.values())):
        if found is not None:
            words.offer(found)
    for extra in set(words.known()) - set(before):
        words.withdraw(extra)


def test_a_word_takes_the_affixes_of_its_flags_and_forbidden_ones_are_left_out(dictionary: Path) -> None:
    found = set(forms(dictionary, dictionary.with_suffix(".aff")))
    assert found == {
        *("žába", "žáby", "žábou", "žábami", "nežába", "nežáby", "nežábou", "nežábami"),
        *("Praha", "Prahy", "Prahou", "kg", "xylofon", "xylofonka", "quiz", "les", "neles"),
    }


def test_a_list_is_built_once_and_holds_what_can_be_laid(dictionary: Path, tmp_path: Path) -> None:
    built = word_lists.load(dictionary, tmp_path / "words", "test")
    assert built.count == 12  # no names, no units, nothing with letters that have no tiles
    assert all(word in built for word in ("ŽÁBA", "NEŽÁBAMI", "XYLOFONKA", "LES"))
    assert not any(word in built for word in ("PRAHA", "KG", "QUIZ", "ŽÁB", "BRADLA"))
    again = word_lists.load(dictionary, tmp_path / "words", "test")
    assert again.id == built.id
    assert len(list((tmp_path / "words").glob("*.dawg"))) == 1


def test_who_comes_second_finds_what_the_first_has_built(dictionary: Path, tmp_path: Path) -> None:
    environment = {word_lists.SETTING: str(dictionary)}
    work = word_lists.pending(environment, tmp_path)
    assert work is not None
    builders = [Popen(work.command, cwd=ROOT, stderr=PIPE) for _ in range(3)]  # noqa: S603 - ourselves
    assert [builder.communicate()[1] for builder in builders] == [b""] * 3
    assert [builder.returncode for builder in builders] == [0] * 3
    assert word_lists.pending(environment, tmp_path) is None
    assert {path.suffix for path in (tmp_path / "words").iterdir()} == {".dawg", ""}


def test_a_list_that_cannot_be_stored_stops_nobody_and_one_that_is_there_needs_no_writing(
    dictionary: Path, tmp_path: Path
) -> None:
    environment = {word_lists.SETTING: str(dictionary)}
    (tmp_path / "words").write_bytes(b"where a folder should be")
    log: Any = structlog.get_logger()
    with capture_logs() as said:
        word_lists.provide(environment, tmp_path, log)
    assert [(line["log_level"], line["list"]) for line in said] == [("warning", OWN.id)]
    assert f"{tmp_path / 'words'} cannot be written" in said[0]["why"]
    assert words.known()[0] == OWN.id
    there = tmp_path / "there"
    built = word_lists.named(environment, there)
    (there / "words" / "lock").unlink()
    again = word_lists.named(environment, there)
    assert built is not None
    assert again is not None
    assert again.id == built.id
    assert not (there / "words" / "lock").exists()


def test_no_affix_takes_a_whole_word_off(tmp_path: Path) -> None:
    (tmp_path / "cs.aff").write_text("SET UTF-8\nSFX A Y 1\nSFX A žít žme žít\n", encoding="utf-8")
    (tmp_path / "cs.dic").write_text("2\nužít/A\nžít/A\n", encoding="utf-8")
    assert set(forms(tmp_path / "cs.dic", tmp_path / "cs.aff")) == {"užít", "užme", "žít"}


def test_letters_in_brackets_are_letters_and_not_their_bytes(tmp_path: Path) -> None:
    (tmp_path / "cs.aff").write_text(
        "SET UTF-8\nSFX Q Y 2\nSFX Q ka ek [sš]ka\nSFX Q ka k [^sš]ka\n", encoding="utf-8"
    )
    (tmp_path / "cs.dic").write_text("2\nsemiška/Q\nvláčka/Q\n", encoding="utf-8")
    assert set(forms(tmp_path / "cs.dic", tmp_path / "cs.aff")) == {"semiška", "semišek", "vláčka", "vláčk"}


def _picked(word: str) -> bool:
    return crc32(word.encode()) % 20 == 0


@pytest.mark.nightly
@pytest.mark.skipif(
    not (word_lists.SYSTEM_LIST.exists() and which("hunspell")), reason="hunspell-cs and hunspell"
)
def test_hunspell_itself_knows_every_form_of_the_systems_list() -> None:
    made = forms(word_lists.SYSTEM_LIST, word_lists.SYSTEM_LIST.with_suffix(".aff"))
    some = "\n".join(
        {word for word in made if word.islower() and words.playable(word.upper()) and _picked(word)}
    )
    command = ("hunspell", "-i", "utf-8", "-d", "cs_CZ", "-l")
    unknown = run(  # noqa: S603 - the program that the list is for
        command, input=some, capture_output=True, text=True, encoding="utf-8", check=True
    )
    assert some.count("\n") > 100_000
    assert unknown.stdout.split() == []


def test_a_mapped_list_is_the_same_as_one_in_memory(tmp_path: Path) -> None:
    text = tmp_path / "some.txt"
    text.write_text("kolo oko\nžába příliš\n", encoding="utf-8")
    mapped = word_lists.load(text, tmp_path, "some")
    assert mapped.id == lexicon("some", ["KOLO", "OKO", "ŽÁBA", "PŘÍLIŠ"]).id
    assert all(word in mapped for word in ("KOLO", "OKO", "ŽÁBA", "PŘÍLIŠ"))
    assert "PŘÍLI" not in mapped


def test_the_start_says_which_list_and_how_many_words(dictionary: Path, tmp_path: Path) -> None:
    log: Any = structlog.get_logger()
    with capture_logs() as said:
        word_lists.provide({word_lists.SETTING: str(dictionary)}, tmp_path, log)
        word_lists.provide({word_lists.SETTING: "own"}, tmp_path, log)
    assert [(line["log_level"], line["words"]) for line in said] == [("info", 12), ("warning", OWN.count)]
    assert said[0]["list"] == words.known()[0]


def test_a_list_that_cannot_be_used_is_told_with_its_setting(tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("q w\n", encoding="utf-8")
    for wrong in (tmp_path / "none.dic", empty):
        with pytest.raises(SettingsError, match="KRONIKA_CZECH_WORDS"):
            word_lists.named({word_lists.SETTING: str(wrong)}, tmp_path)


def test_a_table_writes_down_its_list_and_a_strange_one_is_refused() -> None:
    opened = agree(OpenTable(game="scrabble"), "pannanovakova", ())
    assert opened.options == {"dictionary": words.known()[0]}
    with pytest.raises(Refused, match="this server has"):
        agree(
            OpenTable(game="scrabble", options={"dictionary": "other-0123456789abcdef"}), "pannanovakova", ()
        )
    assert agree(OpenTable(game="chess"), "pannanovakova", ()).options == {}


def test_a_match_is_judged_by_its_own_list_whatever_others_are_here() -> None:
    words.offer(lexicon("few", ["KOST"]))
    state = at("KOSTOLO", "PES")
    assert RULES.setup(2, {}, 0).dictionary == words.known()[0] != OWN.id
    assert RULES.read(state, 0, "8G KOLO") == "8G KOLO"
