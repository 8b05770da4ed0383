"""Which seats are ours, what is asked of them, and the answers that need no thought. Pure."""

from typing import Final

import msgspec

from shared.commands import AcceptResignation, Next, Play, PlayerCommand, Ready, Roll
from shared.events.match import MatchCreated
from shared.match import MatchState, Phase, demands
from shared.match.timing import plays_itself
from shared.problems import Problem

_PLAIN: Final[tuple[tuple[str, PlayerCommand], ...]] = (
    ("ready", Ready()),  # without luck of its own: the computer trusts the others
    ("roll", Roll()),  # also where it might double
    ("accept_resignation", AcceptResignation()),
    ("next", Next()),
)

_SUPERSEDED: Final = frozenset({"stale", "id_reused", "match_over"})
_EARLY: Final = frozenset({"expected_ahead", "unknown_match"})


def concerns(created: MatchCreated) -> bool:
    """Whether the match can ever ask anything of us; what it cannot is never folded.

    In a recorded match the importer plays every seat: it alone knows what was played.
    """
    terms = created.terms
    may_take_over = terms.absence == "ghost" or (terms.clock is not None and terms.flag == "kick")
    return created.chance != "recorded" and (may_take_over or any(seat.bot for seat in created.seats))


def seats_played(state: MatchState) -> tuple[int, ...]:
    """The seats that we play at this point: our computer's, and in a game those of absent or kicked players.

    Between games a person presses Next himself, or does not.
    """
    if state.phase is not Phase.PLAYING:
        return tuple(seat for seat, taken in enumerate(state.created.seats) if taken.bot)
    return tuple(seat for seat in range(state.seats) if plays_itself(state, seat))


class Turn(msgspec.Struct, frozen=True):
    """``seat`` (its player is ``player``) must answer with one of ``commands``; commit ``decision`` asked."""

    seat: int
    player: str
    decision: int
    commands: tuple[str, ...]


def turns(state: MatchState) -> tuple[Turn, ...]:
    """What our seats must answer now."""
    ours = seats_played(state)
    return tuple(
        Turn(
            demand.seat,
            state.created.seats[demand.seat].player,
            state.decisions[demand.seat],
            demand.commands,
        )
        for demand in demands(state)
        if demand.seat in ours
    )


def plain_answer(turn: Turn, legal: tuple[str, ...]) -> PlayerCommand | None:
    """The answer that needs no thought; None where the player must choose."""
    for name, command in _PLAIN:
        if name in turn.commands:
            return command
    return Play(legal[0]) if "play" in turn.commands and len(legal) == 1 else None


def command_id(match: str, turn: Turn) -> str:
    """The id of the answer to this decision: asked again, the same; so a retry repeats the same command."""
    return f"{match}.{turn.decision}.{turn.seat}"


def superseded(problem: Problem) -> bool:
    """Whether the decision was answered, or taken away by a commit that is still to reach us."""
    return problem.code in _SUPERSEDED


def worth_repeating(problem: Problem) -> bool:
    """Whether the same command can be accepted later: a fault of ours, or a reader behind the log."""
    return problem.retryable or problem.code in _EARLY
