"""Every broker subject, stream and bucket name, in one place."""

from typing import Final

GAMES: Final = "GAMES"
TABLES: Final = "TABLES"
PLAYERS: Final = "PLAYERS"
RATINGS: Final = "RATINGS"
LEDGER: Final = "LEDGER"
TOURNAMENTS: Final = "TOURNAMENTS"
PREFIX: Final = {
    GAMES: "game",
    TABLES: "table",
    PLAYERS: "player",
    RATINGS: "rating",
    LEDGER: "ledger",
    TOURNAMENTS: "tournament",
}

SECRETS: Final = "SECRETS"  # match -> its 32-byte secret, write-once; only `game` may read it
KEYS: Final = "KEYS"  # player -> the key of his sealed personal data; deleting it forgets him
NAMES: Final = "NAMES"  # keyed hash of a nickname -> player id
REFRESH: Final = "REFRESH"  # hash of a refresh token -> session; also a request of quick pairing -> its table

TIMERS: Final = "TIMERS"
ARMED: Final = "timer.arm"  # <match>.<kind>: a message that the broker sends on to `DUE` at its time
DUE: Final = "timer.due"

PULSE: Final = "PULSE"
PULSE_OF_GAME: Final = "pulse.game"  # the one value of it: the newest beat of any game instance

TIME_OF_GAME: Final = "time.gateway.game"  # gateways ask there what time it is, and are alive by that

LIVE: Final = "live"


def entry(stream: str, key: str, n: int) -> str:
    """The subject of entry ``n`` of log ``key``: ``game.<match>.<n>``."""
    return f"{PREFIX[stream]}.{key}.{n}"


def log(stream: str, key: str) -> str:
    """All entries of one log."""
    return f"{PREFIX[stream]}.{key}.>"


def live(stream: str, key: str) -> str:
    """The subject on which the broker hands on the stored entries of one log."""
    return f"{LIVE}.{PREFIX[stream]}.{key}.*"


def armed(match: str, kind: str) -> str:
    """Where the timer ``kind`` of a match is armed."""
    return f"{ARMED}.{match}.{kind}"


def due(match: str, kind: str) -> str:
    """Where it comes when its time has come."""
    return f"{DUE}.{match}.{kind}"


def command(sender: str, service: str, key: str) -> str:
    """Where ``sender`` sends a command for ``key`` to ``service``: the subject proves the sender."""
    return f"cmd.{sender}.{service}.{key}"


def commands(service: str) -> str:
    """What ``service`` listens to."""
    return f"cmd.*.{service}.*"


def sender_and_key(subject: str) -> tuple[str, str]:
    """(sender, key) of a command's subject."""
    parts = subject.split(".")
    return parts[1], parts[3]
