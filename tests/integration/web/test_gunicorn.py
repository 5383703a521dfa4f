"""What Quintet counts on whichever web server it has: each of these told one from another (decision 23)."""

import contextlib
import http.client
import json
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import BinaryIO

import pytest

from tests.integration.web.conftest import HOST, SECONDS, Server

Eventually = Callable[[Callable[[], bool]], None]

HEAD = b"Host: localhost\r\nContent-Length: 100\r\n\r\n"


def test_an_export_that_breaks_off_never_looks_whole(server: Server) -> None:
    with contextlib.closing(server.connect()) as connection:
        connection.request("GET", "/breaks-off")
        answer = connection.getresponse()
        assert answer.status == 200
        with pytest.raises(http.client.IncompleteRead) as broken:
            answer.read()
    assert broken.value.partial == b"first\nsecond\n"


def test_a_client_that_hangs_up_ends_its_export(server: Server, eventually: Eventually) -> None:
    connection = server.raw(b"GET /many-rows HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert connection.recv(1000).startswith(b"HTTP/1.1 200")
    connection.close()
    made: list[int] = []

    def noticed() -> bool:
        # Either worker may answer.
        made.extend(json.loads(server.get("/rows-made")))
        return bool(made)

    eventually(noticed)
    assert made[0] < 1000


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


def test_what_is_in_hand_is_finished_before_the_end(tmp_path: Path) -> None:
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
def test_the_workers_of_a_killed_server_give_up_its_port(eventually: Eventually) -> None:
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
