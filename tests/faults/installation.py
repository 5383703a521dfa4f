"""An installation of its own, as `make start` starts one."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from launcher.data_directory import CHECKOUT, read_json, wait_until
from launcher.listening import Address
from launcher.processes import is_running, stop_all
from tests.faults.server import HOST

SUPERVISOR = "supervisor"
START_SECONDS = 400


class Installation:
    """The supervisor over one data folder, and whatever it runs.

    Attributes:
        port: where the web server answers.
        folder: the data folder.
    """

    def __init__(
        self,
        folder: Path,
        *,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.folder = folder
        self.port = _free_port()
        self._environment = dict(environment or {})
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the supervisor once, and wait until the web server is ready.

        Raises:
            RuntimeError: the start failed; with the end of what it said.
            TimeoutError: it took too long.
        """
        self.launch()
        assert self._process is not None
        supervisor = self._process
        wait_until(
            self._is_healthy,
            seconds=START_SECONDS,
            alive=lambda: supervisor.poll() is None,
            pause_seconds=0.2,
        )
        if supervisor.poll() is not None:
            raise RuntimeError(f"The start failed: {self.said[-2000:]}")
        self.await_health(seconds=0)

    @property
    def said(self) -> str:
        """Everything that the supervisors have printed."""
        return self._log.read_text()

    @property
    def _log(self) -> Path:
        """Beside the data folder, whose disk may be full."""
        return self.folder.with_suffix(".log")

    def launch(self) -> None:
        """Start the supervisor without waiting for anything."""
        named = (
            *("DATABASE_URL", "MIGRATION_DATABASE_URL", "REDIS_URL"),
            *("SECRET_KEY", "STATIC_ROOT"),
        )
        environment = {k: v for k, v in os.environ.items() if k not in named}
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "launcher", "start"],
                cwd=CHECKOUT,
                env={
                    **environment,
                    **self._environment,
                    "QUINTET_HOME": str(self.folder),
                    "PORT": str(self.port),
                },
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def await_end(self, *, seconds: float) -> int | None:
        """Wait until the supervisor ends; return its exit code, or None if it runs on."""
        assert self._process is not None
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None

    def cut_power(self) -> None:
        """Kill the supervisor and everything that it runs at once; what the system has written to files stays."""
        running = []
        for pid in [
            *self._recorded().values(),
            *([self._process.pid] if self._process else []),
        ]:
            with suppress(psutil.NoSuchProcess):
                first = psutil.Process(pid)
                running += [first, *first.children(recursive=True)]
        for process in running:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        if self._process is not None:
            self._process.wait()
        wait_until(lambda: not any(map(is_running, running)), seconds=60)

    def stop(self) -> None:
        """Stop everything; kill what does not end."""
        left = [process for role in self.roles() for process in self.group(role)]
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)
            self._process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(60)
            self._process.kill()
            self._process.wait()
        stop_all(
            [process for process in left if is_running(process)],
            timeout_seconds=5,
        )

    def roles(self) -> dict[str, int]:
        """Return the process id of each role, as the supervisor's record names them, and its own."""
        roles = {
            name: pid
            for name, pid in self._recorded().items()
            if not name.startswith("prepare")
        }
        if self._process is not None and self._process.poll() is None:
            roles[SUPERVISOR] = self._process.pid
        return roles

    def _recorded(self) -> dict[str, int]:
        recorded = read_json(self.folder / "processes.json") or {}
        return {name: int(entry["pid"]) for name, entry in recorded.items()}

    def master(self, role: str) -> psutil.Process:
        """Return the first process of a role.

        Raises:
            psutil.NoSuchProcess: it does not run.
        """
        return psutil.Process(self.roles()[role])

    def workers(self, role: str) -> list[psutil.Process]:
        """Return the processes below the first one of a role."""
        with suppress(psutil.NoSuchProcess):
            return list(self.master(role).children(recursive=True))
        return []

    def group(self, role: str) -> list[psutil.Process]:
        """Return all processes of a role; of the supervisor, itself alone."""
        with suppress(psutil.NoSuchProcess, KeyError):
            master = self.master(role)
            return [master] if role == SUPERVISOR else [master, *self.workers(role)]
        return []

    @property
    def services(self) -> dict[str, str]:
        """Return the environment of programs beside the services."""
        found = read_json(self.folder / "services.json")
        return {str(name): str(value) for name, value in (found or {}).items()}

    @property
    def database_url(self) -> str:
        return self.services["DATABASE_URL"]

    def program(
        self,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
    ) -> Any:
        """Run a Python program beside the services; return its output, read as JSON if there is any."""
        with suppress(json.JSONDecodeError):
            return json.loads(self.run(*arguments, environment=environment))
        return None

    @contextmanager
    def beside(
        self,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
    ) -> Iterator[subprocess.Popen[bytes]]:
        """Run a Python program beside the services until the context ends."""
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=CHECKOUT,
            env={
                **os.environ,
                **self._environment,
                **self.services,
                **(environment or {}),
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    def run(self, *arguments: str, environment: Mapping[str, str] | None = None) -> str:
        """Run a Python program beside the services; return its output.

        Raises:
            RuntimeError: it failed; with the end of what it said of that.
        """
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=CHECKOUT,
            env={
                **os.environ,
                **self._environment,
                **self.services,
                **(environment or {}),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(arguments)}: {done.stderr[-2000:]}")
        return done.stdout

    def await_health(self, *, seconds: float) -> None:
        """Wait until the web server is ready and each role runs.

        Raises:
            TimeoutError: it did not come to that.
        """
        if not wait_until(self._is_healthy, seconds=seconds, pause_seconds=0.2):
            raise TimeoutError(f"Not ready within {seconds:g} s: {self.folder}")

    def _is_healthy(self) -> bool:
        roles = self.roles()
        # The supervisor, the web server, both services and something that works behind them.
        return (
            len(roles) > 4
            and all(map(_runs, roles.values()))
            and Address(HOST, self.port).is_ready()
        )


def _runs(pid: int) -> bool:
    with suppress(psutil.NoSuchProcess):
        return is_running(psutil.Process(pid))
    return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
