"""What must be true before the web server starts: tables, static files, demo campaigns or a first organiser.

Each step is repeated only when something it depends on has changed, so that a second start is quick.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from launcher.data_directory import CHECKOUT, DataDirectory, read_json, write_private
from launcher.errors import LauncherError
from launcher.processes import Child, ProcessRegistry
from launcher.signals import StopRequest

_SOURCES = (
    "config",
    "campaign",
    "annotation",
    "ranking",
    "protocols",
    "demo",
    "cells",
    "requirements",
    "static",
)

#: Written by Python, numba and editors.
_IGNORED = frozenset({".pyc", ".pyo", ".nbi", ".nbc", ".swp"})


def fingerprint(folders: Iterable[str] = _SOURCES, checkout: Path = CHECKOUT) -> str:
    """Return a digest of every source file that migrations, static files and the demo depend on."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted((checkout / folder).rglob("*")):
            if path.is_file() and path.suffix not in _IGNORED:
                digest.update(str(path.relative_to(checkout)).encode() + b"\0")
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


@dataclass(frozen=True)
class Prepared:
    """What a preparation did, as far as people are told.

    Attributes:
        demo: the demo campaigns are there.
        first_organiser_link: makes whoever opens it the first organiser; None if there is one.
    """

    demo: bool
    first_organiser_link: str | None = None


@dataclass(frozen=True)
class Preparation:
    """Prepares one data folder.

    Attributes:
        database_stamp: lies beside the embedded database and is lost with it; None for a database
            of somebody else's, about which nothing is assumed.
        demo: load the demo campaigns.
    """

    directory: DataDirectory
    registry: ProcessRegistry
    environment: Mapping[str, str]
    static_root: Path
    database_stamp: Path | None
    base_url: str
    demo: bool

    def run(self, stop: StopRequest, report: Callable[[str], None]) -> Prepared:
        """Run the steps that are due; none when the last run left nothing to do.

        Raises:
            LauncherError: a step failed; the message holds the end of its output.
        """
        source = fingerprint()
        static_stamp = self.static_root / ".prepared.json"
        if read_json(static_stamp) != {"source": source} and self._manage(
            stop, "collectstatic", "--noinput", "--verbosity=0"
        ):
            write_private(static_stamp, json.dumps({"source": source}))
            report("static files are in place")
        if self._stamp().get("source") != source and self._manage(
            stop, "migrate", "--noinput", "--verbosity=1"
        ):
            report("the tables are up to date")
            # Whatever else was done may have to be done again with these sources.
            self._stamp_write(source=source, demo_at=None)
        if self.demo:
            self._load_demo(stop, report)
            return Prepared(demo=True)
        return Prepared(demo=False, first_organiser_link=self._first_organiser_link(stop))

    def _load_demo(self, stop: StopRequest, report: Callable[[str], None]) -> None:
        file = self.directory.demo_file
        if file.exists() and self._stamp().get("demo_at") == self.base_url:
            return
        if self._manage(
            stop, "load_demo", "--base-url", self.base_url, "--write", str(file), relay=report
        ):
            file.chmod(0o600)  # it holds a password and the judges' links
            report("the demo campaigns are loaded")
            self._stamp_write(demo_at=self.base_url)

    def _first_organiser_link(self, stop: StopRequest) -> str | None:
        """Return a new link for the first organiser; None if there is one.

        Not from the command's output, which is logged.
        """
        if self._stamp().get("organiser"):
            return None
        file = self.directory.path / "organiser_link.json"
        try:
            done = self._manage(
                stop, "organiser_link", "--write", str(file), "--address", self.base_url
            )
            link = (read_json(file) or {}).get("link")
        finally:
            file.unlink(missing_ok=True)
        if done and link is None:
            self._stamp_write(organiser=True)
        return str(link) if link else None

    def _stamp(self) -> dict[str, Any]:
        """Return what was done to this database before."""
        found = read_json(self.database_stamp) if self.database_stamp else None
        return found if isinstance(found, dict) else {}

    def _stamp_write(self, **facts: Any) -> None:
        if self.database_stamp is not None:
            write_private(self.database_stamp, json.dumps({**self._stamp(), **facts}))

    def _manage(
        self, stop: StopRequest, *arguments: str, relay: Callable[[str], None] | None = None
    ) -> bool:
        """Run a management command; return whether it ended before a stop was asked for.

        ``relay`` is given each line it writes, as it writes it.
        """
        if stop.made:
            return False
        log = self.directory.log("prepare")
        before = log.stat().st_size if log.exists() else 0
        step = Child(
            "prepare",
            [sys.executable, "manage.py", *arguments],
            log=log,
            registry=self.registry,
            environment=self.environment,
            folder=CHECKOUT,
        )
        step.start()
        told = before
        while step.pid is not None:
            if stop.wait(0.5):
                step.stop(timeout_seconds=2)
                return False
            if relay is not None:
                told = _relay_lines(log, told, relay)
        step.kill_group()
        if step.exit_code != 0:
            with log.open("rb") as file:
                file.seek(before)
                output = file.read().decode(errors="replace").strip().splitlines()
            raise LauncherError(
                f"`manage.py {arguments[0]}` failed. Its last words (all of them in {log}):\n\n"
                + "\n".join(output[-15:])
            )
        return not stop.made


def _relay_lines(log: Path, offset: int, relay: Callable[[str], None]) -> int:
    """Tell every whole line after ``offset``; return where the next one begins."""
    with log.open("rb") as file:
        file.seek(offset)
        whole, _, _rest = file.read().rpartition(b"\n")
    for line in whole.decode(errors="replace").splitlines():
        if line.strip() and not line.startswith((" ", "Traceback")):
            relay(line)
    return offset + len(whole) + 1 if whole else offset
