"""Logs written as SGF: a second reader, who knows the format but not our rules, finds the same match."""

from collections.abc import Sequence

import msgspec
import pytest

from shared.commands import Leave
from shared.events.codec import decode_match, encode
from shared.events.match import MatchCreated, TurnPassed
from shared.export.form import NotExportable, begun
from shared.export.formats import FORMATS, rendered
from shared.match import MatchState
from tests.support import golden
from tests.support.matches import MemoryGame
from tests.support.sgf import SgfGame, read, simple_text, trees
from tests.support.told import GAMES, STORIES, Acted, acted

every_story = pytest.mark.parametrize("story", STORIES)
every_game = pytest.mark.parametrize("rules", GAMES)
COLOURS = "WB"
VERBS = {
    "double_offered": "double",
    "double_beavered": "double",
    "double_taken": "take",
    "beaver_accepted": "take",
    "double_passed": "drop",
}


def written(lines: Sequence[bytes], names: Sequence[str] = ("Alfa", "Beta")) -> str:
    return rendered(FORMATS["sgf"], lines, names).decode()


def games(lines: Sequence[bytes], names: Sequence[str] = ("Alfa", "Beta")) -> list[SgfGame]:
    return read(written(lines, names))


def said(event: Acted, before: MatchState) -> str:
    """What the file must say of an action, but for the letters of the points."""
    verb = VERBS.get(type(event).__struct_config__.tag)  # pyright: ignore[reportArgumentType] - tags are texts
    return verb or "".join(map(str, sorted(before.position.dice)))


@every_game
@every_story
def test_the_second_reader_finds_every_action_and_every_board(rules: str, story: str) -> None:
    lines = STORIES[story](rules).lines
    ours = acted(lines)
    assert len(ours) == len(games(lines))
    for found, done in zip(games(lines), ours, strict=True):
        assert [(action.seat, action.boards) for action in found.actions] == [
            (event.seat, before.position.boards) for event, before in done
        ]
        texts = [a.text if a.text.isalpha() else "".join(sorted(a.text[:2])) for a in found.actions]
        assert texts == [said(event, before) for event, before in done]
        passed = [not a.text[2:] and a.text.isdigit() for a in found.actions]
        assert passed == [isinstance(event, TurnPassed) for event, _ in done]


@every_game
@every_story
def test_the_results_are_those_that_play_alone_leads_to(rules: str, story: str) -> None:
    game = STORIES[story](rules)
    records = game.state.games
    for found, record in zip(games(game.lines), records, strict=False):
        assert record.winner is not None
        points = f"{COLOURS[record.winner]}+{record.points}"
        assert found.root["RE"] == points + ("R" if record.cause == "resigned" else "")
        assert found.won == (None if record.cause == "resigned" else (record.winner, record.points))
    if not game.over:
        assert "RE" not in games(game.lines)[-1].root


@pytest.mark.rule("S6", "N10")
@every_game
def test_each_game_says_the_score_before_it_and_whether_it_is_the_crawford_game(rules: str) -> None:
    game = STORIES["match"](rules)
    before = [(0, 0), *[record.score for record in game.state.games]]
    for place, (found, record) in enumerate(zip(games(game.lines), game.state.games, strict=True)):
        assert found.match == {
            "length": "7",
            "game": str(place),
            "ws": str(before[place][0]),
            "bs": str(before[place][1]),
        }
        assert ("CrawfordGame" in found.rules) is record.crawford
        assert "Crawford" in found.rules


def test_the_rules_say_which_game_it_is_and_what_was_agreed_on() -> None:
    words = {rules: games(STORIES["without cube"](rules).lines)[0].rules for rules in GAMES}
    assert words == {
        "backgammon": {"NoCube"},
        "hypergammon": {"NoCube", "Hypergammon3"},
        "nackgammon": {"NoCube", "Nackgammon"},
    }
    assert games(STORIES["jacoby"]("backgammon").lines)[0].rules == {"Jacoby"}
    assert games(STORIES["beaver refused"]("backgammon").lines)[0].rules == set()


def test_agreements_that_no_program_expects_are_said_too() -> None:
    options = {"triple": False, "mode": "normal"}
    game = MemoryGame("house rules", options=options)
    game.start()
    assert games(game.lines)[0].rules == {"triple=false"}
    first = decode_match(game.lines[0])
    begun = first.events[0]
    assert isinstance(begun, MatchCreated)
    terms = msgspec.structs.replace(begun.terms, gammons=False)
    changed = msgspec.structs.replace(
        first, events=(msgspec.structs.replace(begun, terms=terms), *first.events[1:])
    )
    [found] = games([encode(changed), *game.lines[1:]])
    assert found.rules == {"gammons=false", "triple=false"}


def test_a_roll_before_which_the_game_ended_or_the_log_stops_stands_alone() -> None:
    running = STORIES["running"]("backgammon")
    [found] = games(running.lines)
    position = running.state.position
    assert found.rolled == (position.turn, "".join(map(str, position.dice)))
    [lost, *_] = games(golden.stored("backgammon/lost-on-time"))
    assert lost.rolled is not None
    assert lost.root["RE"] == "W+3T"


def test_the_opening_roll_is_that_of_who_began_even_if_nothing_was_played() -> None:
    seen: set[tuple[int, int]] = set()
    for attempt in range(20):
        game = MemoryGame(f"opening {attempt}")
        game.start()
        position, seat = game.state.position, attempt % 2
        game.send(seat, Leave())
        [found] = games(game.lines)
        high, low = sorted(position.dice, reverse=True)
        assert found.rolled == (position.turn, f"{high}{low}")
        assert found.root["RE"] == f"{COLOURS[1 - seat]}+3F"
        seen.add((position.turn, seat))
    assert len(seen) == 4


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("quit", "B+6F"),
        ("absent", "B+3F"),
        ("lost-on-time", "W+3T"),
        ("annulled", "Void"),
        ("ghost", "Void"),
        ("resigned-gammon", "B+2R"),
        ("double-passed", "B+1"),
    ],
)
def test_how_else_a_game_can_end(name: str, result: str) -> None:
    assert games(golden.stored(f"backgammon/{name}"))[0].root["RE"] == result


@pytest.mark.parametrize(
    "name",
    [
        "Alfa",
        "a]b",
        "back\\slash",
        "\\]",
        "]\\",
        "x:y;(z)[w",
        "PW[me]",
        "two\nlines\r\nhere",
        "tab\tbed",
        "Žofie Ünlü 漢字 🎲",
        "trailing\\",
        "\x00\x1b[31mred",
        "",
    ],
)
def test_a_name_cannot_break_the_file_and_comes_back_as_it_was(name: str) -> None:
    lines = STORIES["beaver refused"]("backgammon").lines
    text = written(lines, (name, "Beta"))
    [found] = read(text)
    printable = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    assert found.root.get("PW", "") == printable
    assert found.root["PB"] == "Beta"
    assert text.count("\n") == written(lines).count("\n")
    assert len(trees(text)) == 1


def test_the_second_reader_reads_as_the_standard_says() -> None:
    assert simple_text("a\\]b\\\\c\\:d\\\ne\nf") == "a]b\\c:de f"
    assert trees("x (;FF[4] GM [6]\nC[(;\\]][y] ;W[63](;B[12])(;B[34])) (;FF[4])") == [
        [{"FF": ["4"], "GM": ["6"], "C": ["(;\\]", "y"]}, {"W": ["63"]}, {"B": ["12"]}],
        [{"FF": ["4"]}],
    ]


def test_a_seat_without_a_name_has_its_number() -> None:
    [found] = games(STORIES["beaver refused"]("backgammon").lines, ())
    assert (found.root["PW"], found.root["PB"]) == ("Seat 0", "Seat 1")


def test_a_match_in_which_no_game_was_begun_has_nothing_to_tell() -> None:
    with pytest.raises(NotExportable, match="No game"):
        written(golden.stored("backgammon/cancelled"))


def test_every_golden_match_of_these_games_can_be_read() -> None:
    for name in golden.names():
        lines = golden.stored(name)
        created = begun(lines)
        if created.rules not in GAMES or FORMATS["sgf"].why_not(created) or not acted(lines):
            continue
        for found, done in zip(games(lines), acted(lines), strict=True):
            assert [action.boards for action in found.actions] == [b.position.boards for _, b in done]
