"""What the broker must hold before a service starts: streams, buckets, durable consumers, safe settings.

Only the provisioners (`kronika up`, a job in Kubernetes) may create them; services check and refuse to start.
"""

from typing import Any, Final

import msgspec

from shared import subjects
from shared.adapters.nats_connection import Broker
from shared.ports.bus import NoAnswer

MINIMUM_VERSION: Final = (2, 12, 0)
_TIMEOUT_MS: Final = 5_000
_NOT_FOUND: Final = (10059, 10014)  # stream, consumer
_DAY_NS: Final = 86_400 * 10**9
_REFRESH_AGE_NS: Final = 30 * _DAY_NS
_ACK_WAIT_NS: Final = 6 * 10**9  # a handler at work says so every 2 s; a dead one's entries come again

_ONCE: Final[dict[str, Any]] = {
    "retention": "limits",
    "storage": "file",
    "discard": "new",
    "discard_new_per_subject": True,
    "max_msgs_per_subject": 1,
    "max_msgs": -1,
    "max_bytes": -1,
    "allow_direct": True,
}


def _log_stream(name: str) -> dict[str, Any]:
    prefix = subjects.PREFIX[name]
    return {
        **_ONCE,
        "name": name,
        "subjects": [f"{prefix}.*.*"],
        "max_age": 0,
        "deny_delete": True,
        "compression": "s2",
        "republish": {
            "src": f"{prefix}.*.*",
            "dest": f"{subjects.LIVE}.{prefix}.{{{{wildcard(1)}}}}.{{{{wildcard(2)}}}}",
        },
    }


def _bucket_stream(bucket: str, *, keep: bool = False, max_age_ns: int = 0) -> dict[str, Any]:
    """``keep``: nothing stored can be deleted."""
    return {
        **_ONCE,
        "name": f"KV_{bucket}",
        "subjects": [f"$KV.{bucket}.>"],
        "max_age": max_age_ns,
        "deny_delete": keep,
        "deny_purge": keep,
    }


def _durable(name: str, only: str) -> dict[str, Any]:
    return {
        "durable_name": name,
        "ack_policy": "explicit",
        "ack_wait": _ACK_WAIT_NS,
        "deliver_policy": "all",
        "replay_policy": "instant",
        "max_ack_pending": 1_000,
        "max_deliver": -1,
        **({"filter_subject": only} if only else {}),
    }


# Only the newest message of a subject is kept. It must outlive the broker, whose own outage it measures.
_PULSE_STREAM: Final[dict[str, Any]] = {
    "name": subjects.PULSE,
    "subjects": [subjects.PULSE_OF_GAME],
    "retention": "limits",
    "storage": "file",
    "discard": "old",
    "max_msgs_per_subject": 1,
    "max_msgs": -1,
    "max_bytes": -1,
    "max_age": 0,
    "allow_direct": True,
    "deny_delete": True,
    "deny_purge": True,
}
GAME_STREAMS: Final = {
    s["name"]: s
    for s in (_log_stream(subjects.GAMES), _bucket_stream(subjects.SECRETS, keep=True), _PULSE_STREAM)
}
LOBBY_STREAMS: Final = {
    s["name"]: s
    for s in (
        _log_stream(subjects.TABLES),
        _log_stream(subjects.PLAYERS),
        _bucket_stream(subjects.KEYS),
        _bucket_stream(subjects.NAMES),
        _bucket_stream(subjects.REFRESH, max_age_ns=_REFRESH_AGE_NS),
    )
}
LEDGER_STREAMS: Final = {s["name"]: s for s in (_log_stream(subjects.LEDGER),)}
# A timer that was seen to leaves nothing behind: what is acknowledged is gone. The broker refuses schedules
# in streams that discard new messages.
CLOCK_STREAMS: Final[dict[str, dict[str, Any]]] = {
    subjects.TIMERS: {
        "name": subjects.TIMERS,
        "subjects": [f"{subjects.ARMED}.*.*", f"{subjects.DUE}.*.*"],
        "retention": "workqueue",
        "storage": "file",
        "discard": "old",
        "max_msgs_per_subject": 1,
        "max_msgs": -1,
        "max_bytes": -1,
        "max_age": 0,
        "allow_msg_schedules": True,
        "allow_msg_ttl": True,
        "deny_delete": True,
    }
}
RATING_STREAMS: Final = {subjects.RATINGS: _log_stream(subjects.RATINGS)}
# Stream, durable consumer, and the only subjects it gets (all of them if there are none).
GAME_DURABLES: Final = (
    (subjects.GAMES, "ghost", ""),
    (subjects.GAMES, "audit", ""),
    (subjects.GAMES, "clock", ""),
    (subjects.GAMES, "rating", ""),
    (subjects.GAMES, "ledger", ""),
)
CLOCK_DURABLES: Final = ((subjects.TIMERS, "clock", f"{subjects.DUE}.>"),)
LEDGER_DURABLES: Final = ((subjects.LEDGER, "ledger", ""),)

# What each user may look at, and so checks when it starts. The others reach GAMES through exports only.
CHECKED_BY: Final = {
    "game": GAME_STREAMS,
    "audit": {subjects.GAMES: GAME_STREAMS[subjects.GAMES]},
    "lobby": LOBBY_STREAMS,
    "clock": CLOCK_STREAMS,
    "rating": RATING_STREAMS,
    "ledger": LEDGER_STREAMS,
}


class WrongServer(Exception):  # noqa: N818 - what the operator reads
    """The broker is too old, is set up unsafely, or lacks what was to be provisioned; the text says which."""


async def provision(
    url: str, passwords: dict[str, str], *, replicas: int = 1, settings_known_safe: bool = False
) -> None:
    """Create or bring up to date everything, in every account; doing it again changes nothing.

    ``passwords`` by user: ``provision_game``, ``provision_lobby`` and so on and, for the check of
    ``sync_interval``, ``sys``. ``settings_known_safe`` skips that check where the system account is out
    of reach.
    """
    if not settings_known_safe:
        async with _Visit(url, "sys", passwords["sys"]) as broker:
            await check_sync(broker)
    for user, streams, durables in (
        ("provision_game", GAME_STREAMS, GAME_DURABLES),
        ("provision_lobby", LOBBY_STREAMS, ()),
        ("provision_clock", CLOCK_STREAMS, CLOCK_DURABLES),
        ("provision_rating", RATING_STREAMS, ()),
        ("provision_ledger", LEDGER_STREAMS, LEDGER_DURABLES),
    ):
        async with _Visit(url, user, passwords[user]) as broker:
            _check_version(broker)
            for stream in streams.values():
                await _create_or_update(broker, {**stream, "num_replicas": replicas})
            for stream_name, durable, only in durables:
                await _create_durable(broker, stream_name, durable, only)


async def check_streams(broker: Broker) -> None:
    """At a service's start: the server's version and the streams that it owns. Raises ``WrongServer``."""
    _check_version(broker)
    for name, wanted in CHECKED_BY.get(broker.user, {}).items():
        found = await _api(broker, f"STREAM.INFO.{name}", {})
        if "error" in found:
            raise WrongServer(
                f"Stream {name} is missing ({found['error']['description']}); provision it first."
            )
        for setting, value in wanted.items():
            there = _setting(found["config"], setting)
            if not _same(value, there):
                raise WrongServer(
                    f"Stream {name}: {setting} is {there!r} and must be {value!r}; provision it."
                )
        if found["config"].get("persist_mode", "default") not in ("", "default"):
            raise WrongServer(f"Stream {name}: persist_mode loses acknowledged messages and must not be set.")


async def check_sync(broker: Broker) -> None:
    """Every server that answers the system account flushes each write. Raises ``WrongServer``."""
    try:
        answer = await broker.request("$SYS.REQ.SERVER.PING.VARZ", b"", _TIMEOUT_MS)
    except NoAnswer as error:
        raise WrongServer(f"The broker's settings cannot be seen by user {broker.user!r}: {error}") from error
    varz: dict[str, Any] = msgspec.json.decode(answer)["data"]
    config: dict[str, Any] = varz.get("jetstream", {}).get("config") or {}
    if not config:
        raise WrongServer("The broker runs without JetStream.")
    if not config.get("sync_always"):
        raise WrongServer(
            "The broker acknowledges writes before they are on disk; set jetstream { sync_interval: always }."
        )


class _Visit:
    """A short connection as one user."""

    def __init__(self, url: str, user: str, password: str) -> None:
        self._broker = Broker(url, user=user, password=password)

    async def __aenter__(self) -> Broker:
        await self._broker.connect()
        return self._broker

    async def __aexit__(self, *_: object) -> None:
        await self._broker.close()


def _check_version(broker: Broker) -> None:
    version = broker.server_version
    if version < MINIMUM_VERSION:
        is_, needs = (".".join(map(str, v)) for v in (version, MINIMUM_VERSION))
        raise WrongServer(f"nats-server {is_} is too old; Kronika needs {needs} or newer.")


async def _api(broker: Broker, what: str, body: dict[str, Any]) -> dict[str, Any]:
    try:
        answer = await broker.request(f"$JS.API.{what}", msgspec.json.encode(body), _TIMEOUT_MS)
    except NoAnswer as error:
        raise WrongServer(f"JetStream does not answer {broker.user!r} ({what}): {error}") from error
    return msgspec.json.decode(answer)


async def _create_or_update(broker: Broker, wanted: dict[str, Any]) -> None:
    name = wanted["name"]
    found = await _api(broker, f"STREAM.INFO.{name}", {})
    if "error" not in found:
        if all(_same(value, _setting(found["config"], s)) for s, value in wanted.items()):
            return
        what = "UPDATE"
    elif found["error"]["err_code"] in _NOT_FOUND:
        what = "CREATE"
    else:
        raise WrongServer(f"Stream {name}: {found['error']['description']}")
    answer = await _api(broker, f"STREAM.{what}.{name}", wanted)
    if "error" in answer:
        raise WrongServer(f"Stream {name} cannot be made as it must be: {answer['error']['description']}")


async def _create_durable(broker: Broker, stream: str, durable: str, only: str) -> None:
    answer = await _api(
        broker,
        f"CONSUMER.DURABLE.CREATE.{stream}.{durable}",
        {"stream_name": stream, "config": _durable(durable, only)},
    )
    if "error" in answer:
        raise WrongServer(f"Consumer {stream}/{durable}: {answer['error']['description']}")


def _setting(config: dict[str, Any], name: str) -> Any:
    """A setting as the server reports it; what it leaves out is off."""
    return config.get(name)


def _same(wanted: Any, found: Any) -> bool:
    return wanted == found or (found is None and wanted in (0, False, ""))
