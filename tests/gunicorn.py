"""A real web server over HTTP, on the test database, as `make demo` runs it."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import psutil

from launcher.data_directory import wait_until
from launcher.services import Postgres
from tests.conftest import test_database_url


@contextmanager
def web_server(
    folder: Path,
    *options: str,
    port: int | None = None,
    **environment: str,
) -> Iterator[str]:
    """Run the server in this block and yield its address; the log is `web.log` in the folder."""
    address = f"127.0.0.1:{port or free_port()}"
    with (folder / "web.log").open("wb") as log:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "gunicorn", "--config=python:config.gunicorn"),
                *(f"--bind={address}", *options),
            ],
            env={
                **os.environ,
                "DATABASE_URL": test_database_url(),
                "ALLOWED_HOSTS": "127.0.0.1",
                **environment,
            },
            stdout=log,
            stderr=log,
        )
    try:
        assert wait_until(
            lambda: _answers(address + environment.get("SCRIPT_NAME", "")),
            seconds=600,
            alive=lambda: process.poll() is None,
        )
        yield f"http://{address}"
    finally:
        process.terminate()
        process.wait()


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def stopped(postgres: Postgres) -> Iterator[None]:
    """Suspend all processes of a PostgreSQL server in this block."""
    assert postgres.pid is not None
    server = psutil.Process(postgres.pid)
    processes = [server, *server.children(recursive=True)]
    _signal(processes, signal.SIGSTOP)
    try:
        yield
    finally:
        _signal([server, *server.children(recursive=True)], signal.SIGCONT)


def _signal(processes: list[psutil.Process], number: signal.Signals) -> None:
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.send_signal(number)


def _answers(address: str) -> bool:
    try:
        with urlopen(f"http://{address}/healthz") as answer:
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False
