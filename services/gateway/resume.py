"""Where a viewer goes on: nothing missed, the newer views, or a fresh one (``watching.outcome``)."""

from typing import Final, Protocol

from services.gateway.limits import COMMITS_PER_READ, VIEWS_PER_READ, Purse
from services.gateway.watches import Viewer, Watch, Watches, folded, over, payload
from shared.match import view
from shared.problems import Problem
from shared.wire import frames

MOST_MISSED: Final = 50  # after more than these one fresh view is what the client needs


class Follower(Viewer, Protocol):
    """A viewer that can be brought up to date."""

    watch: Watch

    @property
    def gone(self) -> bool:
        """Whether nobody reads this any more."""
        ...

    def say(self, frame: frames.ServerFrame) -> None:
        """Send a frame that is no view."""
        ...

    def give(self, view: bytes) -> None:
        """Send the JSON of a ``view`` frame."""
        ...

    def begin(self, n: int) -> None:
        """All up to ``n`` has been sent; from now on ``show`` sends."""
        ...


async def resume(watches: Watches, follower: Follower, after: int | None, purse: Purse) -> None:
    """Bring ``follower``, who has seen ``after`` (None: nothing), up to the newest commit; then it is live.

    Who cannot pay for the views that he missed gets the newest one only. Raises ``Refused`` as
    ``Watches.stored``.
    """
    watch = follower.watch
    n = watch.state.n
    if after == n:
        follower.say(frames.Watching(watch.match, n, "current"))
        _begin(follower)
    elif (
        after is None or not 0 <= after <= n or n - after > MOST_MISSED or not purse.affords(_cost(after, n))
    ):
        _reset(follower)
    else:
        meanwhile = _Meanwhile(follower.seat)
        watch.viewers.add(meanwhile)
        try:
            await _newer(watches, follower, (after, n), meanwhile)
        finally:
            watches.leave(watch, meanwhile)


def _cost(after: int, n: int) -> float:
    return (n - after) / VIEWS_PER_READ + after / COMMITS_PER_READ


class _Meanwhile:
    """Keeps the views of what happens while the older ones are sent."""

    def __init__(self, seat: int | None) -> None:
        self.seat = seat
        self.views: list[bytes] = []

    def show(self, watch: Watch) -> None:
        self.views.append(watch.payload(self.seat))

    def tell(self, presence: bytes) -> None:
        """The follower is told in the end who is there."""

    def fail(self, why: Problem) -> None:
        """The follower is told by himself."""


async def _newer(
    watches: Watches, follower: Follower, missed: tuple[int, int], meanwhile: _Meanwhile
) -> None:
    """Send the views after ``missed[0]`` up to ``missed[1]`` between other work, then what came since."""
    after, n = missed
    watch = follower.watch
    commits = await watches.stored(watch.match)
    state = await folded(commits[:after]) if after else None
    if follower.gone or watch.broken:
        return
    if len(commits) < n:  # a replica that is behind answered
        _reset(follower)
        return
    follower.say(frames.Watching(watch.match, n, "newer"))
    for stored in commits[after:n]:
        state = await folded([stored], state)
        if follower.gone or watch.broken:
            return
        follower.give(payload(view(state, follower.seat, watches.presences(state))))
    for missed_view in meanwhile.views:
        follower.give(missed_view)
    _begin(follower)


def _begin(follower: Follower) -> None:
    """From here on live; the last view that he has may be older than who is there."""
    watch = follower.watch
    follower.begin(watch.state.n)
    if not over(watch.state):
        for presence in watch.said():
            follower.tell(presence)


def _reset(follower: Follower) -> None:
    watch = follower.watch
    follower.say(frames.Watching(watch.match, watch.state.n, "reset"))
    follower.give(watch.payload(follower.seat))
    follower.begin(watch.state.n)
