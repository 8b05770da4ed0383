"""``kronika replay``: a match board by board in the terminal, from the server or from an exported file."""

import os
import sys
import termios
import time
import tty
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.text import Text

from services.cli import replay_board, replay_cards, replay_fleets, replay_tiles
from services.cli.client_log import NoLog, load
from services.cli.client_rest import server_url
from services.cli.replay_diagram import show_diagram
from services.cli.replay_live import follow
from services.cli.replay_seat import CHECKERS, beside
from shared.events.codec import UnreadableLog
from shared.fold import step
from shared.match import MatchState, MatchView, view
from shared.series import title

_QUIET: Final = frozenset({"match_created", "seat_ready", "string_revealed", "auto_roll_set", "next_pressed"})
_KEYS: Final = "space: on   b: back   g: next game   e: to the end   q: quit"
_BACK: Final = frozenset({"b", "\x7f", "\x1b[D", "\x1b[A", "p"})
_QUIT: Final = frozenset({"q", "\x03", "\x04", "\x1b", ""})
_DRAWINGS: Final = (replay_board, replay_cards, replay_fleets, replay_tiles)  # by the shape of the board
_LONGEST_KEY: Final = 8  # an arrow key sends three bytes at once


def command(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="A match's id, or an exported .ndjson file.")],
    *,
    all_at_once: Annotated[
        bool, typer.Option("--all", help="Every board, without waiting for keys.")
    ] = False,
    delay: Annotated[float, typer.Option(min=0, help="Seconds between the boards (with --all).")] = 0.0,
    game: Annotated[int, typer.Option(min=1, help="Begin with this game.")] = 1,
    live: Annotated[
        bool, typer.Option("--live", help="Watch it while it is played, from now to its end.")
    ] = False,
    url: Annotated[str, typer.Option(help="The server; by default the one that runs here.")] = "",
    data: Annotated[Path, typer.Option(envvar="KRONIKA_DATA", help="The server's directory.")] = Path(
        ".kronika"
    ),
) -> None:
    """Show a match board by board: by key in a terminal, all of it where the output is piped."""
    console = Console()
    try:
        if live:
            follow(match, server_url(url, data), lambda shown: _show_now(console, shown))
            return
        stored = load(match, url, data)
        if all_at_once or delay or not (console.is_terminal and sys.stdin.isatty()):
            _show_all(console, stored, game, delay)
        else:
            _show_by_key(console, stored, game)
    except (NoLog, UnreadableLog) as error:
        Console(stderr=True).print(str(error), markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(1) from error
    except (BrokenPipeError, KeyboardInterrupt):
        raise typer.Exit from None  # the reader of our pipe, or the user, has seen enough


def boards(stored: list[bytes], game: int) -> Iterator[tuple[MatchState, MatchView]]:
    """The states that are worth a board, from ``game`` on; the chain is checked on the way."""
    state: MatchState | None = None
    for line in stored:
        state = step(state, line)
        shown = view(state, None, opened=True)  # whoever has the log has all that is in it
        if state.game >= game and not _QUIET.issuperset(shown.last.events):
            yield state, shown


def page(shown: MatchView) -> str:
    """One board with everything around it, as plain text."""
    score = ":".join(map(str, shown.score))
    head = f"{shown.match}   {_what(shown)}   {score}   commit {shown.n}"
    draw = next((one.draw for one in _DRAWINGS if one.is_drawable(shown.board)), _undrawn)
    drawn = draw(shown)
    return f"{head}\n\n{drawn}\n\n  {shown.last.words}\n"


def _what(shown: MatchView) -> str:
    """What is played: the game, its mode where it is not the usual one, and its place in the match."""
    mode = (shown.board or {}).get("mode")
    game = title(shown.rules) + (f" ({mode})" if mode else "")
    if shown.series is not None:
        last = len(shown.series.games)
        place = f"game {shown.game} of {last}" if shown.game <= last else f"game {shown.game}, tie-break"
        return f"{title(shown.series.name)}, {place}: {game}"
    to = {None: "single game", 0: "open session"}.get(shown.target, f"to {shown.target} points")
    return f"{game}, {to}   game {shown.game}"


def _undrawn(shown: MatchView) -> str:
    """A position that has no drawing here, or none yet, with what stands beside the seats."""
    lines = ["" if shown.board is None else shown.position or str(shown.board)]
    lines += [f"seat {seat}   {beside(shown, seat)}" for seat in range(len(shown.seats))]
    return "\n".join(f"  {line}".rstrip() for line in lines)


def _painted(text: str) -> Text:
    painted = Text(text)
    painted.highlight_regex(CHECKERS[0], "bold cyan")
    painted.highlight_regex(CHECKERS[1], "bold yellow")
    painted.highlight_regex(r"\[\d+\]|Crawford|▶", "bold magenta")
    return painted


def _show_all(console: Console, stored: list[bytes], game: int, delay: float) -> None:
    last: MatchState | None = None
    for state, shown in boards(stored, game):
        console.print(_painted(page(shown)), soft_wrap=True)
        last = state
        if delay:
            time.sleep(delay)
    if last is None:
        raise _no_game(game)
    show_diagram(console, last)


def _no_game(game: int) -> NoLog:
    return NoLog(f"there is no game {game} in this match")


def _show_now(console: Console, shown: MatchView) -> None:
    if console.is_terminal:
        console.clear()
    console.print(_painted(page(shown)), soft_wrap=True)


def _show_by_key(console: Console, stored: list[bytes], game: int) -> None:
    shown = list(boards(stored, game))
    if not shown:
        raise _no_game(game)
    at: int | None = 0
    with _keys() as key:
        while at is not None and at < len(shown):
            console.clear()
            console.print(_painted(page(shown[at][1])))
            console.print(f"[dim]{at + 1} of {len(shown)}   {_KEYS}[/dim]", highlight=False)
            at = _next(shown, at, key())
        if at is not None:
            console.clear()
            show_diagram(console, shown[-1][0])


def _next(shown: list[tuple[MatchState, MatchView]], at: int, key: str) -> int | None:
    """Where ``key`` leads from board ``at``; None to quit, beyond the last board to the diagram."""
    if key in _QUIT:
        return None
    if key in _BACK:
        return max(at - 1, 0)
    last = len(shown) - 1
    if key == "e" and at < last:
        return last
    if key == "g" and at < last:
        number = shown[at][1].game
        return next((i for i in range(at, len(shown)) if shown[i][1].game > number), last)
    return at + 1


@contextmanager
def _keys() -> Generator[Callable[[], str]]:
    """Single keys from the terminal, unechoed, none lost; its settings are put back at the end."""
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal, termios.TCSADRAIN)
    try:
        yield lambda: os.read(terminal, _LONGEST_KEY).decode(errors="replace")
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
