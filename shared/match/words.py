"""The last commit in words: one short sentence for each thing that happened, fit for every viewer."""

from collections.abc import Callable
from typing import Any, Final

from shared import series
from shared.events.match import (
    AutoFinishSet,
    AutoRollSet,
    BeaverAccepted,
    ChoiceExpired,
    DiceRolled,
    DoubleBeavered,
    DoubleOffered,
    DoublePassed,
    DoubleTaken,
    DrawAgreed,
    DrawClaimed,
    DrawDeclined,
    DrawOffered,
    ExtensionAccepted,
    ExtensionOffered,
    FlagFell,
    GameEnded,
    GameStarted,
    MatchCancelled,
    MatchCreated,
    MatchEnded,
    MatchEvent,
    MatchStarted,
    MovePlayed,
    NextExpired,
    NextPressed,
    ResignationAccepted,
    ResignationDeclined,
    ResignationOffered,
    Resigned,
    SeatAbsent,
    SeatGhosted,
    SeatKicked,
    SeatLeft,
    SeatOut,
    SeatReady,
    SeatReturned,
    StartExpired,
    StringRevealed,
    TimeAsked,
    TimeReturned,
    TurnPassed,
)

WORTH: Final = {1: "a single game", 2: "a gammon", 3: "a backgammon"}


def _dice(event: DiceRolled) -> str:
    thrown = "-".join(map(str, event.dice))
    return f"The opening roll is {thrown}." if event.seat is None else f"Seat {event.seat} rolled {thrown}."


def _game_ended(event: GameEnded) -> str:
    if event.winner is None:
        why = "" if event.kind == "draw" else f": {event.kind}"
        return f"Game {event.game} is a draw{why}."
    points = "1 point" if event.points == 1 else f"{event.points} points"
    points += "" if event.counted else ", not counted"
    how = "" if event.cause == "played" else f" ({event.cause})"
    return f"Seat {event.winner} wins game {event.game}: {event.kind}{how}, {points}."


def _game_started(event: GameStarted) -> str:
    crawford = " (Crawford)" if event.crawford else ""
    return f"Game {event.game} begins{crawford}{f': {series.title(event.rules)}' if event.rules else ''}."


def _match_ended(event: MatchEnded) -> str:
    score = ":".join(map(str, event.score))
    return (
        "The match has no winner." if event.winner is None else f"Seat {event.winner} wins the match {score}."
    )


_WORDS: Final[dict[type, Callable[[Any], str]]] = {
    MatchCreated: lambda _: "The match is set up; the seats get ready.",
    SeatReady: lambda e: f"Seat {e.seat} is ready.",
    StringRevealed: lambda e: f"Seat {e.seat} revealed its string.",
    MatchStarted: lambda _: "The match begins.",
    GameStarted: _game_started,
    DiceRolled: _dice,
    TurnPassed: lambda e: f"Seat {e.seat} cannot move.",
    DoubleOffered: lambda e: f"Seat {e.seat} doubles to {e.value}.",
    DoubleTaken: lambda e: f"Seat {e.seat} takes at {e.value}.",
    DoublePassed: lambda e: f"Seat {e.seat} passes.",
    DoubleBeavered: lambda e: f"Seat {e.seat} beavers to {e.value}.",
    BeaverAccepted: lambda e: f"Seat {e.seat} plays on at {e.value}.",
    Resigned: lambda e: f"Seat {e.seat} resigns.",
    ResignationAccepted: lambda e: f"Seat {e.seat} accepts the resignation.",
    ResignationDeclined: lambda e: f"Seat {e.seat} declines the resignation.",
    DrawOffered: lambda e: f"Seat {e.seat} offers a draw.",
    DrawDeclined: lambda e: f"Seat {e.seat} declines the draw.",
    DrawAgreed: lambda e: f"Seat {e.seat} accepts the draw.",
    DrawClaimed: lambda e: f"Seat {e.seat} claims a draw{f' with {e.move}' if e.move else ''}.",
    AutoRollSet: lambda e: f"Seat {e.seat} switched auto-roll {'on' if e.on else 'off'}.",
    AutoFinishSet: lambda e: f"Seat {e.seat} lets the game be finished for it.",
    TimeAsked: lambda e: f"Seat {e.seat} takes {e.ms // 1000} s more.",
    TimeReturned: lambda e: f"{e.ms / 1000:.1f} s of an outage are given back.",
    ExtensionOffered: lambda e: f"Seat {e.seat} offers both more time.",
    ExtensionAccepted: lambda e: f"Both get {e.ms // 60_000} minutes more.",
    FlagFell: lambda e: f"The clock of seat {e.seat} stands at 0:00.",
    SeatKicked: lambda e: f"Seat {e.seat} is thrown out; the computer plays on.",
    SeatOut: lambda e: f"Seat {e.seat} is out of the game.",
    SeatAbsent: lambda e: f"The player of seat {e.seat} is away.",
    SeatGhosted: lambda e: f"A ghost plays seat {e.seat}.",
    SeatReturned: lambda e: f"The player of seat {e.seat} is back.",
    StartExpired: lambda _: "Not everybody was ready in time.",
    NextExpired: lambda _: "Next was not pressed in time.",
    ChoiceExpired: lambda _: "Not everybody chose in time.",
    GameEnded: _game_ended,
    NextPressed: lambda e: f"Seat {e.seat} is ready for the next game.",
    SeatLeft: lambda e: f"Seat {e.seat} left.",
    MatchEnded: _match_ended,
    MatchCancelled: lambda e: f"The match is cancelled ({e.cause}).",
}


def words(
    events: tuple[MatchEvent, ...],
    written: dict[int, str],
    *,
    drawn: Callable[[DiceRolled], str] | None = None,
    counted: Callable[[int], int],
) -> str:
    """``events`` as sentences; ``written`` says what the seats did with the moves among them, by their place.

    ``counted`` says what a resignation of some worth counts here, where gammons may not. ``drawn`` tells what
    was drawn where not everything is open to all, for a deal would tell everybody every hand; None: as dice.
    """
    said: list[str] = []
    for place, event in enumerate(events):
        if isinstance(event, MovePlayed):
            said.append(f"Seat {event.seat} {written.get(place, 'moved')}.")
        elif isinstance(event, DiceRolled) and drawn is not None:
            said.append(drawn(event))
        elif isinstance(event, ResignationOffered):
            worth = counted(event.worth)
            said.append(f"Seat {event.seat} offers to resign {WORTH.get(worth, f'at {worth}')}.")
        elif say := _WORDS.get(type(event)):
            said.append(say(event))
    return " ".join(filter(None, said))
