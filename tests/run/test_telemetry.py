"""Logs are JSON lines on stderr, and nothing secret gets into them."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from shared import telemetry
from shared.settings import Secret

TOKEN = "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJwYWJjIn0.c2lnbmF0dXJl"  # noqa: S105 - the form of one, signed by nobody


@pytest.fixture(autouse=True)
def _own_logging() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level
    structlog.reset_defaults()


def logged(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    return json.loads(lines[0])


@pytest.mark.parametrize(
    "values",
    [
        {"password": "hunter2"},
        {"settings": {"nats_password": "hunter2"}},
        {"access_token": "hunter2", "n": 1},
        {"headers": [{"Authorization": "hunter2"}]},
        {"url": "redis://:hunter2@host:6379/0"},
        {"url": "nats://me:hunter2@host"},
        {"why": "header was Bearer hunter2"},
        {"why": Secret("hunter2")},
        {"raw": b"hunter2"},
        {"why": "-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----"},
    ],
)
def test_secrets_are_hidden_wherever_they_stand(
    values: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    telemetry.configure("test").info("something", **values)
    line = capsys.readouterr().err
    assert json.loads(line)["event"] == "something"
    assert "hunter2" not in line


def test_a_signed_token_is_hidden_in_any_text(capsys: pytest.CaptureFixture[str]) -> None:
    telemetry.configure("test").warning(f"refused {TOKEN} today")
    assert logged(capsys)["event"] == "refused [hidden] today"


def test_what_helps_is_not_hidden(capsys: pytest.CaptureFixture[str]) -> None:
    telemetry.configure("test").info("appended", match="mabc", n=7, secret_hash="00ff", key="tabc")  # noqa: S106 - a hash
    line = logged(capsys)
    assert (line["match"], line["n"], line["secret_hash"], line["key"]) == ("mabc", 7, "00ff", "tabc")
    assert (line["service"], line["level"]) == ("test", "info")


def test_libraries_log_the_same_way_and_local_variables_are_not_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    telemetry.configure("test")
    hidden = "hunter2"
    try:
        int(hidden[:6])
    except ValueError:
        logging.getLogger("aiohttp.server").exception("failed with Bearer %s", hidden)
    line = logged(capsys)
    assert line["level"] == "error"
    assert "ValueError" in line["exception"]
    assert "hunter2" not in json.dumps(line)


def test_the_level_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    log = telemetry.configure("test", "warning")
    log.info("not this")
    log.warning("this")
    assert logged(capsys)["event"] == "this"
