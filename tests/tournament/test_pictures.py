"""Standings as pictures: what stands where, in each kind and at each time."""

from random import Random
from xml.etree import ElementTree as ET

import msgspec
import pytest

from services.tournament.domain import Withdraw
from services.tournament.showing import view
from services.tournament.state import KNOCK_OUT, ROUND_ROBIN, SWISS
from shared.export.standings import svg, written
from shared.wire.tournament import TournamentView
from tests.support.tournaments import Story, drawn, won

SVG = "{http://www.w3.org/2000/svg}"


def called(shown: TournamentView, *names: str) -> TournamentView:
    """With nicknames, by number in the lot."""
    nicknames = [*names, *(f"Player {e.number}" for e in shown.entrants[len(names) :])]
    entrants = tuple(
        msgspec.structs.replace(entrant, nickname=name)
        for entrant, name in zip(shown.entrants, nicknames, strict=True)
    )
    return msgspec.structs.replace(shown, entrants=entrants)


def words(picture: str) -> list[str]:
    return [node.text or "" for node in ET.fromstring(picture).iter(f"{SVG}text")]  # noqa: S314 - our own


def rows(picture: str) -> list[list[str]]:
    """The words of each line below the heads, from left to right."""
    found: dict[int, list[tuple[int, str]]] = {}
    for node in ET.fromstring(picture).iter(f"{SVG}text"):  # noqa: S314 - our own
        if int(node.attrib["y"]) > 72:
            found.setdefault(int(node.attrib["y"]), []).append((int(node.attrib["x"]), node.text or ""))
    return [[text for _, text in sorted(line)] for _, line in sorted(found.items())]


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(0, 2, "0"), (1, 2, "½"), (7, 2, "3½"), (9, 4, "2¼"), (3, 4, "¾"), (5, 1, "5")],
)
def test_points_are_written_as_players_do(value: int, unit: int, text: str) -> None:
    assert written(value, unit) == text


@pytest.mark.rule("B16")
def test_a_cross_table() -> None:
    story = Story(3, ROUND_ROBIN)
    one, _, three = story.started().order
    ended = story.to_the_end(choose=lambda m: drawn(m) if three in (m.first, m.second) else won(m, one))
    assert rows(svg(called(view(ended), "Ada", "Ben", "Cyd"))) == [
        ["1", "Ada", "½", "1", "2½", "0", "5", "1"],
        ["2", "Cyd", "½", "½", "2", "0", "4", "0"],
        ["3", "Ben", "0", "½", "1½", "0", "2½", "0"],
    ]


@pytest.mark.rule("B16")
def test_a_table_of_swiss_rounds_names_the_opponents_by_their_places() -> None:
    story = Story(3, SWISS)
    first = story.started()
    (meeting,) = first.rounds[0].meetings
    story.plays(lambda m: won(m, meeting.first))
    lines = rows(svg(called(view(story.tournament))))
    assert [line[0] for line in lines] == ["1", "2", "2"] or [line[0] for line in lines] == ["1", "2", "3"]
    assert sum("bye" in line for line in lines) == 2, "one in each round"
    assert sum(text.endswith(": ·") for line in lines for text in line) == 2, "one pair plays"


@pytest.mark.rule("B16")
def test_a_tree_shows_byes_replays_and_the_winner() -> None:
    story = Story(3, KNOCK_OUT)
    one, two, three = story.started().order
    before = words(svg(called(view(story.tournament), "Ada", "Ben", "Cyd")))
    assert before[0] == "Tournament: 3 players, knock-out"
    assert (before.count("Ada"), before.count("bye"), before.count("Final")) == (1, 1, 1)
    story.records(drawn)
    story.plays(lambda m: won(m, two))
    ended = story.plays(lambda m: won(m, two))
    assert ended.winners == (two,)
    after = words(svg(called(view(ended), "Ada", "Ben", "Cyd")))
    assert (after.count("Ben"), after.count("½ 1"), after.count("½ 0")) == (3, 1, 1)
    assert (one, three) == (ended.order[0], ended.order[2])


@pytest.mark.parametrize("kind", [KNOCK_OUT, ROUND_ROBIN, SWISS])
@pytest.mark.parametrize("players", [2, 7, 16])
def test_every_kind_can_be_drawn_at_every_moment(kind: str, players: int) -> None:
    story, chance = Story(players, kind), Random(players)
    assert len(rows(svg(called(view(story.tournament))))) == players
    story.started()
    story.does(Withdraw(story.tournament.order[-1]))
    while story.tournament.state == "running":
        assert "Player 1" in words(svg(called(view(story.tournament))))
        story.records(lambda m: chance.choice((drawn(m), won(m, m.first), (0, 0))))
        assert "Player 1" in words(svg(called(view(story.tournament))))
        story.proceeds()
    assert "Player 1" in words(svg(called(view(story.tournament))))


def test_names_are_text_and_nothing_else() -> None:
    story = Story(2, ROUND_ROBIN)
    story.started()
    shown = msgspec.structs.replace(called(view(story.tournament), "<b>&", "\n"), title="</svg>")
    found = words(svg(shown))
    assert found[0].startswith("</svg>: round 1")
    assert {"<b>&", " "} <= set(found)
