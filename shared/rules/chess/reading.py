"""Moves as people and programs write them: UCI (``e2e4``, ``e7e8q``) and SAN (``Nf3``, ``O-O``, ``d8=Q``)."""

import re
from typing import Final

import chess

from shared.problems import Refused

LONGEST: Final = 16

_UCI: Final = re.compile(r"([a-h][1-8])-?([a-h][1-8])([qrbnQRBN]?)")


def read(board: chess.Board, text: str) -> str:
    """The move in UCI.

    Castling may be written with noughts; check and mate marks, ``x`` and annotations need not be right.
    Raises ``Refused``: ``unreadable_move``, or ``illegal_move`` with the reason.
    """
    written = text.strip()
    if not written or len(written) > LONGEST:
        raise Refused("unreadable_move", "A move is written as e2e4 or Nf3.")
    # B1d2 is a bishop's move in SAN, b1d2 one in UCI; E2E4 can only be UCI.
    uci = _UCI.fullmatch(written) or (None if written[0] == "B" else _UCI.fullmatch(written.lower()))
    move = chess.Move.from_uci("".join(uci.groups()).lower()) if uci else _san(board, written)
    if not board.is_legal(move):
        raise Refused("illegal_move", _why_not(board, move))
    return move.uci()


def _san(board: chess.Board, written: str) -> chess.Move:
    plain = written.rstrip("+#!?").replace("0", "O")
    try:
        return board.parse_san(plain)
    except chess.AmbiguousMoveError as error:
        raise Refused("illegal_move", f"{written} can be several moves; say from where.") from error
    except chess.IllegalMoveError as error:
        raise Refused("illegal_move", f"{written} is not possible here.") from error
    except ValueError as error:
        raise Refused("unreadable_move", f"{written!r} is neither UCI nor SAN.") from error


def _why_not(board: chess.Board, move: chess.Move) -> str:
    piece = board.piece_at(move.from_square)
    source = chess.square_name(move.from_square)
    if piece is None:
        return f"There is no piece on {source}."
    if piece.color is not board.turn:
        return f"The piece on {source} is your opponent's."
    if move.promotion is None and board.is_legal(chess.Move(move.from_square, move.to_square, chess.QUEEN)):
        return "Say what the pawn becomes: q, r, b or n at the end."
    if board.is_pseudo_legal(move):
        return "That would leave the king in check."
    name, target = chess.piece_name(piece.piece_type), chess.square_name(move.to_square)
    return f"The {name} on {source} cannot go to {target}."
