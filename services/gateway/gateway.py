"""What every request and socket of this gateway shares."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from services.gateway.asking import Asking
from services.gateway.attendance import Attendance
from services.gateway.auth import Tokens
from services.gateway.invitations import Invitations
from services.gateway.limits import Buckets, Limits, Open, Places
from services.gateway.showing import Showing
from services.gateway.tables import Tables
from services.gateway.watches import Watches
from shared.ports.bus import Bus
from shared.ports.log import EventLog
from shared.ports.presence import Presences


class OpenSocket(Protocol):
    """What the gateway does with a socket that is open; ``ended`` is done when it is not any more."""

    @property
    def ended(self) -> asyncio.Future[None]:
        """Done at its end."""
        ...

    def tick(self, now: float) -> None:
        """Once a second, by the loop's clock."""
        ...

    def announce(self, in_ms: int) -> None:
        """Tell its client that it will be sent away in ``in_ms``."""
        ...

    def drain(self, delay_ms: int = ...) -> None:
        """Send its client away, to come back after ``delay_ms``."""
        ...


class OpenStream(Protocol):
    """What the gateway does with a stream of events that is open."""

    def finish(self) -> None:
        """Nothing comes any more."""
        ...


@dataclass(frozen=True)
class Documents:
    """What the API says about itself, as finished bytes."""

    openapi: bytes
    asyncapi: bytes
    page: bytes


@dataclass
class Gateway:
    """One gateway process: its ports, its limits, what is open.

    ``origins``: web pages whose origin may read answers and open sockets, ``*`` for all. Programs that
    send no ``Origin`` are not concerned. ``proxies``: how many trusted proxies stand before us, each of
    which adds an address to ``X-Forwarded-For``. ``main_game``: what the table list opens with (B2).
    """

    bus: Bus
    log: EventLog
    table_log: EventLog
    presences: Presences
    tokens: Tokens
    now_ms: Callable[[], int]
    saw: Callable[[int], None]
    limits: Limits
    documents: Documents
    origins: tuple[str, ...] = ()
    proxies: int = 0
    main_game: str = ""
    asking: Asking = field(init=False)
    buckets: Buckets = field(init=False)
    attendance: Attendance = field(init=False)
    showing: Showing = field(init=False)
    watches: Watches = field(init=False)
    tables: Tables = field(init=False)
    invitations: Invitations = field(init=False)
    sockets: set[OpenSocket] = field(init=False)
    streams: set[OpenStream] = field(init=False)
    connections: Open = field(init=False)
    places: Places = field(init=False)
    draining: bool = False

    def __post_init__(self) -> None:
        """Nothing is open yet."""
        self.buckets = Buckets(self.limits)
        self.attendance = Attendance(self.presences, self.now_ms)
        self.showing = Showing(self.presences, self.attendance, self.now_ms)
        self.watches = Watches(self.log, self.saw, self.showing)
        self.asking = Asking(self.bus, self.log, self.watches.newest)
        self.tables = Tables(self.bus, self.table_log)
        self.invitations = Invitations(self.bus, self.tables)
        self.sockets = set()
        self.streams = set()
        self.connections = Open(self.limits.connections_per_address)
        self.places = Places(self.limits)

    def origin_allowed(self, origin: str, host: str) -> bool:
        """Whether a page of ``origin`` may talk to us, whom it calls ``host``; our own pages may."""
        return "*" in self.origins or origin in self.origins or origin.partition("://")[2] == host
