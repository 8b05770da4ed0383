"""A board of chess to search on, python-chess underneath as in the rules, and what a player knows of it.

Material and a table of squares for each kind of piece (after the well-known simplified evaluation by Tomasz
Michniewski), pawns that have passed, and how to drive a lone king to the rim.
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import Final

import chess

from services.ghost.players.search.alphabeta import WIN, Loud
from shared.rules.chess.endings import CLAIM_PLIES
from shared.rules.chess.game import State, board_of

VALUES: Final = (0, 100, 320, 330, 500, 900, 0)
"""By ``chess.PieceType``."""

_TABLES: Final = {
    chess.PAWN: (
        "  0   0   0   0   0   0   0   0  50  50  50  50  50  50  50  50  10  10  20  30  30  20  10  10"
        "  5   5  10  25  25  10   5   5   0   0   0  20  20   0   0   0   5  -5 -10   0   0 -10  -5   5"
        "  5  10  10 -20 -20  10  10   5   0   0   0   0   0   0   0   0"
    ),
    chess.KNIGHT: (
        "-50 -40 -30 -30 -30 -30 -40 -50 -40 -20   0   0   0   0 -20 -40 -30   0  10  15  15  10   0 -30"
        " -30  5  15  20  20  15   5 -30 -30   0  15  20  20  15   0 -30 -30   5  10  15  15  10   5 -30"
        " -40 -20  0   5   5   0 -20 -40 -50 -40 -30 -30 -30 -30 -40 -50"
    ),
    chess.BISHOP: (
        "-20 -10 -10 -10 -10 -10 -10 -20 -10   0   0   0   0   0   0 -10 -10   0   5  10  10   5   0 -10"
        " -10  5   5  10  10   5   5 -10 -10   0  10  10  10  10   0 -10 -10  10  10  10  10  10  10 -10"
        " -10  5   0   0   0   0   5 -10 -20 -10 -10 -10 -10 -10 -10 -20"
    ),
    chess.ROOK: (
        "  0   0   0   0   0   0   0   0   5  10  10  10  10  10  10   5  -5   0   0   0   0   0   0  -5"
        " -5   0   0   0   0   0   0  -5  -5   0   0   0   0   0   0  -5  -5   0   0   0   0   0   0  -5"
        " -5   0   0   0   0   0   0  -5   0   0   0   5   5   0   0   0"
    ),
    chess.QUEEN: (
        "-20 -10 -10  -5  -5 -10 -10 -20 -10   0   0   0   0   0   0 -10 -10   0   5   5   5   5   0 -10"
        " -5   0   5   5   5   5   0  -5   0   0   5   5   5   5   0  -5 -10   5   5   5   5   5   0 -10"
        " -10  0   5   0   0   0   0 -10 -20 -10 -10  -5  -5 -10 -10 -20"
    ),
    chess.KING: (
        "-30 -40 -40 -50 -50 -40 -40 -30 -30 -40 -40 -50 -50 -40 -40 -30 -30 -40 -40 -50 -50 -40 -40 -30"
        " -30 -40 -40 -50 -50 -40 -40 -30 -20 -30 -30 -40 -40 -30 -30 -20 -10 -20 -20 -20 -20 -20 -20 -10"
        " 20  20   0   0   0   0  20  20  20  30  10   0   0  10  30  20"
    ),
}
"""As one looks at the board with White below: a8 b8 … h1."""

_KING_LATE: Final = (
    "-50 -40 -30 -20 -20 -30 -40 -50 -30 -20 -10   0   0 -10 -20 -30 -30 -10  20  30  30  20 -10 -30"
    " -30 -10 30  40  40  30 -10 -30 -30 -10  30  40  40  30 -10 -30 -30 -10  20  30  30  20 -10 -30"
    " -30 -30  0   0   0   0 -30 -30 -50 -30 -30 -30 -30 -30 -30 -50"
)


def _squares(table: str, value: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """By colour (Black, White) and square what a piece is worth there."""
    seen = [value + int(number) for number in table.split()]
    return tuple(seen), tuple(seen[square ^ 56] for square in range(64))


_WORTH: Final = {kind: _squares(table, VALUES[kind]) for kind, table in _TABLES.items()}
_LATE: Final = _squares(_KING_LATE, 0)
_PASSED: Final = (0, 10, 15, 25, 45, 75, 120, 0)
"""What a pawn that no other can stop is worth more, by the rows it has come."""

_FEW: Final = 1_400  # pieces besides pawns of one side: from here on its opponent's king goes to the middle
_MOP: Final = 10  # for each step of a lone king towards the rim, and of the other king towards it
_FILES: Final = tuple(
    sum(chess.BB_FILES[near] for near in range(max(0, file - 1), min(8, file + 2))) for file in range(8)
)
_AHEAD: Final = tuple(
    tuple(
        _FILES[square % 8]
        & sum(chess.BB_RANKS[row] for row in (range(square // 8 + 1, 8) if white else range(square // 8)))
        for square in range(64)
    )
    for white in (False, True)
)
"""By colour and square, where the other's pawns would stop a pawn."""


class ChessBoard:
    """``Board``; moves are in UCI.

    A position that has stood before counts as drawn: twice in the game, or once since the search began.
    """

    def __init__(self, state: State) -> None:
        """Begin at ``state``."""
        self._board = board_of(state)
        self._stood: dict[Hashable, int] = {}
        for epd in state.earlier:
            stood = _key(chess.Board(f"{epd} 0 1"))
            self._stood[stood] = self._stood.get(stood, 0) + 1
        self._path: list[Hashable] = []

    def make(self, move: str) -> None:
        """See ``Board``."""
        key = _key(self._board)
        self._path.append(key)
        self._stood[key] = self._stood.get(key, 0) + 2
        self._board.push(chess.Move.from_uci(move))

    def unmake(self) -> None:
        """See ``Board``."""
        self._board.pop()
        self._stood[self._path.pop()] -= 2

    def ended(self) -> int | None:
        """Draws only; mate and stalemate are where there is no move."""
        board = self._board
        if board.halfmove_clock >= CLAIM_PLIES and any(board.generate_legal_moves()):
            return 0
        if self._stood.get(_key(board), 0) > 1 or board.is_insufficient_material():
            return 0
        return None

    def stuck(self) -> int:
        """Mate or stalemate."""
        return -WIN if self._board.is_check() else 0

    def moves(self) -> Sequence[str]:
        """All, captures of much by little first."""
        return self._texts(self._board.generate_legal_moves())

    def loud(self) -> Loud[str]:
        """In check everything; else captures that lose nothing at first sight, and new queens."""
        board = self._board
        if board.is_check():
            return Loud(self.moves(), forced=True)
        theirs = board.occupied_co[not board.turn]
        found = [move for move in board.generate_legal_captures() if self._gains(move)]
        last = chess.BB_RANK_7 if board.turn else chess.BB_RANK_2
        if board.pawns & board.occupied_co[board.turn] & last:
            steps = board.generate_legal_moves(board.pawns & last, ~theirs)
            found += [move for move in steps if move.promotion == chess.QUEEN and move not in found]
        return Loud(self._texts(found), forced=False)

    def judge(self) -> int:
        """Material, squares, passed pawns; against little force the king's way to the rim."""
        board = self._board
        white, black = _side(board, chess.WHITE), _side(board, chess.BLACK)
        found = white - black
        return found if board.turn else -found

    def key(self) -> Hashable:
        """See ``Board``."""
        return _key(self._board)

    def _gains(self, move: chess.Move) -> bool:
        board = self._board
        victim = VALUES[board.piece_type_at(move.to_square) or chess.PAWN]
        taker = VALUES[board.piece_type_at(move.from_square) or chess.PAWN]
        return victim >= taker or not board.is_attacked_by(not board.turn, move.to_square)

    def _texts(self, moves: Iterable[chess.Move]) -> list[str]:
        board, kind_at = self._board, self._board.piece_type_at
        turn, ranked = board.turn, list[tuple[int, str]]()
        for move in moves:
            kind = kind_at(move.from_square) or chess.PAWN
            victim = kind_at(move.to_square)
            worth = _WORTH[kind][turn]
            rank = worth[move.to_square] - worth[move.from_square]
            if victim:
                rank += 10 * VALUES[victim] - VALUES[kind] + 1_000
            if move.promotion:
                rank += VALUES[move.promotion]
            ranked.append((-rank, move.uci()))
        ranked.sort()
        return [text for _, text in ranked]


def _key(board: chess.Board) -> Hashable:
    """What the laws call the same position (9.2)."""
    return (
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
        board.occupied_co[chess.WHITE],
        board.turn,
        board.clean_castling_rights(),
        board.ep_square if board.ep_square is not None and board.has_legal_en_passant() else None,
    )


def _side(board: chess.Board, colour: chess.Color) -> int:
    """What one side has."""
    own, other = board.occupied_co[colour], board.occupied_co[not colour]
    pawns, their_pawns = board.pawns & own, board.pawns & other
    found = 0
    worth, ahead = _WORTH[chess.PAWN][colour], _AHEAD[colour]
    for square in chess.scan_forward(pawns):
        found += worth[square]
        if not ahead[square] & their_pawns:
            found += _PASSED[square // 8 if colour else 7 - square // 8]
    for kind, men in (
        (chess.KNIGHT, board.knights),
        (chess.BISHOP, board.bishops),
        (chess.ROOK, board.rooks),
        (chess.QUEEN, board.queens),
    ):
        worth = _WORTH[kind][colour]
        for square in chess.scan_forward(men & own):
            found += worth[square]
    king = (board.kings & own).bit_length() - 1
    if _force(board, other) > _FEW:
        return found + _WORTH[chess.KING][colour][king]
    found += _LATE[colour][king]
    if other == board.kings & other:
        hunted = other.bit_length() - 1
        middle = max(3 - hunted % 8, hunted % 8 - 4) + max(3 - hunted // 8, hunted // 8 - 4)
        found += _MOP * (middle + 14 - chess.square_manhattan_distance(king, hunted))
    return found


def _force(board: chess.Board, own: int) -> int:
    """What one side has besides pawns."""
    return (
        320 * ((board.knights | board.bishops) & own).bit_count()
        + VALUES[chess.ROOK] * (board.rooks & own).bit_count()
        + VALUES[chess.QUEEN] * (board.queens & own).bit_count()
    )
