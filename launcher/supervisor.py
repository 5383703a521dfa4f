"""Keep processes running: restart those that end, after increasing delays."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FrameType

from launcher.data_directory import LauncherError
from launcher.processes import Child, ProcessRegistry

# Seconds before successive restarts; the last value is repeated.
BACK_OFF_SECONDS = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)

# After this many seconds, a process has recovered, and its next exit counts as the first.
RECOVERED_AFTER_SECONDS = 30.0

# Seconds until the web server, worker and beat are killed.
STOP_TIMEOUT_SECONDS = 6.0


_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopRequest:
    """A request to stop, and its urgency.

    Attributes:
        made: true after Ctrl-C, SIGTERM or SIGHUP.
        urgent: true after a second one: kill instead of waiting.
    """

    def __init__(self) -> None:
        self.made = False
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
        if not self.made:
            ready, _, _ = select.select([self._reading], [], [], seconds)
            if ready:
                os.read(self._reading, 512)
        return self.made

    def _ask(self, _number: int, _frame: FrameType | None) -> None:
        self.urgent = self.made
        self.made = True


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

    def start(self, *children: Child) -> None:
        """Start children and watch them."""
        for child in children:
            self._children.append(child)
            child.start()
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
            f"{watched.child.name} stopped ({_exit_reason(watched.child)}); restarting {when}"
        )

    def _restart(self, watched: _Supervised) -> None:
        # Workers of a killed main process would keep its port or tasks.
        watched.child.kill_group()
        try:
            watched.child.start()
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
