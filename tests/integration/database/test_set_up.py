"""What a command says on a database that is away, empty, or of an earlier version; it changes nothing."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing

import psycopg2
import pytest
from django.conf import settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from config.set_up import other_migration_await, problem_before
from tests.conftest import test_database_url as database_url
from tests.roles import owner_cursor

COMMAND = ("manage.py", "add_judge", "judge-1", "--campaign", "mine")


def run(
    environment: Mapping[str, str],
    command: tuple[str, ...] = COMMAND,
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *command],
        cwd=settings.BASE_DIR,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.fixture
def empty_database(transactional_db: None) -> Iterator[str]:
    """The address of a database beside the tests' own, dropped afterwards."""
    own = str(connection.settings_dict["NAME"])
    name = f"{own}_empty"
    with owner_cursor() as cursor:
        cursor.execute(f'CREATE DATABASE "{name}" TEMPLATE template0')
        yield database_url().replace(f"/{own}", f"/{name}")
        cursor.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def last_of_ranking_unapplied() -> str:
    """Make the database forget the last migration of `ranking`; return its name."""
    recorder = MigrationRecorder(connection)
    last = max(name for app, name in recorder.applied_migrations() if app == "ranking")
    recorder.record_unapplied("ranking", last)
    return last


@pytest.mark.django_db
def test_tables_of_this_version_are_no_problem() -> None:
    assert problem_before(COMMAND) is None


def test_tables_of_an_earlier_version_are_named_with_what_they_lack(
    as_owner: None,
    db: None,
) -> None:
    last = last_of_ranking_unapplied()
    said = problem_before(COMMAND) or ""
    assert (
        f"to an earlier version of Quintet. Missing: ranking.{last}. What to do: stop"
        in said
    )


@pytest.mark.parametrize(
    "arguments",
    [("migrate",), ("check",), ("no_such_command",), ()],
    ids=" ".join,
)
def test_commands_without_tables_do_not_wait(
    as_owner: None,
    db: None,
    arguments: tuple[str, ...],
) -> None:
    last_of_ranking_unapplied()
    assert problem_before(("manage.py", *arguments)) is None


def test_unknown_migrations_are_reported_as_another_version(
    as_owner: None,
    db: None,
) -> None:
    recorder = MigrationRecorder(connection)
    recorder.record_applied("campaign", "0139_of_another_version")
    said = problem_before(("manage.py", "migrate")) or ""
    assert (
        "before Quintet 0.2.0 and cannot be migrated: campaign.0139_of_another_version. "
        in said
    )
    assert "Nothing was changed." in said
    # The advice is the same whatever is tried, and never to start this version.
    assert said.startswith(problem_before(COMMAND) or "nothing")


@pytest.mark.django_db
def test_a_migration_waits_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """multica-ai/multica 3647, IFRCGo/go-api 1926: the second of two servers that started at once found tables of the first."""
    pauses = 0

    def end_other(_seconds: float) -> None:
        nonlocal pauses
        pauses += 1
        other.close()

    with closing(psycopg2.connect(database_url())) as other:
        with other.cursor() as lock:
            lock.execute("SELECT pg_advisory_lock(hashtextextended('migrate', 0))")
        monkeypatch.setattr(time, "sleep", end_other)
        other_migration_await()
    assert pauses > 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_unlock_all()")


@pytest.mark.thorough
def test_an_empty_database_is_not_set_up(empty_database: str) -> None:
    done = run({"DATABASE_URL": empty_database, "QUINTET_HOME": "/some/folder"})
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(
        "Quintet is not set up here: the data folder /some/folder has no tables. "
        "What to do: run `QUINTET_HOME=/some/folder make start`",
    )
    assert "Traceback" not in done.stderr
    with (
        closing(psycopg2.connect(empty_database)) as session,
        session.cursor() as cursor,
    ):
        cursor.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
        assert cursor.fetchone() == (0,)


@pytest.mark.thorough
@pytest.mark.parametrize("command", [COMMAND, ("manage.py", "migrate"), ("manage.py", "check", "--database", "default")], ids=" ".join)  # fmt: skip
def test_unreachable_database_is_reported(command: tuple[str, ...]) -> None:
    away = "postgres://somebody:secret@127.0.0.1:1/quintet"
    done = run({"DATABASE_URL": away, "MIGRATION_DATABASE_URL": away}, command)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Quintet's database cannot be reached (")
    assert done.stderr.count("\n") == 1
    assert "secret" not in done.stderr


@pytest.mark.parametrize(
    "server",
    [
        ("gunicorn", "--config=python:config.gunicorn", "--bind=127.0.0.1:0"),
        (
            "celery",
            "--app=config",
            "--skip-checks",
            "worker",
            "--pool=threads",
            "--concurrency=1",
        ),
    ],
    ids=["web", "worker"],
)
def test_a_server_ends_if_its_tables_are_not_those_of_this_version(
    empty_database: str,
    server: tuple[str, ...],
) -> None:
    ended = run({"DATABASE_URL": empty_database}, ("-m", *server))

    assert ended.returncode == 1
    assert "has no tables" in ended.stdout + ended.stderr
