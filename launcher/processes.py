"""Manage child processes: start them in their own session, record them on disk, and stop them with their children."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil

from launcher.data_directory import read_json, write_private
from launcher.waiting import wait_until


class ProcessRegistry:
    """Processes of a data directory, recorded in a file when they start.

    A later start uses the file to find processes left running by a killed supervisor. Process IDs may
    be reused, so times of creation are stored with them.

    Processes continue on a full disk, since they may free space: `refusal` contains the error, and
    the supervisor calls `write` until it is None.

    Attributes:
        refusal: reason why the file is out of date; None if it is current.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._entries: dict[str, dict[str, float]] = {}
        self.refusal: str | None = None

    def write(self) -> None:
        """Write the file; on failure, keep the reason in `refusal`."""
        try:
            write_private(self._path, json.dumps(self._entries))
        except OSError as error:
            self.refusal = f"{self._path} cannot be written: {error.strerror}"
        else:
            self.refusal = None

    def add(self, name: str, pid: int, ends_on: signal.Signals) -> None:
        """Record a process by its role, instead of an earlier one with the same role."""
        with contextlib.suppress(psutil.NoSuchProcess):
            created = psutil.Process(pid).create_time()
            self._entries[name] = {"pid": pid, "created": created, "ends_on": ends_on}
        self.write()

    def remove(self, name: str) -> None:
        """Remove a process that ended."""
        if self._entries.pop(name, None) is not None:
            self.write()

    def stop_leftovers(self) -> list[str]:
        """Stop processes left by an earlier supervisor; return their roles."""
        recorded = read_json(self._path)
        entries = recorded if isinstance(recorded, dict) else {}
        groups = {str(name): list(_group_of(entry)) for name, entry in entries.items()}
        clients = [
            p for name, group in groups.items() if not _is_fast(entries[name]) for p in group
        ]
        servers = [p for name, group in groups.items() if _is_fast(entries[name]) for p in group]
        # Later processes repeat their unfinished work.
        stop_all(clients, timeout_seconds=2)
        stop_all(servers, timeout_seconds=10, first=signal.SIGINT)
        self._entries = {}
        self.write()
        return [name for name, group in groups.items() if group]


def _is_fast(entry: Any) -> bool:
    """Return whether the process is PostgreSQL, which would wait for its clients on SIGTERM."""
    return isinstance(entry, dict) and entry.get("ends_on") == signal.SIGINT


def _group_of(entry: Any) -> Iterable[psutil.Process]:
    """Yield the running members of the process group that a recorded process leads or led."""
    try:
        leader, created = int(entry["pid"]), float(entry["created"])
    except (KeyError, TypeError, ValueError):
        return
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, ProcessLookupError, PermissionError):
            if os.getpgid(process.pid) != leader or not is_running(process):
                continue
            # A group may outlive its leader, and its ID is not reused before it ends. If the
            # leader runs but was created at another time, both belong to another program.
            is_leader = process.pid == leader
            same = abs(process.create_time() - created) < 1
            if (is_leader and same) or (not is_leader and process.create_time() >= created - 1):
                yield process


def stop_all(
    processes: Iterable[psutil.Process],
    *,
    timeout_seconds: float,
    first: signal.Signals = signal.SIGTERM,
) -> None:
    """Ask processes to end, and kill those that do not; return when all have ended."""
    waiting = list(processes)
    for process in waiting:
        with contextlib.suppress(psutil.Error):
            process.send_signal(first)
    if wait_until(lambda: not any(map(is_running, waiting)), seconds=timeout_seconds):
        return
    for process in waiting:
        with contextlib.suppress(psutil.Error):
            process.kill()
    wait_until(lambda: not any(map(is_running, waiting)), seconds=5)


def is_running(process: psutil.Process) -> bool:
    """Return whether a process is running; zombies are not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


class Child:
    """A supervised process and its children."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        log: Path,
        registry: ProcessRegistry,
        environment: Mapping[str, str],
        folder: Path,
        run_options: Mapping[str, Any] = {},
        ends_on: signal.Signals = signal.SIGTERM,
        inherits: Sequence[int] = (),
    ) -> None:
        self.name = name
        self._command = list(command)
        self._log = log
        self._registry = registry
        self._environment = dict(environment)
        self._folder = folder
        self._run_options = run_options
        self._ends_on = ends_on
        self._inherits = inherits
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """Process ID; None if it is not running."""
        return self._process.pid if self._process and self._process.poll() is None else None

    @property
    def exit_code(self) -> int | None:
        """Exit code (negative for a signal); None while it is running or before it is started."""
        return self._process.poll() if self._process else None

    def start(self) -> None:
        """Start the process in its own session, so that Ctrl-C only reaches the supervisor."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self._folder,
                env=self._environment,
                start_new_session=True,
                pass_fds=self._inherits,
                **self._run_options,
            )
        self._registry.add(self.name, self._process.pid, self._ends_on)

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the process only."""
        if self.pid is not None and self._process is not None:
            self._process.send_signal(number)

    def wait(self, timeout_seconds: float) -> bool:
        """Wait until the process ends; return False if it is still running."""
        if self._process is None:
            return True
        try:
            self._process.wait(max(timeout_seconds, 0))
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill_group(self) -> None:
        """Kill the process and the remaining members of its group."""
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._registry.remove(self.name)

    def stop(self, timeout_seconds: float = 5) -> None:
        """Ask the process to end, wait, and kill what remains of its group."""
        self.send(self._ends_on)
        self.wait(timeout_seconds)
        self.kill_group()
