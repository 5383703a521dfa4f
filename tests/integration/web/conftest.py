"""The web server with the options it has everywhere, on a port of its own."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from launcher.data_directory import wait_until

HOST = "127.0.0.1"
SECONDS = 600


class Server:
    """gunicorn as `config.gunicorn` says, with the small application or another."""

    def __init__(
        self,
        *options: str,
        application: str = "tests.integration.web.application",
        **environment: str,
    ) -> None:
        with socket.socket() as free:
            free.bind((HOST, 0))
            self.port = int(free.getsockname()[1])
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "gunicorn", "--config=python:config.gunicorn"),
                *(application, f"--bind={HOST}:{self.port}", *options),
            ],
            # As under the launcher, which checks the tables itself: these applications have none.
            env={**os.environ, "READY_FILE": os.devnull, **environment},
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert wait_until(
            self.answers,
            seconds=SECONDS,
            alive=lambda: self.process.poll() is None,
        )

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(HOST, self.port, timeout=SECONDS)

    def get(self, path: str, **headers: str) -> bytes:
        """What is answered on a connection of its own."""
        with contextlib.closing(self.connect()) as connection:
            connection.request("GET", path, headers=headers)
            return connection.getresponse().read()

    def told(self, path: str, **headers: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.get(path, **headers))
        return answer

    def raw(self, request: bytes) -> socket.socket:
        """A connection on which this much of a request was sent, and no more."""
        connection = socket.create_connection((HOST, self.port), timeout=SECONDS)
        connection.sendall(request)
        return connection

    def answers(self) -> bool:
        with contextlib.suppress(OSError):
            return bool(self.get("/process"))
        return False

    def workers(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children()

    def kill(self) -> None:
        """End it and its workers, whatever they are at."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """As everywhere."""
    server = Server()
    yield server
    server.kill()
