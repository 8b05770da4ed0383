"""A player's personal data, sealed under his own key: AES-256-GCM, bound to his id."""

import base64
import secrets
from typing import Final

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12


class Personal(msgspec.Struct, frozen=True):
    """What is personal: the nickname, and the argon2 hash of the password (empty for a guest)."""

    nickname: str
    password_hash: str = ""


class Unsealable(Exception):  # noqa: N818 - names what is wrong with the box
    """The box does not open: another player's key, or somebody changed it."""


def new_key() -> bytes:
    """A fresh key for one player."""
    return secrets.token_bytes(KEY_BYTES)


def seal(key: bytes, player: str, personal: Personal) -> str:
    """The sealed box, as base-64 text: nonce, then ciphertext and tag."""
    nonce = secrets.token_bytes(_NONCE_BYTES)
    box = AESGCM(key).encrypt(nonce, msgspec.json.encode(personal), _bound_to(player))
    return base64.b64encode(nonce + box).decode()


def unseal(key: bytes, player: str, sealed: str) -> Personal:
    """What is in the box; raises ``Unsealable``."""
    try:
        raw = base64.b64decode(sealed, validate=True)
        data = AESGCM(key).decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], _bound_to(player))
        return msgspec.json.decode(data, type=Personal)
    except (InvalidTag, ValueError, msgspec.MsgspecError) as error:
        raise Unsealable(player) from error


def _bound_to(player: str) -> bytes:
    return f"kronika/player/1\0{player}".encode()
