"""A web server as the demo starts it, on a database of its own, for the benchmarks of judging."""

import http.client
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from launcher.data_directory import wait_until

HOST = "127.0.0.1"
START_SECONDS = 300


def with_services(module: str, *, durable: bool = False) -> None:
    """Start this program again with a PostgreSQL and a Valkey of its own, unless it has them.

    `durable`: as they serve people, with everything written to disk and autovacuum at work.
    """
    if "DATABASE_URL" in os.environ:
        return
    again = [sys.executable, "-m", module, *sys.argv[1:]]
    launcher = [sys.executable, "-m", "launcher", "run", "--temporary"]
    options = ["--durable"] if durable else []
    sys.exit(subprocess.call([*launcher, *options, "--", *again]))


def prepare_django(*, has_tables: bool = False, **settings: str) -> None:
    """Set up Django in this process, and the tables in the database unless it has them."""
    os.environ.update(
        {"DJANGO_SETTINGS_MODULE": "config.settings", "LOG_LEVEL": "WARNING"},
    )
    os.environ.update(settings)
    if not has_tables:
        subprocess.run(
            [sys.executable, "manage.py", "migrate", "--verbosity=0"],
            check=True,
        )
    # This process fills tables past triggers, as their owner; the server it starts is the application.
    application = os.environ["DATABASE_URL"]
    os.environ["DATABASE_URL"] = os.environ.get("MIGRATION_DATABASE_URL", application)
    import django

    django.setup()
    os.environ["DATABASE_URL"] = application


@contextmanager
def web_server(
    application: str = "config.wsgi:application",
) -> Iterator[tuple[int, psutil.Process]]:
    """gunicorn as everywhere, on a free port."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = int(probe.getsockname()[1])
    command = [
        *[
            sys.executable,
            "-m",
            "gunicorn",
            "--config=python:config.gunicorn",
            application,
        ],
        *[f"--bind={HOST}:{port}", "--log-level=warning"],
    ]
    process = subprocess.Popen(command, env=os.environ)
    try:
        if not wait_until(lambda: _is_ready(port), seconds=START_SECONDS):
            raise SystemExit("The web server did not become ready.")
        yield port, psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(timeout=120)


def _is_ready(port: int) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/healthz", headers={"X-Forwarded-Proto": "https"})
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def postgresql_process() -> psutil.Process:
    """The PostgreSQL behind `DATABASE_URL`, which runs on this machine."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = psutil.Process(cursor.fetchone()[0])
    parent = backend.parent()
    assert parent is not None
    return parent


def peak_megabytes() -> float:
    """Return the most memory that this process has had.

    Not `ru_maxrss`, which on Linux begins with that of the process that started it.
    """
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise LookupError("The kernel does not say it.")


def processor_seconds(*trees: psutil.Process) -> float:
    """User and system time of these processes and all below them, ended ones too."""
    total = 0.0
    for tree in trees:
        total += sum(
            _spent(process) for process in [tree, *tree.children(recursive=True)]
        )
        ended: Any = tree.cpu_times()
        total += ended.children_user + ended.children_system
    return total


def _spent(process: psutil.Process) -> float:
    """To the nanosecond where the kernel counts so (Linux), in its ticks of 10 ms elsewhere."""
    try:
        threads = list(Path(f"/proc/{process.pid}/task").glob("*/schedstat"))
        if threads:
            return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9
        times: Any = process.cpu_times()
    except (OSError, psutil.NoSuchProcess):
        # It ended since it was listed: its parent has its time now.
        return 0.0
    return float(times.user + times.system)
