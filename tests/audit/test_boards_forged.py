"""Forged draws, offers, counts and results of the board games, the chain made anew: found, at their place."""

from collections.abc import Callable
from typing import Any, Final

import msgspec
import pytest

from services.audit.domain import verify
from shared.fold import fold
from tests.audit.test_golden_boards import ANNULLED, ENDINGS
from tests.support import golden
from tests.support.forging import Commit, edited, expect, log, where
from tests.support.matches import rewritten

Event = dict[str, Any]
LOST: Final = [
    {"type": "game_ended", "game": 1, "winner": None, "kind": "draw", "cause": "agreed", "points": 0}
    | {"score": [0, 0]},
    {"type": "match_ended", "winner": None, "score": [0, 0], "cause": "agreed"},
]
"""How a draw by agreement ends a game, but for the secret."""


def ended_at(name: str, n: int, seat: int, *events: Event) -> list[bytes]:
    """The log up to commit ``n``, in which ``seat`` does this, and the secret is revealed."""
    lines = log(name)[:n]
    secret = {"type": "secret_revealed", "secret": golden.script(name).secret.hex()}
    return rewritten(lines, n, lambda commit: commit.update(by={"seat": seat}, events=[*events, secret]))


def done_at(name: str, n: int, seat: int, event: Event) -> list[bytes]:
    """The log up to commit ``n``, in which ``seat`` does this and nothing follows."""
    return rewritten(log(name)[:n], n, lambda commit: commit.update(by={"seat": seat}, events=[event]))


def to_move(name: str, n: int) -> int:
    """Who was to move before commit ``n``."""
    state = fold(log(name)[: n - 1])
    assert state is not None
    seat: int = state.position.turn
    return seat


def offered(seat: int) -> Event:
    return {"type": "draw_offered", "seat": seat}


def drawn(cause: str, kind: str) -> list[Event]:
    """How a game that is drawn so ends, but for the secret."""
    game, match = ({**event, "cause": cause} for event in LOST)
    return [{**game, "kind": kind}, match]


OTHERS: Final[dict[str, Callable[[Any], Any]]] = {
    "winner": lambda was: 0 if was is None else None if was else 1,
    "kind": lambda was: "stalemate" if was == "checkmate" else "checkmate",
    "cause": lambda was: "claimed" if was == "agreed" else "agreed",
    "points": lambda was: 1 - was,
    "score": lambda was: [1 - was[0], was[1]],
}
"""Another value for each field of a result."""

every_ending = pytest.mark.parametrize("name", ENDINGS)


@every_ending
@pytest.mark.parametrize(
    ("tag", "field"),
    [
        ("game_ended", "winner"),
        ("game_ended", "kind"),
        ("game_ended", "cause"),
        ("game_ended", "points"),
        ("game_ended", "score"),
        ("match_ended", "winner"),
        ("match_ended", "score"),
        ("match_ended", "cause"),
    ],
)
def test_an_edited_result(name: str, tag: str, field: str) -> None:
    made, n, path = edited(name, tag, 0, lambda event: event.update({field: OTHERS[field](event[field])}))
    expect(verify(made), n, f"{path}.{field}")


@every_ending
def test_an_end_that_is_left_out_so_that_the_game_could_go_on(name: str) -> None:
    lines = log(name)
    n, place = where(lines, "game_ended")
    made = rewritten(lines, n, lambda commit: commit["events"].__delitem__(slice(place, None)))
    report = verify(made)
    assert report.difference is not None
    assert (report.difference.n, report.difference.field) == (n, f"events[{place}]")
    assert report.difference.expected == "game_ended"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("chess/checkmate", "threefold repetition"),
        ("chess/agreed", "50 moves"),
        ("draughts/repetition", "repetition"),
        ("draughts/three-kings", "three kings"),
        ("abalone/repetition", "repetition"),
        ("reversi/draw", "full board"),
        ("gomoku/five", "full board"),
        ("gomoku3d/four", "full board"),
    ],
)
def test_a_claim_of_a_draw_that_is_none_or_comes_by_itself(name: str, kind: str) -> None:
    """Also two plies before the draw comes by itself."""
    n = len(log(name)) - 2
    claim = {"type": "draw_claimed", "seat": to_move(name, n)}
    made = ended_at(name, n, to_move(name, n), claim, *drawn("claimed", kind))
    expect(verify(made), n, "events[0]")


@pytest.mark.parametrize("name", ["chess/threefold-claimed", "chess/fifty-moves-claimed"])
def test_a_claim_one_move_too_early(name: str) -> None:
    n = len(log(name)) - 1
    claim = {"type": "draw_claimed", "seat": to_move(name, n)}
    made = ended_at(name, n, to_move(name, n), claim, *drawn("claimed", ENDINGS[name][1]))
    expect(verify(made), n, "events[0]")


@pytest.mark.parametrize("name", ["chess/threefold-claimed", "chess/fifty-moves-claimed"])
def test_a_claim_of_who_is_not_to_move(name: str) -> None:
    n = len(log(name))
    other = 1 - to_move(name, n)
    claim = {"type": "draw_claimed", "seat": other}
    made = ended_at(name, n, other, claim, *drawn("claimed", ENDINGS[name][1]))
    expect(verify(made), n, "events[0]")


@pytest.mark.parametrize(
    ("move", "field"),
    [("", "events[0]"), ("g7g6", "events[0]"), ("f6g9", "events[0].move"), ("g1f3", "events[0].move")],
)
def test_a_claim_with_another_move_than_was_announced(move: str, field: str) -> None:
    made, n, _ = edited("chess/threefold-announced", "draw_claimed", 0, lambda event: event.update(move=move))
    expect(verify(made), n, field)


def test_a_claim_in_the_opponents_name() -> None:
    made, n, path = edited(
        "chess/threefold-claimed", "draw_claimed", 0, lambda event: event.update(seat=1 - event["seat"])
    )
    expect(verify(made), n, f"{path}.seat")


@pytest.mark.parametrize("game", ["chess", "draughts", "abalone", "reversi", "gomoku", "gomoku3d"])
class TestOffers:
    """In the log ``agreed`` an offer is declined, one lapses, one is accepted."""

    def test_before_each_side_has_moved(self, game: str) -> None:
        name = f"{game}/agreed"
        for nth in (0, 1):
            n, _ = where(log(name), "move_played", nth)
            expect(verify(done_at(name, n, 0, offered(0))), n, "events[0]")

    @pytest.mark.parametrize("nth", [0, 1, 2])
    def test_in_the_opponents_name(self, game: str, nth: int) -> None:
        made, n, path = edited(
            f"{game}/agreed", "draw_offered", nth, lambda event: event.update(seat=1 - event["seat"])
        )
        expect(verify(made), n, f"{path}.seat")

    def test_again_before_ones_next_move(self, game: str) -> None:
        """Declined, and offered again at once."""
        name = f"{game}/agreed"
        n, _ = where(log(name), "draw_declined")
        seat = msgspec.json.decode(log(name)[n - 2])["events"][0]["seat"]
        expect(verify(done_at(name, n + 1, seat, offered(seat))), n + 1, "events[0]")

    def test_while_one_is_on_offer(self, game: str) -> None:
        name = f"{game}/agreed"
        n, _ = where(log(name), "draw_offered", 2)
        seat = msgspec.json.decode(log(name)[n - 1])["events"][0]["seat"]
        expect(verify(done_at(name, n + 1, 1 - seat, offered(1 - seat))), n + 1, "events[0]")

    def test_that_has_lapsed_is_accepted(self, game: str) -> None:
        name = f"{game}/agreed"
        n, _ = where(log(name), "draw_offered", 2)
        for seat in (0, 1):
            made = ended_at(name, n, seat, {"type": "draw_agreed", "seat": seat}, *LOST)
            expect(verify(made), n, "events[0]")

    def test_that_is_ones_own_is_accepted_or_declined(self, game: str) -> None:
        name = f"{game}/agreed"
        n, _ = where(log(name), "draw_agreed")
        seat = msgspec.json.decode(log(name)[n - 2])["events"][0]["seat"]
        made = ended_at(name, n, seat, {"type": "draw_agreed", "seat": seat}, *LOST)
        expect(verify(made), n, "events[0]")
        expect(verify(done_at(name, n, seat, {"type": "draw_declined", "seat": seat})), n, "events[0]")

    def test_that_nobody_made_is_declined_or_accepted(self, game: str) -> None:
        name = f"{game}/resigned"
        n = len(log(name))
        expect(verify(done_at(name, n, 0, {"type": "draw_declined", "seat": 0})), n, "events[0]")
        made = ended_at(name, n, 0, {"type": "draw_agreed", "seat": 0}, *LOST)
        expect(verify(made), n, "events[0]")

    def test_accepted_it_is_no_win(self, game: str) -> None:
        name = f"{game}/agreed"
        made, n, path = edited(name, "game_ended", 0, lambda event: event.update(winner=0, points=1))
        expect(verify(made), n, f"{path}.winner")

    def test_a_resignation_in_the_opponents_name(self, game: str) -> None:
        made, n, path = edited(
            f"{game}/resigned", "resigned", 0, lambda event: event.update(seat=1 - event["seat"])
        )
        expect(verify(made), n, f"{path}.seat")

    def test_a_flag_that_fell_for_the_other(self, game: str) -> None:
        made, n, path = edited(
            f"{game}/flag", "flag_fell", 0, lambda event: event.update(seat=1 - event["seat"])
        )
        expect(verify(made), n, f"{path}.seat")

    def test_a_flag_that_fell_at_another_time(self, game: str) -> None:
        made, n, path = edited(
            f"{game}/flag",
            "flag_fell",
            0,
            lambda event: event.update(deadline_ms=event["deadline_ms"] - 1),
        )
        expect(verify(made), n, f"{path}.deadline_ms")


def replaced(field: int, value: str, position: str) -> str:
    """A position with one of its fields changed."""
    fields = position.split(" ")
    assert fields[field] != value
    return " ".join((*fields[:field], value, *fields[field + 1 :]))


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("chess/seventy-five-moves", 4, "149"),
        ("chess/fifty-moves-claimed", 4, "98"),
        ("chess/checkmate", 5, "99"),
        ("chess/checkmate", 2, "KQkq"),
        ("chess/fivefold", 3, "e3"),
        ("abalone/no-ejection", 4, "199"),
        ("abalone/six-marbles", 1, "5"),
        ("draughts/fifteen-moves", 0, "W:WKa1:BKh8"),
        ("reversi/draw", 1, "-"),
        ("gomoku/five", 1, "?"),
        ("gomoku3d/four", 1, "?"),
    ],
)
def test_an_edited_count_or_right_of_a_position(name: str, field: int, value: str) -> None:
    played = sum(b'"move_played"' in line for line in log(name))
    made, n, path = edited(
        name,
        "move_played",
        played - 1,
        lambda event: event.update(position=replaced(field, value, event["position"])),
    )
    expect(verify(made), n, f"{path}.position")


@pytest.mark.parametrize("game", ["chess", "draughts", "abalone", "reversi", "gomoku", "gomoku3d"])
def test_another_legal_move_in_place_of_the_played_one(game: str) -> None:
    name, nth = f"{game}/agreed", 5
    lines = log(name)
    n, place = where(lines, "move_played", nth)
    state = fold(lines[: n - 1])
    assert state is not None
    move = msgspec.json.decode(lines[n - 1])["events"][place]["move"]
    seat = to_move(name, n)
    other = next(text for text in state.rules.legal(state.position, seat) if text != move)
    made, n, path = edited(name, "move_played", nth, lambda event: event.update(move=other))
    expect(verify(made), n, f"{path}.position")
    position = state.rules.position(state.rules.play(state.position, seat, other))
    made, n, _ = edited(name, "move_played", nth, lambda event: event.update(move=other, position=position))
    report = verify(made)
    assert report.difference is not None
    assert report.difference.n > n, "that move could have been played; what followed it could not"


@pytest.mark.parametrize(
    ("name", "options", "field"),
    [
        ("chess/flag-fide-drawn", {}, "winner"),
        ("chess/flag-bare-king-wins", {"flag_fall": "fide"}, "winner"),
    ],
)
def test_another_meaning_of_a_fallen_flag(name: str, options: dict[str, str], field: str) -> None:
    made = rewritten(log(name), 1, lambda commit: commit["events"][0].update(options=options))
    expect(verify(made), len(made), f"events[1].{field}")


def test_another_start_or_opening() -> None:
    for name, options in (
        ("abalone/six-marbles-daisy", {}),
        ("gomoku/pro", {}),
        ("gomoku/swap2-extended-circles", {"variant": "swap"}),
        ("gomoku/swap-circles", {}),
        ("gomoku/five", {"size": 19}),
    ):
        made = rewritten(log(name), 1, lambda commit, o=options: commit["events"][0].update(options=o))
        report = verify(made)
        assert report.difference is not None
        assert report.difference.n in (4, 5, 6, 7)


@pytest.mark.rule("B13")
@pytest.mark.parametrize("name", ANNULLED)
def test_an_annulled_game_cannot_be_told_as_a_loss(name: str) -> None:
    lines = log(name)
    n, place = where(lines, "match_cancelled")
    end: Event = LOST[0] | {"winner": 1, "kind": "forfeit", "cause": "left", "points": 1, "score": [0, 1]}
    made = rewritten(lines, n, lambda commit: commit["events"].__setitem__(place, end))
    expect(verify(made), n, f"events[{place}]")


@pytest.mark.rule("B13")
@pytest.mark.parametrize("name", ["chess/absent", "chess/left"])
def test_a_loss_cannot_be_told_as_annulled(name: str) -> None:
    lines = log(name)
    n, place = where(lines, "game_ended")
    cancelled = {"type": "match_cancelled", "cause": "annulled"}

    def forge(commit: Commit) -> None:
        commit["events"][place : place + 2] = [cancelled]

    expect(verify(rewritten(lines, n, forge)), n, f"events[{place}]")


def test_a_forced_pass_that_is_left_out_and_one_that_was_not_forced() -> None:
    lines = log("reversi/full-board")
    n, place = where(lines, "turn_passed")
    made = rewritten(lines, n, lambda commit: commit["events"].pop(place))
    expect(verify(made), n, f"events[{place}]")
    n, place = where(lines, "move_played", 0)
    passed = {"type": "turn_passed", "seat": 1}
    made = rewritten(lines, n, lambda commit: commit["events"].insert(place + 1, passed))
    expect(verify(made), n, f"events[{place + 1}]")


def test_six_in_a_row_are_no_win_and_another_choice_of_sides_changes_who_moves() -> None:
    lines = log("gomoku/overline")
    n = next(n for n, line in enumerate(lines, 1) if b'"move":"k8"' in line)
    won = drawn("played", "five in a row")
    won[0] |= {"winner": 0, "points": 1, "score": [1, 0]}
    won[1] |= {"winner": 0, "score": [1, 0]}
    played = msgspec.json.decode(lines[n - 1])["events"][0]
    expect(verify(ended_at("gomoku/overline", n, 0, played, *won)), n, "events[1]")
    for name in ("swap-circles", "swap2-crosses", "swap2-extended-crosses"):
        lines = log(f"gomoku/{name}")
        other, chosen = ("crosses", "circles") if name == "swap-circles" else ("circles", "crosses")
        n = next(n for n, line in enumerate(lines, 1) if f'"move":"{chosen}"'.encode() in line)
        made = rewritten(lines, n, lambda commit, o=other: commit["events"][0].update(move=o))
        report = verify(made)
        assert report.difference is not None
        assert report.difference.n == n + 1


@pytest.mark.parametrize("game", ["chess", "draughts", "abalone", "reversi", "gomoku", "gomoku3d"])
@pytest.mark.parametrize(
    ("terms", "field"),
    [
        ({"target": 3}, "target"),
        ({"series": "mixed"}, "series"),
        ({"jacoby": True}, "jacoby"),
        ({"gammons": False}, "gammons"),
        ({"clock": {"kind": "credit", "budget_ms": 30_000, "bonus_ms": 1_000, "cap_ms": 30_000}}, "clock"),
    ],
)
def test_terms_that_no_table_of_the_game_could_have(game: str, terms: dict[str, Any], field: str) -> None:
    made = rewritten(log(f"{game}/agreed"), 1, lambda commit: commit["events"][0]["terms"].update(terms))
    expect(verify(made), 1, f"events[0].terms.{field}")
