"""Moves as people and programs write them: UCI (``e2e4``, ``e7e8q``) and SAN (``Nf3``, ``O-O``, ``d8=Q``)."""

import re
from typing import Final

import chess

from shared.problems import Refused

LONGEST: Final = 16

_UCI: Final = re.compile(r"([a-h][1-8])-?([a-h][1-8])([qrbnQRBN]?)")


def read(board: chess.Board, text: str) -> str:
    """The move in UCI.

    Castling may be written with noughts, or as the king's move onto his own rook; check and mate marks, ``x``
    and annotations need not be right. Raises ``Refused``: ``unreadable_move``, or ``illegal_move`` with the
    reason.
    """
    written = text.strip()
    if not written or len(written) > LONGEST:
        raise Refused("unreadable_move", "A move is written as e2e4 or Nf3.")
    # B1d2 is a bishop's move in SAN, b1d2 one in UCI; E2E4 can only be UCI.
    uci = _UCI.fullmatch(written) or (None if written[0] == "B" else _UCI.fullmatch(written.lower()))
    move = _uci(board, uci[1], uci[2], uci[3].lower()) if uci else _san(board, written)
    return move.uci()


def _uci(board: chess.Board, source: str, target: str, promotion: str) -> chess.Move:
    if source == target:
        raise Refused("illegal_move", f"A move leads from {source} to another square.")
    text = source + target + promotion
    try:
        return board.parse_uci(text)
    except chess.IllegalMoveError as error:
        raise Refused("illegal_move", _why_not(board, chess.Move.from_uci(text))) from error


def _san(board: chess.Board, written: str) -> chess.Move:
    plain = written.rstrip("+#!?").replace("0", "O")
    try:
        move = board.parse_san(plain)
    except chess.AmbiguousMoveError as error:
        raise Refused("illegal_move", f"{written} can be several moves; say from where.") from error
    except chess.IllegalMoveError as error:
        raise Refused("illegal_move", f"{written} is not possible here.") from error
    except ValueError as error:
        raise Refused("unreadable_move", _neither(written)) from error
    if not move:  # some programs write a null move, which is none of the game's
        raise Refused("unreadable_move", _neither(written))
    return move


def _neither(written: str) -> str:
    return f"{written!r} is neither UCI nor SAN."


def _why_not(board: chess.Board, move: chess.Move) -> str:
    piece = board.piece_at(move.from_square)
    source = chess.square_name(move.from_square)
    if piece is None:
        return f"There is no piece on {source}."
    if piece.color is not board.turn:
        return f"The piece on {source} is your opponent's."
    if move.promotion is None and board.is_legal(chess.Move(move.from_square, move.to_square, chess.QUEEN)):
        return "Say what the pawn becomes: q, r, b or n at the end."
    if move.promotion is not None and board.is_legal(chess.Move(move.from_square, move.to_square)):
        return "Only a pawn that reaches the last row becomes another piece."
    if board.is_pseudo_legal(move):
        return "That would leave the king in check."
    name, target = chess.piece_name(piece.piece_type), chess.square_name(move.to_square)
    return f"The {name} on {source} cannot go to {target}."
