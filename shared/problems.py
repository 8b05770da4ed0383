"""Refusals: every bad input has a stable code, a sentence that helps, and leaves nothing changed."""

from typing import Final

import msgspec


class Kind(msgspec.Struct, frozen=True):
    """What is fixed about a code: its HTTP status, its title, and whether trying again can help."""

    status: int
    title: str
    retryable: bool = False


KINDS: Final[dict[str, Kind]] = {
    # the command against the match
    "illegal_move": Kind(422, "That move is not legal in this position."),
    "unreadable_move": Kind(422, "That move text cannot be read."),
    "not_your_turn": Kind(409, "It is not your turn."),
    "not_your_seat": Kind(403, "You have no seat in this match."),
    "wrong_phase": Kind(409, "That command has no meaning at this point of the match."),
    "stale": Kind(409, "The match has moved on since the commit you answered."),
    "expected_required": Kind(422, "The command must name the commit it was made against."),
    "expected_ahead": Kind(422, "The command names a commit that does not exist yet."),
    "match_over": Kind(409, "The match is over."),
    "unchanged": Kind(409, "It is so already."),
    "too_often": Kind(409, "That was done too often since your last decision; decide first."),
    "flag_fallen": Kind(409, "Your time is up."),
    "too_early": Kind(409, "The deadline has not passed yet.", retryable=True),
    "nothing_to_claim": Kind(409, "No deadline of this match can be claimed."),
    "kick_unavailable": Kind(409, "You cannot throw your opponent out now."),
    "extension_unavailable": Kind(409, "Time cannot be added here."),
    "ghost_plays": Kind(
        409, "A ghost plays your seat; you have it back when you have been seen again and its turn is over."
    ),
    "seat_kicked": Kind(409, "You were thrown out of this game; the computer plays it to the end."),
    "seat_out": Kind(409, "You are out of this game; the others play on."),
    "nothing_offered": Kind(409, "There is nothing to answer."),
    "cube_unavailable": Kind(409, "You may not double now."),
    "crawford": Kind(409, "There is no doubling in the Crawford game."),
    "beaver_unavailable": Kind(409, "You may not beaver here."),
    "confirmation_required": Kind(409, "Really resign a gammon? Send the command again with confirm."),
    "resignation_unavailable": Kind(409, "You may not resign now."),
    "draw_unavailable": Kind(409, "You may not offer or claim a draw now."),
    "auto_finish_unavailable": Kind(409, "The checkers can still meet; auto-finish is not possible yet."),
    "dice_not_accepted": Kind(422, "Dice may be given only in a recorded match, and only possible ones."),
    "reveal_mismatch": Kind(422, "The revealed string does not have the hash you committed to."),
    "id_reused": Kind(422, "That id was already used for another command."),
    "command_not_allowed": Kind(403, "This sender may not give that command."),
    "unknown_command": Kind(422, "There is no such command."),
    # what was asked for
    "unknown_match": Kind(404, "There is no such match."),
    "unknown_table": Kind(404, "There is no such table."),
    "unknown_player": Kind(404, "There is no such player."),
    "unknown_kind": Kind(404, "There are no such ratings."),
    "unknown_game": Kind(404, "There is no such game."),
    "unknown_route": Kind(404, "There is nothing at this address."),
    "unknown_format": Kind(404, "This match cannot be exported in that format."),
    "unknown_dictionary": Kind(503, "The list of words of this match is not installed here."),
    "no_such_commit": Kind(404, "The match has no such commit."),
    "method_not_allowed": Kind(405, "This address does not answer that method."),
    # tables
    "invalid_options": Kind(422, "The table's options are not possible."),
    "table_full": Kind(409, "The table has no free seat."),
    "table_closed": Kind(409, "The table is closed."),
    "not_at_table": Kind(409, "You are not at this table."),
    "terms_exclude_you": Kind(403, "This table is not for players of your rating or experience."),
    "rematch_unavailable": Kind(409, "This match cannot be played again."),
    "already_at_table": Kind(409, "You already sit at this table."),
    # tournaments
    "unknown_tournament": Kind(404, "There is no such tournament."),
    "tournament_started": Kind(409, "The tournament has begun, or is over."),
    "tournament_over": Kind(409, "The tournament is over."),
    "tournament_full": Kind(409, "All places are taken."),
    "already_joined": Kind(409, "You take part already."),
    "not_joined": Kind(409, "You do not take part."),
    "too_few_players": Kind(409, "There are too few players."),
    # money
    "no_cover": Kind(409, "Your balance does not cover that."),
    "escrow_closed": Kind(409, "The stakes of this match are settled or returned."),
    "match_begun": Kind(409, "The match has begun; its end decides about its stakes."),
    "stakes_off": Kind(409, "This server is not played for stakes."),
    # who is asking
    "unauthorized": Kind(401, "A valid access token is needed."),
    "token_expired": Kind(401, "The access token has expired; use the refresh token."),
    "bad_credentials": Kind(401, "The nickname or the password is wrong."),
    "forbidden": Kind(403, "Your token does not allow this."),
    "nickname_taken": Kind(409, "That nickname is taken."),
    "origin_refused": Kind(403, "This origin may not open a socket here."),
    # form and limits
    "malformed": Kind(400, "The request cannot be read."),
    "invalid": Kind(422, "The request has a field that is missing or wrong."),
    "too_large": Kind(413, "The request is too large."),
    "rate_limited": Kind(429, "Too many requests; wait a little.", retryable=True),
    "too_many_watched": Kind(429, "This socket already watches as many matches as it may."),
    "replaced": Kind(409, "A newer socket or stream of yours has the place of this one."),
    # us
    "unavailable": Kind(503, "The server cannot take this right now; try again.", retryable=True),
    "unreadable_log": Kind(503, "This server is too old to read that match.", retryable=True),
    "internal": Kind(500, "Something went wrong on our side; nothing was changed.", retryable=True),
}


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """An RFC 9457 problem: ``code`` is stable, ``detail`` helps, ``n`` is the match's current commit.

    ``retry_after_ms`` is how long to wait before trying again, where that is known.
    """

    code: str
    title: str
    status: int
    detail: str = ""
    retryable: bool = False
    n: int | None = None
    retry_after_ms: int | None = None
    type: str = "about:blank"


def problem(code: str, detail: str = "", n: int | None = None, retry_after_ms: int | None = None) -> Problem:
    """The problem with this ``code`` (one of ``KINDS``) and an optional sentence about this very case."""
    kind = KINDS[code]
    return Problem(
        code=code,
        title=kind.title,
        status=kind.status,
        detail=detail,
        retryable=kind.retryable,
        n=n,
        retry_after_ms=retry_after_ms,
    )


class Refused(Exception):  # noqa: N818 - the field's word: a command is refused, nothing failed
    """Raised to refuse a command or request; carries the ``Problem`` that the asker gets."""

    def __init__(
        self, code: str, detail: str = "", n: int | None = None, retry_after_ms: int | None = None
    ) -> None:
        """Refuse with ``code`` (one of ``KINDS``)."""
        self.problem = problem(code, detail, n, retry_after_ms)
        super().__init__(code)

    def __str__(self) -> str:
        """The code and, where there is one, the sentence."""
        return f"{self.problem.code}: {self.problem.detail}" if self.problem.detail else self.problem.code

    @classmethod
    def of(cls, given: Problem) -> "Refused":
        """A refusal that passes on a problem that another service answered with."""
        refused = cls("internal")
        refused.problem = given
        return refused
