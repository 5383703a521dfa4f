"""Web server, workers and beat that start while PostgreSQL and Valkey are away, as after a power failure."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path

import pytest

from launcher.data_directory import CHECKOUT, DataDirectory, wait_until
from launcher.services import Services
from tests.gunicorn import free_port

pytestmark = pytest.mark.thorough

SECONDS = 300
CELERY = ("celery", "--app=config", "--skip-checks")
#: What each part logs about a broker that is away.
PARTS = {
    "worker": (
        *CELERY,
        "worker",
        "--loglevel=INFO",
        "--pool=threads",
        "--concurrency=2",
    ),
    "beat": (*CELERY, "beat", "--loglevel=INFO"),
}


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    """Services that were started once, and are away."""
    for variable in ("DATABASE_URL", "MIGRATION_DATABASE_URL", "REDIS_URL"):
        monkeypatch.delenv(variable, raising=False)
    with tempfile.TemporaryDirectory(prefix="q-") as name:
        folder = Path(name).resolve()
        folder.chmod(0o711)
        with Services(DataDirectory(folder / "home"), durable=False) as started:
            assert started.postgres is not None
            assert started.valkey is not None
            migrate = [sys.executable, "manage.py", "migrate", "--verbosity=0"]
            subprocess.run(
                migrate,
                cwd=CHECKOUT,
                env={**os.environ, **started.environment},
                check=True,
            )
            started.postgres.stop()
            started.valkey.stop()
            yield started


def test_no_part_ends_because_another_is_away(
    services: Services,
    tmp_path: Path,
) -> None:
    port = free_port()
    bind = f"--bind=127.0.0.1:{port}"
    parts = {**PARTS, "web": ("gunicorn", "--config=python:config.gunicorn", bind)}
    with ExitStack() as held:
        running = {}
        for name, command in parts.items():
            log = held.enter_context((tmp_path / f"{name}.log").open("wb"))
            running[name] = subprocess.Popen(
                [sys.executable, "-m", *command],
                cwd=CHECKOUT,
                env={**os.environ, **services.environment, "PYTHONUNBUFFERED": "1"},
                stdout=log,
                stderr=log,
            )
            held.callback(running[name].wait, 60)
            held.callback(running[name].terminate)

        def logged(name: str, text: str) -> bool:
            return text in (tmp_path / f"{name}.log").read_text()

        for name in PARTS:
            assert wait_until(lambda n=name: logged(n, "onnect"), seconds=SECONDS), name  # type: ignore[misc]
        assert wait_until(lambda: status(port, "/healthz") == 200, seconds=SECONDS)
        assert status(port, "/readyz") == 503
        assert {
            name: process.poll() for name, process in running.items()
        } == dict.fromkeys(parts)
        assert services.postgres is not None
        assert services.valkey is not None
        services.postgres.start()
        services.valkey.start()
        assert wait_until(lambda: status(port, "/readyz") == 200, seconds=SECONDS)
        # Beat sends it every ten seconds.
        task = "annotation.tasks.fill_pools"
        assert wait_until(lambda: logged("worker", f"Task {task}"), seconds=SECONDS)
        assert {
            name: process.poll() for name, process in running.items()
        } == dict.fromkeys(parts)


def status(port: int, path: str) -> int | None:
    """Return the status of an answer of the web server; None without one."""
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except OSError:
        return None
    finally:
        connection.close()
