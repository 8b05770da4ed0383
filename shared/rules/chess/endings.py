"""Draws by rule: those that come by themselves and those that are claimed (articles 5.2, 9.2, 9.3, 9.6)."""

from typing import Final

import chess

CLAIM_TIMES: Final = 3
END_TIMES: Final = 5
CLAIM_PLIES: Final = 100
"""50 moves of each side without a capture or a pawn move."""

END_PLIES: Final = 150
"""75 moves of each side."""


def key(board: chess.Board) -> str:
    """What makes two positions the same (9.2): placement, side, castling, an en passant capture if legal."""
    return board.epd(en_passant="legal")


def occurrences(board: chess.Board, earlier: tuple[str, ...]) -> int:
    """How often the position has stood, this time included."""
    return 1 + earlier.count(key(board))


def automatic(board: chess.Board, earlier: tuple[str, ...]) -> str | None:
    """The draw that ends the game here by itself, in a word; None if it goes on. ``board`` is no mate."""
    if board.is_stalemate():
        return "stalemate"
    if board.is_insufficient_material():
        return "dead position"
    if occurrences(board, earlier) >= END_TIMES:
        return "fivefold repetition"
    return "75 moves" if board.halfmove_clock >= END_PLIES else None


def claimable(board: chess.Board, earlier: tuple[str, ...], move: str) -> str | None:
    """The draw that the side to move may claim, in a word, once it has announced ``move`` ("": none).

    A claim that the position gives needs no move; one that is announced is judged as if it were played, and
    one that ends the game gives none: mate comes before all draws.
    """
    kind = _claim(board, earlier)
    if kind is not None or not move:
        return kind
    announced = chess.Move.from_uci(move)
    since = () if board.is_irreversible(announced) else (*earlier, key(board))
    board.push(announced)
    return _claim(board, since) if any(board.generate_legal_moves()) else None


def _claim(board: chess.Board, earlier: tuple[str, ...]) -> str | None:
    if occurrences(board, earlier) >= CLAIM_TIMES:
        return "threefold repetition"
    return "50 moves" if board.halfmove_clock >= CLAIM_PLIES else None
