"""A real web server over HTTP, on the test database."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests.conftest import test_database_url as database_url


@pytest.fixture
def web(
    transactional_db: None, tmp_path: Path, eventually: Callable[[Callable[[], bool]], None]
) -> Iterator[str]:
    """Where gunicorn answers, as `make demo` runs it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with (tmp_path / "web.log").open("wb") as log:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "gunicorn", "--config=python:config.gunicorn"),
                *(f"--bind={address}", "--threads=8"),
            ],
            env={**os.environ, "DATABASE_URL": database_url(), "ALLOWED_HOSTS": "127.0.0.1"},
            stdout=log,
            stderr=log,
        )
    try:
        eventually(lambda: _answers(address))
        yield f"http://{address}"
    finally:
        process.terminate()
        process.wait()


def _answers(address: str) -> bool:
    try:
        with urlopen(f"http://{address}/healthz") as answer:
            return bool(answer.status == 200)
    except URLError:
        return False
