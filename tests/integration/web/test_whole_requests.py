"""A request has a thread only when it has arrived whole."""

import contextlib
import http.client
from collections.abc import Iterator

import pytest

from config.whole_requests import KEPT_BY_KERNEL, bytes_wanted
from tests.integration.web.conftest import Server

HEAD = b"POST /reads HTTP/1.1\r\nHost: localhost\r\n"


@pytest.fixture(scope="module")
def one_thread() -> Iterator[Server]:
    """With one thread, for which a silent client could wait as long as the test."""
    server = Server("--workers=1", "--threads=1", CLIENT_SECONDS="600")
    yield server
    server.kill()


def silent(server: Server, sent: bytes, times: int = 40) -> contextlib.ExitStack:
    """So many clients that sent this much and nothing more."""
    held = contextlib.ExitStack()
    for _ in range(times):
        held.enter_context(server.raw(sent))
    return held


@pytest.mark.thorough
@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"POST /rea",
        HEAD,
        HEAD + b"Content-Length: 100\r\n\r\nthe beginning",
        HEAD + b"Content-Length: 60000\r\n\r\n" + b"x" * 59_999,
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    ],
    ids=["nothing", "line", "head", "body", "long body", "chunks"],
)
def test_forty_half_sent_requests_keep_no_thread(one_thread: Server, sent: bytes) -> None:
    with silent(one_thread, sent):
        assert one_thread.answers()


def test_what_arrives_in_pieces_is_answered(one_thread: Server) -> None:
    body = b"x" * 50_000
    request = HEAD + b"Content-Length: 50000\r\n\r\n" + body
    with one_thread.raw(request[:20]) as connection:
        for begin in range(20, len(request), 9973):
            connection.sendall(request[begin : begin + 9973])
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        assert answer.read() == b"50000"
        # And the next one on the same connection.
        connection.sendall(HEAD + b"Content-Length: 5\r\n\r\n")
        connection.sendall(b"hello")
        again = http.client.HTTPResponse(connection)
        again.begin()
        assert again.read() == b"5"


def is_taken(server: Server, request: bytes) -> bool:
    with server.raw(request) as connection:
        try:
            return connection.recv(1000).startswith(b"HTTP/1.1 200")
        except ConnectionResetError:
            return False


@pytest.mark.thorough
def test_a_large_request_is_answered_and_only_one_may_be_on_its_way() -> None:
    server = Server("--workers=1", "--threads=2", CLIENT_SECONDS="600")
    try:
        large = HEAD + b"Content-Length: 2000000\r\n\r\n"
        with server.raw(large + b"x" * 500_000) as first:
            assert server.answers()
            with server.raw(large) as second:
                assert second.recv(1000).startswith(b"HTTP/1.1 503")
            assert server.answers()
            first.sendall(b"x" * 1_500_000)
            answer = http.client.HTTPResponse(first)
            answer.begin()
            assert answer.read() == b"2000000"
        # The answer is here a moment before the server has done with the first one.
        assert any(is_taken(server, large + b"x" * 2_000_000) for _attempt in range(100))
    finally:
        server.kill()


@pytest.mark.parametrize(
    ("start", "wanted"),
    [
        (b"", 1),
        (b"GET / HTTP/1.1\r\n", 17),
        (b"GET / HTTP/1.1\r\n\r\n", 18),
        (b"PUT / HTTP/1.1\r\ncontent-LENGTH : 7\r\n\r\nabc", 45),
        (b"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", 59),
        (b"x" * KEPT_BY_KERNEL, KEPT_BY_KERNEL),
    ],
)
def test_what_is_wanted_is_read_from_the_head(start: bytes, wanted: int) -> None:
    assert bytes_wanted(start) == wanted
