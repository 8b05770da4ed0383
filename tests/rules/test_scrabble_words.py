"""Lists of words: from a Hunspell dictionary or a text, built once, named by their hash (boardgames §9)."""

import asyncio
import fcntl
import os
import signal
import sys
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import which
from subprocess import PIPE, Popen, run
from typing import Any, Final
from zlib import crc32

import pytest
import structlog
from structlog.testing import capture_logs

from services.cli.words import prepare
from services.lobby.terms import agree
from shared.adapters import word_lists, word_texts
from shared.adapters.hunspell_words import forms
from shared.problems import Refused
from shared.rules.scrabble import RULES, words
from shared.rules.scrabble.words import OWN, lexicon
from shared.settings import SettingsError
from shared.wire.lobby import OpenTable
from tests.support.running import ROOT
from tests.support.scrabble import at
from tests.support.waiting import until

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


async def test_a_list_that_cannot_be_stored_stops_nobody_and_one_that_is_there_needs_no_writing(
    dictionary: Path, tmp_path: Path
) -> None:
    environment = {word_lists.SETTING: str(dictionary)}
    (tmp_path / "words").write_bytes(b"where a folder should be")
    log: Any = structlog.get_logger()
    with capture_logs() as said:
        await word_lists.provide(environment, tmp_path, log)
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


def test_a_stored_list_is_the_same_as_one_in_memory(tmp_path: Path) -> None:
    text = tmp_path / "some.txt"
    text.write_text("kolo\noko\nžába\npříliš\n", encoding="utf-8")
    mapped = word_lists.load(text, tmp_path, "some")
    assert mapped.id == lexicon("some", ["KOLO", "OKO", "ŽÁBA", "PŘÍLIŠ"]).id
    assert all(word in mapped for word in ("KOLO", "OKO", "ŽÁBA", "PŘÍLIŠ"))
    assert "PŘÍLI" not in mapped


async def test_the_start_says_which_list_and_how_many_words(dictionary: Path, tmp_path: Path) -> None:
    log: Any = structlog.get_logger()
    with capture_logs() as said:
        await word_lists.provide({word_lists.SETTING: str(dictionary)}, tmp_path, log)
        await word_lists.provide({word_lists.SETTING: "own"}, tmp_path, log)
    assert [(line["log_level"], line["words"]) for line in said] == [("info", 12), ("info", OWN.count)]
    assert word_lists.SETTING not in str(said)  # what was set is not advised
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


async def test_every_list_that_lies_built_is_offered_and_todays_is_the_default(tmp_path: Path) -> None:
    text = tmp_path / "some.txt"
    environment = {word_lists.SETTING: str(text)}
    ids: list[str] = []
    for content in ("kolo\noko\n", "kolo\nžába\n"):
        text.write_text(content, encoding="utf-8")
        built = word_lists.named(environment, tmp_path)
        assert built is not None
        ids.append(built.id)
    log: Any = structlog.get_logger()
    await word_lists.provide(environment, tmp_path, log)
    assert words.known()[0] == ids[1]
    assert ids[0] in words.known()
    dictionary = RULES.options()["properties"]["dictionary"]
    assert dictionary["default"] == ids[1]
    assert set(ids) <= set(dictionary["enum"])
    assert agree(OpenTable(game="scrabble", options={"dictionary": ids[0]}), "pannanovakova", ())
    older = words.find(ids[0])
    assert older is not None
    assert "OKO" in older
    await word_lists.provide({word_lists.SETTING: "own"}, tmp_path, log)
    assert set(ids) <= set(words.known())


DAMAGES: Final[dict[str, Callable[[bytes], bytes]]] = {
    "emptied": lambda content: content[:0],
    "cut in its head": lambda content: content[:64],
    "cut after its head": lambda content: content[:192],
    "cut in the number": lambda content: content[:194],
    "cut in half": lambda content: content[: len(content) // 2],
    "without its last byte": lambda content: content[:-1],
    "longer": lambda content: content + b"more",
    "zeroed in part": lambda content: content[:200] + bytes(40) + content[240:],
    "zeroed": lambda content: content[:192] + bytes(len(content) - 192),
    "of another number of words": lambda content: content.replace(b" 12 ", b" 13 "),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_list_is_noticed_and_built_anew(damage: str, dictionary: Path, tmp_path: Path) -> None:
    environment = {word_lists.SETTING: str(dictionary)}
    work = word_lists.pending(environment, tmp_path)
    assert work is not None
    word_lists.build(dictionary, work.path, "words")
    whole = work.path.read_bytes()
    damaged = DAMAGES[damage](whole)
    assert damaged != whole
    work.path.write_bytes(damaged)
    assert list(word_lists.stored(tmp_path)) == []
    assert word_lists.pending(environment, tmp_path) == work
    word_lists.build(dictionary, work.path, "words")
    assert work.path.read_bytes() == whole


def test_a_list_that_shrinks_while_it_is_used_stays_as_it_was(dictionary: Path, tmp_path: Path) -> None:
    found = word_lists.load(dictionary, tmp_path, "some")
    for path in tmp_path.glob("*.dawg"):
        os.truncate(path, 64)
    assert "XYLOFONKA" in found


@pytest.mark.parametrize(
    ("content", "count"),
    [
        ("\ufeffkolo\npes\n", 2),
        (unicodedata.normalize("NFD", "řeka\nkůň\npes\n"), 3),
        ("KOLO\r\nŽÁBA\r\n", 2),
        ("# ours\nkolo # a wheel\n\nPraha\npes\n", 2),
        ("co to\npes\nkrok za krokem\n", 1),
    ],
)
def test_lists_of_others_are_read_as_they_were_meant(content: str, count: int, tmp_path: Path) -> None:
    text = tmp_path / "other.txt"
    text.write_bytes(content.encode())
    assert len(word_texts.keys(text)) == count


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("řeka\n".encode("latin2"), "not written in UTF-8"),
        (b"", "a word is 2 to 15 small Czech letters on a line"),
        (b"Praha\n# pes\nco to\n", "names .*, phrases and comments .* are skipped"),
    ],
)
def test_a_list_without_a_word_is_refused_with_what_it_should_be(
    content: bytes, why: str, tmp_path: Path
) -> None:
    text = tmp_path / "other.txt"
    text.write_bytes(content)
    with pytest.raises(SettingsError, match=why):
        word_lists.named({word_lists.SETTING: str(text)}, tmp_path)


def test_a_dictionary_has_marks_decomposed_accents_and_phrases_too(dictionary: Path) -> None:
    dictionary.write_text(
        "\ufeff3\n" + unicodedata.normalize("NFD", "žába/Z po:noun\nco to/N\n"), encoding="utf-8"
    )
    assert len(word_texts.keys(dictionary)) == 4  # žába, žáby, žábou, žábami


@pytest.fixture
def broken_system_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The system's list, which nobody named, holds nothing of use."""
    text = tmp_path / "system.txt"
    text.write_text("Q\n", encoding="utf-8")
    monkeypatch.setattr(word_lists, "SYSTEM_LIST", text)
    return text


async def _provided(environment: dict[str, str], directory: Path) -> Any:
    log: Any = structlog.get_logger()
    with capture_logs() as said:
        await word_lists.provide(environment, directory, log)
    (line,) = said
    return line


async def test_where_nobody_named_a_list_a_builder_that_fails_leaves_our_own(
    broken_system_list: Path, tmp_path: Path
) -> None:
    line = await _provided({}, tmp_path)
    assert (line["log_level"], line["list"]) == ("warning", OWN.id)
    assert str(broken_system_list) in line["why"]
    said: list[tuple[str, str, str]] = []

    def say(name: str, text: str, tone: str) -> None:
        said.append((name, text, tone))

    variables = await prepare({}, tmp_path, say)
    assert variables == {word_lists.SETTING: "own"}
    assert "a minute or two" in said[0][1]
    assert "only its own small list" in said[-1][1]
    with pytest.raises(SettingsError):
        await word_lists.built({word_lists.SETTING: str(broken_system_list)}, tmp_path)


async def test_a_builder_that_is_killed_or_takes_too_long_leaves_our_own_and_no_process(
    broken_system_list: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "words").mkdir()
    with (tmp_path / "words" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # so the builder waits for ever
        providing = asyncio.create_task(_provided({}, tmp_path))
        os.kill(await _builder(broken_system_list), signal.SIGKILL)
        assert "killed by SIGKILL" in (await providing)["why"]
        monkeypatch.setattr(word_lists, "LONGEST_S", 0.01)
        assert "stopped after" in (await _provided({}, tmp_path))["why"]
        assert _builders(broken_system_list) == []


async def test_a_builder_ends_with_whoever_waits_for_it(broken_system_list: Path, tmp_path: Path) -> None:
    (tmp_path / "words").mkdir()
    environment = {word_lists.SETTING: str(broken_system_list)}
    with (tmp_path / "words" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        told = asyncio.create_task(word_lists.built(environment, tmp_path))
        await _builder(broken_system_list)
        told.cancel()
        with pytest.raises(asyncio.CancelledError):
            await told
        assert _builders(broken_system_list) == []
        killed = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _WAITS, str(broken_system_list), str(tmp_path), cwd=ROOT
        )
        await _builder(broken_system_list)
        killed.kill()
        await killed.wait()
        await until(lambda: not _builders(broken_system_list), 20)


_WAITS: Final = """
import asyncio, sys
from pathlib import Path
from shared.adapters import word_lists, word_texts
asyncio.run(word_lists.built({word_lists.SETTING: sys.argv[1]}, Path(sys.argv[2])))
"""


def _builders(source: Path) -> list[int]:
    """The builders of this list that run."""
    found: list[int] = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            arguments = place.read_bytes().split(b"\0")
        except OSError:  # it has just ended
            continue
        if word_lists.__name__.encode() in arguments and str(source).encode() in arguments:
            found.append(int(place.parent.name))
    return found


async def _builder(source: Path) -> int:
    """The builder, once it runs."""
    await until(lambda: bool(_builders(source)), 20)
    return _builders(source)[0]
