"""An engine that speaks UCI and plays the last legal move, or does what an engine must not do.

``python uci_engine.py FILE``: it writes what it is told into FILE; the file FILE.wish says what it does
wrong: ``die``, ``nonsense``, ``silence``, ``none`` or nothing. ``cp 50 -20`` are the scores that it tells,
for any move and for one among those that it is given.
"""

import sys
from pathlib import Path

import chess

LOG = Path(sys.argv[1])
WISH = LOG.with_suffix(".wish")
OPTIONS = (
    "Threads type spin default 4 min 1 max 8",
    "UCI_LimitStrength type check default false",
    "UCI_Elo type spin default 2000 min 1350 max 2850",
)


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def go(board: chess.Board, among: list[str]) -> None:
    """What ``go`` asks for: a move, ``among`` these if there are any."""
    wish = WISH.read_text() if WISH.exists() else ""
    if wish == "die":
        sys.exit(3)
    if wish == "silence":
        return
    legal = sorted(among or (move.uci() for move in board.legal_moves))
    word, *scores = wish.split() or [""]
    if word == "cp":
        say(f"info depth 1 score cp {scores[bool(among)]} nodes 1")
    say({"nonsense": "bestmove a1a1", "none": "bestmove (none)"}.get(wish, f"bestmove {legal[-1]}"))


def main() -> None:
    """Until ``quit`` or the end of what is said."""
    board = chess.Board()
    for line in sys.stdin:
        with LOG.open("a") as log:
            log.write(line)
        word, _, rest = line.strip().partition(" ")
        if word == "uci":
            say("\n".join(("id name last", *(f"option name {option}" for option in OPTIONS), "uciok")))
        elif word == "isready":
            say("readyok")
        elif word == "position":
            fen, _, moves = rest.removeprefix("fen ").partition(" moves ")
            board = chess.Board() if fen.startswith("startpos") else chess.Board(fen)
            for move in moves.split():
                board.push_uci(move)
        elif word == "go":
            go(board, rest.partition("searchmoves ")[2].split())
        elif word == "quit":
            return


if __name__ == "__main__":
    main()
