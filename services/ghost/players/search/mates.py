"""Mates in one and in two, found for certain where they can be forced."""

from typing import Final

import chess

MOST: Final = 2_000
"""So many replies are looked at (half a second), then it is left to the search; most positions need fifty."""


def mate_in_two(board: chess.Board) -> chess.Move | None:
    """The first move of a mate in one or, if there is none, in two; None if there is neither.

    Of several it is the first in the order of the alphabet. ``board`` is as it was when this returns.
    """
    moves = sorted(board.legal_moves, key=chess.Move.uci)
    found = _mates(board, moves)
    if found is not None:
        return found
    refuting: list[chess.Move] = []
    left = MOST
    # Checks leave few replies, so they are looked at first.
    for move in sorted(moves, key=lambda move: not board.gives_check(move)):
        board.push(move)
        forced, looked = _always_mates(board, refuting)
        board.pop()
        left -= looked
        if forced:
            return move
        if left < 0:
            return None
    return None


def _mates(board: chess.Board, moves: list[chess.Move]) -> chess.Move | None:
    """The first of ``moves`` that mates."""
    for move in moves:
        if board.gives_check(move):
            board.push(move)
            mate = not any(board.generate_legal_moves())
            board.pop()
            if mate:
                return move
    return None


def _always_mates(board: chess.Board, refuting: list[chess.Move]) -> tuple[bool, int]:
    """Whether every reply is mated at once, and how many were looked at.

    ``refuting`` are replies that have saved other positions, the newest first: they are tried first.
    """
    replies = list(board.legal_moves)
    if not replies:
        return False, 0  # stalemate; a mate would have been found before
    known = [reply for reply in refuting if reply in replies]
    for looked, reply in enumerate([*known, *(reply for reply in replies if reply not in known)], 1):
        board.push(reply)
        mated = _mates(board, list(board.legal_moves)) is not None
        board.pop()
        if not mated:
            if reply in refuting:
                refuting.remove(reply)
            refuting.insert(0, reply)
            del refuting[8:]
            return False, looked
    return True, len(replies)
