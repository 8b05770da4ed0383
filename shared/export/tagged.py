"""Tag pairs and numbered moves: the file that PGN and PDN both are."""

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import Final

from shared.export.board import SITE, WIDTH, BoardGame, line, seconds

WON: Final = ("1-0", "0-1", "1/2-1/2", "*")
"""Who began has won, the other has, drawn, without a result."""

_TERMINATIONS: Final = {"flag": "time forfeit", "left": "abandoned", "absent": "abandoned"}


def written(game: BoardGame, more: Mapping[str, str], moves: Iterator[str]) -> bytes:
    """The file: the seven tags that everybody knows, what ends and times the game, ``more``, the moves."""
    white, black = game.by_players
    tags = {
        "Event": f"{game.rules.name.capitalize()} {game.match}",
        "Site": SITE,
        "Date": "????.??.??" if game.day is None else game.day.strftime("%Y.%m.%d"),
        "Round": "-",
        "White": white,
        "Black": black,
        "Result": game.result(*WON),
        **more,
        "TimeControl": _time_control(game),
        "Termination": _termination(game),
    }
    if game.day is not None:
        tags |= {"UTCDate": tags["Date"], "UTCTime": game.day.strftime("%H:%M:%S")}
    head = "".join(f'[{name} "{_quoted(value)}"]\n' for name, value in tags.items())
    text = " ".join([*_numbered(moves), *_comment(game), tags["Result"]])
    lines = wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join([head, *lines, ""]).encode()


def _quoted(value: str) -> str:
    return line(value).replace("\\", "\\\\").replace('"', '\\"') or "?"


def _numbered(moves: Iterator[str]) -> Iterator[str]:
    for ply, move in enumerate(moves):
        if ply % 2 == 0:
            yield f"{ply // 2 + 1}."
        yield move


def _comment(game: BoardGame) -> list[str]:
    """How the game ended, in braces and in the game's own words; nothing while it is played."""
    return [f"{{{game.how}}}"] if game.how else []


def _time_control(game: BoardGame) -> str:
    """As the PGN standard writes it: ``600`` for all moves, ``1/120`` for each single one, ``-`` untimed."""
    clock = seconds(game.created)
    if clock is None:
        return "?" if game.day is None else "-"  # of a recorded game nobody knows
    return f"1/{clock[0]}" if clock[1] else str(clock[0])


def _termination(game: BoardGame) -> str:
    if game.end is None:
        return "unterminated"
    return "abandoned" if game.ended is None else _TERMINATIONS.get(game.ended.cause, "normal")
