"""Child processes: record, stop and supervise them."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, TypedDict

import psutil

from launcher.data_directory import (
    LOG_LIMIT_BYTES,
    LauncherError,
    read_json,
    wait_until,
    write_private,
)


class ProcessRegistry:
    """Processes of a data directory, recorded in a file when they start.

    A later start uses the file to find processes left running by a killed supervisor. Process IDs may
    be reused, so times of creation are stored with them, counted from the boot: the clock may be set meanwhile.

    Processes continue on a full disk, since they may free space: `refusal` contains the error, and
    the supervisor calls `write` until it is None.

    Attributes:
        refusal: reason why the file is out of date; None if it is current.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._entries: dict[str, dict[str, float | str]] = {}
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
            self._entries[name] = {
                "pid": pid,
                "boot": _boot(),
                "created": _seconds_since_boot(psutil.Process(pid)),
                "ends_on": ends_on,
            }
        self.write()

    def remove(self, name: str) -> None:
        """Remove a process that ended."""
        if self._entries.pop(name, None) is not None:
            self.write()

    def stop_leftovers(self) -> list[str]:
        """Stop processes left by an earlier supervisor; return their roles."""
        recorded = read_json(self._path)
        if isinstance(recorded, dict):
            entries = recorded
        else:
            entries = {}
        clients: list[psutil.Process] = []
        servers: list[psutil.Process] = []
        stopped = []
        for name, entry in entries.items():
            group = list(_group_of(entry))
            if group:
                stopped.append(str(name))
            if _is_fast(entry):
                servers += group
            else:
                clients += group
        # Later processes repeat their unfinished work.
        stop_all(clients, timeout_seconds=2)
        stop_all(servers, timeout_seconds=10, first=signal.SIGINT)
        self._entries = {}
        self.write()
        return stopped


def _is_fast(entry: Any) -> bool:
    """Return whether the process is PostgreSQL, which would wait for its clients on SIGTERM."""
    return isinstance(entry, dict) and entry.get("ends_on") == signal.SIGINT


def _group_of(entry: Any) -> Iterable[psutil.Process]:
    """Yield the running members of the process group that a recorded process leads or led."""
    try:
        leader = int(entry["pid"])
        created = float(entry["created"])
    except (KeyError, TypeError, ValueError):
        return
    if entry.get("boot") != _boot():
        return
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, ProcessLookupError, PermissionError):
            if os.getpgid(process.pid) != leader or not is_running(process):
                continue
            # A group may outlive its leader, and its ID is not reused before it ends. If the
            # leader runs but was created at another time, both belong to another program.
            is_leader = process.pid == leader
            begun = _seconds_since_boot(process)
            same = abs(begun - created) < 1
            if (is_leader and same) or (not is_leader and begun >= created - 1):
                yield process


def _seconds_since_boot(process: psutil.Process) -> float:
    """Return when a process was created; setting the clock moves both times, and not their difference."""
    return process.create_time() - psutil.boot_time()


def _boot() -> str:
    """Return an ID of this run of the kernel; empty where there is none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def stop_all(
    processes: Iterable[psutil.Process],
    *,
    timeout_seconds: float,
    first: signal.Signals = signal.SIGTERM,
) -> None:
    """Ask processes to end, and kill those that do not; return when all have ended."""
    waiting = list(processes)

    def have_ended() -> bool:
        return not any(map(is_running, waiting))

    for process in waiting:
        with contextlib.suppress(psutil.Error):
            process.send_signal(first)
    if wait_until(have_ended, seconds=timeout_seconds):
        return
    for process in waiting:
        with contextlib.suppress(psutil.Error):
            process.kill()
    wait_until(have_ended, seconds=5)


def is_running(process: psutil.Process) -> bool:
    """Return whether a process is running; zombies are not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


class RunOptions(TypedDict, total=False):
    """Arguments for ``subprocess`` to start a process under another account."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(eq=False)
class Child:
    """A supervised process and its children."""

    name: str
    command: Sequence[str]
    log: Path
    registry: ProcessRegistry
    environment: Mapping[str, str]
    cwd: Path
    run_options: RunOptions = field(default_factory=RunOptions)
    ends_on: signal.Signals = signal.SIGTERM
    inherits: Sequence[int] = ()
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def pid(self) -> int | None:
        """Process ID; None if it is not running."""
        if self._process and self._process.poll() is None:
            return self._process.pid
        return None

    @property
    def exit_code(self) -> int | None:
        """Exit code (negative for a signal); None while it is running or before it is started."""
        if self._process:
            return self._process.poll()
        return None

    def launch(self) -> None:
        """Start the process in its own session, so that Ctrl-C only reaches the supervisor; do not wait for it."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.cwd,
                env=self.environment,
                start_new_session=True,
                pass_fds=self.inherits,
                **self.run_options,
            )
        self.registry.add(self.name, self._process.pid, self.ends_on)

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
        self.registry.remove(self.name)

    def stop(self, timeout_seconds: float = 5) -> None:
        """Ask the process to end, wait, and kill what remains of its group."""
        self.send(self.ends_on)
        self.wait(timeout_seconds)
        self.kill_group()


# Seconds before successive restarts; the last value is repeated.
BACK_OFF_SECONDS = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)

# After this many seconds, a process has recovered, and its next exit counts as the first.
RECOVERED_AFTER_SECONDS = 30.0

# Seconds until the web server, worker and beat are killed.
STOP_TIMEOUT_SECONDS = 6.0


LOG_CHECK_SECONDS = 60.0


def log_rotate(log: Path) -> None:
    """Keep a large log as ``….log.1`` and empty it, without a restart: processes append to the open file.

    A line that is written meanwhile may be lost. On a full disk the log stays as it is.
    """
    previous_log = log.with_name(f"{log.name}.1")
    try:
        if log.stat().st_size <= LOG_LIMIT_BYTES:
            return
        shutil.copyfile(log, previous_log)
        os.truncate(log, 0)
    except FileNotFoundError:
        pass  # not started yet
    except OSError:
        previous_log.unlink(missing_ok=True)


_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopRequest:
    """A request to stop, and its urgency.

    Attributes:
        is_requested: true after Ctrl-C, SIGTERM or SIGHUP.
        urgent: true after a second one: kill instead of waiting.
    """

    def __init__(self) -> None:
        self.is_requested = False
        self.urgent = False
        self._reading = self._writing = -1

    def __enter__(self) -> StopRequest:
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._writing, False)
        os.set_blocking(self._reading, False)
        signal.set_wakeup_fd(self._writing, warn_on_full_buffer=False)
        for number in _STOP_SIGNALS:
            if number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN:
                continue  # started with nohup, to outlive its terminal
            signal.signal(number, self._ask)
        # Python writes to the pipe only for signals with a Python handler.
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        return self

    def __exit__(self, *_error: object) -> None:
        signal.set_wakeup_fd(-1)
        for number in (*_STOP_SIGNALS, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.close(self._reading)
        os.close(self._writing)

    def wait(self, seconds: float) -> bool:
        """Sleep until a request, the end of a child or the timeout; return True if stopping."""
        if not self.is_requested:
            ready, _, _ = select.select([self._reading], [], [], seconds)
            if ready:
                os.read(self._reading, 512)
        return self.is_requested

    def _ask(self, _number: int, _frame: FrameType | None) -> None:
        self.urgent = self.is_requested
        self.is_requested = True


@dataclass
class _Supervised:
    child: Child
    failures: int = 0
    started: float = field(default_factory=time.monotonic)
    due: float | None = None  # time of the next start; None while it is running


class Supervisor:
    """Watch services (already started) and children (started and stopped here).

    Args:
        services: processes restarted before those that depend on them.
        registry: record of the processes, which may be delayed by a full disk.
        report: function called with messages about restarts.
    """

    def __init__(
        self,
        services: Sequence[Child],
        registry: ProcessRegistry,
        report: Callable[[str], None],
    ) -> None:
        self._registry = registry
        self._report = report
        self._refusal: str | None = None
        self._children: list[Child] = []
        self._watched = [_Supervised(service) for service in services]
        self._logs_checked = time.monotonic()

    def start(self, *children: Child) -> None:
        """Start children and watch them."""
        for child in children:
            self._children.append(child)
            child.launch()
            self._watched.append(_Supervised(child))

    def run(self, stop: StopRequest) -> None:
        """Watch until a stop is requested."""
        # The end of a child interrupts the sleep.
        while not stop.wait(1.0):
            self.poll()

    def poll(self) -> None:
        """Check all processes once: record exits, and restart those that are due."""
        for watched in self._watched:
            now = time.monotonic()
            if watched.due is None and watched.child.pid is None:
                self._record_exit(watched, now)
            if watched.due is not None and now >= watched.due:
                self._restart(watched)
        self._record_all()
        if time.monotonic() - self._logs_checked >= LOG_CHECK_SECONDS:
            self._logs_checked = time.monotonic()
            for watched in self._watched:
                log_rotate(watched.child.log)

    def _record_all(self) -> None:
        """Write the registry again if it failed before; report the failure and its end once each."""
        if self._registry.refusal is not None:
            self._registry.write()
        if self._registry.refusal != self._refusal:
            self._refusal = self._registry.refusal
            self._report(self._refusal or "process record written again")

    def _record_exit(self, watched: _Supervised, now: float) -> None:
        if now - watched.started > RECOVERED_AFTER_SECONDS:
            watched.failures = 0
        pause = BACK_OFF_SECONDS[min(watched.failures, len(BACK_OFF_SECONDS) - 1)]
        watched.failures += 1
        watched.due = now + pause
        when = f"in {pause:g} s" if pause else "now"
        self._report(
            f"{watched.child.name} stopped ({_exit_reason(watched.child)}); restarting {when}",
        )

    def _restart(self, watched: _Supervised) -> None:
        # Workers of a killed main process would keep its port or tasks.
        watched.child.kill_group()
        try:
            # Without waiting: a PostgreSQL that recovers for minutes must not delay the others, or an end.
            watched.child.launch()
        except LauncherError as error:
            self._report(str(error))
        except OSError as error:
            # For example, its log cannot be opened on a full disk. Try again as if it had ended.
            self._report(f"{watched.child.name} cannot be started: {error}")
        watched.started = time.monotonic()
        watched.due = None

    def stop(self, stop: StopRequest) -> None:
        """Stop all children at once; kill those that take longer than `STOP_TIMEOUT_SECONDS`."""
        for child in self._children:
            child.send(signal.SIGTERM)
        end = time.monotonic() + STOP_TIMEOUT_SECONDS
        while any(child.pid for child in self._children) and time.monotonic() < end:
            if stop.urgent:
                break
            for child in self._children:
                child.wait(0.05)
        for child in self._children:
            child.kill_group()


def _exit_reason(child: Child) -> str:
    code = child.exit_code
    if code is None:
        return "never started"
    if code < 0:
        return f"signal {signal.Signals(-code).name}"
    return f"exit code {code}"
