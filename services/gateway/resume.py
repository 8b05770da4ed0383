"""Where a viewer goes on: nothing missed, the newer views, or a fresh one (``watching.outcome``)."""

from typing import Final, Protocol

from services.gateway.watches import Viewer, Watch, Watches, folded, payload
from shared.match import MatchState, view
from shared.wire import frames

MOST_MISSED: Final = 100  # after more than these one fresh view is what the client needs


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


async def resume(watches: Watches, follower: Follower, after: int | None) -> None:
    """Bring ``follower``, who has seen ``after`` (None: nothing), up to the newest commit; then it is live.

    Raises ``Refused`` as ``Watches.stored``.
    """
    n = follower.watch.state.n
    if after == n:
        follower.say(frames.Watching(follower.watch.match, n, "current"))
        follower.begin(n)
        return
    if after is None or not 0 <= after <= n or n - after > MOST_MISSED:
        _reset(follower)
        return
    commits = await watches.stored(follower.watch.match)
    if follower.gone:
        return
    n = follower.watch.state.n
    if len(commits) < n or n - after > MOST_MISSED:  # a replica that is behind answered, or much happened
        _reset(follower)
        return
    follower.say(frames.Watching(follower.watch.match, n, "newer"))
    state: MatchState | None = folded(commits, until=after) if after else None
    for stored in commits[after:n]:
        state = folded([stored], state)
        follower.give(payload(view(state, follower.seat)))
    follower.begin(n)


def _reset(follower: Follower) -> None:
    watch = follower.watch
    follower.say(frames.Watching(watch.match, watch.state.n, "reset"))
    follower.give(watch.payload(follower.seat))
    follower.begin(watch.state.n)
