"""Recorded board games as commands: real files replay to their results, wrong ones are refused."""

from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from services.cli.importing.forms import FORMS, plans
from services.cli.importing.planning.steps import Plan
from services.cli.importing.reading import txt
from services.cli.importing.reading.file import MAX_BYTES, MAX_GAMES, MAX_PLIES, RecordError
from shared.commands import AcceptDraw, ClaimDraw, Leave, OfferDraw, Resign
from shared.events.match import MovePlayed, TurnPassed
from shared.export.formats import FORMATS, rendered
from tests.support import board_files
from tests.support.board_files import STORIES
from tests.support.board_imports import moves, replayed
from tests.support.matches import MemoryGame

DATA = Path(__file__).parents[1] / "data"
every_form = pytest.mark.parametrize(("rules", "form", "options"), board_files.FORMS)


def planned(text: str, file: str) -> list[Plan]:
    return plans(text.encode(), file)


def one(text: str, file: str) -> Plan:
    [found] = planned(text, file)
    return found


def last(plan: Plan) -> list[object]:
    """The commands that end the game without a move."""
    commands = [step.command for step in plan.games[0].steps]
    return [c for c in commands if isinstance(c, Resign | Leave | OfferDraw | AcceptDraw | ClaimDraw)]


# --- real files


def test_recorded_chess_games_replay_to_their_results() -> None:
    found = plans((DATA / "chess-games.pgn").read_bytes(), "chess-games.pgn")
    games = [replayed(plan) for plan in found]
    assert [game.state.winner for game in games] == [0, 0, None]
    assert [game.state.cause for game in games] == ["resigned", "resigned", "agreed"]
    assert [plan.games[0].plies for plan in found] == [89, 89, 95]
    assert [plan.line for plan in found] == [1, 19, 37]


def test_recorded_reversi_games_replay_to_their_disc_counts() -> None:
    text = (DATA / "reversi-games.txt").read_text()
    written = [line.split() for line in text.splitlines() if not line.startswith("#")]
    found = planned(text, "reversi-games.txt")
    assert len(found) == len(written) == 61
    undecided = 0
    for plan, (squares, discs) in zip(found, written, strict=True):
        game = replayed(plan)
        assert "".join(moves(game)) == squares
        score = game.state.rules.view(game.state.position, None)["score"]
        black = int(discs)
        if score is None:
            undecided += 1  # the players stopped before the board had decided
        else:
            assert score == [black, 64 - black]
        assert game.state.winner == (None if black == 32 else int(black < 32))
    assert undecided == 1


def test_a_recorded_game_of_abalone_replays_to_its_last_position() -> None:
    [plan] = plans((DATA / "abalone-game.json").read_bytes(), "abalone-game.json")
    game = replayed(plan)
    assert game.state.rules.position(game.state.position).split()[0] == plan.position.split()[0]
    assert len(moves(game)) == 47
    assert plan.position == "s3S/4s1/1ssSSSs/ssSSS1S1/2SSSSSs1/3sss2/5s1/6/3s1 1 1 w 14 24"
    assert game.over
    assert any("no result" in note for note in plan.notes)


# --- what we write, we read


@every_form
@pytest.mark.parametrize("story", STORIES)
def test_what_we_write_comes_back_as_the_same_game(
    rules: str, form: str, options: dict[str, Any], story: str
) -> None:
    game = STORIES[story](rules, options)
    [plan] = plans(rendered(FORMATS[form], game.lines, ("Alfa", "Beta")), f"game.{form}")
    again = replayed(plan)
    assert moves(again) == moves(game)
    assert plan.options.items() >= options.items()
    assert again.state.position == game.state.position
    if story == "running":
        assert not plan.complete
        assert plan.leaves == game.demanded()[0]
        return
    assert again.state.winner == game.state.winner
    told = {"txt": "resigned"}.get(form, "left") if story == "left" else game.state.cause
    assert again.state.cause == told
    assert [record.kind for record in again.state.games] == [record.kind for record in game.state.games]


@every_form
@given(seed=st.integers(0, 2**32), plies=st.integers(1, 40))
@settings(max_examples=6, deadline=None)
def test_any_beginning_of_a_game_comes_back(
    rules: str, form: str, options: dict[str, Any], seed: int, plies: int
) -> None:
    game = board_files.begun(rules, options, str(seed), plies=plies)
    [plan] = plans(rendered(FORMATS[form], game.lines), f"game.{form}")
    assert moves(replayed(plan)) == moves(game)
    assert plan.position == game.state.rules.position(game.state.position)


# --- how a game ends


FOOLS_MATE = "1. f3 e5 2. g4 Qh4# "


def test_a_game_that_the_board_decides_needs_no_word_more() -> None:
    for word in ("0-1", "*", ""):
        plan = one(f'[White "A"]\n\n{FOOLS_MATE}{word}', "a.pgn")
        assert last(plan) == []
        assert (plan.complete, plan.games[0].winner) == (True, 1)


def test_a_result_that_the_board_contradicts_is_refused() -> None:
    reason = r"it is a draw, but B \(who moved second\) has won \(checkmate\)"
    with pytest.raises(RecordError, match=reason) as error:
        one(f'[White "A"]\n[Black "B"]\n\n{FOOLS_MATE}1/2-1/2', "a.pgn")
    assert error.value.line == 4


def test_a_draw_is_claimed_where_there_is_one_to_claim_and_agreed_on_elsewhere() -> None:
    knights = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 "
    claimed = one(f"{knights}1/2-1/2", "a.pgn")
    assert last(claimed) == [ClaimDraw()]
    assert claimed.chance == "recorded"
    assert replayed(claimed).state.games[0].kind == "threefold repetition"
    agreed = one("1. e4 e5 1/2-1/2", "a.pgn")
    assert last(agreed) == [OfferDraw(), AcceptDraw()]
    assert [step.seat for step in agreed.games[0].steps][-2:] == [1, 0]
    assert agreed.chance == "recorded"
    with pytest.raises(RecordError, match="when both have moved"):
        one("1. e4 1/2-1/2", "a.pgn")


def test_a_draw_in_the_opening_needs_a_symbol_of_each_player() -> None:
    """PRO's automatic first symbol is not a move of his whose it is."""
    opened = "(;GM[4]SZ[15]RU[pro]RE[Draw];B[hh];W[ih]"
    with pytest.raises(RecordError, match="when both have moved"):
        one(f"{opened})", "a.sgf")
    agreed = one(f"{opened};B[aa])", "a.sgf")
    assert last(agreed) == [OfferDraw(), AcceptDraw()]
    assert replayed(agreed).state.games[0].cause == "agreed"


@pytest.mark.parametrize(
    ("termination", "command", "noted"),
    [
        ("normal", Resign(), False),
        ("abandoned", Leave(), False),
        ("time forfeit", Resign(), True),
        ("Alfa won on time", Resign(), True),
    ],
)
def test_what_else_ended_a_game_is_played_or_noted(termination: str, command: object, *, noted: bool) -> None:
    plan = one(f'[Termination "{termination}"]\n\n1. e4 e5 1-0', "a.pgn")
    assert last(plan) == [command]
    assert [step.seat for step in plan.games[0].steps][-1] == 1
    assert any(termination in note for note in plan.notes) is noted


def test_a_loser_may_resign_when_it_is_not_his_turn() -> None:
    for result, winner in (("1-0", 0), ("0-1", 1)):
        game = replayed(one(f"1. e4 e5 2. d4 {result}", "a.pgn"))
        assert (game.state.winner, game.state.cause) == (winner, "resigned")


# --- tolerance


PLAIN = ["e2e4", "d7d5", "e4e5", "f7f5", "e5f6", "g7f6", "g1f3", "b8c6", "f1b5", "c8d7", "e1g1"]


VARIATIONS = """1. e2-e4 {[%clk 0:03:00]} d7-d5 {[%eval 0.1] (not a variation)} 2. e5 ; to the end 3. Ke2
f5 (2... e6 3. d4 (3. Nf3 {deep}) 3... c5) 3. exf6! $1 gxf6?? $4 4. Nf3 Nc6 5. Bb5+ Bd7 6. O-O+ *"""
DOTS = """[Event "x"]
[Site "a \\"b\\" \\\\c"]

1...
1. e4 1... d5 2. e5 2... f5 3. exf6 gxf6
4. Nf3 Nc6 5. Bb5 Bd7
6. O-O
*"""


@pytest.mark.parametrize(
    "text",
    [
        "1.e4 d5 2.e5 f5 3.exf6 gxf6 4.Nf3 Nc6 5.Bb5 Bd7 6.O-O *",
        "1. e4 d5 2. e5 f5 3. exf6 e.p. gxf6 4. Nf3 Nc6 5. Bb5 Bd7 6. 0-0 *",
        "e4 d5 e5 f5 exf6 gxf6 Nf3 Nc6 Bb5 Bd7 O-O",
        "1. e2e4 d7d5 2. e4e5 f7f5 3. e5f6 g7f6 4. g1f3 b8c6 5. f1b5 c8d7 6. e1g1 *",
        "% an escape\n1. e4 d5\n%and another one\n2. e5 f5 3. exf6 gxf6 4. Nf3 Nc6 5. Bb5 Bd7 6. O-O!? *",
        VARIATIONS,
        DOTS,
        DOTS.replace("\n", "\r\n"),
    ],
)
def test_pgn_is_read_as_people_and_programs_write_it(text: str) -> None:
    for data in (text.encode(), b"\xef\xbb\xbf" + text.encode(), text.encode("utf-16")):
        [plan] = plans(data, "a.pgn")
        assert moves(replayed(plan)) == PLAIN


def test_names_in_old_encodings_do_not_matter() -> None:
    [plan] = plans('[White "Žofie"]\n\n1. e4 e5 *'.encode("iso-8859-2"), "a.pgn")
    assert plan.games[0].plies == 2


def test_a_game_without_its_result_ends_where_the_next_one_begins() -> None:
    text = '[White "A"]\n[Result "1-0"]\n\n1. e4 e5\n\n[White "B"]\n\n1. d4 *\n'
    first, second = planned(text, "a.pgn")
    assert (first.games[0].winner, second.games[0].winner) == (0, None)
    assert (first.line, second.line) == (1, 6)
    heads = '[Event "A"]\n[Result "1-0"]\n[Result "1-0"]\n\n[Event "B"]\n[Result "0-1"]\n'
    assert [(plan.line, plan.games[0].winner) for plan in planned(heads, "a.pgn")] == [(1, 0), (5, 1)]


DRAUGHTS = "1. e3-f4 h6-g5 2. f4xh6 b6-c5 3. d2-e3 c5-d4 4. e3xc5 d6xb4xd2 *"
NAMED = '[FEN "W:Wa1,c1,e1,g1,b2,d2,f2,h2,a3,c3,e3,g3:Bb8,d8,f8,h8,a7,c7,e7,g7,b6,d6,f6,h6"]'
NUMBERED = '[FEN "W:W21,22,23,24,25,26,27,28,29,30,31,32:B1-12."]'


@pytest.mark.parametrize(
    "text",
    [
        DRAUGHTS,
        DRAUGHTS.replace("x", ":"),
        DRAUGHTS.replace("x", "").replace("-", ""),
        DRAUGHTS.replace(". ", ".").replace("xb4", "").replace(" *", ""),
        '[GameType "29"]\n\n1.e3-f4 {so} h6-g5 (f6-g5) 2.f4xh6! $1 b6-c5 3.d2-e3 c5-d4?! 4.e3xc5 d6xb4xd2',
        f"{NAMED}\n{DRAUGHTS}",
        f"{NUMBERED}\n{DRAUGHTS}",
    ],
)
def test_pdn_is_read_as_people_and_programs_write_it(text: str) -> None:
    played = ["e3-f4", "h6-g5", "f4:h6", "b6-c5", "d2-e3", "c5-d4", "e3:c5", "d6:b4:d2"]
    assert moves(replayed(one(text, "a.pdn"))) == played


@pytest.mark.parametrize(
    ("word", "winner"), [("2-0", 0), ("1-0", 0), ("0-2", 1), ("0-1", 1), ("1-1", None), ("1/2-1/2", None)]
)
def test_pdn_has_two_ways_to_write_a_result(word: str, winner: int | None) -> None:
    game = replayed(one(f"1. c3-d4 d6-c5 {word}", "a.pdn"))
    assert game.over
    assert game.state.winner == winner


GOMOKU = "(;GM[4]SZ[15]RE[B+R]\n;B[hh];W[ii];B[hi])"


@pytest.mark.parametrize(
    "text",
    [
        GOMOKU,
        "(;FF[3]GaMe[4]SiZe[15]RE[B+R];B[hh];W[ii];B[hi])",
        "some mail\n\n(;FF[4]GM[4]C[a \\] b]\nRE[B+R]\n;B[hh]C[x](;W[ii];B[hi])(;W[aa];B[bb]))\n",
        "(;GM[4]SZ[15:15]RE[B+R];B[H8];W[i7];B[h7])",
        "(;GM[4]RU[Renju]RE[B+R];B[hh];W[ii];B[hi])",
    ],
)
def test_sgf_is_read_as_programs_write_it(text: str) -> None:
    game = replayed(one(text, "a.sgf"))
    assert moves(game) == ["h8", "i7", "h7"]
    assert (game.state.winner, game.state.cause) == (0, "resigned")


def test_without_a_size_the_board_is_the_smallest_that_will_do() -> None:
    sizes = [one(f"(;GM[4];B[aa];W[{point}])", "a.sgf").options["size"] for point in ("oo", "pa", "at")]
    assert sizes == [15, 19, 20]


def test_several_trees_are_several_games() -> None:
    assert [plan.line for plan in planned(f"{GOMOKU}\n{GOMOKU}\n", "a.sgf")] == [1, 3]


def test_a_swap_of_which_nothing_more_is_told_is_played_without_it() -> None:
    plan = one("(;GM[4]SZ[15]RU[swap2]RE[W+];B[hh];W[ii];B[hi];W[aa])", "a.sgf")
    assert "variant" not in plan.options
    assert any("no choice is told" in note for note in plan.notes)


def test_passes_may_be_told_or_left_out() -> None:
    games = (board_files.begun("reversi", {}, str(seed), plies=None) for seed in range(100))
    game, said = next((game, said) for game in games if "--" in (said := with_passes(game)))
    squares = moves(game)
    black = game.state.rules.view(game.state.position, None)["score"][0]
    upper = " ".join(said).replace("--", "PASS").upper()
    for text in ("".join(squares), " ".join(squares), "".join(said), upper):
        assert moves(replayed(one(f"{text} {black}", "a.txt"))) == squares


def with_passes(game: MemoryGame) -> list[str]:
    events = [event for commit in game.commits for event in commit.events]
    told = [event for event in events if isinstance(event, MovePlayed | TurnPassed)]
    return [event.move if isinstance(event, MovePlayed) else "--" for event in told]


def test_the_abalone_file_may_hold_the_moves_alone() -> None:
    plan = one('{"moves": ["a1b2", "I9H8"]}', "a.json")
    assert [step.seat for step in plan.games[0].steps] == [0, 1]


# --- which form a file has


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("3 point match\n\n Game 1\n A : 0          B : 0\n  1) 31: 8/5 6/5\n", "mat"),
        ('[Event "x"]\n\n1. e4 *\n', "pgn"),
        ('[Event "x"]\n[GameType "29,W,8,8,A0,0"]\n\n1. c3-d4 *\n', "pdn"),
        (f"\n{GOMOKU}", "sgf"),
        ("# a comment\nf5d6c3\n", "txt"),
        ('{"moves": []}', "json"),
    ],
)
def test_a_form_is_recognised_by_its_content(text: str, form: str) -> None:
    for file in ("game.txt", "game", f"game.{form}"):
        found = planned(text, file)
        assert [plan.game for plan in found] == [plan.game for plan in plans(text.encode(), "x.y", form)]


def test_the_ending_goes_before_the_content() -> None:
    with pytest.raises(RecordError, match="no game tree"):
        planned('[Event "x"]\n\n1. e4 *\n', "game.sgf")


def test_what_is_in_no_form_or_in_one_that_does_not_exist_is_refused() -> None:
    with pytest.raises(RecordError, match=r"no known form \(mat, pgn, pdn, sgf, txt, json\)"):
        planned("hello\n", "hello.doc")
    with pytest.raises(RecordError, match="'gcg' is no form"):
        plans(b"hello", "hello", "gcg")


# --- wrong files


WRONG: list[tuple[str, str, int, str]] = [
    ("pgn", "", 1, "no game in this file"),
    ("pgn", "\n\n1. e4 e5\n2. Ke3 *", 4, "move 3, Ke3: Ke3 is not possible here"),
    ("pgn", "1. e4 e5\n2. Nf9 *", 2, "neither UCI nor SAN"),
    ("pgn", "1. e4 {never closed\n*", 1, "a comment begins here that is never closed"),
    ("pgn", "1. e4\n(1. d4\n*", 2, "a variation begins here that is never closed"),
    ("pgn", "1. e4 e5)\n*", 1, "closed that was never opened"),
    ("pgn", '[Event "E"]\n[White "A"]\n[White "B"]\n*', 3, "the tag White stands there twice, and diff"),
    ("pgn", '[White "A\n\n1. e4 *', 1, r"a tag is written \[Name"),
    ("pgn", '[Result "1-0"]\n\n1. e4\n0-1', 4, "0-1 stands behind the moves, but 1-0"),
    ("pgn", '[Result "won"]\n\n1. e4', 1, "'won' is no result"),
    ("pgn", '[Variant "Chess960"]\n\n1. e4 *', 1, "Chess960 is another game"),
    ("pgn", '[FEN "8/8/8/8/8/8/8/K1k5 w - - 0 1"]\n\n*', 1, "not begin from the starting position"),
    ("pgn", f"{FOOLS_MATE}\n3. a3 0-1", 2, "goes on with a3 after its end"),
    ("pgn", "1. -- e5 *", 1, "move 1, --: '--' is neither UCI nor SAN"),
    ("pgn", "1. e4 e5\n2. e4e4 *", 2, "move 3, e4e4: A move leads from e4 to another square"),
    ("pgn", "\n1. e4 \0 *", 2, "not a text file"),
    ("pgn", f'[Event "{"x" * 10_001}"]\n*', 1, "with at most 10000 signs"),
    ("pdn", '[FEN "W:W1-99999999999:B1"]\n*', 1, "not begin from the starting position"),
    ("pdn", f'[FEN "W:W1-{"9" * 5_000}:B1"]\n*', 1, "not begin from the starting position"),
    ("sgf", "(;GM[4]SZ[20]RU[pro];B[hh])", 1, "a board of odd size"),
    ("sgf", "(;GM[2]SZ[10];B[dc];W[cc])", 1, r"SZ\[10\] is no board of reversi: 8"),
    ("pgn", "Nf3 " * (MAX_PLIES + 1), 1, "the game is too long"),
    ("pgn", "*\n" * (MAX_GAMES + 1), MAX_GAMES + 1, "too many games"),
    ("pdn", '[GameType "20"]\n\n1. 32-28 19-23 *', 1, "GameType 20 is another game"),
    ("pdn", "\n1. 11-15 22-18 *", 2, "11-15 names squares by numbers"),
    ("pdn", '[FEN "W:WKa1:Bh8"]\n\n1. a1-b2 *', 1, "not begin from the starting position"),
    ("pdn", "1. e3-f4 h6-g5\n2. a3-b4 *", 2, "A capture is compulsory"),
    ("pdn", "1. c3-d4 d6-c5\n2. d4xe5 *", 2, "move 3, d4xe5: Nothing can be captured here; .* is d4-e5"),
    ("pdn", "1. c3-d4\nfoo *", 2, "move 2, foo: Write from where to where"),
    ("sgf", "nothing", 1, "no game tree"),
    ("sgf", "(;GM[1]SZ[19];B[aa])", 1, r"GM\[1\] is another game"),
    ("sgf", "(;SZ[19];B[aa])", 1, r"GM\[1\] is another game"),
    ("sgf", "(;GM[6];W[31])", 1, r"GM\[6\] is another game"),
    ("sgf", "(;GM[4]SZ[9];B[aa])", 1, r"SZ\[9\] is no board of gomoku: 15, 19, 20"),
    ("sgf", "(;GM[4]SZ[15]\n;B[aa]\n;B[bb])", 3, "it is not B's turn"),
    ("sgf", "(;GM[4]SZ[15]\n;B[aa]W[bb])", 2, "move in one node"),
    ("sgf", "(;GM[4]SZ[15]\n;B[pp])", 2, "'pp' is no point of a board of 15"),
    ("sgf", "(;GM[4]SZ[15]\n;B[aa]\n;W[aa])", 3, "a15 is taken"),
    ("sgf", "(;GM[4]SZ[15]\n;B[])", 2, "move 1, pass"),
    ("sgf", "(;GM[4]SZ[15]\n;B[aa]\n;AW[bb])", 3, "in the middle of the game"),
    ("sgf", "(;GM[4]SZ[15]AB[hh];W[aa])", 1, "not begin from the starting position"),
    ("sgf", "(;GM[4]SZ[15]RE[who knows];B[aa])", 1, "is no result"),
    ("sgf", "(;GM[4]SZ[15]RU[pro]\n;B[aa])", 2, "the first stone lies on h8"),
    ("sgf", "(;GM[4]\n;B[hh]", 1, "never closed"),
    ("sgf", "(;GM[4];B[hh]) x", 1, "cannot read 'x'"),
    ("sgf", "(;GM[4]\n;B[hh]]", 2, "cannot read"),
    ("sgf", "(;GM[4];B[hh])\n()", 2, "without a node"),
    ("sgf", "(;GM[4]\n;[hh])", 2, "without the property"),
    ("sgf", "(;GM[2]\n;W[dc])", 2, "wrong side"),
    ("sgf", "(;GM[2]AB[aa]AW[dd][ee];B[dc])", 1, "not begin from the starting position"),
    ("sgf", "(;GM[4]" + ";B[hh]" * (MAX_PLIES + 1) + ")", 1, "the game is too long"),
    ("sgf", "(;GM[4])" * (MAX_GAMES + 1), 1, "too many games"),
    ("txt", "# nothing\n", 1, "no game in this file"),
    ("txt", "f5d6\nf5d9\n", 2, "a game is its squares"),
    ("txt", "f5d6 99", 1, "cannot have 99 discs"),
    ("txt", "f5d6\n\nf5f5", 3, "move 2, f5: f5 is taken"),
    ("txt", "f5 pass d6", 1, "move 2, pass: You can place a disc"),
    ("txt", "f5" * (MAX_PLIES * 4), 1, "a game is its squares"),
    ("txt", "f5\n" * (MAX_GAMES + 1), MAX_GAMES + 1, "too many games"),
    ("json", "[]", 1, "not a game as JSON"),
    ("json", '{\n"moves": [\n"a1b2",,]}', 3, "not a game as JSON"),
    ("json", '{"moves": [1]}', 1, "not a game as JSON"),
    ("json", '{"start": "diamond", "moves": []}', 1, "start is one of"),
    ("json", '{"moves": [\n"a1b2",\n"a1b2"]}', 3, "move 2, a1b2"),
    ("json", '{"moves": ["a1b2"],\n"result": "red"}', 2, "result is one of black, white, draw"),
    ("json", '{"moves": [],\n"final": "9/9 0 0 b"}', 2, "the last position is"),
    ("json", '{"moves": [' + '"a1b2",' * MAX_PLIES + '"a1b2"]}', 1, "the game is too long"),
    ("json", "[" * 100_000, 1, "not a game as JSON"),
]


@pytest.mark.parametrize(("form", "text", "line", "reason"), WRONG, ids=range(len(WRONG)))
def test_a_wrong_file_is_refused_with_its_line_and_a_reason(
    form: str, text: str, line: int, reason: str
) -> None:
    with pytest.raises(RecordError, match=reason) as error:
        planned(text, f"wrong.{form}")
    assert (error.value.file, error.value.line) == (f"wrong.{form}", line)


@pytest.mark.parametrize("form", FORMS)
def test_a_file_that_is_too_large_is_not_even_looked_at(form: str) -> None:
    with pytest.raises(RecordError, match="too large"):
        plans(b" " * (MAX_BYTES + 1), f"huge.{form}")


@pytest.mark.parametrize(("text", "winner"), [("64", 0), ("0", 1), ("32", None)])
def test_a_game_of_reversi_that_ended_before_its_first_disc_is_a_bare_count(
    text: str, winner: int | None
) -> None:
    (game,) = txt.read(text.encode(), "a.txt")
    assert (game.plies, game.ending.winner) == ((), winner)


def test_a_disc_count_that_the_board_contradicts_is_refused() -> None:
    game = board_files.played("reversi", {})
    squares = "".join(moves(game))
    black = game.state.rules.view(game.state.position, None)["score"][0]
    wrong = black - 2 if black < 32 else black + 2
    with pytest.raises(RecordError, match=f"written as {wrong}:{64 - wrong}, but it is {black}:{64 - black}"):
        one(f"{squares} {wrong}", "a.txt")


PIECES: Final = (
    *("1.", "2.", "e4", "e5", "e4e4", "e1h1", "--", "@@@@", "0000", "O-O", "e2-e4", "*", "1-0", "{x}"),
    *("c3-d4", "c3:d4", "c3c3", "f5", "f5f5", "pass", "(;GM[4]", "(;GM[2]", ";B[hh]", ";W[hh]", ";B[]", ")"),
    *('{"moves": [', '"a1a1"', '"a1b2"', '"a1b2c3"', ",", "]}", "\n"),
)
"""What files are made of, and moves that are none."""


@given(
    st.binary(max_size=300)
    | st.text(alphabet='()[]{};"\\ \n1.*BW-0xa8hpdGM4e5', max_size=200).map(str.encode)
    | st.lists(st.sampled_from(PIECES), max_size=20).map(lambda parts: " ".join(parts).encode())
)
@example(b"1. e4 e5 2. e4e4 *")
@settings(max_examples=150, deadline=None)
def test_no_file_makes_a_reader_fall(data: bytes) -> None:
    for form in FORMS:
        try:
            plans(data, f"any.{form}")
        except RecordError as error:
            assert error.line >= 1  # noqa: PT017 - most files are refused, some are not
