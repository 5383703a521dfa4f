"""What a start prepares: static files, tables, demo campaigns or a first organiser.

Each step is repeated only when something it depends on has changed, so that a second start is quick.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from launcher.data_directory import CHECKOUT, DataDirectory, read_json, write_private
from launcher.errors import LauncherError
from launcher.processes import Child, ProcessRegistry
from launcher.signals import StopRequest

#: What each step depends on.
_SOURCES: Mapping[str, tuple[str, ...]] = {
    "files": ("static/**/*", "config/settings.py", "config/storage.py", "requirements/base.txt"),
    "tables": (
        "*/migrations/*.py",
        "*/*/migrations/*.py",
        # What is installed after each migration.
        "campaign/database/**/*.py",
        "cells/*.py",
        "config/settings.py",
        "requirements/base.txt",
    ),
    "demo": ("demo/**/*",),
}

#: Written by Python, numba and editors.
_GENERATED = frozenset({".pyc", ".pyo", ".nbi", ".nbc", ".swp"})


def fingerprint(step: str, checkout: Path = CHECKOUT) -> str:
    """Return a digest of every source file that a step depends on."""
    digest = hashlib.sha256()
    for path in sorted({path for pattern in _SOURCES[step] for path in checkout.glob(pattern)}):
        if path.is_file() and path.suffix not in _GENERATED:
            digest.update(str(path.relative_to(checkout)).encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


class Command:
    """A management command that runs beside what else is started."""

    def __init__(
        self, name: str, child: Child, log: Path, relay: Callable[[str], None] | None = None
    ) -> None:
        self._name = name
        self._child = child
        self._log = log
        self._relay = relay
        self._ended = False
        self._began = self._told = log.stat().st_size if log.exists() else 0
        child.start()

    def done(self) -> bool:
        """Relay what it has written; return whether it has ended.

        Raises:
            LauncherError: it failed; the message holds the end of its output.
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
                f"`manage.py {self._name}` failed. Its last words (all of them in {self._log}):\n\n"
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
        """End it, unless it has ended: its number may be another program's by now."""
        if not self._ended:
            self._child.stop(timeout_seconds=2)


@dataclass(frozen=True)
class Preparation:
    """Prepares one data folder.

    Attributes:
        database_stamp: lies beside the embedded database and is lost with it; None for a database
            of somebody else's, about which nothing is assumed.
    """

    directory: DataDirectory
    registry: ProcessRegistry
    environment: Mapping[str, str]
    static_root: Path
    database_stamp: Path | None
    base_url: str

    def files_and_tables(
        self, stop: StopRequest, report: Callable[[str], None], done: Callable[[str], None]
    ) -> None:
        """Collect static files and bring the tables up to date, both at a time, where they are not.

        Args:
            done: told the name of each step that is done.

        Raises:
            LauncherError: a step failed; the message holds the end of its output.
        """
        steps = {
            "files": (("collectstatic", "--noinput", "--verbosity=0"), "static files are in place"),
            "tables": (("migrate", "--noinput", "--verbosity=1"), "the tables are up to date"),
        }
        sources = {step: fingerprint(step) for step in steps}
        running: dict[str, Command] = {}
        try:
            for step, (arguments, _said) in steps.items():
                if self._stamp(step).get(step) == sources[step]:
                    done(step)
                else:
                    running[step] = self._command(*arguments)
            while running and not stop.wait(0.1):
                for step in [step for step, command in running.items() if command.done()]:
                    del running[step]
                    self._stamp_write(step, sources[step])
                    done(step)
                    report(steps[step][1])
        finally:
            for command in running.values():
                command.stop()

    def demo(self, report: Callable[[str], None]) -> Command | None:
        """Begin to load the demo campaigns; None if they are there, with links to this address."""
        file = self.directory.demo_file
        if file.exists() and self._stamp("demo").get("demo") == self._demo_wanted():
            return None
        options = ("--base-url", self.base_url, "--write", str(file))
        return self._command("load_demo", *options, relay=report)

    def demo_done(self) -> None:
        """Record that all demo campaigns are there."""
        self._stamp_write("demo", self._demo_wanted())

    def _demo_wanted(self) -> list[str]:
        return [fingerprint("demo"), self.base_url]

    def first_organiser(self) -> Command | None:
        """Begin to make a new link for the first organiser; None if there is one."""
        if self._stamp("organiser").get("organiser"):
            return None
        self.organiser_file.unlink(missing_ok=True)
        return self._command(
            "organiser_link", "--write", str(self.organiser_file), "--address", self.base_url
        )

    def first_organiser_link(self) -> str | None:
        """Return the link made; None if there is a first organiser.

        Not from the command's output, which is logged.
        """
        link = (read_json(self.organiser_file) or {}).get("link")
        self.organiser_file.unlink(missing_ok=True)
        if link is None:
            self._stamp_write("organiser", True)
        return str(link) if link else None

    @property
    def organiser_file(self) -> Path:
        """Holds the link, which signs in, for as long as it takes to read it."""
        return self.directory.path / "organiser_link.json"

    def _command(self, *arguments: str, relay: Callable[[str], None] | None = None) -> Command:
        """Start a management command; `relay` is given each line it writes."""
        log = self.directory.log(f"prepare-{arguments[0]}")
        child = Child(
            f"prepare-{arguments[0]}",
            [sys.executable, "manage.py", *arguments],
            log=log,
            registry=self.registry,
            environment=self.environment,
            folder=CHECKOUT,
        )
        return Command(arguments[0], child, log, relay)

    def _stamp_file(self, step: str) -> Path | None:
        return self.static_root / ".prepared.json" if step == "files" else self.database_stamp

    def _stamp(self, step: str) -> dict[str, Any]:
        """Return what was done before to these files or this database."""
        file = self._stamp_file(step)
        found = read_json(file) if file else None
        return found if isinstance(found, dict) else {}

    def _stamp_write(self, step: str, fact: Any) -> None:
        if file := self._stamp_file(step):
            write_private(file, json.dumps({**self._stamp(step), step: fact}))
