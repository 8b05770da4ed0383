"""A recorded English game, scored anew by our board and the English values (boardgames §9)."""

import re
from pathlib import Path
from typing import Final

from shared.rules.scrabble.board import CENTRE, EMPTY, START, laid
from shared.rules.scrabble.moves import placement
from shared.rules.scrabble.scoring import score

GAME: Final = Path(__file__).parent.parent / "data" / "scrabble-english.gcg"
PLAY: Final = re.compile(r">(\w+): \S+ (\d+[A-O]|[A-O]\d+) (\S+) \+(\d+) (\d+)")
ENGLISH: Final = {
    letter: value
    for value, letters in {1: "AEILNORSTU", 2: "DG", 3: "BCMP", 4: "FHVWY", 5: "K", 8: "JX", 10: "QZ"}.items()
    for letter in letters
}


def test_every_play_of_a_recorded_game_scores_what_its_file_says() -> None:
    board, plays = START, 0
    for line in GAME.read_text(encoding="utf-8").splitlines():
        found = PLAY.fullmatch(line)
        if found is None:
            continue
        _, start, word, points, _ = found.groups()
        play = placement(f"{start} {word}")
        assert all(board[square] == EMPTY for square in play.tiles)
        scored = score(board, play.tiles, across=play.across, values=ENGLISH)
        assert (scored.points, scored.words[0][:1].isupper()) == (int(points), True), line
        board = laid(board, play.tiles)
        plays += 1
    assert plays == 22
    assert board[CENTRE] != EMPTY
