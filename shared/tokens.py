"""Access tokens: signed by the lobby (EdDSA), checked by the gateway without asking anybody.

Only the lobby has the private key; the gateway has the public one. A token lives 15 minutes and is not
revoked sooner; the refresh token behind it is.
"""

import os
import secrets
from pathlib import Path
from typing import Any, Final

import jwt
import msgspec
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from shared.ids import is_id
from shared.problems import Refused

LIFE_MS: Final = 15 * 60 * 1000
PLAY: Final = "play"
WATCH: Final = "watch"
BOT: Final = "bot"
AUDIT: Final = "audit"
SCOPES: Final = (PLAY, WATCH, BOT, AUDIT)

PRIVATE_FILE: Final = "token-private.pem"  # lobby
PUBLIC_FILE: Final = "token-public.pem"  # gateway
PEPPER_FILE: Final = "pepper.key"  # lobby
BOT_FILE: Final = "bot.key"  # the operator hands it to importers and bots
AUDIT_FILE: Final = "audit.key"  # the operator hands it to auditors

_ISSUER: Final = "kronika"
_ALGORITHM: Final = "EdDSA"


class Token(msgspec.Struct, frozen=True):
    """What a valid access token says: ``id`` is the session's, ``expires_at_ms`` wall-clock time."""

    player: str
    scopes: tuple[str, ...]
    id: str
    expires_at_ms: int


def issue(
    private_key: Ed25519PrivateKey, player: str, scopes: tuple[str, ...], session: str, now_ms: int
) -> str:
    """A token for ``player`` in ``session``, valid for ``LIFE_MS`` (to the second) from ``now_ms``."""
    claims = {
        "iss": _ISSUER,
        "sub": player,
        "jti": session,
        "scopes": list(scopes),
        "iat": now_ms // 1000,
        "exp": (now_ms + LIFE_MS) // 1000,
    }
    return jwt.encode(claims, private_key, algorithm=_ALGORITHM)


def verify(public_key: Ed25519PublicKey, token: str, now_ms: int) -> Token:
    """What ``token`` says; raises ``Refused("unauthorized")`` or ``Refused("token_expired")``.

    Time is the caller's ``now_ms``, never the library's clock.
    """
    try:
        claims: dict[str, Any] = jwt.decode(
            token,
            public_key,
            algorithms=[_ALGORITHM],
            issuer=_ISSUER,
            options={
                "require": ["sub", "jti", "scopes", "exp"],
                "verify_exp": False,
                "verify_iat": False,
                "verify_nbf": False,
                "verify_aud": False,
            },
        )
        said = msgspec.convert(
            {
                "player": claims["sub"],
                "scopes": claims["scopes"],
                "id": claims["jti"],
                "expires_at_ms": int(claims["exp"]) * 1000,
            },
            Token,
        )
    except (jwt.PyJWTError, msgspec.ValidationError, ValueError, TypeError) as error:
        raise Refused("unauthorized") from error
    if not is_id(said.player):
        raise Refused("unauthorized")
    if now_ms >= said.expires_at_ms:
        raise Refused("token_expired")
    return said


def load_private(pem: bytes) -> Ed25519PrivateKey:
    """The signing key in ``pem`` (``Settings.token_key()``); ``ValueError`` if that is something else."""
    key = serialization.load_pem_private_key(pem, password=None)
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError("this is no Ed25519 private key")  # noqa: TRY004 - the content is wrong, not a type
    return key


def load_public(pem: bytes) -> Ed25519PublicKey:
    """The checking key in ``pem`` (``Settings.token_public_key()``); ``ValueError`` as in load_private."""
    key = serialization.load_pem_public_key(pem)
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError("this is no Ed25519 public key")  # noqa: TRY004 - as in load_private
    return key


def generate(directory: Path) -> None:
    """Make the key files that are missing in ``directory``, readable by their owner only.

    What is there stays: a new private key would end every session, a new pepper would lose every nickname.
    Safe to call again, also after it was interrupted.
    """
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    for name in (PEPPER_FILE, BOT_FILE, AUDIT_FILE):
        if not (directory / name).exists():
            _write(directory / name, secrets.token_urlsafe(32).encode() + b"\n")
    private_file, public_file = directory / PRIVATE_FILE, directory / PUBLIC_FILE
    if not private_file.exists():
        pem = Ed25519PrivateKey.generate().private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        _write(private_file, pem)
        public_file.unlink(missing_ok=True)
    if not public_file.exists():
        public = load_private(private_file.read_bytes()).public_key()
        _write(
            public_file,
            public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo),
        )


def _write(path: Path, data: bytes) -> None:
    """Write whole or not at all: half a key file would be kept for ever."""
    draft = path.with_suffix(".new")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
