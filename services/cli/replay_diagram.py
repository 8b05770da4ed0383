"""The match diagram (N12) in the terminal: the games in their order, how the match ended or what follows."""

from rich.console import Console
from rich.table import Table

from services.cli.replay_seat import called, marked
from shared.match import GameRecord, MatchState, Phase
from shared.match.ending import ending
from shared.match.following import Coming, to_come
from shared.rules.protocol import BETWEEN_TWO
from shared.series import title


def show_diagram(console: Console, state: MatchState) -> None:
    """Print it: one row for each finished game, and below them how the match stands."""
    played = ["played"] if state.created.games else []
    places = ["places"] if state.seats != BETWEEN_TWO else []
    heads = ("game", *played, "first", "cube", "winner", *places, "how", "points", "score")
    table = Table(*heads, box=None, pad_edge=False)
    for record in state.games:
        cells = _cells(record, state.seats)
        table.add_row(cells[0], *(title(record.rules) for _ in played), *cells[1:])
    console.print(table)
    console.print()
    for line in _standing(state):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _cells(record: GameRecord, seats: int) -> tuple[str, ...]:
    """A row; where more than two play it tells the places, by seat."""
    places = [] if seats == BETWEEN_TWO else [" ".join(map(str, record.places))]
    return (
        f"{record.game}{' (Crawford)' if record.crawford else ''}",
        _seat(record.first, seats),
        str(record.cube),
        _seat(record.winner, seats),
        *places,
        f"{record.kind}, {record.cause}",
        f"{record.points}{'' if record.counted else ' (not counted)'}",
        ":".join(map(str, record.score)),
    )


def _seat(seat: int | None, seats: int) -> str:
    return "" if seat is None else marked(seat, seats)


def _standing(state: MatchState) -> list[str]:
    """How the match ended, or that it has not: the game in hand and what follows."""
    if state.phase is Phase.OVER:
        names = [called(seat, state.seats) for seat in range(state.seats)]
        return [f"The match is over: {ending(state, names)}, {':'.join(map(str, state.score))}."]
    lines = ["The match is not over."]
    if state.phase is Phase.PLAYING:
        now = Coming(state.game, state.rules.name, state.first, state.crawford)
        lines.append(f"Game {now.game} is being played: {_told(now, state.seats)}.")
    for coming in to_come(state):
        when = ", the tie-break, if level" if coming.if_level else " follows"
        lines.append(f"Game {coming.game}{when}: {_told(coming, state.seats)}.")
    return lines


def _told(coming: Coming, seats: int) -> str:
    crawford = ", Crawford" if coming.crawford else ""
    first = "" if coming.first is None else f", {marked(coming.first, seats)} first"
    return f"{title(coming.rules)}{crawford}{first}"
