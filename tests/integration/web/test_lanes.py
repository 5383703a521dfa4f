"""No client and no account keeps the threads of the web server from others."""

import contextlib
import http.client
import json
import socket
import time
from collections.abc import Callable, Iterator

import pytest

from tests.integration.web.application import STREAM
from tests.integration.web.conftest import HOST, Server

Eventually = Callable[[Callable[[], bool]], None]

#: More than there are threads of either kind.
CLIENTS = 12
#: Of a request that must be answered, on a busy machine.
SECONDS = 20


@pytest.fixture
def clients() -> Iterator[contextlib.ExitStack]:
    """Connections that are closed at the end of the test."""
    with contextlib.ExitStack() as held:
        yield held


@pytest.fixture(scope="module")
def impatient() -> Iterator[Server]:
    """A server that disconnects and refuses after a second."""
    seconds = {"STALLED_SECONDS": 1.0, "LINE_SECONDS": 1.0}
    server = Server(TEST_SECONDS=json.dumps(seconds))
    yield server
    server.kill()


def unread(server: Server, request: bytes) -> socket.socket:
    """Return a connection that sent a request and reads nothing."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(SECONDS)
    connection.connect((HOST, server.port))
    connection.sendall(request)
    return connection


def is_answered(server: Server, account: str) -> bool:
    connection = http.client.HTTPConnection(HOST, server.port, timeout=SECONDS)
    with contextlib.closing(connection), contextlib.suppress(TimeoutError):
        connection.request(
            "GET",
            "/process",
            headers={"Cookie": f"sessionid={account}"},
        )
        return connection.getresponse().status == 200
    return False


def request_of(account: str, path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: a\r\nCookie: sessionid={account}\r\n\r\n".encode()


def test_clients_that_pipeline_and_read_nothing_hold_no_thread(
    server: Server,
    clients: contextlib.ExitStack,
) -> None:
    """Of the same visitor, whose further requests wait for no response that is unread."""
    for _number in range(6):
        clients.enter_context(unread(server, request_of("one", "/large") * 80))
    # Each waits for a few of those requests, as long as any may begin.
    answered = [is_answered(server, account) for account in ["one", "other"] * 10]
    assert all(answered)


def test_responses_to_pipelined_requests_arrive_in_order(server: Server) -> None:
    paths = ["/large", "/process", "/large", "/process"]
    requests = b"".join(request_of("one", path) for path in paths)
    last = b"GET /not-modified HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    received = bytearray()
    with server.raw(requests + last) as connection:
        while part := connection.recv(1_000_000):
            received += part
    large = b"x" * 20_000_000
    found = [part[:3] for part in received.replace(large, b"").split(b"HTTP/1.1 ")]
    assert found == [b"", b"200", b"200", b"200", b"200", b"304"]
    assert received.count(large) == 2


def test_unread_exports_leave_threads_to_others_and_to_the_same_account(
    server: Server,
    clients: contextlib.ExitStack,
) -> None:
    for _number in range(CLIENTS):
        clients.enter_context(unread(server, request_of("one", STREAM)))
    assert is_answered(server, "one")
    assert is_answered(server, "other")
    with server.raw(request_of("other", STREAM)) as export:
        assert export.recv(1000).startswith(b"HTTP/1.1 200")


def test_a_client_that_takes_nothing_is_disconnected_and_its_export_ends(
    impatient: Server,
    clients: contextlib.ExitStack,
    eventually: Eventually,
) -> None:
    clients.enter_context(unread(impatient, request_of("one", STREAM)))
    eventually(lambda: json.loads(impatient.get("/rows-made")) != [])


def test_a_client_that_goes_on_reading_is_served(impatient: Server) -> None:
    """It reads a part of what the server could send, for longer than a client may read nothing."""
    until = time.monotonic() + 3
    with unread(impatient, request_of("one", STREAM)) as connection:
        while time.monotonic() < until:
            assert connection.recv(4096)


def test_a_heavy_request_that_waits_too_long_is_refused_with_a_time_to_retry(
    impatient: Server,
    clients: contextlib.ExitStack,
) -> None:
    connections = [
        clients.enter_context(impatient.raw(request_of("two", STREAM)))
        for _number in range(CLIENTS)
    ]
    last = connections[-1].recv(300)
    assert last.startswith(b"HTTP/1.1 503")
    assert b"\r\nRetry-After: 30\r\n" in last


def test_idle_connections_make_room_for_new_ones(
    clients: contextlib.ExitStack,
) -> None:
    """A thousand browsers that keep a connection open would otherwise keep others out for over a minute."""
    seconds = json.dumps({"_IDLE_SECONDS_AT_LEAST": 0.0})
    server = Server("--worker-connections=20", TEST_SECONDS=seconds)
    try:
        for number in range(40):
            connection = clients.enter_context(
                server.raw(request_of(str(number), "/process")),
            )
            connection.settimeout(SECONDS)
            assert connection.recv(1000).startswith(b"HTTP/1.1 200")
    finally:
        server.kill()
