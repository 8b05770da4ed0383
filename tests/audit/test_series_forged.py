"""Forged series and modes, with the chain made anew: the verifier says where and what is wrong."""

from typing import Any, Final

import msgspec
import pytest

from services.audit.creation import check_creation
from services.audit.domain import verify
from services.audit.report import Differs
from shared.events.match import Pinned
from tests.support.forging import Commit, edited, expect, log, where
from tests.support.matches import rewritten
from tests.support.story import Story, terms_of
from tests.support.wrong_terms import WRONG

MIXED: Final = "mixed/tie-break"
TAVLI: Final = "tavli/plakoto-draw"


def created(name: str, change: dict[str, Any]) -> list[bytes]:
    """The log with other terms or options in its first commit (None: left out)."""

    def forge(commit: Commit) -> None:
        event = commit["events"][0]
        for field, fields in change.items():
            for key, value in fields.items():
                if value is None:
                    del event[field][key]
                else:
                    event.setdefault(field, {})[key] = value

    return rewritten(log(name), 1, forge)


@pytest.mark.parametrize("name", WRONG)
def test_a_first_commit_with_a_wrong_combination_is_no_match_of_ours(name: str) -> None:
    wrong = WRONG[name]
    with pytest.raises(Differs) as differs:
        check_creation((wrong.created(),))
    assert differs.value.field.startswith("events[0].")
    assert wrong.named in f"{differs.value.field} {differs.value.sentence}"


@pytest.mark.parametrize("name", ["mixed", "tavli"])
def test_a_series_begins_with_its_first_game_at_versions_that_are_known(name: str) -> None:
    event = Story(terms_of(name)).state.created
    for forged, field in (
        (msgspec.structs.replace(event, rules=event.games[1].rules), "events[0].rules"),
        (
            msgspec.structs.replace(event, games=(*event.games[:3], Pinned(event.games[3].rules, 99))),
            "events[0].games[3]",
        ),
        (
            msgspec.structs.replace(event, games=(Pinned("go", 1), *event.games[1:])),
            "events[0].games[0]",
        ),
    ):
        with pytest.raises(Differs) as differs:
            check_creation((forged,))
        assert differs.value.field == field


@pytest.mark.rule("N4", "N5")
@pytest.mark.parametrize(
    ("name", "nth", "field", "value"),
    [
        (MIXED, 1, "rules", "backgammon"),
        (MIXED, 1, "rules", ""),
        (MIXED, 3, "rules", "backgammon"),
        (MIXED, 2, "crawford", True),
        (MIXED, 3, "game", 3),
        (TAVLI, 1, "rules", "fevga"),
        (TAVLI, 3, "rules", "plakoto"),
        ("tavli/three-games", 2, "rules", "plakoto"),
    ],
)
def test_another_game_of_a_series_than_its_turn(name: str, nth: int, field: str, value: object) -> None:
    made, n, path = edited(name, "game_started", nth, lambda e: e.update({field: value}))
    expect(verify(made), n, f"{path}.{field}")


@pytest.mark.rule("N7")
@pytest.mark.parametrize("name", [MIXED, TAVLI])
@pytest.mark.parametrize("nth", [1, 2, 3])
def test_another_starter_in_a_series(name: str, nth: int) -> None:
    made, n, path = edited(name, "game_started", nth, lambda e: e.update(first=1 - e["first"]))
    expect(verify(made), n, f"{path}.first")


@pytest.mark.rule("N4", "N5")
@pytest.mark.parametrize("name", [MIXED, TAVLI])
@pytest.mark.parametrize("nth", [0, 1, 2])
def test_a_series_is_not_over_before_its_last_game_nor_while_it_is_level(name: str, nth: int) -> None:
    n, place = where(log(name), "game_ended", nth)

    def end(commit: Commit) -> None:
        score = commit["events"][place]["score"]
        over = {"type": "match_ended", "winner": 0, "score": score, "cause": "played"}
        commit["events"].insert(place + 1, over)

    expect(verify(rewritten(log(name), n, end)), n, f"events[{place + 1}]")


@pytest.mark.rule("N4", "N5")
@pytest.mark.parametrize("name", ["mixed/three-games", "tavli/three-games", MIXED])
def test_a_series_that_is_decided_is_over(name: str) -> None:
    n, place = where(log(name), "match_ended")
    made = rewritten(log(name), n, lambda commit: commit["events"].__delitem__(slice(place, None)))
    expect(verify(made), n, f"events[{place}]")


@pytest.mark.rule("N5")
def test_a_drawn_plakoto_given_to_somebody() -> None:
    def give(event: Commit) -> None:
        event.update(winner=1, kind="gammon", points=2, score=[event["score"][0], event["score"][1] + 2])

    made, n, path = edited(TAVLI, "game_ended", 1, give)
    expect(verify(made), n, f"{path}.winner")


@pytest.mark.rule("S8")
def test_a_tie_break_won_by_a_ghost_and_counted_after_all() -> None:
    def count(event: Commit) -> None:
        del event["counted"]
        event["score"][event["winner"]] += event["points"]

    made, n, path = edited("mixed/ghost-tie-break", "game_ended", 3, count)
    expect(verify(made), n, f"{path}.score")


@pytest.mark.parametrize(
    ("name", "change", "tag", "field"),
    [
        ("jacoby", {"terms": {"jacoby": None}}, "game_ended", "points"),
        ("jacoby-doubled", {"terms": {"gammons": False}}, "game_ended", "points"),
        ("gammons-off", {"terms": {"gammons": None}}, "game_ended", "points"),
        ("gammon", {"terms": {"jacoby": True}}, "game_ended", "points"),
        ("no-triple", {"options": {"triple": None}}, "game_ended", "kind"),
        ("backgammon", {"options": {"triple": False}}, "game_ended", "kind"),
        ("giveaway", {"options": {"mode": None}}, "game_ended", "winner"),
        ("long_nardy/koks-2", {"options": {"koks": 3}}, "game_ended", "kind"),
        ("long_nardy/koks", {"options": {"koks": 2}}, "game_ended", "kind"),
        ("plakoto/giveaway-mother-caught", {"options": {"mode": "normal"}}, "game_ended", "winner"),
        ("tavli/no-triple", {"options": {"triple": True}}, "game_ended", "kind"),
    ],
)
def test_other_terms_than_those_that_were_played(
    name: str, change: dict[str, Any], tag: str, field: str
) -> None:
    n, place = where(log(name), tag)
    expect(verify(created(name, change)), n, f"events[{place}].{field}")


@pytest.mark.parametrize(
    ("name", "mode"), [("single", "giveaway"), ("draw", "giveaway"), ("match-to-3", "draw"), (MIXED, "draw")]
)
def test_a_mode_that_the_terms_do_not_allow(name: str, mode: str) -> None:
    report = verify(created(name, {"options": {"mode": mode}}))
    assert report.difference is not None
    assert (report.difference.n, report.commits) == (1, 0)


@pytest.mark.rule("N2")
def test_a_game_with_a_draw_that_is_ended_before_the_last_roll() -> None:
    """White was off first: as if the mode had been the normal one."""
    name = "draw-white-wins"
    report = verify(created(name, {"options": {"mode": "normal"}}))
    assert report.difference is not None
    n, _ = where(log(name), "game_ended")
    assert report.difference.n == n - 1
    assert report.difference.expected == "game_ended"


@pytest.mark.rule("N2")
def test_a_double_before_the_last_roll() -> None:
    name = "draw-left-before-the-last-roll"
    n, _ = where(log(name), "seat_left")
    black = 1 - msgspec.json.decode(log(name)[n - 1])["events"][0]["seat"]

    def double(commit: Commit) -> None:
        commit["by"] = {"seat": black}
        commit["events"] = [{"type": "double_offered", "seat": black, "value": 2}]

    expect(verify(rewritten(log(name), n, double)), n, "events[0]")


@pytest.mark.rule("N5")
def test_a_double_in_a_tavli() -> None:
    n, _ = where(log("tavli/left-in-plakoto"), "seat_left")
    seat = msgspec.json.decode(log("tavli/left-in-plakoto")[n - 1])["events"][0]["seat"]

    def double(commit: Commit) -> None:
        commit["events"] = [{"type": "double_offered", "seat": seat, "value": 2}]

    expect(verify(rewritten(log("tavli/left-in-plakoto"), n, double)), n, "events[0]")
