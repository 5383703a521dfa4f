"""The embedded services, real ones, started, killed and started again."""

import contextlib
import json
import os
import pwd
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg2
import pytest
import redis

from launcher import services as launched
from launcher import waiting
from launcher.data_directory import (
    CHECKOUT,
    DataDirectory,
    FolderInUseError,
    LauncherError,
)
from launcher.processes import ProcessRegistry, Supervisor, is_running
from launcher.services import (
    Postgres,
    Services,
    environment_beside,
    running_environment,
)
from launcher.waiting import Watch
from tests.integration.launcher.conftest import (
    eventually,
    remember,
    remembered,
    working_in,
)

HOLD = "import signal; from launcher.data_directory import DataDirectory; from launcher.services import Services\nwith Services(DataDirectory.from_environment()): print('up', flush=True); signal.pause()"

as_root = pytest.mark.skipif(
    os.geteuid() != 0,
    reason="only root starts PostgreSQL under another account",
)


@contextlib.contextmanager
def another_supervisor(directory: DataDirectory) -> Iterator[subprocess.Popen[str]]:
    """A process of its own that has started the services of this folder and holds them."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD],
        cwd=CHECKOUT,
        env={**os.environ, "QUINTET_HOME": str(directory.path)},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        try:
            yield process
        finally:
            process.kill()


def is_refused(account: str, path: Path) -> bool:
    """Return whether a program of this account can neither open a file nor connect to a socket."""
    opening = "import sys; open(sys.argv[1], 'rb')"
    if path.is_socket():
        opening = (
            "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])"
        )
    done = subprocess.run(
        ["/usr/bin/env", "python3", "-I", "-c", opening, str(path)],
        check=False,
        capture_output=True,
        text=True,
        user=account,
        group=pwd.getpwnam(account).pw_gid,
        extra_groups=[],
        cwd="/",
    )
    return "PermissionError" in done.stderr


def kill_while_it_writes(postgres: Postgres, *, megabytes: int) -> None:
    """Kill PostgreSQL with that much of its log to be read again at the next start."""
    connection = psycopg2.connect(postgres.owner_url)
    connection.autocommit = True
    with contextlib.closing(connection), connection.cursor() as cursor:
        # No checkpoint while it writes.
        cursor.execute("CHECKPOINT")
        cursor.execute("CREATE TABLE filler (words text)")
        cursor.execute(
            "INSERT INTO filler SELECT repeat('x', 1000) FROM generate_series(1, %s)",
            [megabytes * 1000],
        )
        postgres.send(signal.SIGKILL)
        postgres.wait(60)


@pytest.mark.thorough
def test_data_survives_an_orderly_stop(directory: DataDirectory) -> None:
    with Services(directory) as services:
        remember(services, "before")
    assert working_in(directory.path) == []
    with Services(directory) as services:
        assert services.stopped_leftovers == []
        assert remembered(services) == (["before"], ["before"])


def test_copy_of_the_data_folder_with_other_permissions_starts(
    directory: DataDirectory,
) -> None:
    """ClusterHQ/dvol#45, jesse-ai/jesse-stack-docker#1: PostgreSQL refuses data that others may read."""
    with Services(directory):
        directory.secret_key()
    for path in (directory.path, *directory.path.rglob("*")):
        path.chmod(0o755)
    with Services(directory) as services:
        remember(services, "after")
        directory.secret_key()
    secret = directory.path / "secret_key"
    assert secret.stat().st_mode & 0o077 == 0


@as_root
@pytest.mark.parametrize("account", ["nobody", "daemon"])
def test_other_accounts_cannot_reach_the_services_of_root(
    directory: DataDirectory,
    account: str,
) -> None:
    with Services(directory) as services:
        directory.secret_key()
        postgres, valkey = services.postgres, services.valkey
        assert postgres is not None
        assert valkey is not None
        refused = {
            str(path): is_refused(account, path)
            for path in (
                postgres.folder / "data" / "PG_VERSION",
                postgres.sockets / ".s.PGSQL.5432",
                Path(valkey.url.removeprefix("unix://")),
                directory.path / "secret_key",
                services.running_file,
            )
        }
    assert set(refused.values()) == {True}, refused


@as_root
def test_data_that_an_older_version_left_to_nobody_is_taken_over(
    directory: DataDirectory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as without_account:
        without_account.setattr(launched, "_own_account", lambda: None)
        with Services(directory) as services:
            remember(services, "before")
            assert services.postgres is not None
            data = services.postgres.folder / "data"
            assert data.owner() == "nobody"
    with Services(directory) as services:
        assert remembered(services) == (["before"], ["before"])
    owners = {path.owner() for path in (data, *data.rglob("*"))}
    assert owners == {launched.ACCOUNT}


@as_root
def test_a_start_without_an_account_for_postgresql_says_so(
    directory: DataDirectory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(launched, "_own_account", lambda: None)
    reported: list[str] = []
    with contextlib.ExitStack() as undo:
        services = Services(directory)
        undo.enter_context(services.locked())
        services.start(Watch(report=reported.append))
    assert [line for line in reported if launched.ACCOUNT in line] == reported[:1]


@pytest.mark.thorough
def test_the_broker_never_drops_a_task_to_make_room(directory: DataDirectory) -> None:
    with (
        Services(directory) as services,
        redis.Redis.from_url(services.environment["REDIS_URL"]) as client,
    ):
        assert client.config_get("maxmemory-policy") == {
            "maxmemory-policy": "noeviction",
        }
        assert client.config_get("appendonly") == {"appendonly": "yes"}


@pytest.mark.thorough
def test_nothing_listens_on_a_network(directory: DataDirectory) -> None:
    with Services(directory):
        processes = working_in(directory.path)
        assert {"postgres", "valkey-server"} <= {
            process.name() for process in processes
        }
        for process in processes:
            assert [
                c for c in process.net_connections("inet") if c.status == "LISTEN"
            ] == []


@pytest.mark.thorough
def test_only_the_owner_can_reach_sockets_secrets_and_logs(
    directory: DataDirectory,
) -> None:
    with Services(directory) as services:
        services.directory.secret_key()
        private = [
            "secret_key",
            "services.json",
            "processes.json",
            "logs",
            "valkey",
            "postgresql/run",
        ]
        modes = {
            name: (directory.path / name).stat().st_mode & 0o077 for name in private
        }
        assert modes == dict.fromkeys(private, 0)


def test_a_killed_postmaster_loses_nothing_committed(directory: DataDirectory) -> None:
    with Services(directory) as services:
        assert services.postgres is not None
        remember(services, "committed")
        services.postgres.send(signal.SIGKILL)
        services.postgres.wait(60)
        services.postgres.start()
        assert remembered(services) == (["committed"], ["committed"])


def test_a_start_waits_for_a_recovery_and_reports_it(
    directory: DataDirectory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(waiting, "_FIRST_REPORT_SECONDS", 0.0)
    monkeypatch.setattr(waiting, "_REPORT_SECONDS", 0.0)
    reports: list[str] = []
    with Services(directory) as services:
        assert services.postgres is not None
        remember(services, "committed")
        kill_while_it_writes(services.postgres, megabytes=100)
        services.postgres.start(Watch(reports.append))
        assert remembered(services)[0] == ["committed"]
    assert any("the database system is" in report for report in reports)


def test_a_stop_ends_the_wait_for_a_recovery(directory: DataDirectory) -> None:
    with Services(directory) as services:
        assert services.postgres is not None
        kill_while_it_writes(services.postgres, megabytes=1)
        services.postgres.start(Watch(is_stopped=lambda: True))
    assert working_in(directory.path) == []


def test_the_supervisor_does_not_wait_for_a_recovery(directory: DataDirectory) -> None:
    with Services(directory) as services:
        assert services.postgres is not None
        kill_while_it_writes(services.postgres, megabytes=100)
        reports: list[str] = []
        Supervisor([services.postgres], services.registry, reports.append).poll()
        assert services.postgres.pid is not None
        assert not services.postgres.answers()


def test_a_command_waits_for_a_recovery(directory: DataDirectory) -> None:
    with Services(directory) as services:
        assert services.postgres is not None
        kill_while_it_writes(services.postgres, megabytes=100)
        services.postgres.launch()
        command = [sys.executable, "manage.py", "migrate", "campaign", "zero", "--plan"]
        subprocess.run(
            command,
            cwd=CHECKOUT,
            env={**os.environ, **services.environment},
            check=True,
        )


def test_a_command_waits_for_services_that_are_being_started(
    directory: DataDirectory,
) -> None:
    with another_supervisor(directory) as supervisor:
        # As before they answer.
        ready = directory.path / "services.json"
        ready.rename(ready.with_suffix(".later"))
        threading.Timer(1.5, ready.with_suffix(".later").rename, [ready]).start()
        with environment_beside(directory) as environment:
            assert environment["QUINTET_HOME"] == str(directory.path)
        assert supervisor.poll() is None


@pytest.mark.thorough
def test_a_killed_valkey_comes_back_with_its_queue_under_the_same_address(
    directory: DataDirectory,
) -> None:
    with Services(directory) as services:
        assert services.valkey is not None
        remember(services, "queued")
        address = services.environment["REDIS_URL"]
        services.valkey.send(signal.SIGKILL)
        services.valkey.wait(60)
        services.valkey.start()
        assert services.environment["REDIS_URL"] == address
        assert remembered(services)[1] == ["queued"]


@pytest.mark.thorough
def test_a_start_after_a_killed_supervisor_stops_what_it_left_and_keeps_the_data(
    directory: DataDirectory,
) -> None:
    with another_supervisor(directory) as supervisor:
        supervisor.kill()
        supervisor.wait()
        orphans = working_in(directory.path)
        assert {"postgres", "valkey-server"} <= {process.name() for process in orphans}
        with Services(directory) as services:
            assert services.stopped_leftovers == ["postgresql", "valkey"]
            remember(services, "after")
            assert not any(map(is_running, orphans))
            assert remembered(services) == (["after"], ["after"])
    assert working_in(directory.path) == []


@pytest.mark.thorough
def test_a_start_after_everything_was_killed_at_once_keeps_the_data(
    directory: DataDirectory,
) -> None:
    with Services(directory) as services:
        remember(services, "first")
    with another_supervisor(directory) as supervisor:
        for pid in [
            supervisor.pid,
            *(process.pid for process in working_in(directory.path)),
        ]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        eventually(lambda: working_in(directory.path) == [], "every process is gone")
        assert (directory.path / "postgresql/data/postmaster.pid").exists()
        with Services(directory) as services:
            assert remembered(services) == (["first"], ["first"])


@pytest.mark.thorough
def test_a_stranger_with_a_recorded_number_is_left_alone(
    directory: DataDirectory,
) -> None:
    directory.create()
    with subprocess.Popen(
        [sys.executable, "-c", "input()"],
        stdin=subprocess.PIPE,
    ) as stranger:
        registry = ProcessRegistry(directory.path / "processes.json")
        registry.add("web", stranger.pid, signal.SIGTERM)
        recorded = json.loads((directory.path / "processes.json").read_text())
        recorded["web"]["created"] -= 60
        (directory.path / "processes.json").write_text(json.dumps(recorded))
        with Services(directory) as services:
            assert services.stopped_leftovers == []
            assert stranger.poll() is None
        stranger.kill()


def test_leftovers_are_found_after_the_clock_was_set(
    directory: DataDirectory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    directory.create()
    record = directory.path / "processes.json"
    command = [sys.executable, "-c", "input()"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        start_new_session=True,
    ) as leftover:
        ProcessRegistry(record).add("web", leftover.pid, signal.SIGTERM)
        # The kernel counts both from the time of day.
        boot_time, create_time = psutil.boot_time, psutil.Process.create_time
        monkeypatch.setattr(psutil, "boot_time", lambda: boot_time() + 86_400)
        monkeypatch.setattr(
            psutil.Process,
            "create_time",
            lambda process: create_time(process) + 86_400,
        )
        assert ProcessRegistry(record).stop_leftovers() == ["web"]


def test_a_process_of_another_boot_is_left_alone(directory: DataDirectory) -> None:
    directory.create()
    record = directory.path / "processes.json"
    command = [sys.executable, "-c", "input()"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        start_new_session=True,
    ) as stranger:
        ProcessRegistry(record).add("web", stranger.pid, signal.SIGTERM)
        recorded = json.loads(record.read_text())
        recorded["web"]["boot"] = "an earlier one"
        record.write_text(json.dumps(recorded))
        assert ProcessRegistry(record).stop_leftovers() == []
        assert stranger.poll() is None


@pytest.mark.thorough
def test_a_second_supervisor_is_refused_in_words(directory: DataDirectory) -> None:
    with another_supervisor(directory) as first:
        with pytest.raises(
            FolderInUseError,
            match=rf"already running from .* \(process {first.pid}\)",
        ):
            Services(directory).__enter__()
        assert first.poll() is None


def test_named_services_are_used_and_none_is_started(
    directory: DataDirectory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://someone@db.example/quintet")
    monkeypatch.setenv(
        "MIGRATION_DATABASE_URL",
        "postgresql://owner@db.example/quintet",
    )
    monkeypatch.setenv("REDIS_URL", "redis://broker.example/0")
    with Services(directory) as services:
        assert services.postgres is None
        assert services.valkey is None
        assert (
            services.environment["DATABASE_URL"]
            == "postgresql://someone@db.example/quintet"
        )
        owner = services.environment["MIGRATION_DATABASE_URL"]
        assert owner == "postgresql://owner@db.example/quintet"
        assert services.environment["REDIS_URL"] == "redis://broker.example/0"
        assert working_in(directory.path) == []


def test_commands_beside_a_web_server_learn_its_address(
    directory: DataDirectory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://someone@db.example/quintet")
    monkeypatch.setenv("REDIS_URL", "redis://broker.example/0")
    services = Services(directory)
    with services.locked():
        assert "PUBLIC_ADDRESS" not in services.environment
        services.serve_at("http://127.0.0.1:8123")
        services.start()
        beside = running_environment(directory)
        assert beside == services.environment
        assert beside["PUBLIC_ADDRESS"] == "http://127.0.0.1:8123"
        monkeypatch.setenv("PUBLIC_ADDRESS", "https://judge.example.org")
        assert services.environment["PUBLIC_ADDRESS"] == "https://judge.example.org"
    assert running_environment(directory) is None


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["a" * 120, "with space and ümlaut", "100% &c?=#'\""])
def test_a_path_that_no_socket_or_url_can_bear_still_works(
    directory: DataDirectory,
    name: str,
) -> None:
    awkward = DataDirectory(directory.path / name)
    directory.create()
    with Services(awkward) as services:
        remember(services, "reached")
        sockets = Path(services.environment["REDIS_URL"].removeprefix("unix://")).parent
        assert sockets.parent == Path("/tmp")
        assert sockets.stat().st_mode & 0o077 == 0
        assert remembered(services) == (["reached"], ["reached"])
    assert not sockets.exists()


@pytest.mark.thorough
def test_a_broken_start_says_where_to_look_and_leaves_nothing_running(
    directory: DataDirectory,
) -> None:
    with Services(directory):
        pass
    (directory.path / "postgresql/data/postgresql.conf").write_text(
        "no_such_setting = 1\n",
    )
    with pytest.raises(
        LauncherError,
        match=r"PostgreSQL did not start\. .*postgresql\.log",
    ):
        Services(directory).__enter__()
    assert working_in(directory.path) == []


@pytest.mark.thorough
def test_a_start_does_not_wait_for_a_wrong_address(
    directory: DataDirectory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(
        "MIGRATION_DATABASE_URL",
        "postgresql://owner@host/quintet?sslmod=require",
    )
    with pytest.raises(LauncherError, match='parameter: "sslmod"'):
        Services(directory).await_external_database(Watch())


def test_data_of_another_postgresql_is_refused_with_the_way_out(
    directory: DataDirectory,
) -> None:
    data = directory.path / "postgresql" / "data"
    data.mkdir(parents=True)
    (data / "PG_VERSION").write_text("14\n")
    with pytest.raises(LauncherError, match=r"by PostgreSQL 14, .*restore that backup"):
        Services(directory).__enter__()
    assert working_in(directory.path) == []


def test_no_closed_folder_is_opened_for_postgresql(
    directory: DataDirectory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closed = directory.path / "closed"
    closed.mkdir(parents=True)
    closed.chmod(0o700)
    elsewhere = directory.path.parent / "state"
    monkeypatch.setattr(launched, "ROOT_STATE", elsewhere)
    inside = DataDirectory(closed / "home")
    with Services(inside) as services:
        remember(services, "kept")
        assert services.postgres is not None
        # Root runs PostgreSQL under another account, which cannot enter the folder.
        expected = elsewhere if os.geteuid() == 0 else inside.path
        assert services.postgres.folder.is_relative_to(expected)
    with Services(inside) as services:
        assert remembered(services) == (["kept"], ["kept"])
    assert closed.stat().st_mode & 0o777 == 0o700


@pytest.mark.thorough
def test_no_text_of_a_failed_statement_is_in_the_log(directory: DataDirectory) -> None:
    with Services(directory) as services:
        connection = psycopg2.connect(services.environment["MIGRATION_DATABASE_URL"])
        connection.autocommit = True
        with contextlib.closing(connection), connection.cursor() as cursor:
            cursor.execute(
                "CREATE TABLE said (words text UNIQUE, labels int[] NOT NULL)",
            )
            for statement, values in (
                ("INSERT INTO said VALUES (%s, NULL)", ["my comment"]),
                ("SELECT my_column, %s", ["my-key"]),
                (
                    "INSERT INTO said VALUES (%s, '{1}'), (%s, '{2}')",
                    ["my comment"] * 2,
                ),
                ("PREPARE p AS SELECT 1 / length($1); EXECUTE p(%s)", [""]),
            ):
                with pytest.raises(psycopg2.Error):
                    cursor.execute(statement, values)
    log = directory.log("postgresql").read_text()
    assert 'null value in column "labels"' in log
    assert "duplicate key value" in log
    assert [
        each for each in ("my comment", "my-key", "INSERT", "PREPARE") if each in log
    ] == []
