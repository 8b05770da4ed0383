"""What a process is told from outside: environment variables, checked once, a sentence for each mistake."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec

LEVELS: Final = ("debug", "info", "warning", "error")
_MAX_PORT: Final = 65535
_HOST: Final = re.compile(r"[A-Za-z0-9.:\-]+")


class SettingsError(Exception):
    """A setting is missing or wrong; the text names the variable and says what would be right."""


class Secret:
    """Text that must not be seen: ``reveal()`` gives it, everything that prints shows dots."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        """Hide ``text``."""
        self._text = text

    def reveal(self) -> str:
        """The hidden text, for the one place that needs it."""
        return self._text

    def __bool__(self) -> bool:
        """Whether there is any text."""
        return bool(self._text)

    def __repr__(self) -> str:
        """Dots."""
        return "Secret(…)" if self._text else "Secret()"

    def __reduce__(self) -> str:
        """Refuse to be pickled: that would write the text down."""
        raise TypeError("a Secret is not written down")


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of one process. ``from_environment`` reads and checks them.

    ``nats_user`` is by default the name of the service. ``port`` is the gateway's; ``probe_port`` serves
    health and metrics, 0 takes a free port. ``drain_ms`` is how long a stopping service may take.
    ``parent_fd`` is the reading end of a pipe whose closing means that the supervisor is gone.
    """

    nats_url: str = "nats://127.0.0.1:4222"
    nats_user: str = ""
    nats_password: Secret = Secret("")
    redis_url: Secret = Secret("redis://127.0.0.1:6379")
    host: str = "127.0.0.1"
    port: int = 8480
    origins: tuple[str, ...] = ()
    probe_host: str = "127.0.0.1"
    probe_port: int = 0
    data: Path = Path(".kronika")
    token_key_file: Path | None = None
    token_public_key_file: Path | None = None
    pepper_file: Path | None = None
    bot_key_file: Path | None = None
    audit_key_file: Path | None = None
    log_level: str = "info"
    drain_ms: int = 8_000
    parent_fd: int | None = None

    def token_key(self) -> bytes:
        """The private key (PEM) that signs access tokens; raises ``SettingsError``."""
        return _key(self.token_key_file, "KRONIKA_TOKEN_KEY_FILE", "the private key that signs access tokens")

    def token_public_key(self) -> bytes:
        """The public key (PEM) that checks access tokens; raises ``SettingsError``."""
        return _key(
            self.token_public_key_file,
            "KRONIKA_TOKEN_PUBLIC_KEY_FILE",
            "the public key that checks access tokens",
        )

    def pepper(self) -> bytes:
        """The key for hashes of nicknames and tokens (at least 16 bytes); raises ``SettingsError``."""
        value = _key(self.pepper_file, "KRONIKA_PEPPER_FILE", "the key for hashes of names and tokens")
        if len(value) < 16:  # noqa: PLR2004 - shorter could be guessed
            raise SettingsError("KRONIKA_PEPPER_FILE: the file holds less than 16 bytes.")
        return value

    def bot_key(self) -> bytes | None:
        """What a client shows to get scope ``bot``, None where nobody gets it; raises ``SettingsError``."""
        return _optional_key(self.bot_key_file, "KRONIKA_BOT_KEY_FILE")

    def audit_key(self) -> bytes | None:
        """What a client shows to get scope ``audit``, None where nobody gets it; raises ``SettingsError``."""
        return _optional_key(self.audit_key_file, "KRONIKA_AUDIT_KEY_FILE")


def from_environment(environment: Mapping[str, str], service: str = "") -> Settings:
    """The settings in ``environment`` (``os.environ``); raises ``SettingsError`` at the first mistake.

    An empty variable counts as absent. ``service`` is the default of ``KRONIKA_NATS_USER``.
    """
    given = {name: value.strip() for name, value in environment.items() if value.strip()}
    default = Settings()
    return Settings(
        nats_url=_url(given, "KRONIKA_NATS_URL", default.nats_url, ("nats", "tls")),
        nats_user=given.get("KRONIKA_NATS_USER", service),
        nats_password=_secret(given, "KRONIKA_NATS_PASSWORD"),
        redis_url=Secret(
            _url(given, "KRONIKA_REDIS_URL", default.redis_url.reveal(), ("redis", "rediss", "unix"))
        ),
        host=_host(given, "KRONIKA_HOST", default.host),
        port=integer(given, "KRONIKA_PORT", default.port, 0, _MAX_PORT),
        origins=tuple(o.strip() for o in given.get("KRONIKA_ORIGINS", "").split(",") if o.strip()),
        probe_host=_host(given, "KRONIKA_PROBE_HOST", default.probe_host),
        probe_port=integer(given, "KRONIKA_PROBE_PORT", default.probe_port, 0, _MAX_PORT),
        data=Path(given.get("KRONIKA_DATA", str(default.data))),
        token_key_file=_path(given, "KRONIKA_TOKEN_KEY_FILE"),
        token_public_key_file=_path(given, "KRONIKA_TOKEN_PUBLIC_KEY_FILE"),
        pepper_file=_path(given, "KRONIKA_PEPPER_FILE"),
        bot_key_file=_path(given, "KRONIKA_BOT_KEY_FILE"),
        audit_key_file=_path(given, "KRONIKA_AUDIT_KEY_FILE"),
        log_level=_one_of(given, "KRONIKA_LOG_LEVEL", default.log_level, LEVELS),
        drain_ms=integer(given, "KRONIKA_DRAIN_MS", default.drain_ms, 0, 600_000),
        parent_fd=integer(given, "KRONIKA_PARENT_FD", -1, 0, 2**20) if "KRONIKA_PARENT_FD" in given else None,
    )


def integer(given: Mapping[str, str], name: str, default: int, least: int, most: int) -> int:
    """The whole number in variable ``name``, from ``least`` to ``most``; raises ``SettingsError``."""
    text = given.get(name, "").strip()
    if not text:
        return default
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
        raise SettingsError(f"{name}: {text!r} is not a whole number from {least} to {most}.")
    return int(text)


def _one_of(given: Mapping[str, str], name: str, default: str, allowed: tuple[str, ...]) -> str:
    value = given.get(name, default).lower()
    if value not in allowed:
        raise SettingsError(f"{name}: {value!r} is none of {', '.join(allowed)}.")
    return value


def _host(given: Mapping[str, str], name: str, default: str) -> str:
    value = given.get(name, default)
    if not _HOST.fullmatch(value):
        raise SettingsError(f"{name}: {value!r} is not a host name or address.")
    return value


def _url(given: Mapping[str, str], name: str, default: str, schemes: tuple[str, ...]) -> str:
    """An address, or several with commas between; a wrong one is not repeated, it may hold a password."""
    value = given.get(name, default)
    wanted = " or ".join(f"{scheme}://…" for scheme in schemes)
    for part in value.split(","):
        try:
            url = urlsplit(part.strip())
            usable = url.scheme in schemes and bool(url.hostname or url.scheme == "unix") and url.port != 0
        except ValueError:
            url, usable = None, False
        if url is None or not usable:
            raise SettingsError(f"{name}: this is no address of the form {wanted}")
        if url.password is not None and "nats" in schemes:
            raise SettingsError(
                f"{name}: give user and password in KRONIKA_NATS_USER and KRONIKA_NATS_PASSWORD."
            )
    return value


def _path(given: Mapping[str, str], name: str) -> Path | None:
    return Path(given[name]) if name in given else None


def _secret(given: Mapping[str, str], name: str) -> Secret:
    """The secret in ``name``, or in the file that ``name``_FILE names (as Kubernetes mounts them)."""
    if name in given and f"{name}_FILE" in given:
        raise SettingsError(f"{name} and {name}_FILE are both set; set one of them.")
    if f"{name}_FILE" in given:
        text = _key(Path(given[f"{name}_FILE"]), f"{name}_FILE", "a password")
        return Secret(text.decode(errors="surrogateescape"))
    return Secret(given.get(name, ""))


def _key(path: Path | None, name: str, meaning: str) -> bytes:
    if path is None:
        raise SettingsError(f"{name} is not set; it names the file with {meaning}.")
    try:
        value = path.read_bytes().strip()
    except OSError as error:
        raise SettingsError(f"{name}: {path} cannot be read: {error.strerror}.") from error
    if not value:
        raise SettingsError(f"{name}: {path} is empty.")
    return value


def _optional_key(path: Path | None, name: str) -> bytes | None:
    return None if path is None else _key(path, name, "a key")
