"""The plays that are listed, against a slow listing that tries every word in every place."""

from random import Random

import pytest

from shared.problems import Refused
from shared.rules.scrabble import RULES, State
from shared.rules.scrabble.board import SIZE, START, start_name
from shared.rules.scrabble.generator import plays
from shared.rules.scrabble.moves import is_play
from shared.rules.scrabble.own_words import OWN_WORDS
from shared.rules.scrabble.tiles import TILES, in_order, without
from shared.rules.scrabble.words import OWN, lexicon
from tests.support.playing import walk
from tests.support.scrabble import ENOUGH, at, board_of, found, greedy


def with_blanks(word: str, blanks: int) -> set[str]:
    found = {word}
    for _ in range(blanks):
        found |= {text[:at] + text[at].lower() + text[at + 1 :] for text in found for at in range(len(text))}
    return found


def naive(state: State, words: list[str]) -> set[str]:
    """Every word, with blanks in any places, from every square in both directions, written by hand."""
    found: set[str] = set()
    rack = state.racks[state.turn]
    for word in {text for each in words for text in with_blanks(each, rack.count("?"))}:
        for square in range(SIZE * SIZE):
            for across in (True, False):
                room = SIZE - (square % SIZE if across else square // SIZE)
                if len(word) > room:
                    continue
                step = 1 if across else SIZE
                there = [state.board[square + step * place] for place in range(len(word))]
                if any(t != "." and t.upper() != w.upper() for t, w in zip(there, word, strict=True)):
                    continue
                laid = [w if w.isupper() else "?" for t, w in zip(there, word, strict=True) if t == "."]
                if without(rack, laid) is None:
                    continue
                text = "".join("." if t != "." else w for t, w in zip(there, word, strict=True))
                try:
                    found.add(RULES.read(state, state.turn, f"{start_name(square, across=across)} {text}"))
                except Refused:
                    continue
    return found


def some_boards(seed: int) -> list[State]:
    random = Random(seed)
    states = [
        state
        for state in walk(RULES, RULES.setup(2, {}, 0), random, greedy)
        if not state.mixing and state.result is None
    ]
    return random.sample(states, min(2, len(states)))


@pytest.mark.parametrize("seed", range(3))
def test_the_list_of_plays_is_what_trying_everything_finds(seed: int) -> None:
    words = [word for word in _own_words() if len(word) < 6]
    for state in some_boards(seed):
        listed = [move for move in found(state, state.turn) if is_play(move)]
        short = [move for move in listed if len(move.partition(" ")[2]) < 6]
        assert len(listed) == len(set(listed))
        assert set(short) == naive(state, words)


@pytest.mark.parametrize("rack", ["KOS?", "??", "SE?"])
def test_blanks_stand_for_every_letter_that_makes_a_word(rack: str) -> None:
    state = at(rack, "A", board=board_of("8G KOLO", "H8 .KO"))
    words = [word for word in _own_words() if len(word) < 5]
    listed = [move for move in found(state, 0) if is_play(move)]
    assert len(listed) == len(set(listed))
    assert {move for move in listed if len(move.partition(" ")[2]) < 5} == naive(state, words)


def _own_words() -> list[str]:
    return [*OWN_WORDS.split()]


def test_on_the_empty_board_a_word_lies_in_as_many_ways_as_it_has_letters_twice() -> None:
    found = plays(lexicon("one", ["KOST"]), START, "KOST", ENOUGH)
    assert len(found.plays) == 2 * 4


def test_a_search_that_is_given_up_has_found_some_and_says_so() -> None:
    every = plays(OWN, START, in_order("KOLSE??"), ENOUGH)
    some = plays(OWN, START, in_order("KOLSE??"), 3_000)
    assert every.whole
    assert not some.whole
    assert 0 < len(some.plays) < len(every.plays)
    assert set(some.plays) <= set(every.plays)


def test_the_own_list_has_only_words_that_can_be_laid_each_once() -> None:
    words = _own_words()
    assert len(set(words)) == len(words) == OWN.count
    assert all(word in OWN for word in words)
    assert all(set(word) <= set(TILES) and 2 <= len(word) <= 15 for word in words)
    assert not any(word in OWN for word in ("", "K", "KOL", "KOLX", "kolo", "KOLOO", "QW"))
