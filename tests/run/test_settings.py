"""Settings: right ones are read, wrong ones get a sentence that names the variable, secrets stay hidden."""

import pickle
from pathlib import Path

import pytest

from shared.settings import Secret, SettingsError, from_environment


def test_an_empty_environment_gives_the_settings_of_a_machine_of_ones_own() -> None:
    settings = from_environment({}, "game")
    assert settings.nats_url == "nats://127.0.0.1:4222"
    assert settings.nats_user == "game"
    assert (settings.host, settings.port, settings.probe_port) == ("127.0.0.1", 8480, 0)


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("KRONIKA_PORT", "eighty", "'eighty' is not a whole number from 0 to 65535"),
        ("KRONIKA_PORT", "65536", "from 0 to 65535"),
        ("KRONIKA_PROBE_PORT", "-1", "from 0 to 65535"),
        ("KRONIKA_PORT", "²", "not a whole number"),
        ("KRONIKA_NATS_URL", "localhost:4222", "nats://… or tls://…"),
        ("KRONIKA_NATS_URL", "nats://a:1,http://b:2", "nats://… or tls://…"),
        ("KRONIKA_NATS_URL", "nats://host:999999", "nats://… or tls://…"),
        ("KRONIKA_NATS_URL", "nats://me:hunter2@host:4222", "give user and password in KRONIKA_NATS_USER"),
        ("KRONIKA_REDIS_URL", "valkey", "redis://…"),
        ("KRONIKA_HOST", "two hosts", "not a host name"),
        ("KRONIKA_LOG_LEVEL", "loud", "none of debug, info, warning, error"),
        ("KRONIKA_NATS_PASSWORD_FILE", "/nowhere/at/all", "cannot be read: No such file"),
    ],
)
def test_a_wrong_value_is_refused_by_name(variable: str, value: str, said: str) -> None:
    with pytest.raises(SettingsError) as refused:
        from_environment({variable: value})
    assert variable in str(refused.value)
    assert said in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_a_password_comes_from_a_variable_or_a_file_but_not_from_both(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("from-file\n")
    assert from_environment({"KRONIKA_NATS_PASSWORD": "given"}).nats_password.reveal() == "given"
    assert from_environment({"KRONIKA_NATS_PASSWORD_FILE": str(file)}).nats_password.reveal() == "from-file"
    with pytest.raises(SettingsError, match="are both set"):
        from_environment({"KRONIKA_NATS_PASSWORD": "x", "KRONIKA_NATS_PASSWORD_FILE": str(file)})


def test_secrets_are_in_no_text_of_the_settings() -> None:
    settings = from_environment(
        {"KRONIKA_NATS_PASSWORD": "hunter2", "KRONIKA_REDIS_URL": "redis://:hunter2@host:6379"}
    )
    assert settings.redis_url.reveal() == "redis://:hunter2@host:6379"
    assert "hunter2" not in f"{settings!r} {settings} {settings.nats_password}"
    with pytest.raises(TypeError):
        pickle.dumps(Secret("hunter2"))


def test_key_files_are_read_when_they_are_needed_and_missed_by_name(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="KRONIKA_TOKEN_KEY_FILE is not set"):
        from_environment({}).token_key()
    short = tmp_path / "pepper"
    short.write_text("short")
    with pytest.raises(SettingsError, match=r"KRONIKA_PEPPER_FILE: .* less than 16 bytes"):
        from_environment({"KRONIKA_PEPPER_FILE": str(short)}).pepper()
    short.write_text("")
    with pytest.raises(SettingsError, match="is empty"):
        from_environment({"KRONIKA_PEPPER_FILE": str(short)}).pepper()
    short.write_text("0123456789abcdef\n")
    assert from_environment({"KRONIKA_PEPPER_FILE": str(short)}).pepper() == b"0123456789abcdef"
    assert from_environment({}).bot_key() is None
