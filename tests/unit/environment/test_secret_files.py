"""Secrets that the environment names by a file."""

from pathlib import Path

import pytest

from environment.secret_files import SECRETS, secrets_read


@pytest.mark.parametrize(
    "name",
    sorted(set(SECRETS) - {"DATABASE_PASSWORD", "MIGRATION_DATABASE_PASSWORD"}),
)
def test_every_secret_may_stand_in_a_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret").write_text("of a file \n")
    environment = {f"{name}_FILE": str(tmp_path / "secret")}
    secrets_read(environment)
    assert environment == {name: "of a file "}


def test_a_file_of_a_windows_editor_has_the_same_secret(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"\xef\xbb\xbfhunter2\r\n")
    environment = {"METRICS_TOKEN_FILE": f"{tmp_path / 'secret'}\r"}
    secrets_read(environment)
    assert environment["METRICS_TOKEN"] == "hunter2"


def test_a_password_is_that_of_the_container_that_reads_the_same_file(
    tmp_path: Path,
) -> None:
    (tmp_path / "secret").write_bytes(b"\xef\xbb\xbfhunter2\n")
    environment = {
        "DATABASE_URL": "postgresql://quintet_app@postgres/quintet",
        "DATABASE_PASSWORD_FILE": str(tmp_path / "secret"),
    }
    secrets_read(environment)
    assert environment["DATABASE_URL"].startswith(
        "postgresql://quintet_app:%EF%BB%BFhunter2@",
    )


def test_a_password_becomes_part_of_its_address_whatever_it_holds(
    tmp_path: Path,
) -> None:
    (tmp_path / "secret").write_text("a/b@c:d%\n")
    environment = {
        "DATABASE_URL": "postgresql://quintet_app@postgres:5433/quintet?sslmode=require",
        "DATABASE_PASSWORD_FILE": str(tmp_path / "secret"),
    }
    secrets_read(environment)
    assert environment == {
        "DATABASE_URL": "postgresql://quintet_app:a%2Fb%40c%3Ad%25@postgres:5433/quintet?sslmode=require",
    }


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"SECRET_KEY_FILE": "/no/such/file"}, "SECRET_KEY_FILE is /no/such/file"),
        ({"SECRET_KEY_FILE": "/dev/null", "SECRET_KEY": "x"}, "are both set"),
    ],
)
def test_unreadable_variable_is_reported_by_name(
    environment: dict[str, str],
    words: str,
) -> None:
    with pytest.raises(SystemExit, match=words):
        secrets_read(environment)


def test_read_twice_it_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    environment = {"SECRET_KEY_FILE": str(tmp_path / "secret"), "OTHER_FILE": "stays"}
    secrets_read(environment)
    secrets_read(environment)
    assert environment == {"SECRET_KEY": "x", "OTHER_FILE": "stays"}
