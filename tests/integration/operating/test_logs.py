"""What is logged says which request, judge and task it is about, and names nobody; nothing leaves the machine."""

import io
import json
import logging
import re
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sentry_sdk
from celery import current_app
from django.test import Client

from annotation.api import judging
from campaign.models import Campaign
from config.logs import ConsoleFormatter, errors_report, json_formatter
from config.queues import REQUEST
from tests.factories import make_judge

pytestmark = pytest.mark.django_db

GIVEN = "0123456789abcdef0123456789abcdef"


@pytest.fixture(params=["console", "json"])
def lines(request: pytest.FixtureRequest) -> Iterator[Callable[[], list[str]]]:
    """What is logged in this format."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        ConsoleFormatter() if request.param == "console" else json_formatter(),
    )
    logging.getLogger().addHandler(handler)
    yield lambda: stream.getvalue().splitlines()
    logging.getLogger().removeHandler(handler)


class TestTheIdOfARequest:
    def test_stands_in_the_answer_and_in_the_log(
        self,
        lines: Callable[[], list[str]],
    ) -> None:
        answer = Client().get("/no/such/page/")
        request = answer.headers["X-Request-ID"]
        assert re.fullmatch("[0-9a-f]{32}", request)
        assert any(request in line for line in lines())

    @pytest.mark.parametrize(
        ("proxies", "given", "is_kept"),
        [
            (1, GIVEN, True),
            (0, GIVEN, False),
            (1, "short", False),
            (1, "a b\u00e9<script>", False),
            (1, "x" * 65, False),
        ],
    )
    def test_is_a_proxys_if_there_is_one_and_it_is_well_formed(
        self,
        settings: Any,
        proxies: int,
        given: str,
        is_kept: bool,
    ) -> None:
        settings.PROXIES = proxies
        answer = Client().get("/healthz", headers={"X-Request-ID": given})
        assert (answer.headers["X-Request-ID"] == given) is is_kept

    def test_goes_to_the_tasks_that_the_request_sends(
        self,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        sent: list[Any] = []

        def publish(*, headers: dict[str, Any], **_signal: Any) -> None:
            sent.append(headers.get(REQUEST))

        from celery.signals import before_task_publish

        before_task_publish.connect(publish)
        try:
            monkeypatch.setattr(
                "config.metrics._broker_state",
                lambda: (
                    str(current_app.send_task("campaign.tasks.send_mails")) and "ok"
                ),
            )
            answer = Client().get("/readyz")
        finally:
            before_task_publish.disconnect(publish)
        assert sent == [answer.headers["X-Request-ID"]]


def test_a_judge_is_a_number_in_the_log(
    campaign: Campaign,
    lines: Callable[[], list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judge = make_judge(campaign)
    client = Client()
    assert judge.user is not None
    client.force_login(judge.user)

    def work(_judge: Any) -> Any:
        logging.getLogger("test").warning("counting")
        raise ZeroDivisionError

    monkeypatch.setattr(judging, "judge_work", work)
    client.raise_request_exception = False
    assert (
        client.get(f"/api/v1/judging/progress/?campaign={campaign.slug}").status_code
        == 500
    )
    [line] = [line for line in lines() if "counting" in line]
    assert f'"judge": {judge.pk}' in line or f"judge={judge.pk}" in line
    text = "\n".join(lines())
    assert "ZeroDivisionError" in text
    for secret in (judge.pseudonym, judge.user.name):
        assert secret not in text


def test_lines_of_json_are_json_with_their_traceback() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(json_formatter())
    logger = logging.getLogger("test.json")
    logger.addHandler(handler)
    try:
        raise ValueError("/i/s3cr3t-t0ken/")
    except ValueError:
        logger.exception("%s went wrong at /i/s3cr3t-t0ken/", "It")
    finally:
        logger.removeHandler(handler)
    [line] = stream.getvalue().splitlines()
    said = json.loads(line)
    assert said["event"] == "It went wrong at /i/[hidden]/"
    assert said["level"] == "error"
    assert "ValueError" in said["exception"]
    assert "s3cr3t" not in line


class TestNothingIsSent:
    def test_no_connection_without_an_address(
        self,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        met: list[Any] = []
        real = socket.socket.connect

        def connect(self: socket.socket, address: Any) -> None:
            met.append(address)
            real(self, address)

        monkeypatch.setattr(socket.socket, "connect", connect)
        errors_report("", release="1")
        logging.getLogger("test").error("broken")
        Client(raise_request_exception=False).get("/sign-in/")
        assert not sentry_sdk.get_client().is_active()
        assert all(isinstance(each, (str, bytes)) for each in met), met


def test_an_error_is_reported_without_anything_about_people(
    campaign: Campaign,
    service: tuple[str, list[bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    address, sent = service
    judge = make_judge(campaign)
    assert judge.user is not None
    client = Client(raise_request_exception=False)
    client.force_login(judge.user)

    def work(judge: Any) -> Any:
        comment = "a comment of somebody"
        raise ValueError(f"{comment} by {judge.pseudonym}")

    monkeypatch.setattr(judging, "judge_work", work)
    with sentry_sdk.isolation_scope():
        errors_report(address, release="1")
        try:
            answer = client.get(
                f"/api/v1/judging/progress/?campaign={campaign.slug}",
                headers={"X-Own": "of mine"},
            )
            sentry_sdk.flush(10)
        finally:
            sentry_sdk.get_client().close()
            sentry_sdk.get_global_scope().set_client(None)
    assert answer.status_code == 500
    text = b"".join(sent).decode()
    assert "ValueError" in text
    assert answer.headers["X-Request-ID"] in text
    assert f'"judge":"{judge.pk}"' in text
    cookie = (
        client.cookies["sessionid"].value
        if "sessionid" in client.cookies
        else "no-cookie"
    )
    hidden = (
        "a comment",
        judge.pseudonym,
        judge.user.name,
        campaign.slug,
        "of mine",
        cookie,
    )
    for each in (*hidden, socket.gethostname()):
        assert each not in text, each
