"""The laws of Czech scrabble, one by one (boardgames §9)."""

from collections.abc import Iterable

import msgspec
import pytest

from shared.chance import Lot, Shuffle
from shared.problems import Refused
from shared.rules.protocol import Chance, Over, Players
from shared.rules.scrabble import RULES, State
from shared.rules.scrabble.board import PREMIUMS, START
from shared.rules.scrabble.moves import FAILED, UPHELD
from shared.rules.scrabble.tiles import ALPHABET, TILES, VALUES, worth
from shared.rules.scrabble.words import OWN
from tests.support.scrabble import at, board_of, tiles_of

KOLO = "8G KOLO"


def refused(state: State, text: str) -> str:
    with pytest.raises(Refused) as error:
        RULES.read(state, state.turn, text)
    return f"{error.value.problem.code}: {error.value.problem.detail}"


def after(state: State, texts: Iterable[str]) -> State:
    for text in texts:
        state = RULES.play(state, state.turn, RULES.read(state, state.turn, text))
        if isinstance(RULES.waiting(state), Chance):
            state = RULES.settle(state, tuple(range(len(state.bag))))
    return state


def ended(state: State) -> Over:
    waiting = RULES.waiting(state)
    assert isinstance(waiting, Over)
    return waiting


@pytest.mark.rule("B1")
def test_there_are_a_hundred_tiles_worth_205_in_39_letters_and_two_blanks() -> None:
    assert (len(TILES), worth(TILES), len(ALPHABET)) == (100, 205, 39)
    assert TILES.count("?") == 2
    assert {sign: TILES.count(sign) for sign in "OAVDCÁBŘČX"} == dict(
        zip("OAVDCÁBŘČX", (6, 5, 4, 3, 3, 2, 2, 2, 1, 1), strict=True)
    )
    assert not set("QW") & set(TILES)
    assert [VALUES[sign] for sign in "?ODCBŘFŇÓŤĎX"] == [0, 1, 1, 2, 3, 4, 5, 6, 7, 7, 8, 10]


def test_premium_squares_are_61_and_lie_in_symmetry() -> None:
    assert {sign: PREMIUMS.count(sign) for sign in "DTdt"} == {"D": 17, "T": 8, "d": 24, "t": 12}
    assert PREMIUMS[112] == "D"
    assert PREMIUMS[::-1] == PREMIUMS
    assert "".join(PREMIUMS[column::15] for column in range(15)) == PREMIUMS


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_bag_is_shuffled_and_everybody_takes_seven(seats: int) -> None:
    state = RULES.setup(seats, {}, seats - 1)
    assert RULES.waiting(state) == Chance(Shuffle(100))
    state = RULES.settle(state, tuple(reversed(range(100))))
    assert [len(rack) for rack in state.racks] == [7] * seats
    assert state.racks[0] == "ÝÝZZŽ??"
    assert len(state.bag) == 100 - 7 * seats
    assert RULES.waiting(state) == Players((seats - 1,), suggested=True)


def test_the_first_word_covers_the_centre_with_two_letters_or_more() -> None:
    state = at("KOLOAŽE", "PES")
    assert RULES.read(state, 0, "8G KOLO") == KOLO
    assert RULES.read(state, 0, "H6 KOLO") == "H6 KOLO"
    assert "centre" in refused(state, "8A KOLO")
    assert "two letters" in refused(state, "8H K")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1A PES", "touch none"),
        ("8F KOLO", "On G8 lies K"),
        ("8K SE", "write it whole"),
        ("8G ....X", "You have no X"),
        ("15M PEST", "does not fit"),
        ("8G ....", "lays no tile"),
        ("9G P.S", "no tile on H9"),
        ("8K PES", "KOLOPES"),
        ("J7 T.s", "small letter"),
        ("8G .OLO .", "unreadable_move"),
        ("KOLO", "unreadable_move"),
        ("16A PES", "unreadable_move"),
        ("8P PES", "unreadable_move"),
        ("8G ", "unreadable_move"),
        ("-Q", "unreadable_move"),
        ("-X", "do not have"),
        ("accept", "no play"),
        ("challenge", "no play"),
    ],
)
def test_what_cannot_be_laid_is_refused_with_a_reason(text: str, why: str) -> None:
    state = at("PESTEŽA", "OAA", board=board_of(KOLO))
    assert why in refused(state, text)


def test_every_new_word_must_be_on_the_list_and_an_invalid_play_costs_no_turn() -> None:
    state = at("PESNAŽE", "OKO", board=board_of(KOLO))
    told = refused(state, "7G PES")  # down: PK, EO, SL
    assert "PK, EO, SL" in told
    assert "PESEN" in refused(at("PESENAŽ", "OKO"), "8H PESEN")


def test_a_move_is_read_however_gcg_players_write_it() -> None:
    state = at("OBTAŽE?", "PES", board=board_of(KOLO))
    for text in ("J7 T.", " J7  T(O) ", "j7 TO", "J7: TO", "J7 T[o]"):
        assert RULES.read(state, 0, text) == "J7 T."
    assert RULES.read(state, 0, "J7 t.") == "J7 t."  # the blank
    assert RULES.read(at("TAŽE", "PES", board=board_of(KOLO)), 0, "j7 to") == "J7 T."
    assert RULES.read(at("PESNAŽE", "OKO", board=board_of(KOLO)), 0, "pass") == "-"
    assert RULES.read(state, 0, "exch ža?") == "-AŽ?"
    assert RULES.read(state, 0, "- bo") == "-BO"


def test_a_single_tile_has_one_text_whichever_way_it_is_written() -> None:
    # A below L: across NA, down LA, which is no word of the list; so where none is checked.
    state = at("TOAŽ", "PES", board=board_of(KOLO, "H9 N"), challenge=True)
    assert RULES.read(state, 0, "9H .A") == RULES.read(state, 0, "I8 .A") == "9H .A"


def test_a_blank_stands_for_a_letter_and_stays_worth_nothing() -> None:
    state = at("?OLOAŽE", "PES")
    played = after(state, ["8G kOLO"])
    assert played.board[7 * 15 + 6 : 7 * 15 + 10] == "kOLO"
    assert played.scores[0] == 2 * (0 + 1 + 1 + 1)
    assert "blank" in refused(at("?OLO", "PES"), "8G KOLO")
    assert RULES.read(at("??", "PES"), 0, "8G on") == "8G on"
    crossed = after(msgspec.structs.replace(played, racks=("AŽE", "OS")), ["G8 .OS"])
    assert crossed.scores[1] == 0 + 1 * 2 + 1  # O on a double letter, G9


def test_premiums_count_only_under_new_tiles_and_in_cross_words_too() -> None:
    first = after(at("KOLOAEE", "TENPES", challenge=True), [KOLO])
    assert first.scores == (2 * 4, 0)  # O on the centre, a double word
    second = after(first, ["9H NE"])  # E on a double letter, I9; the centre counts no more
    assert second.last is not None
    assert second.last.words == ("NE", "ON", "LE")
    assert second.last.points == (1 + 2) + (1 + 1) + (1 + 2)


def test_all_seven_tiles_earn_fifty_more() -> None:
    state = at("PLANETA", "PES")
    played = after(state, ["8B PLANETA"])
    # B C D(double letter: A) E F G H(double word)
    assert played.scores[0] == 2 * (7 + 1) + 50


def test_an_exchange_draws_before_the_old_tiles_return_and_needs_seven_in_the_bag() -> None:
    state = at("PESNAŽE", "OKOAAAA", bag="LLLVVVV")
    after_it = RULES.play(state, 0, "-PŽ")
    assert after_it.racks[0] == "AEELLNS"
    assert sorted(after_it.bag) == sorted("LVVVVPŽ")
    assert RULES.waiting(after_it) == Chance(Shuffle(7))
    assert after_it.turn == 1
    poor = at("PESNAŽE", "OKOAAAA", bag="LLLVVV")
    assert "bag holds 7" in refused(poor, "-P")
    assert not [move for move in RULES.legal(poor, 0) if move.startswith("-") and len(move) > 1]


def test_every_choice_of_tiles_can_be_exchanged_once() -> None:
    legal = RULES.legal(at("AAAAAŽ?", "PES"), 0)
    exchanges = [move for move in legal if move.startswith("-") and move != "-"]
    assert len(exchanges) == 6 * 2 * 2 - 1 == len(set(exchanges))


def test_an_exchange_is_written_for_others_as_a_number_only() -> None:
    state = at("PESNAŽE", "OKO")
    assert RULES.write(state, 0, "-PŽ", 0) == "-PŽ"
    assert RULES.write(state, 0, "-PŽ", 1) == RULES.write(state, 0, "-PŽ", None) == "-2"
    assert RULES.write(state, 0, "-", 1) == "-"
    assert RULES.write(state, 0, KOLO, None) == KOLO


def test_who_goes_out_gains_what_the_others_have_left() -> None:
    state = at("T", "EXŽ", "AÁ", board=board_of(KOLO), bag="", scores=(10, 40, 30))
    state = after(state, ["J7 T."])
    over = ended(state)
    assert over.result.kind == "out"
    assert state.corrections == (15 + 3, -15, -3)
    assert state.scores == (10 + 2 + 18, 25, 27)
    assert over.result.places == (1, 3, 2)


def test_two_rounds_without_a_play_end_the_game_exchanges_and_passes_alike() -> None:
    state = at("PESNAŽE", "OKOAAEX", scores=(9, 9))
    state = after(state, ["-", "-O", "-P"])
    assert not isinstance(RULES.waiting(state), Over)
    state = after(state, ["-"])
    over = ended(state)
    assert over.result.kind == "empty rounds"
    assert state.corrections == tuple(-worth(rack) for rack in state.racks)


def test_a_play_starts_the_count_of_empty_turns_anew() -> None:
    state = after(at("KOLOAŽE", "PESNAE", empty=3), [KOLO])
    assert state.empty == 0


def test_equal_scores_are_a_draw() -> None:
    over = ended(after(at("PES", "PES", empty=3), ["-"]))
    assert over.result.places == (1, 1)
    assert over.result.points == 0
    assert over.result.winner is None


def test_who_gives_up_among_several_is_last_and_the_others_are_placed_by_score() -> None:
    state = at("PES", "OKO", "LES", scores=(50, 20, 30))
    assert RULES.forfeit(state, 0, "resigned").places == (3, 2, 1)
    assert RULES.forfeit(at("PES", "OKO"), 1, "flag").places == (1, 2)


def test_of_several_players_one_may_give_up_and_the_others_play_on() -> None:
    state = at("PES", "OKO", "LESX", scores=(50, 20, 30), empty=3)
    state = RULES.depart(state, 0)
    assert (state.turn, RULES.plays(state, 0), RULES.plays(state, 1)) == (1, False, True)
    assert state.empty == 2  # his own turn does not count
    over = after(state, ["-", "-"])  # two rounds of the two who are left
    assert over.corrections == (0, -3, -13)
    assert ended(over).result.places == (3, 1, 1)
    alone = RULES.depart(state, 2)
    assert ended(alone).result.places == (3, 1, 2)
    assert ended(alone).result.kind == "forfeit"
    assert tiles_of(alone) == TILES


def test_giving_up_never_completes_the_empty_rounds_and_who_plays_on_has_a_turn() -> None:
    state = after(at("PES", "OKO", "LES", turn=2), ["-", "-", "-", "-"])  # by 2, 0, 1, 2
    state = RULES.depart(state, 0)
    assert (state.result, state.turn, state.empty) == (None, 1, 3)
    assert ended(after(state, ["-"])).result.kind == "empty rounds"
    late = RULES.depart(after(at("PES", "OKO", "LES"), ["-"] * 5), 2)  # both others have passed twice
    assert (late.result, late.turn) == (None, 0)
    assert ended(after(late, ["-"])).result.kind == "empty rounds"


def test_turns_before_a_play_that_is_withdrawn_count_without_who_gave_up_meanwhile() -> None:
    state = after(at("PES", "XOLO", "LES", challenge=True), ["-", "8G XOLO"])
    state = after(RULES.depart(state, 0), ["challenge"])
    assert (state.board, state.empty, state.turn) == (START, 1, 2)


def test_who_left_before_the_lot_is_neither_drawn_nor_dealt_tiles() -> None:
    state = RULES.settle(RULES.depart(RULES.setup(3, {}, None), 1), (1,))
    state = RULES.settle(state, tuple(range(100)))
    assert RULES.waiting(state) == Players((2,), suggested=True)
    assert [len(rack) for rack in state.racks] == [7, 0, 7]
    assert RULES.whole(state)
    assert not RULES.whole(msgspec.structs.replace(state, bag=state.bag[1:]))


def test_nobody_is_to_move_once_everything_is_shown() -> None:
    assert RULES.view(RULES.revealed(at("PES", "OKO")), 0)["turn"] is None


def test_a_play_of_one_who_gives_up_stands_and_can_no_more_be_challenged() -> None:
    state = after(at("XOLO", "PES", "LES", challenge=True), ["8G XOLO"])
    state = RULES.depart(state, 0)
    assert not {UPHELD, FAILED} & set(RULES.legal(state, 1))
    assert "XOLO" in state.board
    asked = RULES.depart(after(at("XOLO", "PES", "LES", challenge=True), ["8G XOLO"]), 1)
    assert after(asked, ["challenge"]).board == START


@pytest.mark.parametrize("seat", range(3))
def test_who_begins_is_drawn_by_lot(seat: int) -> None:
    state = RULES.setup(3, {}, None)
    assert RULES.waiting(state) == Chance(Lot(3))
    state = RULES.settle(state, (seat,))
    assert RULES.waiting(state) == Chance(Shuffle(100))
    assert RULES.waiting(RULES.settle(state, tuple(range(100)))) == Players((seat,), suggested=True)


class TestChallenge:
    """Under the option ``challenge``."""

    def played(self, text: str, rack: str = "KOLOXAE", bag: str | None = None) -> State:
        return after(at(rack, "PESNAŽE", bag=bag, challenge=True), [text])

    def test_any_word_is_accepted_and_its_player_draws_only_when_it_stands(self) -> None:
        state = self.played("8G XOLO")
        assert len(state.racks[0]) == 3
        assert state.scores[0] > 0
        stood = after(state, ["-"])
        assert len(stood.racks[0]) == 7

    def test_an_invalid_play_goes_back_with_its_points_and_the_turn_is_lost(self) -> None:
        state = after(self.played("8G XOLO"), ["challenge"])
        assert state.board == START
        assert (state.scores, state.racks[0], state.turn, state.empty) == ((0, 0), "AEKLOOX", 1, 1)
        assert state.last is not None
        assert state.last.words == ()

    def test_a_valid_play_stands_and_the_challenger_has_no_penalty(self) -> None:
        state = after(self.played("8G KOLO"), ["challenge"])
        assert (state.scores, state.turn, len(state.racks[0])) == ((8, 0), 1, 7)
        assert "no play" in refused(state, "challenge")

    def test_only_the_next_turn_may_challenge(self) -> None:
        state = after(self.played("8G XOLO"), ["-"])
        assert not {UPHELD, FAILED} & set(RULES.legal(state, 0))

    def test_a_play_that_goes_out_ends_the_game_only_when_it_stands(self) -> None:
        for text, word in (("8G KOLO", "KOLO"), ("8G EOLO", "EOLO")):
            state = self.played(text, word, bag="")
            assert RULES.legal(state, 1) == ("accept", FAILED if word in OWN else UPHELD)
            assert "accept it or challenge" in refused(state, "-")
            assert ended(after(state, ["accept"])).result.kind == "out"
            judged = after(state, ["challenge"])
            assert isinstance(RULES.waiting(judged), Over) == (word in OWN)

    def test_a_withdrawn_play_can_be_the_fourth_empty_turn(self) -> None:
        state = at("XOLO", "PES", empty=3, challenge=True)
        assert ended(after(state, ["8G XOLO", "challenge"])).result.kind == "empty rounds"

    def test_challenges_count_as_no_half_move(self) -> None:
        state = self.played("8G KOLO")
        assert [RULES.half_moves(state, verdict) for verdict in (UPHELD, FAILED)] == [0, 0]
        assert RULES.half_moves(state, "-") == 1

    @pytest.mark.parametrize(("text", "verdict"), [("8G XOLO", UPHELD), ("8G KOLO", FAILED)])
    def test_whichever_verdict_is_written_the_list_says_which_is_recorded(
        self, text: str, verdict: str
    ) -> None:
        state = self.played(text)
        for written in ("challenge", " Challenge ", UPHELD, FAILED, "challenge  FAILED"):
            assert RULES.read(state, 1, written) == verdict
        assert {RULES.write(state, 1, verdict, viewer) for viewer in (None, 0, 1)} == {verdict}

    @pytest.mark.parametrize("verdict", [UPHELD, FAILED])
    def test_without_its_list_a_match_follows_the_verdict_and_goes_on_but_for_new_words(
        self, verdict: str
    ) -> None:
        strange = "hunspell-cs-0123456789abcdef"
        state = msgspec.structs.replace(self.played("8G XOLO"), dictionary=strange)
        assert (RULES.play(state, 1, verdict).board == START) == (verdict == UPHELD)
        assert f"unknown_dictionary: The list of words {strange}" in refused(state, "challenge")
        assert refused(state, verdict) == refused(state, "challenge")
        legal = RULES.legal(state, 1)
        assert "-" in legal
        assert not {UPHELD, FAILED} & set(legal)
        for text in ("-", "-P", "8D PES...."):
            assert RULES.play(state, 1, RULES.read(state, 1, text)).turn == 0
        out = msgspec.structs.replace(self.played("8G XOLO", "XOLO", bag=""), dictionary=strange)
        assert RULES.legal(out, 1) == ("accept",)
        assert ended(after(out, ["accept"])).result.kind == "out"


def test_after_the_end_racks_and_bag_are_shown_to_all() -> None:
    state = at("PES", "OKO", empty=3)
    assert RULES.view(state, None)["racks"] == [None, None]
    assert RULES.view(state, 0)["racks"] == ["EPS", None]
    over = after(state, ["-"])
    assert RULES.view(over, None)["racks"] == ["EPS", "KOO"]
    assert len(RULES.view(over, None)["left"]) == 94
    assert RULES.view(RULES.revealed(state), None)["racks"] == ["EPS", "KOO"]


def test_a_match_names_its_list_and_a_list_that_is_not_here_judges_no_word() -> None:
    assert RULES.options()["properties"]["dictionary"]["default"] == OWN.id
    strange = "hunspell-cs-0123456789abcdef"
    state = RULES.setup(2, {"dictionary": strange}, 0)
    state = msgspec.structs.replace(at("KOLO", "PES"), dictionary=state.dictionary)
    assert f"unknown_dictionary: The list of words {strange} is not installed" in refused(state, KOLO)
    assert [RULES.read(state, 0, text) for text in ("-", "-K")] == ["-", "-K"]
    assert RULES.missing(state, KOLO) == strange
    assert RULES.missing(state, "-K") is None
    assert RULES.believed(state, 0, KOLO) == KOLO
    for wrong in ({"dictionary": "all"}, {"dictionary": 1}, {"challenge": 1}, {"other": 1}):
        with pytest.raises(Refused, match="invalid_options"):
            RULES.setup(2, wrong, 0)


def test_the_position_is_the_public_half_of_a_cgp() -> None:
    state = at("PES", "OKO", board=board_of("8G kOLO"), scores=(8, 3), empty=1)
    assert RULES.position(state) == "/".join(["15"] * 7 + ["6kOLO5"] + ["15"] * 7) + " / 8/3 1"
    assert tiles_of(state) == TILES
