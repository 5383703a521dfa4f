"""PostgreSQL and Valkey for one data folder: whatever the environment does not already name.

    with Services(Home.from_environment()) as services:
        subprocess.run(command, env={**os.environ, **services.environment})

With ``DATABASE_URL`` set no PostgreSQL is started, with ``REDIS_URL`` set no Valkey.

``REDIS_URL`` of an embedded Valkey reads ``unix:///folder/valkey.sock``, as redis-py and Django's cache
take it.
"""

from __future__ import annotations

import contextlib
import json
import os
from types import TracebackType

from launcher.home import Home, read_json, write_private
from launcher.postgresql import Postgres
from launcher.processes import Register
from launcher.valkey import Valkey


class Services:
    """The two services, started on entering and stopped on leaving.

    Attributes:
        postgres: the embedded PostgreSQL, None when DATABASE_URL names another.
        valkey: the embedded Valkey, None when REDIS_URL names another. ``valkey.stop()`` and
            ``valkey.start()`` may be called in between; the address stays the same.
        register: where further processes of this data folder are written down.
        found: the roles of processes that an earlier start had left running and this one stopped.
    """

    def __init__(self, home: Home, *, durable: bool = True) -> None:
        home.create()
        self.home = home
        self.register = Register(home.path / "processes.json")
        self._durable = durable
        self._held = contextlib.ExitStack()
        self.postgres: Postgres | None = None
        self.valkey: Valkey | None = None
        self.found: list[str] = []

    @property
    def environment(self) -> dict[str, str]:
        """What the applications need to know."""
        redis_url = self.valkey.url if self.valkey else os.environ["REDIS_URL"]
        return {
            "QUINTET_HOME": str(self.home.path),
            "SECRET_KEY": os.environ.get("SECRET_KEY") or self.home.secret_key(),
            "DATABASE_URL": self.postgres.url if self.postgres else os.environ["DATABASE_URL"],
            "REDIS_URL": redis_url,
        }

    def __enter__(self) -> Services:
        """Take the folder, stop leftovers, start what is to be started.

        Raises:
            LauncherError: another supervisor holds the folder, or a service does not start.
        """
        with contextlib.ExitStack() as undo:
            undo.enter_context(self.home.locked())
            self.found = self.register.stop_leftovers()
            if not os.environ.get("DATABASE_URL"):
                self.postgres = Postgres(self.home, self.register, durable=self._durable)
                undo.callback(self.postgres.forget_sockets)
                undo.callback(self.postgres.stop)
                self.postgres.start()
            if not os.environ.get("REDIS_URL"):
                self.valkey = Valkey(self.home, self.register)
                undo.callback(self.valkey.forget_sockets)
                undo.callback(self.valkey.stop)
                self.valkey.start()
            announcement = self.home.path / "services.json"
            undo.callback(announcement.unlink, missing_ok=True)
            write_private(announcement, json.dumps(self.environment))
            self._held = undo.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop Valkey, then PostgreSQL, and let go of the folder."""
        self._held.close()


def announced(home: Home) -> dict[str, str] | None:
    """The environment of services that another process runs in this folder, or None."""
    found = read_json(home.path / "services.json")
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else None
