"""Reading .mat files: all of the recorded ones, each writer's quirk on its own, and what cannot be read."""

from pathlib import Path

import pytest

from services.cli.importing.reading.mat import Concession, CubeAction, MatError, MatMatch, Turn, parse

DATA = Path(__file__).parents[1] / "data" / "backgammon"
FILES = sorted(DATA.glob("*.mat"))

# file: target, games, rolls and cube actions, points of the winners
RECORDED = {
    "match-01.mat": (11, 10, 443, (7, 12)),
    "match-02.mat": (9, 5, 216, (11, 2)),
    "match-03.mat": (11, 3, 104, (12, 0)),
    "match-04.mat": (17, 26, 691, (17, 15)),  # the last 2 points are written as the 1 that was needed
    "match-05.mat": (13, 7, 289, (18, 4)),
    "match-06.mat": (15, 17, 753, (14, 17)),
    "match-07.mat": (25, 16, 876, (30, 20)),
    "match-08.mat": (21, 16, 636, (23, 12)),
    "match-09.mat": (5, 4, 156, (5, 2)),
}


def match(games: str, target: str = "5 point match", names: str = " Alfa : 0              Beta : 0") -> str:
    return f"{target}\n\n Game 1\n{names}\n{games}"


def read(text: str | bytes) -> MatMatch:
    return parse(text.encode() if isinstance(text, str) else text, "some.mat")


def said(text: str | bytes) -> list[tuple[int, str]]:
    """Seat and gist of every action of the first game."""
    gists: list[tuple[int, str]] = []
    for action in read(text).games[0].actions:
        match action:
            case Turn(gave_up=True):
                gists.append((action.seat, f"{action.dice[0]}{action.dice[1]} gave up"))
            case Turn():
                gists.append((action.seat, f"{action.dice[0]}{action.dice[1]} {action.move}".strip()))
            case CubeAction():
                gists.append((action.seat, f"{action.verb} {action.value or ''}".strip()))
            case Concession():
                gists.append((action.seat, "concedes"))
    return gists


def test_all_recorded_files_are_there() -> None:
    assert [f.name for f in FILES] == sorted(RECORDED)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_recorded_file(file: Path) -> None:
    found = parse(file.read_bytes(), file.name)
    target, games, actions, score = RECORDED[file.name]
    assert (found.target, len(found.games)) == (target, games)
    assert sum(len(game.actions) for game in found.games) == actions
    assert found.names == ("Alfa", "Beta")
    assert found.headers["CubeLimit"] == "1024"
    assert tuple(sum(g.points or 0 for g in found.games if g.winner == seat) for seat in (0, 1)) == score


def test_left_column_is_empty_when_the_right_player_begins() -> None:
    text = match("  1)                             52: 24/22 13/8\n  2) 43: 24/20 13/10\n")
    assert said(text) == [(1, "52 24/22 13/8"), (0, "43 24/20 13/10")]


def test_cells_are_told_apart_by_column_even_when_a_long_play_pushes_the_right_one() -> None:
    text = match(
        "  1) 31: 8/5 6/5             52: 24/22 13/8\n"
        "  2) 11: 24/23 24/23 23/22 23/22 66: 24/18 24/18 13/7 13/7\n"
        "  3)                          Doubles => 2\n"
    )
    assert [seat for seat, _ in said(text)] == [0, 1, 0, 1, 1]


def test_names_with_odd_characters() -> None:
    for names in (("Jörg 😀 (D:1)", "O'Neil; #2"), ("a: 3 b", "x,y"), ("Ana  María", "B")):
        text = match("  1) 31: 8/5 6/5\n", names=f" {names[0]} : 0        {names[1]} : 12")
        found = read(text)
        assert found.names == names
        assert found.games[0].score == (0, 12)


def test_score_line_without_blanks_and_with_ratings() -> None:
    found = read(match("  1) 31: 8/5 6/5\n", names=" Alfa,1812.55: 3     Beta,1500: 4"))
    assert (found.names, found.games[0].score) == (("Alfa", "Beta"), (3, 4))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16"])
def test_encodings(encoding: str) -> None:
    text = match("  1) 31: 8/5 6/5\n", names=" Jérôme : 0        Müller : 0")
    assert read(text.encode(encoding)).names == ("Jérôme", "Müller")


def test_a_next_line_character_inside_a_latin1_name_is_no_line_end() -> None:
    data = (
        match("  1) 31: 8/5 6/5\n  2) xx\n", names=" A?a : 0       Bé : 0")
        .encode("latin-1")
        .replace(b"?", b"\x85")
    )
    with pytest.raises(MatError) as caught:
        read(data)
    assert caught.value.line == 6


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_line_ends(end: str) -> None:
    text = match("  1) 31: 8/5 6/5             52: 24/22 13/8\n  2) xx\n").replace("\n", end)
    with pytest.raises(MatError) as caught:
        read(text)
    assert caught.value.line == 6


def test_tabs_between_the_columns() -> None:
    text = match(
        "1)\t\t52: 24/22 13/8\n2)\t43: 24/20 13/10\t61: 13/7 8/7\n"
        "3)\tDoubles => 2\tTakes\n4)\t31: 8/5\n5)\t\t42: 8/4\n"
    )
    assert [seat for seat, _ in said(text)] == [1, 0, 1, 0, 1, 0, 1]


def test_points_bar_and_off_in_every_spelling() -> None:
    text = match("  1) 31: 25/22 6/0             61: Bar/24* 6/Off\n  2) 15: BAR/20 5/OFF(2)\n")
    assert said(text) == [(0, "31 bar/22 6/off"), (1, "61 bar/24* 6/off"), (0, "15 bar/20 5/off(2)")]


def test_merged_moves_keep_their_stars_and_counts() -> None:
    text = match("  1) 64: 24/20*/14             66: 24/18(2) 13/7*(2)\n  2) 53: 13/8*/5* 8/5\n")
    assert said(text) == [(0, "64 24/20*/14"), (1, "66 24/18(2) 13/7*(2)"), (0, "53 13/8*/5* 8/5")]


@pytest.mark.parametrize("blank", ["", " ", " Cannot Move", " cannot move.", " can't move", " No move"])
def test_rolls_without_a_move(blank: str) -> None:
    assert said(match(f"  1) 31: 8/5 6/5             66:{blank}\n  2) 43: 24/20\n"))[1] == (1, "66")


@pytest.mark.parametrize("end", ["????", "???", "?", "Resigns", "resigns 2 points"])
def test_resigned_after_rolling(end: str) -> None:
    assert said(match(f"  1) 31: 8/5 6/5             66: {end}\n"))[1] == (1, "66 gave up")


@pytest.mark.parametrize("end", ["Concedes", "Resigns", "00: ????", "00:", "gives up"])
def test_resigned_in_words(end: str) -> None:
    found = read(match(f"  1) 31: 8/5 6/5             {end}\n      Wins 2 points\n")).games[0]
    assert found.actions[-1] == Concession(line=5, seat=1)
    assert (found.winner, found.points, found.result_line) == (0, 2, 6)


@pytest.mark.rule("S9")
@pytest.mark.rule("S10")
def test_cube_actions_and_beavers() -> None:
    text = match(
        "  1) 31: 8/5 6/5                      52: 24/22 13/8\n"
        "  2)  Doubles => 2                     Beavers => 4\n"
        "  3)  Raccoons => 8                    Takes\n"
        "  4) 43: 24/20 13/10                   Doubles => 16\n"
        "  5)  Drops                            Wins 8 points\n",
        target="0 point match",
    )
    cube = [action for action in read(text).games[0].actions if isinstance(action, CubeAction)]
    assert [(a.seat, a.verb, a.value) for a in cube] == [
        (0, "double", 2),
        (1, "beaver", 4),
        (0, "raccoon", 8),
        (1, "take", None),
        (1, "double", 16),
        (0, "drop", None),
    ]


@pytest.mark.parametrize("line", ["Wins 2 point", "Wins 2 points and the match", "wins 2 pts."])
def test_winner_by_column(line: str) -> None:
    for indent, winner in (("      ", 0), (" " * 33, 1)):
        found = read(match(f"  1) 31: 8/5 6/5                 52: 24/22 13/8\n{indent}{line}  \n")).games[0]
        assert (found.winner, found.points) == (winner, 2)


def test_lines_may_be_blank_numbered_out_of_order_or_comments() -> None:
    text = match(
        "\n; a comment\n  1) 31: 8/5 6/5                 52: 24/22 13/8\n\n 19) 43: 24/20 13/10\n 22)\n\n"
    )
    assert len(read(text).games[0].actions) == 3


def test_money_session_and_any_length() -> None:
    assert [
        read(match("  1) 31: 8/5 6/5\n", target=t)).target for t in ("0 point match", "99 Point Match")
    ] == [0, 99]


@pytest.mark.parametrize("cut", range(150, 7267, 211))
def test_a_truncated_file_reads_up_to_its_end_or_names_its_last_line(cut: int) -> None:
    data = (DATA / "match-02.mat").read_bytes()[:cut]
    try:
        found = read(data)
    except MatError as error:
        assert error.line == data.count(b"\n") + 1  # noqa: PT017 - reading to the end is as good
    else:
        assert found.games


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", 1, "'n point match'"),
        ("\n\n", 3, "'n point match'"),
        ('[Event "x"]\n1. e4 e5\n', 2, "'n point match'"),
        ("5 point match\n\n", 3, "no game"),
        ("100 point match\n", 1, "too long"),
        ("5 point match\n Game 1\n nobody\n  1) 31: 8/5\n", 3, "name : score"),
        ("5 point match\nhello\n", 2, "Game n"),
        (match("  1) 31: 8/5 6/5             what is this\n"), 5, "what is this"),
        (match("  1) gibberish\n"), 5, "gibberish"),
        (match("  1) 31: 8/5 6/5\n  2)                   71: 8/1 8/7\n"), 6, "71"),
        (match("  1) 30: 8/5\n"), 5, "no dice"),
        (match("  1) 31: 8/5 6//5\n"), 5, "6//5"),
        (match("  1) 31: 28/25 6/5\n"), 5, "no point 28"),
        (match("  1) 31: 8/5(9)\n"), 5, "8/5(9)"),
        (match("  1) 31: Illegal play (XGID=...)\n"), 5, "illegal play"),
        (match("  1) 00: 8/5\n"), 5, "without dice"),
        (match("; Set Pos=-b----E-C---eE---c-e----B-/0\n"), 5, "starting position"),
        (match("  1) 31: 8/5 6/5     52: 13/8     64: 24/14\n"), 5, "three actions"),
        (match("      Wins 1 point\n  1) 31: 8/5 6/5\n"), 6, "won at line 5"),
        (match("      Wins 1 point\n      Wins 2 points\n"), 6, "twice"),
        ("5 point match\n\0\0", 2, "text"),
    ],
)
def test_unreadable_line_is_named(text: str, line: int, reason: str) -> None:
    with pytest.raises(MatError) as caught:
        read(text)
    assert (caught.value.file, caught.value.line) == ("some.mat", line)
    assert reason in caught.value.reason
    assert str(caught.value).startswith(f"some.mat:{line}: ")
