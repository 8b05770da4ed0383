"""Lists of words: from a Hunspell dictionary or a text, built once, named by their hash (boardgames §9)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
