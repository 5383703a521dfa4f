"""Start PostgreSQL and Valkey for a data directory, unless the environment specifies others.

    with Services(DataDirectory.from_environment()) as services:
        subprocess.run(command, env={**os.environ, **services.environment})

If ``DATABASE_URL`` is set, no PostgreSQL is started; if ``REDIS_URL`` is set, no Valkey. The embedded PostgreSQL has
two roles: the application in ``DATABASE_URL``, and the owner of the tables in ``MIGRATION_DATABASE_URL``.

``REDIS_URL`` of an embedded Valkey is ``unix:///folder/valkey.sock``, as redis-py and the cache of Django
expect it.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from launcher.data_directory import DataDirectory, FolderInUseError, read_json, write_private
from launcher.postgresql import Postgres
from launcher.processes import ProcessRegistry
from launcher.valkey import Valkey

# Addresses for the application and for the owner.
_DATABASE_URLS = ("DATABASE_URL", "MIGRATION_DATABASE_URL")


class Services:
    """Both services, started on entering and stopped on leaving.

    Attributes:
        postgres: the embedded PostgreSQL; None if DATABASE_URL is set.
        valkey: the embedded Valkey; None if REDIS_URL is set. It may be stopped and started again at the
            same address.
        registry: record of all processes of this data directory.
        found: roles of processes left by an earlier start, which this one stopped.
    """

    def __init__(self, directory: DataDirectory, *, durable: bool = True) -> None:
        directory.create()
        self.directory = directory
        self.registry = ProcessRegistry(directory.path / "processes.json")
        self._durable = durable
        self._held = contextlib.ExitStack()
        self.postgres: Postgres | None = None
        self.valkey: Valkey | None = None
        self.found: list[str] = []
        self._address: str | None = None

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables for the application, known before the services start."""
        redis_url = self.valkey.url if self.valkey else os.environ["REDIS_URL"]
        if self.postgres:
            own = (self.postgres.url, self.postgres.owner_url)
            databases = dict(zip(_DATABASE_URLS, own, strict=True))
        else:
            databases = {name: os.environ[name] for name in _DATABASE_URLS if name in os.environ}
        return {
            **self._addresses(),
            "QUINTET_HOME": str(self.directory.path),
            "SECRET_KEY": os.environ.get("SECRET_KEY") or self.directory.secret_key(),
            "REDIS_URL": redis_url,
            **databases,
        }

    def __enter__(self) -> Services:
        """Lock the directory, stop leftover processes, and start the services.

        Raises:
            LauncherError: another supervisor is using the folder, or a service does not start.
        """
        with contextlib.ExitStack() as undo:
            undo.enter_context(self.locked())
            self.start()
            self._held = undo.pop_all()
        return self

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the directory and stop leftover processes; on leaving, stop those started by `start`.

        Raises:
            LauncherError: another supervisor is using the folder.
        """
        with contextlib.ExitStack() as undo:
            undo.enter_context(self.directory.locked())
            self.found = self.registry.stop_leftovers()
            # Left by a killed supervisor.
            self.running_file.unlink(missing_ok=True)
            undo.callback(self.running_file.unlink, missing_ok=True)
            if not os.environ.get("DATABASE_URL"):
                self.postgres = Postgres(self.directory, self.registry, durable=self._durable)
                undo.callback(self.postgres.remove_sockets)
                undo.callback(self.postgres.stop)
            if not os.environ.get("REDIS_URL"):
                self.valkey = Valkey(self.directory, self.registry)
                undo.callback(self.valkey.remove_sockets)
                undo.callback(self.valkey.stop)
            yield

    def start(self) -> None:
        """Start the services, after the directory has been locked.

        Raises:
            LauncherError: a service does not start.
        """
        for service in (self.postgres, self.valkey):
            if service is not None:
                service.start()
        write_private(self.running_file, json.dumps(self.environment))

    def serve_at(self, address: str) -> None:
        """Make commands print links to a web server at this address. Call it before the services start.

        The address is stored for commands that run without a web server.
        """
        self._address = address
        write_private(self._last_address_file, json.dumps(address))

    def _addresses(self) -> dict[str, str]:
        """Return the base address of links: that of the environment or of the web server, else the last one stored."""
        known = os.environ.get("PUBLIC_ADDRESS") or self._address
        if known:
            return {"PUBLIC_ADDRESS": known}
        last = read_json(self._last_address_file)
        return {"ASSUMED_ADDRESS": last} if isinstance(last, str) else {}

    @property
    def _last_address_file(self) -> Path:
        return self.directory.path / "address.json"

    @property
    def running_file(self) -> Path:
        """File with the environment, written once the services are running."""
        return self.directory.path / "services.json"

    def __exit__(self, *_error: object) -> None:
        """Stop Valkey, then PostgreSQL, and unlock the directory."""
        self._held.close()


def running_environment(directory: DataDirectory) -> dict[str, str] | None:
    """Return the environment of services that another process is running here; None if there are none."""
    found = read_json(directory.path / "services.json")
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else None


@contextlib.contextmanager
def environment_beside(directory: DataDirectory) -> Iterator[dict[str, str]]:
    """Yield the environment of the services of a data folder; if none are running, start them for this context."""
    with contextlib.ExitStack() as stack:
        try:
            environment = stack.enter_context(Services(directory)).environment
        except FolderInUseError:
            running = running_environment(directory)
            if running is None:
                raise
            environment = running
        yield environment
