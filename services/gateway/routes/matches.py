"""Matches: views, commands, legal moves, the log of a finished one."""

from typing import Final

import msgspec
from aiohttp import web

from services.gateway.call import Call
from services.gateway.commands import read_command
from services.gateway.limits import COMMITS_PER_READ
from services.gateway.lobby import ask_lobby
from services.gateway.router import NDJSON, Answer, Query, Route
from services.gateway.routes.players import asked
from services.gateway.watches import folded, over
from shared.export import diagram, formats
from shared.export.form import NotExportable
from shared.export.sheet import MEDIA
from shared.ids import is_id
from shared.match import MatchState, MatchView, view
from shared.match.views import legal as legal_moves
from shared.problems import Refused
from shared.tokens import AUDIT, PLAY, WATCH
from shared.wire.frames import CommandAccepted, CommandBody
from shared.wire.lobby import GetPlayer, PlayerView
from shared.wire.match import CommandRequest, RefusedAnswer


class LegalMoves(msgspec.Struct, frozen=True):
    """The legal moves of ``seat`` (the asker's, None without one) at commit ``n``, if it is to move.

    ``listed`` is false in a game where finding a move is the game (words): then ``moves`` is always empty.
    """

    match: str
    n: int
    seat: int | None
    moves: tuple[str, ...]
    listed: bool


class _Sent(msgspec.Struct, frozen=True):
    """``CommandBody`` with the command itself left for later, to say better what is wrong with it."""

    command: msgspec.Raw
    expected: int | None = None
    dry_run: bool = False


def _seat(call: Call, state: MatchState) -> int | None:
    return state.seat_of(call.player) if call.player else None


async def match(call: Call) -> web.Response:
    """The match for the asker, now or at commit n; once it is over with every secret shown."""
    wanted = call.variables["id"]
    n = call.number("n")
    opened = False  # the newest view of a match that is over shows all that there is to show by itself
    if n is None:
        state = await call.gateway.watches.state(wanted, call.purse)
    else:
        commits = await call.gateway.watches.stored(wanted)
        if not 1 <= n <= len(commits):
            raise Refused("no_such_commit", f"There are 1 to {len(commits)}.", len(commits))
        call.purse.pay(len(commits) / COMMITS_PER_READ)
        state = await folded(commits[:n])
        opened = over(await folded(commits[n:], state))
    # Who was there at an earlier commit nobody knows; the newest view says who is there now.
    present = await call.gateway.showing.found(state) if n is None and not over(state) else ()
    return call.json(view(state, _seat(call, state), present, opened=opened))


async def legal(call: Call) -> web.Response:
    """The asker's legal moves."""
    state = await call.gateway.watches.state(call.variables["id"], call.purse)
    seat = _seat(call, state)
    moves, listed = legal_moves(state, seat), state.rules.traits.listed
    return call.json(LegalMoves(state.match, state.n, seat, moves, listed))


async def command(call: Call) -> web.Response:
    """Give a command."""
    arrived_ms = call.gateway.now_ms()
    sent = call.body(_Sent)
    wanted = call.variables["id"]
    request = CommandRequest(
        id=call.key,
        command=read_command(sent.command),
        player=call.player,
        expected=sent.expected,
        arrived_ms=arrived_ms,
        dry_run=sent.dry_run,
        scopes=call.scopes,
    )
    if not is_id(wanted):
        raise Refused("unknown_match")
    call.gateway.attendance.acted(call.player)
    answer = await call.gateway.asking.ask(wanted, request)
    if isinstance(answer, RefusedAnswer):
        raise Refused.of(answer.problem)
    return call.json(CommandAccepted(answer.n))


async def _open_log(call: Call) -> tuple[MatchState, list[bytes]]:
    """The whole log, if the asker may have it: finished, or with scope ``audit`` and no seat in it."""
    commits = await call.gateway.watches.stored(call.variables["id"])
    call.purse.pay(len(commits) / COMMITS_PER_READ)
    state = await folded(commits)
    if over(state):
        return state, commits
    if AUDIT not in call.scopes:
        code = "forbidden" if call.who else "unauthorized"
        raise Refused(code, f"The log of a running match needs scope {AUDIT}.", state.n)
    if _seat(call, state) is not None:  # else an auditor would see what the others hold
        raise Refused("forbidden", "You play in this match: its log is open to you at its end.", state.n)
    return state, commits


async def commits(call: Call) -> web.Response:
    """The stored commits, byte for byte."""
    after = call.number("after") or 0
    _, stored = await _open_log(call)
    return call.raw(b"".join(line + b"\n" for line in stored[after:]), NDJSON)


async def export(call: Call) -> web.Response:
    """The match in a format of the field."""
    wanted = call.text("format", formats.DEFAULT)
    state, stored = await _open_log(call)
    try:
        form = formats.form_of(wanted)
        data = formats.rendered(form, stored, await _names(call, state) if form.named else ())
    except NotExportable as error:
        raise Refused("unknown_format", str(error)) from error
    answer = call.raw(data, form.media)
    answer.headers["Content-Disposition"] = f'attachment; filename="{state.match}.{form.name}"'
    return answer


async def picture(call: Call) -> web.Response:
    """The match diagram (N12) as a picture."""
    state = await call.gateway.watches.state(call.variables["id"], call.purse)
    return call.raw(diagram.svg(state, await _names(call, state)).encode(), MEDIA)


async def _names(call: Call, state: MatchState) -> list[str]:
    """What the players are called today; the log has only their ids."""
    names: list[str] = []
    for seat in state.created.seats:
        try:
            found = await ask_lobby(call.gateway.bus, asked(call, GetPlayer(seat.player)), PlayerView)
        except Refused:  # forgotten, or the lobby is away: the id is a name too
            names.append(seat.player)
        else:
            names.append(found.nickname or seat.player)
    return names


_MEDIA: Final = tuple(form.media.partition(";")[0] for form in formats.FORMATS.values())
_READING: Final = ("unknown_match", "unreadable_log")
_COMMANDING: Final = (
    "unknown_match",
    "illegal_move",
    "unknown_dictionary",
    "unreadable_move",
    "not_your_turn",
    "not_your_seat",
    "wrong_phase",
    "stale",
    "expected_required",
    "expected_ahead",
    "match_over",
    "nothing_offered",
    "cube_unavailable",
    "crawford",
    "beaver_unavailable",
    "no_cover",
    "confirmation_required",
    "resignation_unavailable",
    "auto_finish_unavailable",
    "dice_not_accepted",
    "reveal_mismatch",
    "id_reused",
    "command_not_allowed",
    "unknown_command",
)
ROUTES: Final = (
    Route(
        "GET",
        "/v1/matches/{id}",
        match,
        "The match as your seat (or a spectator) sees it, now or at an earlier commit.",
        Answer(200, MatchView, meaning="The view."),
        scopes=(PLAY, WATCH),
        query=(Query("n", "integer", "The commit to look at; without it the newest."),),
        refusals=(*_READING, "no_such_commit"),
        tag="matches",
    ),
    Route(
        "POST",
        "/v1/matches/{id}/commands",
        command,
        "Give a command. The Idempotency-Key is its id: the same again gets the same answer.",
        Answer(200, CommandAccepted, meaning="It is in the log (for a dry run: it would be)."),
        scopes=(PLAY,),
        body=CommandBody,
        keyed=True,
        bucket="moves",
        refusals=_COMMANDING,
        tag="matches",
    ),
    Route(
        "GET",
        "/v1/matches/{id}/legal",
        legal,
        "Your legal moves, all of them; none where the game does not list them (listed is false).",
        Answer(200, LegalMoves, meaning="The moves in canonical text."),
        scopes=(PLAY, WATCH),
        refusals=_READING,
        tag="matches",
    ),
    Route(
        "GET",
        "/v1/matches/{id}/commits",
        commits,
        "The log of a finished match, line by line as stored; of a running one with scope audit and no seat.",
        Answer(200, None, NDJSON, "Commits, one JSON object a line."),
        query=(Query("after", "integer", "Only commits with a greater n."),),
        refusals=(*_READING, "forbidden"),
        tag="matches",
    ),
    Route(
        "GET",
        "/v1/matches/{id}/diagram.svg",
        picture,
        "The match diagram: games in order, scores, cubes, who began, Crawford, what follows.",
        Answer(200, None, MEDIA, "An SVG picture."),
        refusals=_READING,
        tag="matches",
    ),
    Route(
        "GET",
        "/v1/matches/{id}/export",
        export,
        "A finished match as a file.",
        Answer(200, None, _MEDIA[0], "The file.", _MEDIA[1:]),
        query=(Query("format", "string", f"{formats.PURPOSES}, as the game allows."),),
        refusals=(*_READING, "forbidden", "unknown_format"),
        tag="matches",
    ),
)
