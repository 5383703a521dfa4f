"""An installation of its own, as `make start` starts one."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
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

    def __init__(self, folder: Path, *, environment: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.port = _free_port()
        self._environment = dict(environment or {})
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the supervisor and wait until the web server is ready."""
        named = (
            *("DATABASE_URL", "MIGRATION_DATABASE_URL", "REDIS_URL"),
            *("SECRET_KEY", "STATIC_ROOT"),
        )
        environment = {k: v for k, v in os.environ.items() if k not in named}
        # Beside the data folder, whose disk may be full.
        with self.folder.with_suffix(".log").open("ab") as log:
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
        self.await_health(seconds=START_SECONDS)

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
        stop_all([process for process in left if is_running(process)], timeout_seconds=5)

    def roles(self) -> dict[str, int]:
        """Return the process id of each role, as the supervisor's record names them, and its own."""
        recorded = read_json(self.folder / "processes.json") or {}
        roles = {
            name: int(entry["pid"])
            for name, entry in recorded.items()
            if not name.startswith("prepare")
        }
        if self._process is not None and self._process.poll() is None:
            roles[SUPERVISOR] = self._process.pid
        return roles

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

    def program(self, *arguments: str, environment: Mapping[str, str] | None = None) -> Any:
        """Run a Python program beside the services; return its output, read as JSON if there is any."""
        with suppress(json.JSONDecodeError):
            return json.loads(self.run(*arguments, environment=environment))
        return None

    def run(self, *arguments: str, environment: Mapping[str, str] | None = None) -> str:
        """Run a Python program beside the services; return its output.

        Raises:
            RuntimeError: it failed; with the end of what it said of that.
        """
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=CHECKOUT,
            env={**os.environ, **self._environment, **self.services, **(environment or {})},
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
