"""Fixtures and hooks of all tests."""

import contextlib
import faulthandler
import gc
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
import redis
from _pytest.faulthandler import fault_handler_stderr_fd_key
from celery import current_app
from django.conf import settings
from django.core.management.commands import flush
from django.db import connection
from django.template import Engine
from django.utils import translation

from campaign.formats import isolation
from launcher.data_directory import wait_until
from tests.collected_files import static_files_collect
from tests.complete_templates import Refused
from tests.forked_readers import ForkedReader
from tests.migrated_once import migrate_once
from tests.order import turn
from tests.properties import profiles_register
from tests.released import released_texts, released_unpack, wmt12_texts_write
from tests.roles import (
    connected_as,
    database_url,
    owner_cursor,
    owner_role,
    sessions_end,
    tables_empty,
    tables_listed,
)
from tests.shared_rows import same_bits

Eventually = Callable[[Callable[[], bool]], None]

profiles_register()

# Markers of the tests that `make test` leaves to a command of their own.
WITH_COMMANDS = ("released_texts", "thorough")

PROCESS_START = isolation.process_start
APPLICATION = {name: connection.settings_dict[name] for name in ("USER", "PASSWORD")}


def pytest_collection_modifyitems(
    config: pytest.Config,
    items: list[pytest.Item],
) -> None:
    """Deselect tests that have their own command, unless it selects them by marker.

    Where processes share the run, begin with the files that take long.
    """
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: turn(item.nodeid))
    elsewhere = [
        marker for marker in WITH_COMMANDS if marker not in config.option.markexpr
    ]
    left = [item for item in items if any(map(item.get_closest_marker, elsewhere))]
    if left:
        items[:] = [item for item in items if item not in left]
        config.hook.pytest_deselected(items=left)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Exclude imported modules and collected tests from garbage collection: millions of objects, all in use.

    That took half of the collection's time, and a seventh of each test's; so tests look more seldom, too.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000)
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_exception_interact(node: pytest.Item | pytest.Collector) -> None:
    """Extend the time limit to teardown: pytest's (`faulthandler_timeout`) ends when a test fails."""
    if isinstance(node, pytest.Item):
        seconds = float(node.config.getini("faulthandler_timeout"))
        real_stderr = node.config.stash[fault_handler_stderr_fd_key]
        faulthandler.dump_traceback_later(seconds, file=real_stderr, exit=True)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[None]:
    """Create the test database as the owner, and drop it after `django_db_setup` below is undone."""
    with connected_as(owner_role()), pytest.MonkeyPatch.context() as patch:
        if "PYTEST_XDIST_WORKER" in os.environ:
            migrate_once(patch, tmp_path_factory.getbasetemp().parent)
        yield


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    """Test as the application's role; the owner empties the tables."""
    connection.close()
    with owner_cursor() as cursor:
        # So that no task has the id of its test set, and neither passes for the other.
        cursor.execute("ALTER TABLE campaign_task ALTER COLUMN id RESTART WITH 5000001")
    with pytest.MonkeyPatch.context() as patch, connected_as(APPLICATION):
        # Of the class: where a browser's loop runs, Django has a connection of its own.
        patch.setattr(type(connection.ops), "sql_flush", tables_listed)
        patch.setattr(type(connection.ops), "execute_sql_flush", tables_empty)
        # What is made after migrating is there still.
        patch.setattr(flush, "emit_post_migrate_signal", lambda *_, **_options: None)
        yield
    # A database that somebody is connected to cannot be dropped, and threads of servers end late.
    for role in (APPLICATION, owner_role()):
        sessions_end(role)


@pytest.fixture
def as_owner(django_db_setup: None) -> Iterator[None]:
    """Test as the owner of the tables. Request it before `db`, whose transaction it must not end."""
    connection.close()
    with connected_as(owner_role()):
        yield


@pytest.fixture(scope="module")
def as_owner_throughout(django_db_setup: None) -> Iterator[None]:
    """Test a whole module as the owner of the tables, by one connection."""
    connection.close()
    with connected_as(owner_role()):
        yield


@pytest.fixture(scope="session")
def patient_broker() -> Iterator["redis.Redis"]:
    """The broker with a long timeout, because a busy machine responds late."""
    with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=60) as client:
        yield client


@pytest.fixture(autouse=True)
def _no_due_marks(
    request: pytest.FixtureRequest,
    patient_broker: "redis.Redis",
) -> Iterator[None]:
    """Reset throttling of messages after each test."""
    yield
    if request.node.get_closest_marker("django_db") or "db" in request.fixturenames:
        patient_broker.flushdb()


@pytest.fixture(scope="session", autouse=True)
def _complete_templates() -> None:
    """Raise for undefined names in templates."""
    Engine.get_default().string_if_invalid = Refused("%s")


@pytest.fixture(autouse=True)
def _no_language_left() -> Iterator[None]:
    """Reset the language: the test client runs in the test's thread, which keeps that of the last page."""
    yield
    translation.deactivate()


@pytest.fixture(autouse=True)
def _same_draws_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give designs without a seed the same draws in each run."""
    monkeypatch.setattr("secrets.randbits", same_bits)


@pytest.fixture(scope="session", autouse=True)
def _forked_readers() -> Iterator[None]:
    """Fork the processes that read files, because a new Python takes a fifth of a second to start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(isolation, "process_start", ForkedReader)
        yield


@pytest.fixture
def started_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start the processes that read files as in production."""
    monkeypatch.setattr(isolation, "process_start", PROCESS_START)


@pytest.fixture(scope="session")
def static_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Static files, hashed and compressed as in production. Read-only."""
    folder = tmp_path_factory.getbasetemp()
    # Processes that share a run have folders of their own beside each other.
    return static_files_collect(
        folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder,
    )


@pytest.fixture
def dead_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send messages for the worker to a closed port."""
    _send_to(monkeypatch, port=1)


@pytest.fixture
def hanging_broker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Send messages for the worker to a broker that accepts connections but never responds."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        _send_to(monkeypatch, port=listening.getsockname()[1])
        yield


def _send_to(monkeypatch: pytest.MonkeyPatch, *, port: int) -> None:
    monkeypatch.setattr(
        current_app.conf,
        "broker_write_url",
        f"redis://127.0.0.1:{port}/0",
    )
    # Celery keeps the connections it has sent by.
    monkeypatch.setattr(current_app.amqp, "_producer_pool", None)


@pytest.fixture(scope="session")
def real_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judgments released by WMT, uncompressed, with their known facts and without texts."""
    folder = tmp_path_factory.mktemp("released")
    released_unpack(folder)
    return folder


@pytest.fixture(
    scope="session",
    params=["ours", pytest.param("released", marks=pytest.mark.released_texts)],
)
def wmt12_with_texts(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """WMT12 Czech–English with generated texts, or the released ones on request."""
    if request.param == "released":
        return released_texts() / "wmt12-cs-en"
    folder = tmp_path_factory.mktemp("with-texts")
    released_unpack(folder)
    wmt12_texts_write(folder / "wmt12-cs-en")
    return folder / "wmt12-cs-en"


@pytest.fixture
def eventually() -> Eventually:
    """Wait for a condition that another process fulfils; fail after ten minutes."""

    def wait(ready: Callable[[], bool]) -> None:
        assert wait_until(ready, seconds=600), (
            "It did not come to pass within ten minutes."
        )

    return wait


@pytest.fixture
def start_worker(
    transactional_db: None,
    tmp_path: Path,
) -> Iterator[Callable[..., "subprocess.Popen[bytes]"]]:
    """Start `celery worker` with beat inside, on the test database; killed after the test.

    It serves the queues it is given, otherwise all of them. It has the name worker among PostgreSQL's clients, unless PGAPPNAME gives another.
    """
    started: list[subprocess.Popen[bytes]] = []

    def start(*queues: str, threads: int = 1) -> "subprocess.Popen[bytes]":
        with (tmp_path / "worker.log").open("ab") as log:
            process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "celery", "-A", "config", "worker", "-B"),
                    *("--pool=threads", f"--concurrency={threads}", "--loglevel=INFO"),
                    *("--without-gossip", "--without-mingle"),
                    f"--hostname={'-'.join(['worker', *queues])}@localhost",
                    *([f"--queues={','.join(queues)}"] if queues else []),
                ],
                env={
                    "PGAPPNAME": "worker",
                    **os.environ,
                    "DATABASE_URL": test_database_url(),
                },
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        started.append(process)
        return process

    yield start
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_database_url() -> str:
    """Return the address of the test database, whose name is pytest-django's."""
    return database_url(connection.settings_dict["NAME"])
