"""What we write as .mat is planned back as the match that it was, or refused for a reason named here."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import pytest

from services.cli.importing.planning.tables import Plan, plan
from services.cli.importing.reading.mat import MatError, parse
from shared import series
from shared.events.match import GameEnded, MatchCreated
from shared.export import tables
from shared.export.form import NotExportable, begun
from shared.export.formats import FORMATS, rendered
from tests.support import golden
from tests.support.matches import MemoryGame
from tests.support.replay import played
from tests.support.told import GAMES, LEFT, STORIES, VOID

NAMES: Final = ("Alfa", "Beta")
NOT_BEGUN: Final = "No game of this match was begun"
VOID_GAME: Final = "game 1: the game does not count, and a recorded match has no way"
REASONS: Final = {
    "backgammon/cancelled": NOT_BEGUN,
    "backgammon/not-ready": NOT_BEGUN,
    "backgammon/not-revealed": NOT_BEGUN,
    "backgammon/blitz-kick": VOID_GAME,
    "backgammon/ghost": VOID_GAME,
    "backgammon/kicked-by-the-ghost": VOID_GAME,
}
"""Why these golden matches cannot be written, or not be read again."""

EXPORTABLE: Final = [
    name
    for name in golden.names()
    if name.split("/")[0] in golden.SCRIPTS and not FORMATS["mat"].why_not(begun(golden.stored(name)))
]
TOLD: Final = {**STORIES, **LEFT}


def again(lines: Sequence[bytes]) -> Plan:
    """The plan of the file that the match is written as."""
    return plan(parse(rendered(FORMATS["mat"], lines, NAMES), "again.mat"))


def recorded(lines: Sequence[bytes]) -> tuple[tables.Game, ...]:
    return tables.read(begun(lines), lines, NAMES, "mat").games


def actions(game: tables.Game) -> tuple[tables.Action, ...]:
    """What is done in a game; a roll that waits for its move in a running one is not told."""
    last = game.actions[-1] if game.actions else None
    waits = isinstance(last, tables.Turn) and last.steps is None and not isinstance(game.end, GameEnded)
    return game.actions[:-1] if waits else game.actions


def agreed(created: MatchCreated) -> dict[str, Any]:
    """All that was agreed on and plays a part in a recorded match."""
    terms = created.terms
    return {
        "game": created.rules,
        "options": series.agreed(created, 1),
        "target": terms.target,
        "first": None if series.is_single(terms) else terms.first_move,
        "cube": (terms.cube, terms.beaver, terms.jacoby),
        "gammons": terms.gammons,
    }


def assert_itself(lines: Sequence[bytes]) -> None:
    """The match is planned back, and played, as itself."""
    found, games = again(lines), recorded(lines)
    replayed = played(found)
    for planned, before, after in zip(found.games, games, recorded(replayed.lines), strict=True):
        assert (planned.number, after.called, after.crawford) == (
            before.number,
            before.called,
            before.crawford,
        )
        assert after.score == before.score
        assert actions(after) == actions(before)
        won = before.won
        ended = (None, 0, before.score) if won is None else (won.winner, won.points, won.score)
        assert (planned.winner, planned.points, planned.score) == ended
        if won is not None:
            assert after.won is not None
            assert (after.won.winner, after.won.points, after.won.score) == ended
    assert agreed(begun(replayed.lines)) == agreed(begun(lines))
    assert found.complete == (games[-1].won is not None)
    if found.over:
        assert replayed.now.winner == max((0, 1), key=lambda seat: found.score[seat])


@pytest.mark.parametrize("name", EXPORTABLE)
def test_every_golden_match_comes_back_as_itself_or_is_refused_for_a_reason(name: str) -> None:
    lines = golden.stored(name)
    reason = REASONS.get(name)
    if reason is None:
        assert_itself(lines)
        return
    with pytest.raises((NotExportable, MatError), match=reason):
        again(lines)


@pytest.mark.parametrize("rules", GAMES)
@pytest.mark.parametrize("story", TOLD.values(), ids=TOLD)
def test_every_story_comes_back_as_itself(story: Callable[[str], MemoryGame], rules: str) -> None:
    assert_itself(story(rules).lines)


@pytest.mark.parametrize("story", VOID.values(), ids=VOID)
@pytest.mark.rule("S8")
def test_a_game_that_does_not_count_is_told_without_its_end_and_refused_by_name(
    story: Callable[[str], MemoryGame],
) -> None:
    game = story("backgammon")
    text = rendered(FORMATS["mat"], game.lines, NAMES).decode()
    read = parse(text.encode(), "void.mat")
    assert read.headers["Not counted"] == "1"
    assert read.games[0].winner is None
    assert read.games[1].score == (0, 0)
    for file in (text, text.replace('; [Not counted "1"]\n', "")):  # the scores tell it too
        with pytest.raises(MatError, match=VOID_GAME):
            plan(parse(file.encode(), "void.mat"))


@pytest.mark.parametrize("name", ["backgammon/match-to-3", "nackgammon/match-to-3"])
def test_who_begins_the_games_is_found_without_a_word_in_the_head(name: str) -> None:
    text = rendered(FORMATS["mat"], golden.stored(name), NAMES).decode()
    bare = text.replace('; [First move "alternate"]', "; nothing")
    assert bare != text
    found = plan(parse(bare.encode(), "again.mat"))
    assert found == again(golden.stored(name))


GAME: Final = " Game 1\n Alfa : 0                       Beta : 0\n"
OPENING: Final = "  1) 31: 8/5 6/5                   52: 24/22 13/8\n"


def with_head(tags: str, target: int = 0, lines: str = OPENING) -> Plan:
    return plan(parse(f"{tags}\n{target} point match\n\n{GAME}{lines}".encode(), "head.mat"))


@pytest.mark.parametrize(
    ("tags", "reason"),
    [
        ('; [Variation "Acey-deucey"]', "'Acey-deucey' is not known; there are Backgammon, HyperGammon"),
        ('; [House rule stacking "true"]', "stacking"),
        ('; [House rule mode "giveaway"]', "no form as .mat"),
        ('; [First move "loser"]', "one of alternate, roll_each_game"),
    ],
)
def test_an_agreement_that_is_not_known_is_refused_by_its_name(tags: str, reason: str) -> None:
    with pytest.raises(MatError, match=reason) as refused:
        with_head(tags)
    assert refused.value.line == 1


def test_the_variation_is_read_in_either_case_and_is_backgammon_where_none_is_named() -> None:
    assert with_head('; [Variation "NACKGAMMON"]', lines="  1) 31: 8/5 6/5\n").game == "nackgammon"
    assert with_head("; no tags").game == "backgammon"


@pytest.mark.rule("S9")
def test_no_double_is_replayed_where_the_head_says_that_there_is_no_cube() -> None:
    lines = OPENING + "  2)  Doubles => 2                    Drops\n"
    assert with_head('; [CubeLimit "1024"]', lines=lines).score == (1, 0)
    with pytest.raises(MatError, match="without the cube"):
        with_head('; [CubeLimit "1"]', lines=lines)


def test_one_game_without_a_target_is_a_single_game_unless_it_is_called_a_session() -> None:
    ended = OPENING + "      Wins 1 point\n"
    single = with_head("; x", lines=ended)
    assert (single.terms.target, single.over) == (None, True)
    session = with_head('; [First move "roll_each_game"]', lines=ended)
    assert (session.terms.target, session.over) == (0, False)
    assert_itself(played(session).lines)


def test_the_jacoby_rule_of_a_session_is_named_where_the_points_need_it() -> None:
    text = rendered(FORMATS["mat"], golden.stored("backgammon/jacoby"), NAMES).decode()
    score = again(golden.stored("backgammon/jacoby")).score
    more = f"{text}\n Game 2\n Alfa : {score[0]}                       Beta : {score[1]}\n{OPENING}"
    with pytest.raises(MatError, match="only for single games"):
        plan(parse(more.encode(), "session.mat"))


@pytest.mark.rule("S10")
def test_a_double_that_answers_a_double_is_a_beaver() -> None:
    lines = OPENING + "  2)  Doubles => 2                    Doubles => 4\n  3)  Drops\n"
    found = with_head("; x", target=5, lines=lines)
    assert found.terms.beaver
    assert found.score == (0, 2)
