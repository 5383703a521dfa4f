"""Prepare a start: static files, tables, and demo campaigns or a first organiser.

A step is repeated only if something it depends on has changed, so later starts are faster.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from launcher.data_directory import CHECKOUT, LauncherError, read_json, write_private
from launcher.processes import Child
from launcher.services import Services

#: Files that each step depends on.
_SOURCES: Mapping[str, tuple[str, ...]] = {
    "files": (
        "static/**/*",
        "config/settings.py",
        "config/static_files.py",
        "config/storage.py",
        "requirements/base.txt",
    ),
    "tables": (
        "*/migrations/*.py",
        "*/*/migrations/*.py",
        # Installed after migrations.
        "campaign/database/**/*.py",
        "whole_campaigns/*.py",
        "config/settings.py",
        "requirements/base.txt",
    ),
    "demo": ("demo/**/*",),
}

#: Files of Python, numba and editors.
_GENERATED = frozenset({".pyc", ".pyo", ".nbi", ".nbc", ".swp"})


def fingerprint(step: str, checkout: Path = CHECKOUT) -> str:
    """Return a digest of all source files that a step depends on."""
    digest = hashlib.sha256()
    for path in sorted({path for pattern in _SOURCES[step] for path in checkout.glob(pattern)}):
        if path.is_file() and path.suffix not in _GENERATED:
            digest.update(str(path.relative_to(checkout)).encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


class Command:
    """A command that runs in parallel to other processes of a start."""

    def __init__(
        self, doing: str, child: Child, log: Path, relay: Callable[[str], None] | None = None
    ) -> None:
        self._doing = doing
        self._child = child
        self._log = log
        self._relay = relay
        self._ended = False
        self._began = self._told = log.stat().st_size if log.exists() else 0
        child.start()

    def done(self) -> bool:
        """Relay the output; return whether the command has ended.

        Raises:
            LauncherError: the command failed; the message includes the end of its output.
        """
        if self._relay is not None:
            self._relay_lines(self._relay)
        if self._ended or self._child.pid is not None:
            return self._ended
        self._ended = True
        self._child.kill_group()
        if self._child.exit_code != 0:
            with self._log.open("rb") as file:
                file.seek(self._began)
                output = file.read().decode(errors="replace").strip().splitlines()
            raise LauncherError(
                f"{self._doing} failed. Last lines of output (complete log: {self._log}):\n\n"
                + "\n".join(output[-15:])
            )
        return True

    def _relay_lines(self, relay: Callable[[str], None]) -> None:
        with self._log.open("rb") as file:
            file.seek(self._told)
            whole, end, _rest = file.read().rpartition(b"\n")
        self._told += len(whole + end)
        for line in whole.decode(errors="replace").splitlines():
            if line.strip() and not line.startswith((" ", "Traceback")):
                relay(line)

    def stop(self) -> None:
        """End the command, unless it has already ended and its process ID may have been reused."""
        if not self._ended:
            self._child.stop(timeout_seconds=2)


class Preparation:
    """Prepares one data folder.

    Args:
        services: locked services, which may start later.
        demo: load the demo campaigns instead of creating a link for the first organiser.

    Attributes:
        base_url: base address of links; PUBLIC_ADDRESS behind a proxy.
    """

    def __init__(self, services: Services, environment: Mapping[str, str], *, demo: bool) -> None:
        self._services = services
        self._directory = services.directory
        self._environment = environment
        self._demo = demo
        self.base_url = environment["PUBLIC_ADDRESS"].rstrip("/")
        self._stamps = {"files": Path(environment["STATIC_ROOT"]) / ".prepared.json"}
        # Stored next to the embedded database, so that both are lost together. Nothing is assumed
        # about an external database.
        if services.postgres is not None:
            beside = services.postgres.folder / "prepared.json"
            self._stamps |= dict.fromkeys(("tables", "demo", "organiser"), beside)
        # Before all steps, so that the next start handles later changes.
        self._wanted = {
            "files": fingerprint("files"),
            "tables": fingerprint("tables"),
            "demo": [fingerprint("demo"), self.base_url],
            "organiser": True,
        }

    def is_done(self, step: str) -> bool:
        """Return whether an earlier start did this step and nothing it depends on has changed."""
        return bool(self._stamped(step).get(step) == self._wanted[step])

    def record(self, step: str) -> None:
        """Record that this step is done."""
        if file := self._stamps.get(step):
            write_private(file, json.dumps({**self._stamped(step), step: self._wanted[step]}))

    def files(self) -> Command | None:
        """Start collecting static files if they are missing."""
        if self.is_done("files"):
            return None
        arguments = ("manage.py", "collectstatic", "--noinput", "--verbosity=0")
        return self._command("Collecting static files", "prepare-files", *arguments)

    def database(self, report: Callable[[str], None]) -> Command | None:
        """Start updating the tables, and loading the demo or creating a link; return None if nothing is needed.

        A single process (`config.preparing`) waits for the services and reports when the tables are ready.
        """
        files = (str(self._services.running_file), str(self._directory.tables_ready_file))
        last = self._last_command()
        if not last and self.is_done("tables"):
            return None
        program = ("manage.py",) if self.is_done("tables") else ("-m", "config.preparing", *files)
        relay = report if self._demo else None
        return self._command(
            "Preparing the database", "prepare-database", *program, *last, relay=relay
        )

    def _last_command(self) -> tuple[str, ...]:
        address = self.base_url
        if not self._demo:
            self.organiser_file.unlink(missing_ok=True)
            link = ("organiser_link", "--write", str(self.organiser_file), "--address", address)
            return () if self.is_done("organiser") else link
        file = self._directory.demo_file
        load = ("load_demo", "--base-url", address, "--write", str(file))
        return () if file.exists() and self.is_done("demo") else load

    def first_organiser_link(self) -> str | None:
        """Return the new link; None if there is already an organiser.

        It is not read from the output of the command, which is logged.
        """
        link = (read_json(self.organiser_file) or {}).get("link")
        self.organiser_file.unlink(missing_ok=True)
        if link is None:
            self.record("organiser")
        return str(link) if link else None

    @property
    def organiser_file(self) -> Path:
        """File that contains the sign-in link until it is read."""
        return self._directory.path / "organiser_link.json"

    def _command(
        self, doing: str, name: str, *arguments: str, relay: Callable[[str], None] | None = None
    ) -> Command:
        """Start Python with these arguments; `relay` receives each line of output."""
        log = self._directory.log(name)
        child = Child(
            name,
            [sys.executable, *arguments],
            log=log,
            registry=self._services.registry,
            environment=self._environment,
            folder=CHECKOUT,
        )
        return Command(doing, child, log, relay)

    def _stamped(self, step: str) -> dict[str, Any]:
        """Return the steps already done for these files or this database."""
        file = self._stamps.get(step)
        found = read_json(file) if file else None
        return found if isinstance(found, dict) else {}
