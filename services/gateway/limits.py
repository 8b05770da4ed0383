"""How much one player or one address may ask: token buckets, counters and places of open connections.

They live in this process and may be lost. Several instances count apart: a limit bounds what one of them
serves.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from math import ceil
from typing import Final, Protocol

import msgspec

from services.gateway.problems import Limited
from shared.settings import integer
from shared.tokens import BOT, Token

VIEWS_PER_READ: Final = 10  # so much of each is about a millisecond of our time
COMMITS_PER_READ: Final = 40
_MOST: Final = 1_000_000


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers, each settable as ``KRONIKA_LIMIT_`` + its name in capitals.

    ``…_per_minute`` fill a bucket of ``…_burst``. Moves count per player, sign-ins per address, reads and
    writes per player, or per address where nobody is signed in. A token with scope ``bot`` may do
    ``bot_factor`` times as much: programs play and import faster than people.
    """

    moves_per_minute: int = 1_200
    moves_burst: int = 60
    reads_per_minute: int = 1_200
    reads_burst: int = 120
    writes_per_minute: int = 120
    writes_burst: int = 30
    bot_factor: int = 50
    sign_ins_per_minute: int = 30
    sign_ins_burst: int = 30
    frames_per_minute: int = 3_000
    frames_burst: int = 200
    connections_per_address: int = 512
    sockets_per_player: int = 20
    watched_per_socket: int = 50
    queued_per_match: int = 32
    body_bytes: int = 64 * 1024
    frame_bytes: int = 16 * 1024
    send_buffer_bytes: int = 256 * 1024
    header_ms: int = 15_000
    body_ms: int = 10_000
    auth_ms: int = 5_000
    heartbeat_ms: int = 20_000
    notice_ms: int = 1_000
    reauth_ms: int = 30_000

    @classmethod
    def from_environment(cls, given: Mapping[str, str]) -> "Limits":
        """The numbers in ``given`` (``os.environ``); raises ``SettingsError``."""
        default = cls()
        return cls(
            **{
                name: integer(given, f"KRONIKA_LIMIT_{name.upper()}", getattr(default, name), 1, _MOST)
                for name in cls.__struct_fields__
            }
        )

    def of_requests(self) -> str:
        """The limits of REST for readers of its specification."""
        return (
            f"Limits of this server: {self.reads_per_minute} reads (at once {self.reads_burst}),"
            f" {self.writes_per_minute} writes (at once {self.writes_burst}) and"
            f" {self.moves_per_minute} commands of matches (at once {self.moves_burst}) a minute and player,"
            f" {self.sign_ins_per_minute} sign-ins (at once {self.sign_ins_burst}) a minute and address;"
            f" a token with scope bot may do {self.bot_factor} times as much. A body has at most"
            f" {self.body_bytes} bytes. What is too much is refused with rate_limited, which says in"
            " retry_after_ms (and Retry-After) how long to wait."
        )

    def of_socket(self) -> str:
        """The limits of a socket for readers of its specification."""
        return (
            f"Limits of this server: {self.frames_per_minute} frames (at once {self.frames_burst}) a minute"
            f" and socket, {self.moves_per_minute} commands (at once {self.moves_burst}) a minute and player;"
            f" a token with scope bot may do {self.bot_factor} times as much. A player has at most"
            f" {self.sockets_per_player} sockets and streams, a newer one takes the place of the most silent"
            f" (closed with 4005), a socket watches at most {self.watched_per_socket} matches"
            f" and tables, {self.queued_per_match} commands of a match may wait for their answers, a frame"
            f" has at most {self.frame_bytes} bytes. What is too much is refused with rate_limited, which"
            " says in retry_after_ms how long to wait."
        )


class Bucket:
    """Token buckets by key, kept as the time when each is full again (generic cell rate algorithm)."""

    def __init__(
        self, name: str, per_minute: int, burst: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """``burst`` at once, then ``per_minute``; ``clock`` gives seconds."""
        self.name = name
        self.burst = burst
        self.per_minute = per_minute
        self._interval = 60 / per_minute
        self._clock = clock
        self._full_at: dict[str, float] = {}
        self._sweep_at = 10_000

    def take(self, key: str, cost: float = 1.0) -> float:
        """Take ``cost``; 0, or the seconds to wait (and nothing was taken)."""
        now = self._clock()
        full_at = max(self._full_at.get(key, now), now) + self._interval * cost
        wait = full_at - now - self.burst * self._interval
        if wait > 1e-9:  # noqa: PLR2004 - rounding of floats, no time that anybody could wait
            return wait
        self._full_at[key] = full_at
        if len(self._full_at) >= self._sweep_at:
            self._sweep(now)
        return 0.0

    def owe(self, key: str, cost: float) -> None:
        """Take ``cost`` for what is done already, be it there or not: the next one waits longer."""
        now = self._clock()
        self._full_at[key] = max(self._full_at.get(key, now), now) + self._interval * cost

    def headers(self, key: str) -> dict[str, str]:
        """``RateLimit`` and ``RateLimit-Policy`` (draft-ietf-httpapi-ratelimit-headers) for ``key``."""
        behind = max(self._full_at.get(key, 0.0) - self._clock(), 0.0)
        left = max(int(self.burst - behind / self._interval + 1e-9), 0)
        return {
            "RateLimit-Policy": f'"{self.name}";q={self.burst};w={ceil(self.burst * self._interval)}',
            "RateLimit": f'"{self.name}";r={left};t={ceil(behind)}',
        }

    def _sweep(self, now: float) -> None:
        """Forget those who are full again, so that memory follows those who are here."""
        self._full_at = {key: full_at for key, full_at in self._full_at.items() if full_at > now}
        self._sweep_at = max(10_000, 2 * len(self._full_at))


class Buckets:
    """The buckets of one gateway, by name."""

    def __init__(self, limits: Limits) -> None:
        """All full."""
        self._bot_cost = 1 / limits.bot_factor
        self.moves = Bucket("moves", limits.moves_per_minute, limits.moves_burst)
        self.reads = Bucket("reads", limits.reads_per_minute, limits.reads_burst)
        self.writes = Bucket("writes", limits.writes_per_minute, limits.writes_burst)
        self.sign_ins = Bucket("sign_ins", limits.sign_ins_per_minute, limits.sign_ins_burst)
        self.frames = Bucket("frames", limits.frames_per_minute, limits.frames_burst)

    def cost(self, token: Token | None) -> float:
        """What one request of the holder of ``token`` takes from a bucket."""
        return self._bot_cost if token is not None and BOT in token.scopes else 1.0

    def named(self, name: str) -> Bucket:
        """The bucket that a route names."""
        bucket: Bucket = getattr(self, name)
        return bucket


class Purse:
    """What one asker may still read, for work whose size shows only on the way."""

    def __init__(self, bucket: Bucket, key: str, factor: float) -> None:
        """``factor`` is what his units cost (``Buckets.cost``)."""
        self._bucket = bucket
        self._key = key
        self._factor = factor

    def affords(self, cost: float) -> bool:
        """Pay ``cost`` if there is enough; whether it was paid."""
        return self._bucket.take(self._key, cost * self._factor) == 0

    def pay(self, cost: float) -> None:
        """Pay ``cost``, above 1 no more than half of what there can be; raises ``Limited``."""
        cost = min(cost, max(self._bucket.burst / 2, 1.0))
        wait = self._bucket.take(self._key, cost * self._factor)
        if wait:
            raise Limited(wait)

    def owe(self, cost: float) -> None:
        """Pay ``cost`` for what is done already, be there enough or not."""
        self._bucket.owe(self._key, cost * self._factor)

    def headers(self) -> dict[str, str]:
        """See ``Bucket.headers``."""
        return self._bucket.headers(self._key)


class Open:
    """How many of something are open, by key."""

    def __init__(self, most: int) -> None:
        """At most ``most`` per key."""
        self._most = most
        self._count: Counter[str] = Counter()

    def enter(self, key: str) -> bool:
        """One more; False (and not counted) when there are as many as there may be."""
        if self._count[key] >= self._most:
            return False
        self._count[key] += 1
        return True

    def leave(self, key: str) -> None:
        """One less."""
        self._count[key] -= 1
        if self._count[key] <= 0:
            del self._count[key]

    def count(self, key: str) -> int:
        """How many there are."""
        return self._count.get(key, 0)


class Tenant(Protocol):
    """A socket or stream, which has one of its player's places."""

    @property
    def silent_s(self) -> float:
        """For how many seconds nothing was heard from its client."""
        ...

    def give_way(self) -> None:
        """A newer one has its place now: tell its client, and close."""
        ...


class Places:
    """The places that each player has for sockets and streams. A newer one takes that of the most silent.

    So dead connections, of which nobody knows yet, keep nobody out. Clients that live, and come back each
    time they have lost their place, could push each other out for ever: their places may be taken as often as
    there are any, and then that often a minute.
    """

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        """All are free; ``clock`` gives seconds."""
        self._most = limits.sockets_per_player
        self._lives_s = limits.heartbeat_ms / 2_000  # half of one: who lives has answered a ping in it
        self._lost = Bucket("lost places", self._most, self._most, clock)
        self._held: dict[str, list[Tenant]] = {}

    def enter(self, player: str, newer: Tenant) -> float:
        """Give ``newer`` a place; 0, or the seconds to wait (and it has none)."""
        held = self._held.setdefault(player, [])
        if len(held) >= self._most:
            silent = max(held, key=lambda tenant: tenant.silent_s)
            wait = 0.0 if silent.silent_s > self._lives_s else self._lost.take(player)
            if wait > 0:
                return wait
            held.remove(silent)
            silent.give_way()
        held.append(newer)
        return 0.0

    def leave(self, player: str, tenant: Tenant) -> None:
        """``tenant`` is closed; its place is free, if it was not taken long since."""
        held = self._held.get(player, [])
        if tenant in held:
            held.remove(tenant)
            if not held:
                del self._held[player]

    def count(self, player: str) -> int:
        """How many of his places are taken."""
        return len(self._held.get(player, ()))
