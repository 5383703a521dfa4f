"""What Quintet needs of its web server (decision 23)."""

import contextlib
import http.client
import json
import os
import signal
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread
from typing import BinaryIO

import pytest

from tests.integration.web import application
from tests.integration.web.conftest import HOST, SECONDS, Server

Eventually = Callable[[Callable[[], bool]], None]

CLIENTS = 4
#: Bytes of the largest file that nginx passes on.
LARGE = 21_000_000


def test_an_export_that_breaks_off_never_looks_whole(server: Server) -> None:
    with contextlib.closing(server.connect()) as connection:
        connection.request("GET", "/breaks-off")
        answer = connection.getresponse()
        assert answer.status == 200
        with pytest.raises(http.client.IncompleteRead) as broken:
            answer.read()
    assert broken.value.partial == b"first\nsecond\n"


def test_a_client_that_hangs_up_ends_its_export(
    server: Server,
    eventually: Eventually,
) -> None:
    connection = server.raw(b"GET /many-rows HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert connection.recv(1000).startswith(b"HTTP/1.1 200")
    connection.close()
    made: list[int] = []

    def noticed() -> bool:
        # Either worker may answer.
        made.extend(json.loads(server.get("/rows-made")))
        return bool(made)

    eventually(noticed)
    assert made[0] < application.ROWS


def test_two_answers_to_one_question_are_refused(server: Server) -> None:
    both = b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    for doubtful in (b"Host: a\r\nHost: b\r\n\r\n", b"Host: a\r\n" + both):
        with server.raw(b"POST /reads HTTP/1.1\r\n" + doubtful) as connection:
            assert connection.recv(1000).startswith(b"HTTP/1.1 400")


def test_a_killed_worker_is_replaced(server: Server, eventually: Eventually) -> None:
    victim = int(server.get("/process"))
    os.kill(victim, signal.SIGKILL)
    eventually(lambda: len({w.pid for w in server.workers()} - {victim}) == 1)
    assert int(server.get("/process")) != victim


def test_running_requests_are_finished_before_shutdown(tmp_path: Path) -> None:
    server, pipe = _server_with_pipe(tmp_path)
    try:
        answers: list[bytes] = []
        asking = Thread(target=lambda: answers.append(server.get("/waits")))
        asking.start()
        assert server.process.stdout is not None
        assert server.process.stdout.readline() == b"begun\n"
        server.process.terminate()
        pipe.write(b"finished")
        pipe.close()
        asking.join(SECONDS)
        assert answers == [b"finished"]
        assert server.process.wait(SECONDS) == 0
    finally:
        server.kill()


def _server_with_pipe(folder: Path, *options: str) -> tuple[Server, BinaryIO]:
    """Return a server, and the end of a pipe that its requests to `/waits` wait for."""
    path = folder / "pipe"
    os.mkfifo(path)
    # To read as well, so that neither end waits for the other to open it.
    pipe = path.open("r+b", buffering=0)
    return Server(*options, TEST_PIPE=str(path)), pipe


@pytest.mark.thorough
def test_a_reload_loses_no_request(eventually: Eventually) -> None:
    server = Server("--workers=2")
    answered_by: set[bytes] = set()
    stop = Event()

    def ask() -> None:
        with contextlib.closing(server.connect()) as connection:
            while not stop.is_set():
                connection.request("GET", "/process")
                answered_by.add(connection.getresponse().read())

    try:
        with ThreadPoolExecutor(CLIENTS) as clients:
            asking = [clients.submit(ask) for _number in range(CLIENTS)]
            try:
                # The first answers before the second has started.
                eventually(lambda: len(server.workers()) == 2)
                before = {worker.pid for worker in server.workers()}
                server.process.send_signal(signal.SIGHUP)
                eventually(lambda: _are_replaced(before, server))
            finally:
                stop.set()
        for each in asking:
            each.result()
    finally:
        server.kill()
    assert not {int(process) for process in answered_by} <= before


def _are_replaced(before: set[int], server: Server) -> bool:
    now = {worker.pid for worker in server.workers()}
    return len(now) == len(before) and not now & before


@pytest.mark.parametrize("sent", ["https,http", "https, https", "HTTPS"])
def test_the_scheme_of_the_first_of_several_proxies_counts(
    server: Server,
    sent: str,
) -> None:
    told = server.told("/", **{"X-Forwarded-Proto": sent})
    assert (told["wsgi.url_scheme"], told["HTTP_X_FORWARDED_PROTO"]) == (
        "https",
        "https",
    )


@pytest.mark.thorough
def test_a_proxy_on_this_machine_says_that_it_ends_tls(server: Server) -> None:
    told = server.told(
        "/",
        **{"X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.1"},
    )
    assert told["wsgi.url_scheme"] == "https"
    assert told["HTTP_X_FORWARDED_PROTO"] == "https"
    assert told["HTTP_X_FORWARDED_FOR"] == "192.0.2.1"
    assert told["REMOTE_ADDR"] == HOST


@pytest.mark.parametrize("path", ["/process", "/file", "/breaks-off", "/not-modified"])
def test_a_head_request_gets_no_body(server: Server, path: str) -> None:
    head = f"HEAD {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode()
    with server.raw(head) as connection, connection.makefile("rb") as answer:
        text = answer.read()
    assert text.startswith(b"HTTP/1.1 ")
    assert text.endswith(b"\r\n\r\n")
    assert text.count(b"\r\n\r\n") == 1


def test_a_response_without_body_keeps_the_connection(server: Server) -> None:
    with contextlib.closing(server.connect()) as connection:
        connection.request("GET", "/not-modified")
        response = connection.getresponse()
        response.read()
        assert response.status == 304
        assert not response.will_close


def test_a_file_is_sent_whole(server: Server) -> None:
    assert server.get("/file") == Path(application.__file__).read_bytes()


def test_a_response_names_no_server(server: Server) -> None:
    with contextlib.closing(server.connect()) as connection:
        connection.request("GET", "/process")
        assert connection.getresponse().headers["Server"] is None


def test_a_large_file_arrives(server: Server) -> None:
    with contextlib.closing(server.connect()) as connection:
        connection.request("POST", "/reads", body=b"x" * LARGE)
        assert connection.getresponse().read() == str(LARGE).encode()


def test_a_body_that_would_fill_the_disk_is_refused_before_it_is_sent(
    server: Server,
) -> None:
    head = b"POST /reads HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n"
    with server.raw(head) as connection:
        assert connection.recv(1000).startswith(b"HTTP/1.1 413")


@pytest.mark.thorough
def test_the_workers_of_a_killed_server_give_up_its_port(
    eventually: Eventually,
) -> None:
    server = Server()
    try:
        assert not _is_free(server.port)
        server.process.kill()
        # Some workers may only just have begun.
        eventually(lambda: _is_free(server.port))
    finally:
        server.kill()


def _is_free(port: int) -> bool:
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with contextlib.suppress(OSError):
            again.bind((HOST, port))
            return True
    return False
