"""One match watched over one socket: which views it got, and which of its commands a view will answer."""

from typing import Protocol

from services.gateway import outgoing
from services.gateway.lane import Lane
from services.gateway.watches import Watch, caused, over, result_of
from services.gateway.wire import Wire
from shared.match import MatchState
from shared.problems import Problem
from shared.wire import frames


class Screen(Protocol):
    """The socket on which a match is seen."""

    @property
    def wire(self) -> Wire:
        """Where views go."""
        ...

    @property
    def player(self) -> str:
        """Who looks."""
        ...

    def shows(self, viewing: "Viewing") -> bool:
        """Whether this match is (still) watched by ``viewing``."""
        ...

    def forget(self, viewing: "Viewing") -> None:
        """No more views of this match."""
        ...

    def later(self) -> None:
        """Let what is ``lagging`` try again soon."""
        ...


class Viewing:
    """A viewer of ``Watches`` that writes to a socket."""

    __slots__ = ("_live", "_screen", "awaited", "lagging", "lane", "match", "seat", "sent", "watch")

    def __init__(self, screen: Screen, watch: Watch, lane: Lane | None) -> None:
        """``lane`` holds the socket's commands of this match, if there are any."""
        self.match = watch.match
        self.seat = watch.state.seat_of(screen.player)
        self.watch = watch
        self.sent = 0
        self.lane = lane
        self.awaited: dict[str, int] = {}  # accepted commands whose commit the fold has not seen yet
        self._screen = screen
        self._live = False
        self.lagging = False

    def show(self, watch: Watch) -> None:
        """Send the newest view; a spectator who does not keep up gets the one that is newest when he does."""
        if not self._live:
            return
        screen = self._screen
        if screen.wire.congested:
            if self.seat is not None:
                screen.wire.close_slow()
                return
            self.lagging = True
            screen.later()
            return
        self.lagging = False
        n = watch.state.n
        if n <= self.sent:
            return
        skipped = n > self.sent + 1
        self.sent = n
        command = self._answered_by(watch) if self.lane is not None or self.awaited else ""
        if command:
            screen.wire.write(outgoing.text(caused(watch.payload(self.seat), command)))
        else:
            screen.wire.write(watch.frame(self.seat))
        if skipped and self.awaited:
            self._answer_skipped()
        if over(watch.state):
            self._end(watch.state)

    def tell(self, presence: bytes) -> None:
        """See ``Viewer``; who does not keep up sees it in the next view."""
        if self._live and not self._screen.wire.congested:
            self._screen.wire.write(outgoing.text(presence))

    def fail(self, why: Problem) -> None:
        """The log cannot be read: say so, answer what a view would have answered, watch no more."""
        self._screen.wire.send(frames.Refused(why, match=self.match))
        self.answer_awaited()
        self._screen.forget(self)

    @property
    def gone(self) -> bool:
        """Whether the socket does not watch this any more."""
        return not self._screen.shows(self)

    def say(self, frame: frames.ServerFrame) -> None:
        """See ``Follower``."""
        self._screen.wire.send(frame)

    def give(self, view: bytes) -> None:
        """See ``Follower``."""
        self._screen.wire.write(outgoing.text(view))

    def begin(self, n: int) -> None:
        """See ``Follower``."""
        self.sent = n
        self._live = True
        self._answer_skipped()
        if over(self.watch.state):
            self._end(self.watch.state)

    def will_answer(self, command: str, n: int) -> bool:
        """Whether the view of commit ``n`` is still to come and will answer ``command``."""
        if n <= self.sent or self.watch.broken is not None or command in self.awaited:
            return False
        self.awaited[command] = n
        return True

    def answer_awaited(self) -> None:
        """No view will answer the accepted commands any more: say ``accepted``."""
        for command, n in self.awaited.items():
            self._screen.wire.send(frames.Accepted(command, n))
        self.awaited.clear()

    def _end(self, state: MatchState) -> None:
        self._screen.wire.send(frames.Ended(self.match, state.n, result_of(state)))
        self.answer_awaited()
        self._screen.forget(self)

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
                self._screen.wire.send(frames.Accepted(command, n))
