"""Which seats are ours, what is asked of them, and the answers that need no thought. Pure."""

from collections.abc import Iterator
from typing import Final

import msgspec

from shared.commands import (
    AcceptBeaver,
    AcceptResignation,
    DeclineDraw,
    Next,
    Pass,
    Play,
    PlayerCommand,
    Ready,
    Roll,
    Take,
)
from shared.events.match import Level, MatchCreated
from shared.match import MatchState, Phase, demands
from shared.match.deciding import claimable
from shared.match.timing import plays_itself
from shared.problems import Problem
from shared.rules.alternating import Turns
from shared.rules.nard.game import Nard

_PLAIN: Final[tuple[tuple[str, PlayerCommand], ...]] = (
    ("ready", Ready()),  # without luck of its own: the computer trusts the others
    ("roll", Roll()),  # also where it might double
    ("accept_resignation", AcceptResignation()),
    ("next", Next()),
)

_PLAYS_ON: Final[tuple[tuple[str, PlayerCommand], ...]] = (
    *_PLAIN,
    ("decline_draw", DeclineDraw()),
    ("take", Take()),
    ("accept_beaver", AcceptBeaver()),
)

_DRAW_ON_OFFER: Final = ("accept_draw", "decline_draw")
_CLAIM: Final = "claim_draw"

_SUPERSEDED: Final = frozenset({"stale", "id_reused", "match_over"})
_NO_OFFER: Final = "nothing_offered"
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


def open_position(state: MatchState) -> Turns | None:
    """The game in hand, where two move in turn and everybody may see all of it (``Seen.position``)."""
    position = state.position
    return position if state.rules.traits.open and isinstance(position, Turns) else None


def level(state: MatchState, seat: int) -> int:
    """How well we play ``seat`` (see ``Level``).

    At our own seats as it was agreed at the table. In an absent or kicked player's place by rules of thumb,
    for nobody shall gain by leaving (boardgames §0.6); where dice fall, as well as we can.
    """
    taken = state.created.seats[seat]
    if taken.bot:
        return taken.level
    return Level.UNSAID if isinstance(state.rules, Nard) else Level.BY_THUMB


class Turn(msgspec.Struct, frozen=True):
    """``seat`` (its player is ``player``) must answer with one of ``commands``; commit ``decision`` asked."""

    seat: int
    player: str
    decision: int
    commands: tuple[str, ...]

    @property
    def drawing(self) -> bool:
        """Whether it answers a draw on offer, beside the decision: there is one at most within each."""
        return self.commands == _DRAW_ON_OFFER


def turns(state: MatchState) -> tuple[Turn, ...]:
    """What our seats must answer now.

    A draw on offer is answered first; if it is declined, the commit that says so asks for the rest.
    """
    ours = seats_played(state)
    return tuple(_draw_on_offer(state, ours)) or tuple(
        _turn(
            state,
            demand.seat,
            (*demand.commands, _CLAIM) if claimable(state, demand.seat) is not None else demand.commands,
        )
        for demand in demands(state)
        if demand.seat in ours
    )


def _draw_on_offer(state: MatchState, ours: tuple[int, ...]) -> Iterator[Turn]:
    if state.phase is Phase.PLAYING and state.draw_offer is not None:
        answerer = state.opponent(state.draw_offer)
        if answerer in ours:
            yield _turn(state, answerer, _DRAW_ON_OFFER)


def _turn(state: MatchState, seat: int, commands: tuple[str, ...]) -> Turn:
    return Turn(seat, state.created.seats[seat].player, state.decisions[seat], commands)


def plain_answer(turn: Turn, legal: tuple[str, ...]) -> PlayerCommand | None:
    """The answer that needs no thought; None where there is a choice, if only whether to claim a draw."""
    for name, command in _PLAIN:
        if name in turn.commands:
            return command
    if turn.commands == ("pass",):  # its player has not the money for more
        return Pass()
    return Play(legal[0]) if turn.commands == ("play",) and len(legal) == 1 else None


def fallback(turn: Turn, legal: tuple[str, ...]) -> PlayerCommand | None:
    """An answer without a thought, where the one thought of is refused: a match must not hang on it.

    The first legal move, or what plays on; None where nothing of the kind is asked.
    """
    if "play" in turn.commands:
        return Play(legal[0]) if legal else None
    return next((command for name, command in _PLAYS_ON if name in turn.commands), None)


def command_id(match: str, turn: Turn, *, again: bool = False) -> str:
    """The id of the answer to this decision: asked again, the same; so a retry repeats the same command.

    ``again``: of the answer in place of one that was refused (``fallback``).
    """
    which = f"{'.draw' if turn.drawing else ''}{'.again' if again else ''}"
    return f"{match}.{turn.decision}.{turn.seat}{which}"


def superseded(problem: Problem, turn: Turn) -> bool:
    """Whether the decision was answered, or taken away by a commit that is still to reach us.

    Where a move is asked, no offer can have been taken away: to answer one was a fault of ours.
    """
    if problem.code == _NO_OFFER:
        return "play" not in turn.commands
    return problem.code in _SUPERSEDED


def worth_repeating(problem: Problem) -> bool:
    """Whether the same command can be accepted later: a fault of ours, or a reader behind the log."""
    return problem.retryable or problem.code in _EARLY
