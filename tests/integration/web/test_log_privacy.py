"""No log of a running installation holds what docs/privacy.md says is not stored."""

import http.client
import json
from collections.abc import Iterator
from contextlib import closing

import pytest

from launcher.data_directory import wait_until
from tests.faults.installation import Installation
from tests.faults.installations import installation
from tests.faults.stage import Needs
from tests.slow_clients import HOST

pytestmark = pytest.mark.thorough

#: Another address of this machine, so that it is not in lines about listening.
CLIENT_ADDRESS = "127.77.66.55"
FORWARDED = "203.0.113.77"
QUERY = "?PROLIFIC_PID=planted-participant&search=Planted+Name"
HEADERS = {
    "User-Agent": "PlantedBrowser/1.0",
    "Referer": "https://planted.example.org/page?id=planted-referrer",
    "X-Forwarded-For": FORWARDED,
    "Cookie": "sessionid=planted-session",
}
PLANTED = (CLIENT_ADDRESS, FORWARDED, "planted", "PROLIFIC_PID", "search=", "Planted")
REQUESTS = (
    ("GET", "/sign-in/"),
    ("GET", "/no/such/page/"),
    ("GET", "/i/planted-token/"),
    ("GET", "/panel/planted-key/"),
    ("GET", "/%69/planted-token/"),
    ("POST", "/sign-in/"),
    ("GET", "/api/v1/campaigns/"),
    ("GET", "/api/v1/judging/progress/"),
    ("POST", "/api/v1/judging/assignments/"),
    ("GET", "/static/none.css"),
    ("GET", "/healthz"),
)


@pytest.fixture(scope="module", params=["console", "json"])
def running(request: pytest.FixtureRequest) -> Iterator[Installation]:
    """An installation that logs in this format."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("LOG_FORMAT", request.param)
        with installation(Needs.NOTHING) as made:
            yield made


def test_no_log_holds_addresses_browsers_queries_or_referrers(
    running: Installation,
) -> None:
    for method, path in REQUESTS:
        _request(running.port, method, path + QUERY)
        _request(running.port, method, path + QUERY, host="other.example.org")
    _malformed_request(running.port)
    web_log = running.folder / "logs" / "web.log"
    assert wait_until(lambda: "GET /healthz 200" in web_log.read_text(), seconds=30)
    logs = [*running.folder.glob("logs/*"), running.folder.with_suffix(".log")]
    assert {path.stem for path in logs} >= {"web", "worker", "postgresql", "valkey"}
    leaks = [
        (path.name, text)
        for path in logs
        for text in PLANTED
        if text in path.read_text()
    ]
    assert leaks == []


def test_a_request_is_logged_with_its_id(running: Installation) -> None:
    request_id = _request(running.port, "GET", "/sign-in/")
    web_log = running.folder / "logs" / "web.log"
    assert wait_until(lambda: request_id in web_log.read_text(), seconds=30)
    [line] = [line for line in web_log.read_text().splitlines() if request_id in line]
    if line.startswith("{"):
        line = json.loads(line)["event"]
    assert "GET /sign-in/ 200 " in line


def _request(port: int, method: str, path: str, *, host: str = HOST) -> str:
    """Send a request from the planted address; return its ID."""
    with closing(
        http.client.HTTPConnection(
            HOST,
            port,
            timeout=60,
            source_address=(CLIENT_ADDRESS, 0),
        ),
    ) as connection:
        connection.request(method, path, headers={**HEADERS, "Host": host})
        response = connection.getresponse()
        response.read()
        return str(response.headers["X-Request-ID"])


def _malformed_request(port: int) -> None:
    with closing(http.client.HTTPConnection(HOST, port, timeout=60)) as connection:
        connection.connect()
        connection.sock.sendall(
            f"GET /x{QUERY} NONSENSE/9\r\nHost: other\r\n\r\n".encode(),
        )
        assert connection.sock.recv(12).endswith(b" 400")
