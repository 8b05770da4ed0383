"""Board games as files: the usual tools of each game find the same moves and the same result."""

import io
import json
from collections.abc import Sequence
from typing import Any

import chess
import chess.pgn
import pytest

from shared.clocks import PER_MOVE, chess_clock
from shared.commands import Leave, Play
from shared.events.codec import decode_match
from shared.events.match import MovePlayed, Terms, TurnPassed
from shared.export.board import read
from shared.export.form import NotExportable
from shared.export.formats import FORMATS, forms_of, rendered
from shared.rules.registry import CURRENT
from tests.support import board_files
from tests.support.board_files import FORMS, STORIES
from tests.support.matches import MemoryGame
from tests.support.sgf import trees

ALFA_BETA = ("Alfa", "Beta")
every_story = pytest.mark.parametrize("story", STORIES)
SGF = [form for form in FORMS if form[1] == "sgf"]


def written(game: MemoryGame, form: str, names: Sequence[str] = ALFA_BETA) -> str:
    return rendered(FORMATS[form], game.lines, names).decode()


def moves(game: MemoryGame) -> list[str]:
    """What was played, as it is stored; passes too."""
    events = [event for line in game.lines for event in decode_match(line).events]
    told = [event for event in events if isinstance(event, MovePlayed | TurnPassed)]
    return [event.move if isinstance(event, MovePlayed) else "pass" for event in told]


def result(game: MemoryGame, first: str = "1-0", second: str = "0-1", drawn: str = "1/2-1/2") -> str:
    """The result as it is known to the log; who began is seat 0."""
    if not game.state.games:
        return "*"
    winner = game.state.games[0].winner
    return drawn if winner is None else (first, second)[winner]


@every_story
def test_python_chess_reads_our_pgn(story: str) -> None:
    game = STORIES[story]("chess", {})
    found = chess.pgn.read_game(io.StringIO(written(game, "pgn")))
    assert found is not None
    assert found.errors == []
    assert [move.uci() for move in found.mainline_moves()] == moves(game)
    assert found.end().board().fen() == game.state.rules.position(game.state.position)
    assert (found.headers["White"], found.headers["Black"]) == ALFA_BETA
    assert found.headers["Result"] == result(game)
    assert set(found.headers) >= {"Event", "Site", "Date", "Round", "White", "Black", "Result"}


@pytest.mark.oracle
@every_story
def test_pydraughts_reads_our_pdn(story: str) -> None:
    reader = pytest.importorskip("draughts.PDN")
    game = STORIES[story]("draughts", {})
    [found] = reader.PDNReader(written(game, "pdn")).games
    assert found.variant == "czech"
    assert found.moves == [move.replace(":", "x") for move in moves(game)]
    assert found.game_ending == result(game)
    assert (found.tags["White"], found.tags["Black"]) == ALFA_BETA


@pytest.mark.oracle
@every_story
@pytest.mark.parametrize(("rules", "form", "options"), SGF)
def test_sgfmill_reads_our_sgf(story: str, rules: str, form: str, options: dict[str, Any]) -> None:
    sgf = pytest.importorskip("sgfmill.sgf")
    game = STORIES[story](rules, options)
    found = sgf.Sgf_game.from_string(written(game, form))
    size = options.get("size", 8 if rules == "reversi" else 15)
    assert found.get_size() == size
    assert (found.get_player_name("b"), found.get_player_name("w")) in {ALFA_BETA, ALFA_BETA[::-1]}
    read_back: list[str] = []
    for node in found.get_main_sequence():
        if node.has_property("KC"):
            read_back.append(node.get_raw("KC").decode())
        elif (move := node.get_move())[0] is not None:
            read_back.append(square(move[1], size, rules))
    laid = ["h8"] if options.get("variant") == "pro" else []
    assert read_back == [*laid, *moves(game)]


def square(at: tuple[int, int] | None, size: int, rules: str) -> str:
    """The name of a point as sgfmill tells it: its row from the bottom, and its column."""
    if at is None:
        return "pass"
    row, column = at
    return f"{'abcdefghijklmnopqrst'[column]}{size - row if rules == 'reversi' else row + 1}"


@every_story
@pytest.mark.parametrize(("rules", "form", "options"), SGF)
def test_the_sgf_names_the_game_and_who_had_which_stones(
    story: str, rules: str, form: str, options: dict[str, Any]
) -> None:
    game = STORIES[story](rules, options)
    [[root, *nodes]] = trees(written(game, form))
    assert root["GM"] == ["4" if rules == "gomoku" else "2"]
    assert root.get("RU", ["standard"]) == [options.get("variant", "standard")]
    colours = [colour for node in nodes for colour in "BW" if colour in node]
    circles = getattr(game.state.position, "circles", 0)
    black = 0 if circles is None else circles
    assert (root["PB"], root["PW"]) == tuple(
        [name] for name in (ALFA_BETA if black == 0 else ALFA_BETA[::-1])
    )
    if rules == "gomoku":
        assert colours == [("B", "W")[place % 2] for place in range(len(colours))]
    if game.state.games and game.state.games[0].winner is not None:
        [told] = root["RE"]
        assert told.startswith("B+" if game.state.games[0].winner == black else "W+")
        ends = {"resigned": "R", "left": "F"}
        assert story not in ends or told.endswith(ends[story])
    else:
        assert root.get("RE") == (["Draw"] if game.state.games else None)


def test_a_swap_is_told_where_it_happened() -> None:
    game = board_files.begun("gomoku", {"variant": "swap"}, plies=3)
    seat, _ = game.demanded()
    game.send(seat, Play("circles"))
    [[root, *nodes]] = trees(written(game, "sgf"))
    assert (root["PB"], root["PW"]) == (["Beta"], ["Alfa"])
    assert [sorted(node) for node in nodes] == [["B"], ["W"], ["B"], ["C", "KC"]]
    assert nodes[-1] == {"KC": ["circles"], "C": ["Beta chooses the circles."]}


@every_story
def test_a_transcript_has_the_squares_and_blacks_discs(story: str) -> None:
    game = STORIES[story]("reversi", {})
    *comments, line = written(game, "txt").splitlines()
    assert all(comment.startswith("# ") for comment in comments)
    squares, _, discs = line.partition(" ")
    assert squares == "".join(move for move in moves(game) if move != "pass")
    if story == "played":
        score = game.state.rules.view(game.state.position, None)["score"]
        assert int(discs) == score[0]
    else:
        assert discs == {"running": "", "agreed": "32"}.get(story, result(game, "64", "0"))


@every_story
@pytest.mark.parametrize("start", ["standard", "belgian_daisy"])
def test_the_abalone_file_has_start_moves_and_the_last_position(story: str, start: str) -> None:
    game = STORIES[story]("abalone", {"start": start})
    told = json.loads(written(game, "json"))
    assert told["start"] == start
    assert told["moves"] == moves(game)
    assert told["final"] == game.state.rules.position(game.state.position)
    assert told.get("result", "*") == result(game, "black", "white", "draw")


def ended(terms: Terms, *, plies: int, chance: str = "committed") -> MemoryGame:
    return board_files.begun("chess", {}, plies=plies, terms=terms, chance=chance)


def headers(game: MemoryGame) -> dict[str, str]:
    found = chess.pgn.read_game(io.StringIO(written(game, "pgn")))
    assert found is not None
    return dict(found.headers) | {"comment": found.end().comment}


@pytest.mark.rule("B5")
def test_a_fallen_flag_is_told() -> None:
    game = ended(Terms(cube=False, clock=chess_clock(7)), plies=6)
    game.at_deadline(1_000)
    game.hears()
    told = headers(game)
    assert (told["Result"], told["TimeControl"], told["Termination"]) == ("0-1", "420", "time forfeit")
    assert told["comment"] == "flag"


@pytest.mark.rule("B3")
def test_a_limit_for_each_move_is_told() -> None:
    game = ended(Terms(cube=False, clock=PER_MOVE), plies=6)
    told = headers(game)
    assert (told["Result"], told["TimeControl"], told["Termination"]) == ("*", "1/120", "unterminated")


@pytest.mark.rule("B13")
def test_an_annulled_game_has_no_result() -> None:
    game = ended(Terms(cube=False, absence="forfeit"), plies=2)
    game.send(0, Leave())
    told = headers(game)
    assert (told["Result"], told["Termination"], told["comment"]) == ("*", "abandoned", "annulled")


def test_a_recorded_game_has_neither_day_nor_clock() -> None:
    told = headers(ended(Terms(cube=False), plies=2, chance="recorded"))
    assert (told["Date"], told["TimeControl"]) == ("????.??.??", "?")
    assert "UTCDate" not in told


def test_a_match_in_which_no_game_was_begun_has_nothing_to_tell() -> None:
    for rules, form, options in FORMS:
        game = MemoryGame("nobody", Terms(cube=False), rules=rules, options=options)
        with pytest.raises(NotExportable, match="No game"):
            written(game, form)


@pytest.mark.parametrize(
    "name", ['a"b', "back\\slash", "a]b", "two\nlines", "{x}", "Žofie 漢字", "\x00\x1b[31m", ""]
)
def test_a_name_cannot_break_a_file(name: str) -> None:
    printable = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    game = board_files.begun("chess", {})
    found = chess.pgn.read_game(io.StringIO(written(game, "pgn", (name, "Beta"))))
    assert found is not None
    assert len(list(found.mainline_moves())) == len(moves(game))
    assert found.headers["White"].replace('\\"', '"').replace("\\\\", "\\") == (printable or "?")
    gomoku = board_files.begun("gomoku", {})
    assert len(trees(written(gomoku, "sgf", (name, "Beta")))[0]) == len(moves(gomoku)) + 1
    reversi = board_files.begun("reversi", {})
    assert written(reversi, "txt", (name, "Beta")).splitlines()[-1] == "".join(moves(reversi))


def test_the_catalogue_of_forms_is_what_can_be_had() -> None:
    for rules, form, options in FORMS:
        game = board_files.begun(rules, options)
        assert form in forms_of(CURRENT[rules].traits)
        assert read(game.lines, (), form).names == ("Seat 0", "Seat 1")
        for other in set(FORMATS) - set(forms_of(CURRENT[rules].traits)):
            with pytest.raises(NotExportable, match=f"no form as .{other}"):
                written(game, other)
    assert forms_of(CURRENT["gomoku3d"].traits) == ("ndjson",)
