"""One match watched over one socket: which views it got, and which of its commands a view will answer."""

from typing import TYPE_CHECKING

from services.gateway import outgoing
from services.gateway.watches import Watch, caused, over, result_of
from shared.match import MatchState
from shared.problems import Problem
from shared.wire import frames

if TYPE_CHECKING:
    from services.gateway.lane import Lane
    from services.gateway.socket import Socket


class Viewing:
    """A viewer of ``Watches`` that writes to a socket."""

    __slots__ = ("_live", "_socket", "awaited", "lagging", "lane", "match", "seat", "sent", "watch")

    def __init__(self, socket: "Socket", watch: Watch, lane: "Lane | None") -> None:
        """``lane`` holds the socket's commands of this match, if there are any."""
        self.match = watch.match
        self.seat = watch.state.seat_of(socket.player)
        self.watch = watch
        self.sent = 0
        self.lane = lane
        self.awaited: dict[str, int] = {}  # accepted commands whose commit the fold has not seen yet
        self._socket = socket
        self._live = False
        self.lagging = False

    def show(self, watch: Watch) -> None:
        """Send the newest view; a spectator who does not keep up gets the one that is newest when he does."""
        if not self._live:
            return
        socket = self._socket
        if socket.wire.congested:
            if self.seat is not None:
                socket.wire.close_slow()
                return
            self.lagging = True
            socket.later()
            return
        self.lagging = False
        n = watch.state.n
        if n <= self.sent:
            return
        skipped = n > self.sent + 1
        self.sent = n
        command = self._answered_by(watch) if self.lane is not None or self.awaited else ""
        if command:
            socket.wire.write(outgoing.text(caused(watch.payload(self.seat), command)))
        else:
            socket.wire.write(watch.frame(self.seat))
        if skipped and self.awaited:
            self._answer_skipped()
        if over(watch.state):
            self._end(watch.state)

    def fail(self, why: Problem) -> None:
        """The log cannot be read: say so, answer what a view would have answered, watch no more."""
        self._socket.wire.send(frames.Refused(why, match=self.match))
        self.answer_awaited()
        self._socket.forget(self)

    @property
    def gone(self) -> bool:
        """Whether the socket does not watch this any more."""
        return self._socket.viewings.get(self.match) is not self

    def say(self, frame: frames.ServerFrame) -> None:
        """See ``Follower``."""
        self._socket.wire.send(frame)

    def give(self, view: bytes) -> None:
        """See ``Follower``."""
        self._socket.wire.write(outgoing.text(view))

    def begin(self, n: int) -> None:
        """See ``Follower``."""
        self.sent = n
        self._live = True
        self._answer_skipped()
        if over(self.watch.state):
            self._end(self.watch.state)

    def will_show(self, n: int) -> bool:
        """Whether a view of commit ``n`` is still to come."""
        return n > self.sent and self.watch.broken is None

    def answer_awaited(self) -> None:
        """No view will answer the accepted commands any more: say ``accepted``."""
        for command, n in self.awaited.items():
            self._socket.wire.send(frames.Accepted(command, n))
        self.awaited.clear()

    def _end(self, state: MatchState) -> None:
        self._socket.wire.send(frames.Ended(self.match, state.n, result_of(state)))
        self.answer_awaited()
        self._socket.forget(self)

    def _answered_by(self, watch: Watch) -> str:
        """The command of this socket that caused the newest commit, or ``""``."""
        cause = watch.cause
        if cause is None or self.seat is None or cause.by.seat != self.seat:
            return ""
        if self.awaited.pop(cause.command, None) is not None:
            return cause.command
        if self.lane is not None and self.lane.answered_by_view(cause.command):
            return cause.command
        return ""

    def _answer_skipped(self) -> None:
        for command, n in list(self.awaited.items()):
            if n <= self.sent:
                del self.awaited[command]
                self._socket.wire.send(frames.Accepted(command, n))
