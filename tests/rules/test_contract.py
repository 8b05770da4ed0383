"""One contract for every game in the registry, and for a tiny one with secrets (``tests.support``)."""

import re
from collections.abc import Callable
from itertools import product
from random import Random
from typing import Any, Final, cast

import jsonschema
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.export import json, txt
from shared.export.formats import FORMATS
from shared.problems import Refused
from shared.rules import chess, draughts, registry
from shared.rules.nard.game import Nard
from shared.rules.protocol import (
    PASS,
    Chance,
    Departing,
    Over,
    Partitioned,
    Players,
    Punishing,
    Result,
    Rules,
    Traits,
)
from tests.support import battleship, hidden_hand, prsi, scrabble
from tests.support.playing import drawn, possible, some_states, walk

AnyRules = Rules[Any]
GAMES: Final[list[AnyRules]] = [*registry.RULES.values(), hidden_hand.RULES]
REHIDDEN: Final[dict[str, Callable[[Any, int | None, Random], Any]]] = {
    hidden_hand.RULES.name: hidden_hand.rehidden,
    "battleship": battleship.rehidden,
    "prsi": prsi.rehidden,
    "scrabble": scrabble.rehidden,
}
"""By game with secrets: a state that differs only in what a seat may not know."""
TRICKY: Final[dict[str, list[Any]]] = {
    "chess": [
        chess.State(first=0, ply=ply, fen=f"{board} {'wb'[ply]} {rest}")
        for ply in (0, 1)
        for board, rest in (
            ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R", "KQkq - 0 1"),  # castling
            ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N", "- - 0 1"),  # promotions
        )
    ],
    "draughts": [
        draughts.State(first=0, men=(0, 0b1000_1011_0000), kings=(1, 1 << 31)),
        draughts.State(first=0, men=(0, 0), kings=(1, 1 << 31)),
    ],
}
"""By game: states to move in that random games seldom come to."""
PAIRED: Final = {rules.name: "/" for rules in GAMES if isinstance(rules, Nard)}
"""By game: what stands between the places of a move, where it is not nothing."""

every_game = pytest.mark.parametrize("rules", GAMES, ids=[f"{r.name}.{r.version}" for r in GAMES])
seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
SOME_MOVES: Final = 4


def _encoded(value: object) -> bytes:
    return msgspec.json.encode(value, order="sorted")


def _seats(state_seats: int) -> range:
    return range(state_seats)


def _number_of_seats(rules: AnyRules, states: list[Any]) -> int:
    over = rules.waiting(states[-1])
    assert isinstance(over, Over)
    return len(over.result.places)


def _check_result(result: Result, seats: int) -> None:
    assert len(result.places) == seats
    assert min(result.places) == 1
    assert max(result.places) <= seats
    assert result.kind
    assert result.points >= 0
    assert (result.points == 0) == (result.winner is None and set(result.places) == {1}) or seats > 2


def test_every_game_has_a_title_of_its_own() -> None:
    titles = {rules.name: rules.title for rules in GAMES}
    assert all(title[0].isupper() or title[0].isdigit() for title in titles.values())
    assert len(set(titles.values())) == len(titles)


@every_game
@few
@given(seed=seeds)
def test_a_game_waits_for_those_who_can_move_and_ends(rules: AnyRules, seed: int) -> None:
    states = some_states(rules, seed)
    seats = _number_of_seats(rules, states)
    for state in states:
        assert not isinstance(rules, Partitioned) or rules.whole(state)
        waiting = rules.waiting(state)
        movers = waiting.seats if isinstance(waiting, Players) else ()
        assert not isinstance(waiting, Players) or movers
        for seat in _seats(seats):
            legal = rules.legal(state, seat)
            assert bool(legal) == (seat in movers)
            assert len(set(legal)) == len(legal)
            assert not (isinstance(rules, Punishing) and rules.punishment in legal)
            assert PASS not in legal or (legal == (PASS,) and rules.traits.listed)
            assert set(legal) <= set(possible(rules, state, seat))
    last = rules.waiting(states[-1])
    assert isinstance(last, Over)
    _check_result(last.result, seats)


LEAVABLE: Final = [rules for rules in GAMES if isinstance(rules, Departing)]


@pytest.mark.parametrize("rules", LEAVABLE, ids=[rules.name for rules in LEAVABLE])
@pytest.mark.parametrize("seed", range(8))
def test_whoever_leaves_at_whatever_moment_the_game_waits_for_who_plays_and_ends(
    rules: AnyRules, seed: int
) -> None:
    """Before the lot, before the deal, while a shuffle is owed: what a recorded match can bring."""
    assert isinstance(rules, Departing)
    for options in some_options(rules):
        random = Random(f"{seed} {options}")
        seats = random.randint(3, rules.seats[1])
        states = list(walk(rules, rules.setup(seats, options, None), random))
        begin = random.choice([0, 1, 2, random.randrange(len(states))])
        left = random.randrange(seats)
        walked = list(walk(rules, rules.depart(states[min(begin, len(states) - 1)], left), random))
        for state in walked:
            waiting = rules.waiting(state)
            assert not isinstance(waiting, Players) or all(rules.plays(state, seat) for seat in waiting.seats)
            assert not isinstance(rules, Partitioned) or rules.whole(state)


@every_game
@few
@given(seed=seeds)
def test_a_legal_move_reads_back_as_itself_and_can_be_written_and_read(rules: AnyRules, seed: int) -> None:
    random = Random(seed)
    for state in some_states(rules, seed):
        waiting = rules.waiting(state)
        if not isinstance(waiting, Players):
            continue
        for seat in waiting.seats:
            legal = possible(rules, state, seat)
            for move in random.sample(legal, min(len(legal), SOME_MOVES)):
                assert rules.read(state, seat, move) == move
                written = rules.write(state, seat, move, seat)
                again = rules.read(state, seat, written)
                assert rules.play(state, seat, again) == rules.play(state, seat, move)
                assert rules.read(state, seat, again) == again


def places(rules: AnyRules, states: list[Any]) -> tuple[str, ...]:
    """The names of squares, cells or points that stand in the moves of a whole game; 0 and 1 for the rest."""
    movers = ((state, rules.waiting(state)) for state in states)
    texts = {
        text
        for state, waiting in movers
        if isinstance(waiting, Players)
        for seat in waiting.seats
        for text in possible(rules, state, seat)
    }
    found = {name for text in texts for name in re.findall(r"[0-9]*[a-z]?[0-9]+", text)}
    return tuple(sorted(found)) or ("0", "1")


SIGNS: Final = ("", "", "-", ":", "x", "/", " ", "*", "=")
ENDS: Final = ("", "", "", "q", "K", "*", "+", "(2)", "!")


def _near(random: Random, names: tuple[str, ...], legal: tuple[str, ...]) -> str:
    """A text that looks like a move: places of the game put together, or a legal move with a slip in it."""
    if not legal or random.random() < 0.5:
        path = random.choices(names, k=random.randint(1, 3))
        if random.random() < 0.3:
            path[-1] = path[0]
        return random.choice(SIGNS).join(path) + random.choice(ENDS)
    text = random.choice(legal)
    at = random.randrange(len(text))
    slips = (
        text[:at] + text[at + 1 :],
        text[:at] + random.choice("abcdefgh12345678-:x/qo ") + text[at + 1 :],
        text[:at] + text[at:].replace(random.choice(names), random.choice(names), 1),
        text.replace("-", ":"),
        text.replace(":", "-"),
        text.upper(),
        f"{text}{random.choice(SIGNS)}{random.choice(names)}",
        text + random.choice(ENDS),
    )
    return random.choice(slips)


def _check_read(rules: AnyRules, state: Any, seat: int, text: str) -> None:
    """``text`` is refused with a reason, or read as a legal move."""
    try:
        move = rules.read(state, seat, text)
    except Refused as refused:
        assert refused.problem.code in {"unreadable_move", "illegal_move"}  # noqa: PT017 - both outcomes are right
        assert refused.problem.detail  # noqa: PT017 - as above
        return
    legal = rules.legal(state, seat)
    assert rules.read(state, seat, move) == move, f"{text!r} is read as {move!r}, which is no canonical text"
    if move in legal:
        return
    waiting = rules.waiting(state)
    if isinstance(waiting, Players) and waiting.suggested:
        assert seat in waiting.seats  # any legal move is read here, of which `legal` lists some
        rules.play(state, seat, move)
        return
    if isinstance(rules, Punishing) and move == rules.punishment:
        rules.play(state, seat, move)
        return
    assert isinstance(rules, Nard), f"{text!r} is read as {move!r}, which is not among the legal moves"
    played = rules.play(
        state, seat, move
    )  # a legal play in the player's own order, or one that ends the game
    over = isinstance(rules.waiting(played), Over)
    assert over or played in {rules.play(state, seat, other) for other in legal}


@every_game
@few
@given(seed=seeds, text=st.text(max_size=30) | st.from_regex(r"[0-9a-z/* ()-]{0,20}", fullmatch=True))
def test_whatever_is_written_is_a_legal_move_or_refused_with_a_reason(
    rules: AnyRules, seed: int, text: str
) -> None:
    for state in some_states(rules, seed)[:40]:
        waiting = rules.waiting(state)
        for seat in waiting.seats if isinstance(waiting, Players) else (0,):
            _check_read(rules, state, seat, text)


@every_game
@pytest.mark.parametrize("seed", range(3))
def test_what_looks_like_a_move_is_a_legal_one_or_refused_with_a_reason(rules: AnyRules, seed: int) -> None:
    for number, options in enumerate(some_options(rules)):
        random = Random(f"{seed} {options}")
        states = some_states(rules, 100 * seed + number, options=options)
        names = places(rules, states)
        seats = _number_of_seats(rules, states)
        for state in random.sample(states, min(len(states), 40)):
            for seat in _seats(seats):
                for _ in range(5):
                    _check_read(rules, state, seat, _near(random, names, possible(rules, state, seat)))


@every_game
def test_every_pair_of_places_is_a_legal_move_or_refused_with_a_reason(rules: AnyRules) -> None:
    """From each place to each, itself included, at the start and late in a game."""
    states = some_states(rules, 1)
    names = places(rules, states)
    movers = [state for state in states if isinstance(rules.waiting(state), Players)]
    for state in (movers[0], movers[2 * len(movers) // 3], *TRICKY.get(rules.name, ())):
        waiting = rules.waiting(state)
        assert isinstance(waiting, Players)
        for one, other in product(names, repeat=2):
            _check_read(rules, state, waiting.seats[0], one + PAIRED.get(rules.name, "") + other)


@every_game
def test_a_game_names_only_forms_that_exist(rules: AnyRules) -> None:
    assert rules.traits.exports.keys() <= FORMATS.keys()


def test_a_form_has_a_word_of_its_own_for_each_game() -> None:
    words = [item for rules in registry.CURRENT.values() for item in rules.traits.exports.items()]
    assert len(words) == len(set(words)), "files of a form would be taken for those of another game"
    assert json.WRITERS.keys() == {word for form, word in words if form == json.NAME}
    assert txt.WRITERS.keys() == {word for form, word in words if form == txt.NAME}


@every_game
@few
@given(seed=seeds)
def test_rules_are_pure_and_states_are_plain_values(rules: AnyRules, seed: int) -> None:
    random = Random(seed)
    for state in some_states(rules, seed):
        before = _encoded(state)
        assert msgspec.json.decode(before, type=cast("type[object]", type(state))) == state
        hash(state)
        waiting = rules.waiting(state)
        assert rules.waiting(state) == waiting
        if isinstance(waiting, Chance):
            draw = drawn(waiting.draw, random)
            assert rules.settle(state, draw) == rules.settle(state, draw)
        if isinstance(waiting, Players):
            for seat in waiting.seats:
                assert rules.legal(state, seat) == rules.legal(state, seat)
                move = random.choice(possible(rules, state, seat))
                assert rules.play(state, seat, move) == rules.play(state, seat, move)
        assert rules.position(state) == rules.position(state)
        assert _encoded(state) == before


@every_game
@few
@given(seed=seeds)
def test_a_view_is_plain_data_for_every_seat_and_for_spectators(rules: AnyRules, seed: int) -> None:
    states = some_states(rules, seed)
    for state in states:
        for seat in (None, *_seats(_number_of_seats(rules, states))):
            view = rules.view(state, seat)
            assert msgspec.json.decode(_encoded(view)) == view
            assert _encoded(rules.view(state, seat)) == _encoded(view)


@every_game
@few
@given(seed=seeds)
def test_a_seat_cannot_tell_states_apart_that_differ_in_what_it_may_not_know(
    rules: AnyRules, seed: int
) -> None:
    """A game without an entry in ``REHIDDEN`` claims to hide nothing: then all must see the same."""
    random = Random(seed)
    states = some_states(rules, seed)
    rehidden = REHIDDEN.get(rules.name)
    for state in states:
        for seat in (None, *_seats(_number_of_seats(rules, states))):
            if rehidden is None:
                assert _encoded(rules.view(state, seat)) == _encoded(rules.view(state, None))
                continue
            other = rehidden(state, seat, random)
            assert _encoded(rules.view(other, seat)) == _encoded(rules.view(state, seat))
            assert rules.position(other) == rules.position(state)
            assert rules.waiting(other) == rules.waiting(state)
            if seat is not None:
                assert rules.legal(other, seat) == rules.legal(state, seat)


@every_game
@few
@given(seed=seeds)
def test_who_gives_up_is_never_first(rules: AnyRules, seed: int) -> None:
    states = some_states(rules, seed)
    seats = _number_of_seats(rules, states)
    for state in states[:-1]:
        for seat in _seats(seats):
            for cause in ("resigned", "left", "flag"):
                result = rules.forfeit(state, seat, cause)
                _check_result(result, seats)
                assert result.places[seat] != 1 or result.points == 0


@every_game
@few
@given(seed=seeds)
def test_auto_finish_plays_legal_moves_to_the_end(rules: AnyRules, seed: int) -> None:
    for state in some_states(rules, seed):
        waiting = rules.waiting(state)
        for seat in waiting.seats if isinstance(waiting, Players) else ():
            move = rules.finishing_move(state, seat)
            assert move is None or move in rules.legal(state, seat)
        if isinstance(waiting, Over):
            assert rules.finishing_move(state, 0) is None


@every_game
def test_options_are_a_schema_whose_defaults_are_playable(rules: AnyRules) -> None:
    schema = rules.options()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    defaults: dict[str, Any] = {}
    for name, option in schema["properties"].items():
        assert option["description"]
        defaults[name] = option["default"]
    jsonschema.validate(defaults, schema)
    low, high = rules.seats
    for seats in range(low, high + 1):
        assert rules.setup(seats, defaults, 0) == rules.setup(seats, {}, 0)


def some_options(rules: AnyRules) -> list[dict[str, Any]]:
    """No options, and every single one that the schema names with each of its values."""
    found: list[dict[str, Any]] = [{}]
    for name, option in rules.options()["properties"].items():
        values = option.get("enum") or ([True, False] if option["type"] == "boolean" else [option["default"]])
        found += [{name: value} for value in values]
    return found


@every_game
def test_a_game_is_never_offered_with_more_than_it_can_be(rules: AnyRules) -> None:
    for options in some_options(rules):
        offered, most = rules.offers(options), rules.traits
        assert offered.exports.items() <= most.exports.items()
        assert offered.pool == most.pool
        for trait in set(Traits.__struct_fields__) - {"exports", "pool"}:
            assert getattr(offered, trait) <= getattr(most, trait)
    with pytest.raises(Refused) as refused:
        rules.offers({"no_such_option": 1})
    assert refused.value.problem.code == "invalid_options"


@every_game
@few
@given(seed=seeds)
def test_a_game_can_be_played_to_its_end_with_every_option(rules: AnyRules, seed: int) -> None:
    for options in some_options(rules):
        states = some_states(rules, seed, options=options)
        last = rules.waiting(states[-1])
        assert isinstance(last, Over)
        _check_result(last.result, len(last.result.places))


@every_game
def test_impossible_options_and_seats_are_refused(rules: AnyRules) -> None:
    low, high = rules.seats
    for seats, options in ((low, {"no_such_option": 1}), (low - 1, {}), (high + 1, {})):
        with pytest.raises(Refused) as refused:
            rules.setup(seats, options, None)
        assert refused.value.problem.code == "invalid_options"


@every_game
def test_names_are_safe_in_a_log_and_in_an_address(rules: AnyRules) -> None:
    assert rules.name.isidentifier()
    assert rules.name == rules.name.lower()
    assert rules.version >= 1


def test_the_registry_finds_a_game_by_name_and_version() -> None:
    for (name, version), rules in registry.RULES.items():
        assert registry.rules(name, version) is rules
        assert registry.rules(name).version >= version
    for name, version in (("no_such_game", None), (hidden_hand.RULES.name, None), ("backgammon", 99)):
        with pytest.raises(Refused) as refused:
            registry.rules(name, version)
        assert refused.value.problem.code == "unknown_game"


def test_a_test_can_register_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    hidden_hand.register(monkeypatch)
    assert registry.rules(hidden_hand.RULES.name) is hidden_hand.RULES
