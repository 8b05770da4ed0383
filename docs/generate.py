# ruff: noqa: INP001 - a script beside the pages it writes, no module of the product
"""Writes the generated pages of this folder; with ``--check`` only says whether they are current.

``make docs`` writes them, ``make check`` checks them. A page is made from the code's own docstrings.
"""

import inspect
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

import msgspec

from services.gateway.limits import Limits
from shared.events.base import By, Commit, Entry
from shared.events.ledger import LedgerEvent, Leg
from shared.events.match import ClockTerms, MatchEvent, Seat, Terms
from shared.events.player import PlayerEvent
from shared.events.rated import Rated, RatedSeat
from shared.events.rating import PlayerResult, RatingEvent
from shared.events.retired import RetiredMatchEvent
from shared.events.staked import Staked
from shared.events.table import TableEvent
from shared.events.tournament import Pair, TournamentEvent
from shared.settings import Secret, Settings

HERE: Final = Path(__file__).parent

_INTRODUCTION: Final = """# Events

<!-- Written by docs/generate.py from the docstrings of shared/events. Change those, then run `make docs`. -->

What the logs hold: facts in the past tense, stored for ever and never rewritten. Every event has its tag in
`type`. A field that stands at its default is left out where "may be left out" is said. Readers ignore fields
that they do not know; a new meaning gets a new tag, and the old shape moves to *Retired*.
"""

_SECTIONS: Final[tuple[tuple[str, str, Any], ...]] = (
    (
        "Match",
        "In `game.<match>.<n>`, in the order in which a match meets them.",
        MatchEvent,
    ),
    ("Table", "In `table.<id>.<n>`.", TableEvent),
    ("Player", "In `player.<id>.<n>`.", PlayerEvent),
    ("Rating", "In `rating.<pool>.<match>`.", RatingEvent),
    ("Ledger", "In `ledger.<account>.<n>`; ADR 0019 says which accounts there are.", LedgerEvent),
    ("Tournament", "In `tournament.<id>.<n>`; points are half points.", TournamentEvent),
    ("Retired", "No longer written, readable for ever.", RetiredMatchEvent),
)
_FRAMES: Final = (("Commit", Commit), ("By", By), ("Entry", Entry))
_PARTS: Final[dict[str, tuple[Any, ...]]] = {
    "Match": (Seat, Terms, ClockTerms, Rated, RatedSeat, Staked),
    "Rating": (PlayerResult,),
    "Ledger": (Leg,),
    "Tournament": (Pair,),
}

_WORDS: Final[dict[Any, str]] = {
    int: "integer",
    str: "text",
    bool: "true or false",
    type(None): "null",
    Any: "anything",
}


def _type(kind: Any) -> str:
    """A Python annotation in JSON's words."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return " or ".join(_type(k) for k in inner)
    if origin is tuple:
        return f"list of {_type(inner[0])}"
    if origin is dict:
        return "object"
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return f"`{kind.__name__}`"
    return _WORDS.get(kind, "event")


def _fields(struct: Any) -> Iterator[str]:
    hints = get_type_hints(struct)
    optional: bool = struct.__struct_config__.omit_defaults
    fields = msgspec.structs.fields(struct)
    if not fields:
        return
    yield "| field | value | |"
    yield "|---|---|---|"
    for field in fields:
        default = "" if field.default is msgspec.NODEFAULT else _json(field.default)
        if field.default_factory is not msgspec.NODEFAULT:
            default = "{}" if field.default_factory is dict else "defaults"
        said = "" if not default else f"may be left out: {default}" if optional else f"always {default}"
        yield f"| `{field.encode_name}` | {_type(hints[field.name])} | {said} |"
    yield ""


def _json(value: Any) -> str:
    if isinstance(value, msgspec.Struct):
        return "defaults"
    return msgspec.json.encode(value).decode()


def _prose(struct: Any) -> str:
    return (inspect.getdoc(struct) or "").replace("``", "`")


def _part(heading: str, struct: Any) -> Iterator[str]:
    yield f"### {heading}"
    yield ""
    yield _prose(struct)
    yield ""
    yield from _fields(struct)


def events() -> str:
    """``events.md``."""
    lines = [_INTRODUCTION, "## Around the events", ""]
    for heading, struct in _FRAMES:
        lines += _part(heading, struct)
    for heading, where, union in _SECTIONS:
        lines += [f"## {heading}", "", where, ""]
        structs: tuple[Any, ...] = get_args(union) or (union,)
        for struct in structs:
            lines += _part(f"`{struct.__struct_config__.tag}`", struct)
        for struct in _PARTS.get(heading, ()):
            lines += _part(struct.__name__, struct)
    return "\n".join(lines).rstrip() + "\n"


_SETTINGS: Final = """# Settings

<!-- Written by docs/generate.py from the defaults in the code. Change those, or the meanings there, then run
`make docs`. -->

All settings are environment variables; an empty one counts as absent. What is wrong keeps a process from
starting, with a sentence that names the variable. Where `kronika up` (`make run`) has another default, or
fills a variable in by itself, the table says so.
"""
_READ_ELSEWHERE: Final[dict[str, tuple[str, str]]] = {
    "newcomer_halving": (
        "own",
        "Whose changes of rating are halved when a newcomer plays: his `own`, or `both`.",
    ),
    "main_game": ("", "The game with which the list of tables opens; empty for all."),
    "proxies": ("0", "How many trusted proxies stand before the gateway, each adding to `X-Forwarded-For`."),
    "nats_port": ("8422", "`kronika up`: the port of the broker that it starts; 0 takes a free one."),
    "nats_monitor_port": ("8482", "`kronika up`: the port of that broker's monitoring; 0 takes a free one."),
    "uci_engine": (
        "",
        "A chess engine that speaks UCI and plays for the computer (ghost); empty: our own.",
    ),
    "uci_nodes": ("2000", "How many positions it looks at for a move: its strength, the same everywhere."),
    "uci_elo": (
        "",
        "The Elo at which it holds itself back, if it can; then its moves depend on its chance.",
    ),
    "czech_words": (
        "",
        (
            "Words for scrabble: a `.dic` (with its `.aff`); a text in UTF-8 with one word a line, from "
            "where names, phrases and what follows a `#` are skipped; or `own` for our small list. Empty: "
            "the system's `hunspell-cs`, where it is installed. All services need the same."
        ),
    ),
    "table_expiry_ms": (
        "86400000",
        "How long a table that nobody fills stays open, if its creator does not say (lobby).",
    ),
    "table_grace_ms": (
        "60000",
        "How long after its player's last socket closed a table of his is kept open (lobby).",
    ),
    "stakes": ("on", "`off`: nobody plays for anything on this server (lobby, ledger)."),
    "start_balance": (
        "10000",
        "What a registered player is granted once, in the smallest unit (ledger).",
    ),
    "fee_permille": ("0", "What of a match's pot goes to the house; single games cost nothing (ledger)."),
    "provision": ("yes", "`kronika up`: `no` leaves the streams of a broker that you name to somebody else."),
    "<service>_nats_password": (
        "",
        "`kronika up` on a broker that you name: the password of one service's user; also with `_FILE`.",
    ),
}
_MEANINGS: Final[dict[str, str]] = {
    "nats_url": "The broker, or several with commas between. `kronika up` starts one if none is named.",
    "nats_user": "The broker's user; by default the name of the service.",
    "nats_password": "Its password; or `KRONIKA_NATS_PASSWORD_FILE` names a file that holds it.",
    "redis_url": "Valkey or Redis: counts guesses of passwords. `kronika up` starts one if none is named.",
    "host": "Where the gateway listens; `0.0.0.0` for all addresses of the machine.",
    "port": "The gateway's port; 0 takes a free one.",
    "origins": "Web pages that may use the API from a browser (`https://…`, commas between; `*` for all).",
    "probe_host": "Where a service answers for health and metrics; `kronika up` sets it.",
    "probe_port": "The port for that; 0 takes a free one. `kronika up` sets it.",
    "data": "Where matches, keys and logs are kept.",
    "token_key_file": "The private key that signs access tokens (lobby). `kronika up` makes all keys.",
    "token_public_key_file": "The public key that checks them (gateway).",
    "pepper_file": "The key for hashes of nicknames and tokens, at least 16 bytes (lobby).",
    "bot_key_file": "The key whose holders get scope `bot` (lobby, `kronika import`); absent: nobody.",
    "audit_key_file": "The key whose holders get scope `audit` (lobby); absent: nobody.",
    "log_level": "`debug`, `info`, `warning` or `error`.",
    "drain_ms": "How long a service that is told to stop may take.",
    "parent_fd": "Set by `kronika up`: a pipe whose closing tells a service that its supervisor is gone.",
}
_LIMITS: Final[dict[str, str]] = {
    "moves_per_minute": "Commands of matches, for each player.",
    "moves_burst": "So many of them at once.",
    "reads_per_minute": "Reads, for each player, or each address where nobody is signed in.",
    "reads_burst": "So many of them at once. Where a long match is read whole, each 40 commits count as one.",
    "writes_per_minute": "Other changes (tables, accounts), counted as reads are.",
    "writes_burst": "So many of them at once.",
    "bot_factor": "A token with scope `bot` may do so many times as much.",
    "sign_ins_per_minute": "Registrations and log-ins, for each address.",
    "sign_ins_burst": "So many of them at once.",
    "frames_per_minute": "Frames of any kind, for each socket.",
    "frames_burst": "So many of them at once.",
    "connections_per_address": "Connections open at the same time, for each address.",
    "sockets_per_player": "Sockets and streams of a player; one more takes the place of the most silent.",
    "watched_per_socket": "Matches and tables that one socket watches.",
    "queued_per_match": "Commands of one match and socket that wait for their answers.",
    "body_bytes": "The longest body of a request.",
    "frame_bytes": "The longest frame of a client.",
    "send_buffer_bytes": "What may wait for a client that reads slowly.",
    "header_ms": "In which the head of a request must have come.",
    "body_ms": "In which its body must have come.",
    "auth_ms": "In which the first frame of a socket, `auth`, must have come.",
    "heartbeat_ms": "Silence after which the server pings; after twice that it closes (4002).",
    "notice_ms": "Between the `maintenance` frame and the close (1012) of a planned stop.",
    "reauth_ms": "How long a socket lives on after its token ran out.",
}


def _setting(value: Any) -> str:
    if isinstance(value, Secret):
        value = value.reveal()
    if value is None or value in ("", ()):
        return ""
    return f"`{value}`"


def settings() -> str:
    """``settings.md``; a setting without a meaning here is a ``KeyError``."""
    rows: list[tuple[str, str, str]] = [
        (name, _setting(getattr(Settings(), name)), _MEANINGS[name]) for name in Settings.__struct_fields__
    ]
    rows += [(name, f"`{value}`" if value else "", said) for name, (value, said) in _READ_ELSEWHERE.items()]
    limits = [
        (f"limit_{name}", _setting(getattr(Limits(), name)), _LIMITS[name])
        for name in Limits.__struct_fields__
    ]
    lines = [_SETTINGS, *_table(rows), "## Limits of the gateway", ""]
    lines += ["Whole numbers from 1. They hold for one gateway process; several count apart.", ""]
    lines += _table(limits)
    return "\n".join(lines).rstrip() + "\n"


def _table(rows: list[tuple[str, str, str]]) -> Iterator[str]:
    yield "| variable | default | |"
    yield "|---|---|---|"
    for name, default, meaning in rows:
        variable = "_".join(part if "<" in part else part.upper() for part in name.split("_"))
        yield f"| `KRONIKA_{variable}` | {default} | {meaning} |"
    yield ""


PAGES: Final[dict[str, Callable[[], str]]] = {"events.md": events, "settings.md": settings}


def main(arguments: list[str]) -> int:
    """Write the pages, or with ``--check`` return 1 if one is not current."""
    stale: list[str] = []
    for name, make in PAGES.items():
        page, text = HERE / name, make()
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            stale.append(name)
            if "--check" not in arguments:
                page.write_text(text, encoding="utf-8")
    if "--check" in arguments and stale:
        sys.stderr.write(f"Not current: {', '.join(stale)}. Run `make docs`.\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
