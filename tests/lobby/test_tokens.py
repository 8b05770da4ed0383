"""Access tokens: signed, short-lived, checked with nothing but the public key."""

import base64
import stat
from pathlib import Path

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared import tokens
from shared.problems import Refused

KEY = Ed25519PrivateKey.generate()
NOW = 1_800_000_000_000
PLAYER = "pjanajana"


def _code(token: str, now_ms: int = NOW, key: Ed25519PrivateKey = KEY) -> str:
    with pytest.raises(Refused) as refused:
        tokens.verify(key.public_key(), token, now_ms)
    return refused.value.problem.code


def test_a_token_says_who_may_do_what_for_fifteen_minutes() -> None:
    token = tokens.issue(KEY, PLAYER, ("play", "bot"), "ssession1", NOW)
    said = tokens.Token(PLAYER, ("play", "bot"), "ssession1", NOW + 900_000)
    assert tokens.verify(KEY.public_key(), token, NOW + 899_999) == said
    assert _code(token, NOW + 900_000) == "token_expired"


def test_anything_else_is_unauthorized() -> None:
    good = tokens.issue(KEY, PLAYER, ("play",), "ssession1", NOW)
    head, body, signature = good.split(".")
    other = tokens.issue(KEY, PLAYER, ("play", "bot"), "ssession1", NOW).split(".")[1]
    assert _code(good, key=Ed25519PrivateKey.generate()) == "unauthorized"
    for forged in ("", "x", "a.b.c", f"{head}.{other}.{signature}", f"{head}.{body}.", good + "A", "\0" * 9):
        assert _code(forged) == "unauthorized"


def test_the_algorithm_cannot_be_talked_down() -> None:
    claims = {"iss": "kronika", "sub": PLAYER, "jti": "s", "scopes": ["audit"], "exp": NOW // 1000 + 900}
    public = KEY.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    assert _code(jwt.encode(claims, "", algorithm="none")) == "unauthorized"
    assert _code(jwt.encode(claims, public, algorithm="HS256")) == "unauthorized"


@pytest.mark.parametrize(
    "wrong",
    [{"sub": "../x"}, {"sub": 5}, {"scopes": "audit"}, {"exp": "soon"}, {"iss": "somebody"}, {"jti": None}],
)
def test_a_signed_token_of_another_shape_is_unauthorized(wrong: dict[str, object]) -> None:
    claims = {"iss": "kronika", "sub": PLAYER, "jti": "s", "scopes": ["play"], "exp": NOW // 1000 + 900}
    assert _code(jwt.encode({**claims, **wrong}, KEY, algorithm="EdDSA")) == "unauthorized"


def test_key_files_are_the_owners_only_and_made_once(tmp_path: Path) -> None:
    tokens.generate(tmp_path / "keys")
    made = {file.name: file.read_bytes() for file in (tmp_path / "keys").iterdir()}
    assert set(made) == {
        tokens.PRIVATE_FILE,
        tokens.PUBLIC_FILE,
        tokens.PEPPER_FILE,
        tokens.BOT_FILE,
        tokens.AUDIT_FILE,
    }
    for file in (tmp_path / "keys").iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    tokens.generate(tmp_path / "keys")
    assert {file.name: file.read_bytes() for file in (tmp_path / "keys").iterdir()} == made
    private = tokens.load_private(made[tokens.PRIVATE_FILE])
    public = tokens.load_public(made[tokens.PUBLIC_FILE])
    assert tokens.verify(public, tokens.issue(private, PLAYER, (), "s", NOW), NOW).player == PLAYER


def test_a_lost_public_key_is_made_again_and_a_new_private_key_brings_its_own(tmp_path: Path) -> None:
    tokens.generate(tmp_path)
    public = (tmp_path / tokens.PUBLIC_FILE).read_bytes()
    (tmp_path / tokens.PUBLIC_FILE).unlink()
    tokens.generate(tmp_path)
    assert (tmp_path / tokens.PUBLIC_FILE).read_bytes() == public
    (tmp_path / tokens.PRIVATE_FILE).unlink()
    tokens.generate(tmp_path)
    private = tokens.load_private((tmp_path / tokens.PRIVATE_FILE).read_bytes())
    again = tokens.load_public((tmp_path / tokens.PUBLIC_FILE).read_bytes())
    assert again.public_bytes_raw() == private.public_key().public_bytes_raw()


def test_another_kind_of_key_is_refused_with_a_sentence() -> None:
    for load in (tokens.load_private, tokens.load_public):
        with pytest.raises(ValueError, match=r"."):
            load(base64.b64encode(b"no key at all"))
