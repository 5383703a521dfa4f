"""Start PostgreSQL and Valkey for a data directory, unless the environment names others.

    with Services(DataDirectory.from_environment()) as services:
        subprocess.run(command, env={**os.environ, **services.environment})

With ``DATABASE_URL`` set no PostgreSQL is started, with ``REDIS_URL`` set no Valkey. The embedded PostgreSQL has
two roles: ``DATABASE_URL`` names that of the application, ``MIGRATION_DATABASE_URL`` the owner of the tables.

``REDIS_URL`` of an embedded Valkey reads ``unix:///folder/valkey.sock``, as redis-py and Django's cache
take it.
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

# The application's, and the owner's.
_DATABASE_URLS = ("DATABASE_URL", "MIGRATION_DATABASE_URL")


class Services:
    """The two services, started on entering and stopped on leaving.

    Attributes:
        postgres: the embedded PostgreSQL, None when DATABASE_URL names another.
        valkey: the embedded Valkey, None when REDIS_URL names another. ``valkey.stop()`` and
            ``valkey.start()`` may be called in between; the address stays the same.
        registry: records further processes of this data directory.
        found: the roles of processes left running by an earlier start, which this one stopped.
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
        """Environment variables for the applications, known before the services start."""
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
        """Lock the directory, stop leftovers, start the services.

        Raises:
            LauncherError: another supervisor holds the folder, or a service does not start.
        """
        with contextlib.ExitStack() as undo:
            undo.enter_context(self.locked())
            self.start()
            self._held = undo.pop_all()
        return self

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the directory and stop leftovers; on leaving, stop the processes started by `start`.

        Raises:
            LauncherError: another supervisor holds the folder.
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
        """Start the services, once the directory is locked.

        Raises:
            LauncherError: a service does not start.
        """
        for service in (self.postgres, self.valkey):
            if service is not None:
                service.start()
        write_private(self.running_file, json.dumps(self.environment))

    def serve_at(self, address: str) -> None:
        """Make commands beside these services print links to a web server at this address. Call it before they start.

        It is kept: commands that run while nothing is served assume it.
        """
        self._address = address
        write_private(self._last_address_file, json.dumps(address))

    def _addresses(self) -> dict[str, str]:
        """Return where links lead: as the environment says or as is served, else as was served last."""
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
        """Holds the environment while the services run; there is none before that."""
        return self.directory.path / "services.json"

    def __exit__(self, *_error: object) -> None:
        """Stop Valkey, then PostgreSQL, and unlock the directory."""
        self._held.close()


def running_environment(directory: DataDirectory) -> dict[str, str] | None:
    """Return the environment of the services another process runs here, or None."""
    found = read_json(directory.path / "services.json")
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else None


@contextlib.contextmanager
def environment_beside(directory: DataDirectory) -> Iterator[dict[str, str]]:
    """Give the environment of the services of a data folder: those that run, or new ones until the context ends."""
    with contextlib.ExitStack() as stack:
        try:
            environment = stack.enter_context(Services(directory)).environment
        except FolderInUseError:
            running = running_environment(directory)
            if running is None:
                raise
            environment = running
        yield environment
