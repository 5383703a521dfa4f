"""The supervisor over real processes: killed ones come back, stopped ones leave nobody behind."""

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from launcher.data_directory import DataDirectory
from launcher.processes import (
    Child,
    ProcessRegistry,
    StopRequest,
    Supervisor,
    is_running,
)
from tests.full_disk import full_disk
from tests.integration.launcher.conftest import eventually

STEADY = "import signal; print('up', flush=True); signal.pause()"
# Its log may have no space.
UNHEARD = (
    "import contextlib, signal\n"
    "with contextlib.suppress(OSError): print('up', flush=True)\n"
    "signal.pause()"
)
STUBBORN = (
    "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True)\n"
    "while True: signal.pause()"
)
PARENT = (
    "import subprocess, sys, signal\n"
    "subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])\n"
    "print('up', flush=True); signal.pause()"
)


class Stage:
    """A supervisor, its data folder and what it said."""

    def __init__(self, directory: DataDirectory) -> None:
        directory.create()
        self.directory = directory
        self.registry = ProcessRegistry(directory.path / "processes.json")
        self.said: list[str] = []
        self.children: list[Child] = []

    def child(self, name: str, program: str) -> Child:
        child = Child(
            name,
            [sys.executable, "-c", program],
            log=self.directory.log(name),
            registry=self.registry,
            environment={},
            cwd=Path("/"),
        )
        self.children.append(child)
        return child

    def supervise(self) -> Supervisor:
        supervisor = Supervisor([], self.registry, self.said.append)
        supervisor.start(*self.children)
        for child in self.children:
            eventually(lambda c=child: "up" in self.output(c), f"{child.name} is up")  # type: ignore[misc]
        return supervisor

    def output(self, child: Child) -> str:
        return self.directory.log(child.name).read_text()


@pytest.fixture
def stage(directory: DataDirectory) -> Iterator[Stage]:
    stage = Stage(directory)
    yield stage
    for child in stage.children:
        child.kill_group()


def test_a_killed_child_is_started_again_at_once_and_said_so(stage: Stage) -> None:
    child = stage.child("web", STEADY)
    supervisor = stage.supervise()
    before = child.pid
    child.send(signal.SIGKILL)
    child.wait(60)
    supervisor.poll()
    assert child.pid not in (None, before)
    assert stage.said == ["web stopped (signal SIGKILL); restarting now"]


def test_one_that_cannot_stay_is_given_more_and_more_time(stage: Stage) -> None:
    child = stage.child("web", "print('up', flush=True); raise SystemExit(3)")
    supervisor = stage.supervise()

    def twice_failed() -> bool:
        child.wait(1)
        supervisor.poll()
        return len(stage.said) >= 3

    eventually(twice_failed, "it has been started again twice")
    assert stage.said == [
        "web stopped (exit code 3); restarting now",
        "web stopped (exit code 3); restarting in 0.5 s",
        "web stopped (exit code 3); restarting in 1 s",
    ]


def test_large_log_is_kept_once_and_a_running_process_goes_on_writing(
    stage: Stage,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """bunkerity/bunkerweb#3838: a worker writes some 15 MB a day even if nobody judges."""
    child = stage.child(
        "worker",
        "import time\nprint('up', flush=True)\nwhile True: time.sleep(0.02); print('more', flush=True)",
    )
    supervisor = stage.supervise()
    monkeypatch.setattr("launcher.processes.LOG_LIMIT_BYTES", 100)
    monkeypatch.setattr("launcher.processes.LOG_CHECK_SECONDS", 0)
    log = stage.directory.log("worker")
    eventually(lambda: log.stat().st_size > 100, "the log is large")
    supervisor.poll()
    kept = log.with_name("worker.log.1").read_text()
    assert kept.startswith("up\nmore\n")
    assert log.stat().st_size < len(kept)
    eventually(lambda: stage.output(child).startswith("more\n"), "lines follow")
    assert stage.said == []


def test_a_full_disk_ends_nothing_and_what_runs_is_recorded_afterwards(
    stage: Stage,
) -> None:
    child = stage.child("web", UNHEARD)
    supervisor = stage.supervise()
    before, record = child.pid, stage.directory.path / "processes.json"
    with full_disk():
        child.send(signal.SIGKILL)
        child.wait(60)
        supervisor.poll()
        supervisor.poll()
        assert child.pid not in (None, before)
        assert str(before) in record.read_text()
    supervisor.poll()
    assert str(child.pid) in record.read_text()
    assert stage.said == [
        "web stopped (signal SIGKILL); restarting now",
        f"{record} cannot be written: File too large",
        "process record written again",
    ]


def test_a_child_whose_log_cannot_be_opened_is_tried_again(stage: Stage) -> None:
    child = stage.child("web", STEADY)
    supervisor = stage.supervise()
    log = stage.directory.log("web")
    log.unlink()
    log.mkdir()
    child.send(signal.SIGKILL)
    child.wait(60)
    supervisor.poll()
    assert child.pid is None
    assert stage.said[-1].startswith("web cannot be started: [Errno 21] Is a directory")
    log.rmdir()

    def is_up_again() -> bool:
        supervisor.poll()
        return child.pid is not None

    eventually(is_up_again, "it runs again")


def test_the_workers_of_a_killed_master_do_not_outlive_its_restart(
    stage: Stage,
) -> None:
    child = stage.child("web", PARENT)
    supervisor = stage.supervise()
    assert child.pid is not None
    worker = psutil.Process(child.pid).children()[0]
    child.send(signal.SIGKILL)
    child.wait(60)
    supervisor.poll()
    eventually(lambda: not is_running(worker), "the worker is gone")


def test_stopping_ends_the_stubborn_too_and_forgets_them(
    stage: Stage,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("launcher.processes.STOP_TIMEOUT_SECONDS", 0.3)
    steady, stubborn = stage.child("web", STEADY), stage.child("worker", STUBBORN)
    supervisor = stage.supervise()
    supervisor.stop(StopRequest())
    assert steady.exit_code == -signal.SIGTERM
    assert stubborn.exit_code == -signal.SIGKILL
    assert (stage.directory.path / "processes.json").read_text() == "{}"


def test_a_request_to_stop_ends_the_watch(stage: Stage) -> None:
    stage.child("web", STEADY)
    supervisor = stage.supervise()
    with StopRequest() as stop:
        signal.raise_signal(signal.SIGTERM)
        supervisor.run(stop)
    assert stop.is_requested


def test_a_later_start_stops_a_group_whose_leader_is_gone(stage: Stage) -> None:
    child = stage.child("web", PARENT)
    stage.supervise()
    assert child.pid is not None
    worker = psutil.Process(child.pid).children()[0]
    child.send(signal.SIGKILL)
    child.wait(60)
    assert ProcessRegistry(
        stage.directory.path / "processes.json",
    ).stop_leftovers() == ["web"]
    eventually(lambda: not is_running(worker), "the worker is gone")
