"""Connections to PostgreSQL are those of threads, however many judges there are (docs/scale.md)."""

import http.client
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.db import connection

from annotation.selectors.judging import assigned_blocks
from annotation.services.lending.lend import assignment_lend
from annotation.services.numbers import judgments_number
from annotation.services.submission import SentJudgment, judgment_submit
from config.gunicorn import threads
from tests.factories import make_campaign, make_judge, make_task
from tests.gunicorn import web_server

CLIENTS = 60
SERVER = "test_connections"

CONNECTIONS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = %s
"""
# What would outlive a transaction, beside settings.
STATE = """
SELECT
    (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'),
    (SELECT count(*) FROM pg_listening_channels()),
    (SELECT count(*) FROM pg_cursors WHERE is_holdable),
    (SELECT count(*) FROM pg_class WHERE relnamespace = pg_my_temp_schema()),
    (SELECT count(*) FROM pg_prepared_statements)
"""


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_there_is_a_connection_a_thread(tmp_path: Path) -> None:
    # By a name: tests before this one may have left connections that are only just closing.
    server = web_server(tmp_path, PGAPPNAME=SERVER)
    with server as address, ThreadPoolExecutor(CLIENTS) as clients:
        statuses = set(clients.map(ready, [address] * CLIENTS * 2))
        opened = connections()
    assert statuses == {200}
    assert 1 <= opened <= threads


@pytest.mark.django_db(transaction=True)
def test_judging_leaves_nothing_in_a_connection_but_settings() -> None:
    task = make_task(make_campaign())
    judge = make_judge(task.test_set.campaign)
    lent = assignment_lend(judge=judge)
    assert lent is not None
    for block in assigned_blocks(lent.assignment):
        labels = [1 for _candidate in block.candidates]
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(labels=labels),
        )
    judgments_number(task_id=task.pk)
    with connection.cursor() as cursor:
        cursor.execute(STATE)
        assert cursor.fetchone() == (0, 0, 0, 0, 0)


def ready(address: str) -> int:
    parts = urlsplit(address)
    with closing(http.client.HTTPConnection(parts.netloc, timeout=60)) as client:
        client.request("GET", "/readyz")
        return client.getresponse().status


def connections() -> int:
    with connection.cursor() as cursor:
        cursor.execute(CONNECTIONS, [SERVER])
        return int(cursor.fetchone()[0])
