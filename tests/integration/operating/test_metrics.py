"""`/metrics`: for whoever knows the token; what stands there is true."""

import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
import redis
from celery import current_app
from django.db import OperationalError, connection
from django.test import Client

from config.queues import STATES
from tests.broker import refusing_to_write
from tests.integration.web.conftest import Server

TOKEN = "a-token-of-the-test"

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked(settings: Any) -> Callable[[], dict[str, float]]:
    settings.METRICS_TOKEN = TOKEN

    def ask() -> dict[str, float]:
        answer = Client().get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        assert answer.status_code == 200
        return samples(answer.content.decode())

    return ask


def samples(text: str) -> dict[str, float]:
    lines = (
        line.rpartition(" ") for line in text.splitlines() if not line.startswith("#")
    )
    return {name: float(value) for name, _, value in lines}


class TestWhoMayRead:
    def test_without_a_token_there_is_no_such_address(self) -> None:
        assert Client().get("/metrics").status_code == 404

    @pytest.mark.parametrize(
        "given",
        [None, "Bearer", "Bearer wrong", f"Token {TOKEN}", f"bearer {TOKEN}é"],
    )
    def test_metrics_are_refused_to_strangers(
        self,
        settings: Any,
        given: str | None,
    ) -> None:
        settings.METRICS_TOKEN = TOKEN
        headers = {"Authorization": given} if given else {}
        answer = Client().get("/metrics", headers=headers)
        assert (answer.status_code, answer.content) == (401, b"")


def test_one_statement_reads_the_database(
    asked: Callable[[], dict[str, float]],
) -> None:
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as queries:
        found = asked()
    assert len(queries) == 1
    assert found["quintet_database_up"] == found["quintet_broker_up"] == 1
    assert found["quintet_unnumbered_judgments"] == 0
    assert found['quintet_leases{state="held"}'] == 0


def test_metrics_report_an_unreachable_database_beside_the_others(
    asked: Callable[[], dict[str, float]],
) -> None:
    with patch.object(connection, "cursor", side_effect=OperationalError("away")):
        found = asked()
    assert (found["quintet_database_up"], found["quintet_broker_up"]) == (0, 1)
    assert "quintet_unnumbered_judgments" not in found


def test_a_broker_that_refuses_to_write_is_down(
    asked: Callable[[], dict[str, float]],
    settings: Any,
) -> None:
    with refusing_to_write(settings.REDIS_URL):
        found = asked()
        answer = Client().get("/readyz")
    assert (found["quintet_database_up"], found["quintet_broker_up"]) == (1, 0)
    assert answer.status_code == 503
    assert "refuses to write: NOREPLICAS" in answer.json()["broker"]


def test_the_age_of_a_queue_is_that_of_its_first_message(
    asked: Callable[[], dict[str, float]],
) -> None:
    now = time.time()
    with patch("config.celery.time.time", return_value=now - 100):
        current_app.send_task("campaign.tasks.send_mails", queue="mail")
    current_app.send_task("campaign.tasks.send_mails", queue="mail")
    found = asked()
    assert found['quintet_queue_messages{queue="mail"}'] == 2
    assert 100 <= found['quintet_queue_age_seconds{queue="mail"}'] < 160
    assert found['quintet_queue_age_seconds{queue="planning"}'] == 0


@pytest.mark.thorough
def test_work_of_workers_is_counted(
    asked: Callable[[], dict[str, float]],
    start_worker: Callable[..., Any],
    eventually: Callable[[Callable[[], bool]], None],
    patient_broker: "redis.Redis",
) -> None:
    start_worker("planning")
    eventually(
        lambda: bool(
            patient_broker.hget(STATES, "annotation.tasks.fill_pools|success"),
        ),
    )
    found = asked()
    assert (
        found['quintet_tasks_total{state="success",task="annotation.tasks.fill_pools"}']
        >= 1
    )
    ended = found[
        'quintet_task_ended_timestamp_seconds{task="annotation.tasks.fill_pools"}'
    ]
    assert abs(time.time() - ended) < 120


@pytest.mark.thorough
def test_all_processes_of_a_web_server_count_together() -> None:
    server = Server(
        "--workers=2",
        application="config.wsgi:application",
        METRICS_TOKEN=TOKEN,
    )
    try:
        # On connections of their own, so that both processes answer some.
        for _request in range(20):
            server.get("/sign-in/")
        text = server.get("/metrics", Authorization=f"Bearer {TOKEN}").decode()
        found = samples(text)
        name = 'quintet_requests_total{method="GET",status="200",view="sign-in"}'
        assert found[name] == 20
        assert found['quintet_request_seconds_count{method="GET",view="sign-in"}'] == 20
    finally:
        server.kill()
