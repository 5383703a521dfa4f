"""Servers that are too old are refused by every connection, by commands, by `/readyz` and at a start."""

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from django.db.backends.base import base as django_base
from django.test import Client

import manage
from config.postgresql.base import UnsuitableServerError
from config.set_up import problem_at_start
from environment import server_versions
from launcher.data_directory import DataDirectory, LauncherError
from launcher.services import Services

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def old_postgresql(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Need a newer PostgreSQL than there is, and connect anew."""
    monkeypatch.setattr(server_versions, "POSTGRESQL", 99)
    connection.close()
    # Django checks each database once in a process.
    monkeypatch.setattr(django_base, "RAN_DB_VERSION_CHECK", set())
    yield
    monkeypatch.undo()


def test_no_connection_is_kept(old_postgresql: None) -> None:
    for _attempt in range(2):
        with (
            pytest.raises(UnsuitableServerError, match="too old"),
            connection.cursor() as cursor,
        ):
            cursor.execute("SELECT 1")


def test_a_command_ends_with_the_message_alone(
    old_postgresql: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stderr = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stderr)
    assert manage.main(["manage.py", "check", "--database", "default"]) == 1
    assert stderr.getvalue().startswith("DATABASE_URL points to PostgreSQL ")
    assert stderr.getvalue().count("\n") == 1


def test_a_web_server_and_a_worker_end_with_the_message(old_postgresql: None) -> None:
    assert "too old" in (problem_at_start() or "")


def test_readyz_names_an_old_postgresql(old_postgresql: None, client: Client) -> None:
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert "needs PostgreSQL 99" in answer.json()["database"]


def test_readyz_names_an_old_redis(
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server_versions, "REDIS", (99, 0))
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert "needs Redis 99.0" in answer.json()["broker"]


@pytest.mark.parametrize(("name", "version"), [("POSTGRESQL", 99), ("REDIS", (99, 0))])
def test_a_start_refuses_an_old_server_of_the_operator(
    name: str,
    version: object,
    services: Services,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(server_versions, name, version)
    for variable in ("DATABASE_URL", "REDIS_URL"):
        monkeypatch.setenv(variable, services.environment[variable])
    with (
        pytest.raises(LauncherError, match="too old"),
        Services(DataDirectory(tmp_path)),
    ):
        pass
