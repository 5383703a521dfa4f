"""Statements, locks and idle transactions end by themselves, after a time that depends on the process."""

import os
import subprocess
import sys
from contextlib import closing

import pytest
from django.conf import settings
from django.db import OperationalError, connection, transaction

from campaign.database.connections import time_limits
from tests.conftest import test_database_url as database_url

ASKED = (
    *("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"),
    "idle_session_timeout",
)


def seen_by(process: str) -> list[str]:
    """Return the limits that a process of this kind has on a new connection."""
    asked = ", ".join(f"current_setting('{each}')" for each in ASKED)
    program = (
        "import django; django.setup(); from django.db import connection as c; "
        f'k = c.cursor(); k.execute("SELECT {asked}"); print(*k.fetchone(), sep="|")'
    )
    told = subprocess.run(
        [sys.executable, "-c", process + program],
        env={**os.environ, "DATABASE_URL": database_url()},
        capture_output=True,
        text=True,
        check=True,
    )
    return told.stdout.strip().split("|")


@pytest.mark.thorough
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("process", "expected"),
    [
        ("import config.wsgi; ", ["30s", "10s", "5min", "5min"]),
        (
            "from celery.signals import celeryd_init; import config.celery; celeryd_init.send('w'); ",
            ["10min", "1min", "11min", "0"],
        ),
        ("", ["0", "1min", "1h", "0"]),
    ],
    ids=["web", "worker", "command"],
)
def test_kinds_of_processes_have_their_own_limits(
    process: str,
    expected: list[str],
) -> None:
    assert seen_by(process) == expected


def test_a_task_ends_before_its_statements_and_transactions_do() -> None:
    worker = settings.DATABASE_LIMITS["worker"]
    assert worker["statement"] >= settings.CELERY_TASK_TIME_LIMIT
    assert worker["idle"] > settings.CELERY_TASK_TIME_LIMIT


@pytest.mark.django_db
def test_a_limit_ends_a_statement() -> None:
    limit = time_limits({"statement": 0.05})["statement_timeout"]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = %s", [limit])
        with pytest.raises(OperationalError, match="statement timeout"):
            cursor.execute("SELECT pg_sleep(60)")
        transaction.set_rollback(True)


@pytest.mark.thorough
def test_a_server_that_takes_connections_and_says_nothing_is_given_up() -> None:
    import socket

    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        url = f"postgres://quintet@127.0.0.1:{silent.getsockname()[1]}/quintet?connect_timeout=2"
        told = subprocess.run(
            [sys.executable, "manage.py", "check", "--database=default"],
            env={**os.environ, "DATABASE_URL": url},
            capture_output=True,
            text=True,
            check=False,
        )
        assert told.returncode != 0
        assert "timeout expired" in told.stderr
    assert settings.DATABASES["default"]["OPTIONS"]["connect_timeout"] == 5
