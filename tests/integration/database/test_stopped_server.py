"""With PostgreSQL stopped nobody waits for ever: it is said in seconds, threads come free, and it goes on after."""

import http.client
import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.test import Client

from config.gunicorn import threads
from launcher.postgresql import Postgres
from launcher.services import Services
from tests.factories import make_campaign, make_judge
from tests.gunicorn import stopped, web_server

pytestmark = pytest.mark.thorough


Eventually = Callable[[Callable[[], bool]], None]

# In which the silence is noticed: asked each second, an answer awaited for three; and the slack of a busy machine.
NOTICED_SECONDS = 20
PROGRESS = "/api/v1/judging/progress/?campaign=museum"


class Browser:
    """Asks the server in the name of one judge."""

    def __init__(self, address: str, cookie: str) -> None:
        self._host = urlsplit(address).netloc
        self._cookie = cookie

    def get(self, path: str, **headers: str) -> tuple[int, float, str]:
        """Return the status, after how many seconds it came, and what came."""
        began = time.monotonic()
        sent = {"Cookie": self._cookie, **headers}
        with closing(http.client.HTTPConnection(self._host, timeout=60)) as connection:
            connection.request("GET", path, headers=sent)
            answer = connection.getresponse()
            body = answer.read().decode()
        return answer.status, time.monotonic() - began, body


@pytest.fixture
def postgres(services: Services) -> Postgres:
    if services.postgres is None:
        pytest.skip("DATABASE_URL names a PostgreSQL that is not ours to stop")
    return services.postgres


@pytest.fixture
def browser(transactional_db: None, tmp_path: Path) -> Iterator[Browser]:
    judge = make_judge(make_campaign("museum"))
    client = Client()
    assert judge.user is not None
    client.force_login(judge.user)
    cookie = f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"
    with web_server(tmp_path) as address:
        yield Browser(address, cookie)


def test_a_stopped_server_holds_no_thread_for_long(
    postgres: Postgres, browser: Browser, eventually: Eventually
) -> None:
    many = 3 * threads
    with ThreadPoolExecutor(many) as pool:
        # Each thread of each worker has a connection that will fall silent.
        before = list(pool.map(browser.get, [PROGRESS] * many))
        assert {status for status, _, _ in before} == {200}
        with stopped(postgres):
            waiting = [pool.submit(browser.get, PROGRESS) for _ in range(many)]
            told = [each.result() for each in waiting]
            assert {status for status, _, _ in told} == {503}
            assert max(seconds for _, seconds, _ in told) < NOTICED_SECONDS
            assert "does not answer" in json.loads(told[0][2])["detail"]
            # From now on it is known: nobody waits the three seconds in which it is noticed.
            for path, status in ((PROGRESS, 503), ("/readyz", 503), ("/healthz", 200), ("/", 503)):
                answer, seconds, _ = browser.get(path)
                assert (answer, seconds < 3) == (status, True), path
    eventually(lambda: browser.get(PROGRESS)[0] == 200)
    eventually(lambda: browser.get("/readyz")[0] == 200)


def test_readiness_is_denied_within_seconds(postgres: Postgres, browser: Browser) -> None:
    assert browser.get("/readyz")[0] == 200
    with stopped(postgres):
        status, seconds, said = browser.get("/readyz")
    assert (status, json.loads(said)["database"]) == (503, "not reached")
    assert seconds < NOTICED_SECONDS


def test_only_being_alive_is_told_to_any_host(browser: Browser) -> None:
    assert browser.get("/healthz", Host="10.0.0.7:8000")[0] == 200
    for path in ("/readyz", "/healthz/", PROGRESS, "/"):
        assert browser.get(path, Host="10.0.0.7:8000")[0] == 400, path
