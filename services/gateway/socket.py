"""One client's socket: it authenticates, watches matches, gives commands."""

import asyncio
from collections.abc import Coroutine
from typing import Final

import msgspec
import structlog
from aiohttp import WSMsgType, web

from services.gateway.commands import read_command
from services.gateway.gateway import Gateway
from services.gateway.incoming import UNREADABLE, Command, Frame, Named, named, read_frame
from services.gateway.lane import Lane
from services.gateway.limits import Purse
from services.gateway.problems import Limited
from services.gateway.resume import resume
from services.gateway.viewing import Viewing
from services.gateway.watches import Watch
from services.gateway.wire import Wire
from shared import tokens
from shared.ids import is_command_id, is_id
from shared.problems import Problem, Refused, problem
from shared.tokens import Token
from shared.wire import frames
from shared.wire.match import CommandAnswer, CommandRequest, RefusedAnswer

MOST_MALFORMED: Final = 5
MOST_HURRIED: Final = 100  # frames refused for coming too fast, before the socket is closed
_FRAMES: Final = (WSMsgType.TEXT, WSMsgType.PONG, WSMsgType.PING, WSMsgType.BINARY)
_QUEUE_S: Final = 1.0  # in which commands are answered, if anybody is there
_TOO_MANY: Final = "your sockets push each other out again and again; open fewer"
_REPLACED: Final = "a newer socket of yours has the place of this one; do not come back by yourself"
_OPENING: Final = "watch"  # name of the tasks that a closed socket needs no more

_log = structlog.get_logger("gateway")


class Socket:
    """The state of one socket. ``run`` lives as long as it does."""

    def __init__(self, gateway: Gateway, address: str) -> None:
        """Nothing is watched and nobody is known yet."""
        self.wire = Wire(gateway.limits)
        self.viewings: dict[str, Viewing] = {}
        self.player = ""
        self._gateway = gateway
        self._lanes: dict[str, Lane] = {}
        self._token: Token | None = None
        self._opening: dict[str, object] = {}  # a ticket for each watch that is not entered yet
        self._malformed = 0
        self._hurried = 0
        self._late: asyncio.TimerHandle | None = None
        self._silent = False
        self._attends = False  # whether it is counted as its player's presence
        self._frames_key = f"{address} {id(self)}"
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    # ---- life

    async def run(self, request: web.BaseRequest) -> web.StreamResponse:
        """Serve the socket until it closes."""
        gateway = self._gateway
        await self.wire.open(request)
        gateway.sockets.add(self)
        counted = ""
        try:
            if gateway.draining:
                self.drain()
            elif await self._first_frame():
                if gateway.places.enter(self.player, self) > 0:
                    self.wire.close_soon(frames.CLOSE_TOO_MANY, _TOO_MANY)
                else:
                    counted = self.player
                    self._attend()
                    await self._read()
        finally:
            gateway.sockets.discard(self)
            if counted:
                gateway.places.leave(counted, self)
                gateway.attendance.went(counted, self, gateway.now_ms())
            if self._late is not None:
                self._late.cancel()
            for viewing in list(self.viewings.values()):
                self.forget(viewing)
            gateway.invitations.unwatch(self.player, self.wire)
            gateway.tables.leave(self.wire)
            # Lanes go on: a command that was sent is decided, whoever hears of it.
            try:
                await self.wire.finish(_OPENING)
            finally:
                self.ended.set_result(None)
        return self.wire.ws

    def tick(self, now: float) -> None:
        """Once a second: the heartbeat, and the end of those whose token ran out long ago."""
        silent_ms = self.wire.beat(now)
        if silent_ms > self._gateway.limits.heartbeat_ms and self._attends and not self._silent:
            self._silent = True
            self._gateway.attendance.went(self.player, self, self._gateway.now_ms() - silent_ms)
        token = self._token
        if token is not None and self._gateway.tokens.over_ms(token) > self._gateway.limits.reauth_ms:
            self.wire.close_soon(frames.CLOSE_UNAUTHORIZED, "the access token has expired")

    def announce(self, in_ms: int) -> None:
        """This instance goes away in ``in_ms``."""
        self.wire.send(frames.Maintenance(in_ms))

    def drain(self, delay_ms: int = 1_000) -> None:
        """This instance goes away: come back after ``delay_ms``."""
        self.wire.close_soon(frames.CLOSE_DRAINING, f'{{"retry_after_ms":{delay_ms}}}')

    @property
    def silent_s(self) -> float:
        """See ``Tenant``: since the last frame of any kind."""
        return asyncio.get_running_loop().time() - self.wire.heard_at

    def give_way(self) -> None:
        """See ``Tenant``."""
        self.wire.close_soon(frames.CLOSE_REPLACED, _REPLACED)

    def _attend(self) -> None:
        """Count this socket as its player's presence, if he may play with it."""
        if self._token is not None and tokens.PLAY in self._token.scopes:
            self._attends, self._silent = True, False
            self._gateway.attendance.came(self.player, self)

    # ---- who it is

    async def _first_frame(self) -> bool:
        """Whether a good ``auth`` came in time; otherwise the socket is closed."""
        try:
            async with asyncio.timeout(self._gateway.limits.auth_ms / 1000):
                message = await self.wire.ws.receive()
        except TimeoutError:
            self.wire.close_soon(frames.CLOSE_REFUSED, "the first frame must be auth")
            return False
        frame: Frame | None = None
        if message.type is WSMsgType.TEXT:
            try:
                frame = read_frame(message.data)
            except UNREADABLE:
                frame = None
        elif message.type is not WSMsgType.BINARY:
            return False
        if isinstance(frame, frames.Auth):
            return self._authenticate(frame)
        self.wire.send(frames.Refused(problem("unauthorized", "The first frame must be auth.")))
        self.wire.close_soon(frames.CLOSE_REFUSED, "the first frame must be auth")
        return False

    def _authenticate(self, frame: frames.Auth) -> bool:
        gateway = self._gateway
        try:
            token = self._checked(frame.token)
        except Refused as refused:
            self.wire.send(frames.Refused(refused.problem))
            if self._token is None:
                self.wire.close_soon(frames.CLOSE_UNAUTHORIZED, refused.problem.code)
            return False
        again = self._token is not None
        self._token = token
        self.player = token.player
        if again and not self._attends:
            self._attend()
        self.wire.send(
            frames.Hello(
                version=frames.VERSION,
                server_time=gateway.now_ms(),
                heartbeat_ms=gateway.limits.heartbeat_ms,
                player=token.player,
                expires_ms=token.expires_at_ms,
            )
        )
        return True

    def _checked(self, text: str) -> Token:
        token = self._gateway.tokens.check(text)
        if self.player and token.player != self.player:
            raise Refused("forbidden", "This socket belongs to another player.")
        return token

    def _may(self, *scopes: str) -> Token:
        """The token, if it still holds and has one of ``scopes``; raises ``Refused``."""
        token = self._token
        if token is None or self._gateway.tokens.over_ms(token) >= 0:
            raise Refused("token_expired", "Send auth with a fresh token.")
        if not set(scopes) & set(token.scopes):
            raise Refused("forbidden", f"This needs a token with scope {' or '.join(scopes)}.")
        return token

    # ---- reading

    async def _read(self) -> None:
        clock = asyncio.get_running_loop().time
        wire = self.wire
        receive = wire.ws.receive
        buckets = self._gateway.buckets
        while not wire.closing:
            message = await receive()
            wire.heard_at = clock()
            if self._silent and message.type in _FRAMES:
                self._attend()
            if message.type is WSMsgType.TEXT:
                wait = buckets.frames.take(self._frames_key, buckets.cost(self._token))
                if wait > 0:
                    self._hurry(message.data, wait)
                else:
                    self._frame(message.data)
            elif message.type is WSMsgType.PING:
                await wire.ws.pong(message.data)
            elif message.type is WSMsgType.BINARY:
                self._refuse_frame(problem("malformed", "Frames are text."), Named())
            elif message.type is not WSMsgType.PONG:
                return

    def _frame(self, data: bytes) -> None:
        try:
            frame = read_frame(data)
        except UNREADABLE as error:
            self._refuse_frame(problem(_code(error), str(error)), named(data))
            return
        match frame:
            case Command():
                try:
                    self._command(frame)
                except Refused as refused:
                    self.wire.send(frames.Refused(refused.problem, id=frame.id[:64]))
            case frames.Watch():
                try:
                    self._watch(frame)
                except Refused as refused:
                    why = frames.Refused(refused.problem, match=frame.match[:64], table=frame.table[:64])
                    self.wire.send(why)
            case frames.Unwatch():
                self._unwatch_all(frame)
            case frames.Ping():
                self.wire.send(frames.Pong(self._gateway.now_ms()))
            case frames.Auth():
                self._authenticate(frame)

    def _refuse_frame(self, why: Problem, said: Named) -> None:
        """Refuse a frame that cannot be read; several such frames close the socket."""
        self._malformed += 1
        self.wire.send(frames.Refused(why, said.id, said.match))
        if self._malformed >= MOST_MALFORMED:
            self.wire.close_soon(frames.CLOSE_REFUSED, "malformed frames again and again")

    def _hurry(self, data: bytes, wait: float) -> None:
        """Refuse a frame that came ``wait`` seconds too early; too many such frames close the socket."""
        self._hurried += 1
        said = named(data)
        why = Limited(wait, "Too many frames.").problem
        self.wire.send(frames.Refused(why, said.id, said.match))
        if self._hurried >= MOST_HURRIED:
            self.wire.close_soon(frames.CLOSE_REFUSED, "far too many frames")

    # ---- commands

    def _command(self, frame: Command) -> None:
        gateway = self._gateway
        arrived_ms = gateway.now_ms()
        if not is_command_id(frame.id):
            raise Refused("invalid", "id: 1 to 64 of A-Z a-z 0-9 _ . : - are needed.")
        if not is_id(frame.match):
            raise Refused("unknown_match")
        token = self._may(tokens.PLAY)
        command = read_command(frame.command)
        wait = gateway.buckets.moves.take(self.player, gateway.buckets.cost(token))
        if wait:
            raise Limited(wait, f"Try again in {max(wait, 0.1):.1f} s.")
        self._lane(frame.match).put(
            CommandRequest(
                id=frame.id,
                command=command,
                player=self.player,
                expected=frame.expected,
                arrived_ms=arrived_ms,
                scopes=token.scopes,
            )
        )

    def _lane(self, match: str) -> Lane:
        lane = self._lanes.get(match)
        if lane is None:
            lane = self._lanes[match] = Lane(self, self._gateway.asking, match)
            viewing = self.viewings.get(match)
            if viewing is not None:
                viewing.lane = lane
        elif len(lane) >= self._gateway.limits.queued_per_match:
            why = "Too many commands of this match wait for their answers."
            raise Limited(_QUEUE_S, why)
        return lane

    def answer(self, match: str, command: str, answer: CommandAnswer) -> None:
        """See ``Giver``."""
        if isinstance(answer, RefusedAnswer):
            self.wire.send(frames.Refused(answer.problem, id=command))
            return
        viewing = self.viewings.get(match)
        if viewing is None or not viewing.will_answer(command, answer.n):
            self.wire.send(frames.Accepted(command, answer.n))

    def idle(self, lane: Lane) -> None:
        """See ``Giver``."""
        if self._lanes.get(lane.match) is lane:
            del self._lanes[lane.match]
        viewing = self.viewings.get(lane.match)
        if viewing is not None and viewing.lane is lane:
            viewing.lane = None

    # ---- watching

    def _watch(self, frame: frames.Watch) -> None:
        match = frame.match
        self._may(tokens.PLAY, tokens.WATCH)
        watched = len(self._opening.keys() | self.viewings.keys() | {match}) + self._gateway.tables.count(
            self.wire
        )
        if watched > self._gateway.limits.watched_per_socket:
            raise Refused("too_many_watched")
        self._purse().pay(1)
        if frame.table:
            opening = self._gateway.tables.watch(frame.table, self.wire, self.player, frame.token)
            self.wire.spawn(self._watch_tables(opening, frame.table), _OPENING)
            return
        if frame.invitations:
            opening = self._gateway.invitations.watch(self.player, self.wire)
            self.wire.spawn(self._watch_tables(opening), _OPENING)
            return
        if not is_id(match):
            raise Refused("unknown_match")
        if match in self._opening:
            return  # the one before it will be answered
        self._unwatch(match)  # again, perhaps with another ``after``
        ticket = self._opening[match] = object()
        self.wire.spawn(self._open(match, frame.after, ticket), _OPENING)

    def _purse(self) -> Purse:
        buckets = self._gateway.buckets
        return Purse(buckets.reads, self.player, buckets.cost(self._token))

    async def _watch_tables(self, opening: Coroutine[None, None, None], table: str = "") -> None:
        try:
            await opening
        except Refused as refused:
            self.wire.send(frames.Refused(refused.problem, table=table[:64]))
        except Exception:  # noqa: BLE001 - this watch fails, the socket and what else it watches do not
            _log.exception("a watch failed", table=table[:64])
            self.wire.send(frames.Refused(problem("internal"), table=table[:64]))

    def _unwatch_all(self, frame: frames.Unwatch) -> None:
        self._unwatch(frame.match)
        if frame.table:
            self._gateway.tables.unwatch(frame.table, self.wire)
        if frame.invitations:
            self._gateway.invitations.unwatch(self.player, self.wire)

    def _unwatch(self, match: str) -> None:
        self._opening.pop(match, None)
        viewing = self.viewings.get(match)
        if viewing is not None:
            viewing.answer_awaited()
            self.forget(viewing)

    async def _open(self, match: str, after: int | None, ticket: object) -> None:
        watches = self._gateway.watches
        viewing: Viewing | None = None

        def of(watch: Watch) -> Viewing:
            return Viewing(self, watch, self._lanes.get(match))

        try:
            viewing = await watches.enter(match, of, self._purse())
            if self._opening.get(match) is not ticket or self.wire.closing:
                watches.leave(viewing.watch, viewing)
                return
            del self._opening[match]
            self.viewings[match] = viewing
            await resume(watches, viewing, after, self._purse())
        except Refused as refused:
            why = refused.problem
        except Exception:  # noqa: BLE001 - this watch fails, the socket and its other matches do not
            _log.exception("a watch failed", match=match)
            why = problem("internal")
        else:
            return
        if self._opening.get(match) is ticket or (viewing is not None and self.shows(viewing)):
            self.wire.send(frames.Refused(why, match=match))
            self._unwatch(match)

    def shows(self, viewing: Viewing) -> bool:
        """See ``Screen``."""
        return self.viewings.get(viewing.match) is viewing

    def forget(self, viewing: Viewing) -> None:
        """See ``Screen``."""
        if self.shows(viewing):
            del self.viewings[viewing.match]
        self._gateway.watches.leave(viewing.watch, viewing)

    def later(self) -> None:
        """See ``Screen``: look again soon whether a spectator who was too slow can take the newest views."""
        if self._late is None and not self.wire.closing:
            self._late = asyncio.get_running_loop().call_later(0.1, self._try_again)

    def _try_again(self) -> None:
        self._late = None
        for viewing in list(self.viewings.values()):
            if viewing.lagging:
                viewing.show(viewing.watch)


def _code(error: Exception) -> str:
    """``invalid`` for JSON of another shape, ``malformed`` for no JSON."""
    return "invalid" if type(error) is msgspec.ValidationError else "malformed"
