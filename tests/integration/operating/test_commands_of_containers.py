"""Every command of docker-compose.yml and of the chart runs by itself with the environment that stands there.

An error that nobody foresaw each kind of process logs alike, and reports where that is asked for.
"""

import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg2
import pytest
import redis

from launcher.data_directory import CHECKOUT, wait_until
from launcher.services import _program
from tests.containers import COMPOSE, PROCESSES, Process, World, of_compose, status

pytestmark = pytest.mark.thorough


SECONDS = 600
NO_ONE = "redis://127.0.0.1:1/0"
#: What each process of ours is made to do where it may not read some tables; beat lacks a broker.
KINDS = ("web", "worker-planning", "worker-ranking", "worker-jobs", "beat", "command")
#: Of the kinds of processes two, with the environment of each file.
STARTED = ("compose web", "compose worker-planning", "chart web below a path")
WITHHELD = "campaign_session, campaign_task, campaign_job"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in STARTED else pytest.mark.thorough)
        for name in PROCESSES
    ],
)
def test_container_runs_and_reports_healthy(
    world: World,
    name: str,
    tmp_path: Path,
) -> None:
    process, log = PROCESSES[name](), tmp_path / "log"
    with world.running(process, log) as started:
        if "web" in name:
            ready = lambda: status(world.port, "/healthz") == 200  # noqa: E731
        else:
            word = "beat: Starting" if "beat" in name else " ready."
            ready = lambda: word in log.read_text()  # noqa: E731
        assert wait_until(
            ready,
            seconds=SECONDS,
            alive=lambda: started.poll() is None,
        ), log.read_text()
        if process.healthcheck:
            assert wait_until(
                lambda: world.is_well(process),
                seconds=SECONDS,
                pause_seconds=1,
            )
        if "web" in name:
            host = "127.0.0.1" if name.startswith("compose") else "campaign.example.org"
            prefix = process.environment["URL_PREFIX"]
            assert status(world.port, "/readyz", host) == 200
            # The chart's ingress leaves the path in place.
            assert status(world.port, f"{prefix}/sign-in/", host, https=True) == 200
            assert status(world.port, "/metrics", host) == (
                401 if "path" not in name else 404
            )
        # Before it ends, which Celery says in a way of its own.
        lines = log.read_text().splitlines()
    assert lines
    for line in lines:
        # As both files ask: no banner, no line that some program writes in a way of its own.
        assert json.loads(line)["level"] in {"info", "warning"}, line


def test_postgresql_takes_the_options_that_it_is_given(world: World) -> None:
    options = COMPOSE["services"]["postgres"]["command"]
    assert options[0] == "postgres"
    told = dict(option.split("=") for option in options[2::2])
    address = (world.folder / "migration-database-url").read_text().strip()
    with contextlib.closing(psycopg2.connect(address)) as connection:
        cursor = connection.cursor()
        for name, value in told.items():
            cursor.execute(
                "SELECT %s = ANY (enumvals) OR vartype = 'integer' AND %s ~ '^-?[0-9]+$' "
                "FROM pg_settings WHERE name = %s",
                [value, value, name],
            )
            assert cursor.fetchone() == (True,), name


def test_valkey_takes_the_options_that_it_is_given(tmp_path: Path) -> None:
    options = COMPOSE["services"]["valkey"]["command"]
    assert options[0] == "valkey-server"
    with tempfile.TemporaryDirectory(prefix="q-") as folder:
        path = f"{folder}/valkey.sock"
        own = ["--port", "0", "--unixsocket", path, "--dir", folder]
        started = subprocess.Popen(
            [str(_program()), *options[1:], *own],
            stdout=subprocess.DEVNULL,
        )
        try:
            client = redis.Redis(unix_socket_path=path)
            assert wait_until(lambda: _answers(client), seconds=600)
            found: Any = client.config_get("maxmemory-policy", "appendonly", "save")
            assert found == {
                "maxmemory-policy": "noeviction",
                "appendonly": "yes",
                "save": "",
            }
        finally:
            started.terminate()
            started.wait(30)


def _answers(client: Any) -> bool:
    with contextlib.suppress(Exception):
        return bool(client.ping())
    return False


@pytest.fixture
def broken(world: World) -> Iterator[World]:
    """A database some of whose tables the application may not read, which no process looks at when it starts."""
    address = (world.folder / "migration-database-url").read_text().strip()

    def change(statement: str) -> None:
        with contextlib.closing(psycopg2.connect(address)) as connection, connection:
            connection.cursor().execute(statement)

    change(f"REVOKE SELECT ON {WITHHELD} FROM quintet_app")
    yield world
    change(f"GRANT SELECT ON {WITHHELD} TO quintet_app")


def process_of(kind: str, address: str) -> Process:
    """A process of the compose file, which reports errors to this address."""
    process = of_compose("web" if kind == "command" else kind)
    environment = {**process.environment, "SENTRY_DSN": address}
    if kind == "command":
        return Process(["python", "manage.py", "check_rankings"], environment, [])
    if kind == "beat":
        environment["REDIS_URL"] = NO_ONE
    return replace(process, environment=environment)


def provoke(kind: str, world: World) -> None:
    """Have a process do what it cannot: beat and planning do by themselves."""
    if kind == "web":
        status(world.port, "/", headers={"Cookie": f"sessionid={'a' * 32}"})
    task = {
        "worker-planning": "annotation.tasks.fill_pools",
        "worker-ranking": "ranking.tasks.rank_what_is_due",
        "worker-jobs": "campaign.tasks.run_jobs",
    }.get(kind)
    if task:
        program = f"from config.celery import app; app.send_task({task!r})"
        environment = world.environment(of_compose("web"))
        subprocess.run(
            [sys.executable, "-c", program],
            env=environment,
            cwd=CHECKOUT,
            check=True,
            timeout=60,
        )


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(
            kind,
            marks=() if kind in {"web", "command"} else pytest.mark.thorough,
        )
        for kind in KINDS
    ],
)
def test_error_is_logged_as_json_and_reported(
    broken: World,
    service: tuple[str, list[bytes]],
    kind: str,
    tmp_path: Path,
) -> None:
    address, sent = service
    log = tmp_path / "log"
    with broken.running(process_of(kind, address), log) as started:
        is_up: Callable[[], bool] = lambda: (  # noqa: E731
            status(broken.port, "/healthz") == 200
            if kind == "web"
            else " ready." in log.read_text()
        )
        if kind not in {"beat", "command"}:
            alive = lambda: started.poll() is None  # noqa: E731
            assert wait_until(is_up, seconds=SECONDS, alive=alive), log.read_text()
        provoke(kind, broken)
        assert wait_until(lambda: bool(sent), seconds=SECONDS), log.read_text()
        if kind == "command":
            assert started.wait(SECONDS) == 1
        # Before it ends, which Celery says in a way of its own.
        lines = [json.loads(line) for line in log.read_text().splitlines()]
    errors = [line for line in lines if line["level"] in {"error", "critical"}]
    assert errors
    if kind == "command":
        assert {line["command"] for line in errors} == {"check_rankings"}
        assert "campaign_task" in errors[0]["exception"]
    told = b"".join(sent).decode()
    assert '"level":"error"' in told or '"level":"critical"' in told
    assert broken.folder.name not in told
