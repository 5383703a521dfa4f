"""Serve Quintet until it is stopped: prepare files and tables, start web server and workers, say where to go."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from launcher.data_directory import (
    CHECKOUT,
    DataDirectory,
    LauncherError,
    quintet_command,
    read_json,
    start_command,
    write_private,
)
from launcher.listening import Address, address_of, listen
from launcher.loading import LoadingPage
from launcher.processes import Child, StopRequest, Supervisor
from launcher.services import Services
from launcher.waiting import Watch

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
    paths: set[Path] = set()
    for pattern in _SOURCES[step]:
        paths.update(checkout.glob(pattern))
    for path in sorted(paths):
        if path.is_file() and path.suffix not in _GENERATED:
            name = str(path.relative_to(checkout))
            content = hashlib.sha256(path.read_bytes())
            digest.update(name.encode() + b"\0")
            digest.update(content.digest())
    return digest.hexdigest()


class ConnectionLostError(LauncherError):
    """A command ended because it lost its connection to PostgreSQL."""


class Command:
    """A command that runs in parallel to other processes of a start."""

    def __init__(
        self,
        doing: str,
        child: Child,
        log: Path,
        relay: Callable[[str], None] | None = None,
    ) -> None:
        self._doing = doing
        self._child = child
        self._log = log
        self._relay = relay
        self._ended = False
        self._began = 0
        if log.exists():
            self._began = log.stat().st_size
        self._relay_position = self._began
        child.launch()

    def has_ended(self) -> bool:
        """Relay the output; return whether the command has ended.

        Raises:
            ConnectionLostError: the command lost its connection to PostgreSQL, and may be repeated.
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
            last_lines = "\n".join(output[-15:])
            message = f"{self._doing} failed. Last lines of output (complete log: {self._log}):\n\n{last_lines}"
            if self._child.exit_code == os.EX_TEMPFAIL:
                raise ConnectionLostError(message)
            raise LauncherError(message)
        return True

    def _relay_lines(self, relay: Callable[[str], None]) -> None:
        with self._log.open("rb") as file:
            file.seek(self._relay_position)
            whole, end, _rest = file.read().rpartition(b"\n")
        self._relay_position += len(whole + end)
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

    def __init__(
        self,
        services: Services,
        environment: Mapping[str, str],
        *,
        demo: bool,
    ) -> None:
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
        self._expected = {
            "files": fingerprint("files"),
            "tables": fingerprint("tables"),
            "demo": [fingerprint("demo"), self.base_url],
            "organiser": True,
        }

    def is_done(self, step: str) -> bool:
        """Return whether an earlier start did this step and nothing it depends on has changed."""
        recorded = self._recorded_steps(step).get(step)
        return bool(recorded == self._expected[step])

    def record(self, step: str) -> None:
        """Record that this step is done."""
        self._stamp(step, self._expected[step])

    def forget(self, step: str) -> None:
        """Let the next start do this step."""
        self._stamp(step, None)

    def _stamp(self, step: str, value: Any) -> None:
        file = self._stamps.get(step)
        if file is not None:
            stamps = {**self._recorded_steps(step), step: value}
            write_private(file, json.dumps(stamps))

    def database_problem(self) -> str:
        """Return what `manage.py check` says about a database that the web server cannot use."""
        result = subprocess.run(
            [sys.executable, "manage.py", "check", "--database=default"],
            cwd=CHECKOUT,
            env=dict(self._environment),
            capture_output=True,
            text=True,
            check=False,
        )
        return (
            result.stderr.strip()
            or "The tables have changed during the start. Start again."
        )

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
        last = self._last_command()
        if not last and self.is_done("tables"):
            return None
        if self.is_done("tables"):
            tables = "-"
        else:
            tables = str(self._directory.tables_ready_file)
        program = ("-m", "config.preparing", str(self._services.running_file), tables)
        relay = report if self._demo else None
        return self._command(
            "Preparing the database",
            "prepare-database",
            *program,
            *last,
            relay=relay,
        )

    def _last_command(self) -> tuple[str, ...]:
        address = self.base_url
        if not self._demo:
            self.organiser_file.unlink(missing_ok=True)
            link = (
                "organiser_link",
                "--write",
                str(self.organiser_file),
                "--address",
                address,
            )
            if self.is_done("organiser"):
                return ()
            return link
        file = self._directory.demo_file
        load = ("load_demo", "--base-url", address, "--write", str(file))
        if file.exists() and self.is_done("demo"):
            return ()
        return load

    def first_organiser_link(self) -> str | None:
        """Return the new link; None if there is already an organiser.

        It is not read from the output of the command, which is logged.
        """
        link = (read_json(self.organiser_file) or {}).get("link")
        self.organiser_file.unlink(missing_ok=True)
        if link is None:
            self.record("organiser")
        if link:
            return str(link)
        return None

    @property
    def organiser_file(self) -> Path:
        """File that contains the sign-in link until it is read."""
        return self._directory.path / "organiser_link.json"

    def _command(
        self,
        doing: str,
        name: str,
        *arguments: str,
        relay: Callable[[str], None] | None = None,
    ) -> Command:
        """Start Python with these arguments; `relay` receives each line of output."""
        log = self._directory.log(name)
        child = Child(
            name,
            [sys.executable, *arguments],
            log=log,
            registry=self._services.registry,
            environment=self._environment,
            cwd=CHECKOUT,
        )
        return Command(doing, child, log, relay)

    def _recorded_steps(self, step: str) -> Mapping[str, object]:
        """Return the steps already done for these files or this database."""
        file = self._stamps.get(step)
        if file is None:
            return {}
        stamp = read_json(file)
        if isinstance(stamp, dict):
            return stamp
        return {}


READY_SECONDS = 120

# One thread per process: with several, numerical libraries would add in a different order from run to run,
# and the web server, workers and PostgreSQL would compete for the same cores.
ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMEXPR_NUM_THREADS",
    ),
    "1",
)


# One process for all background work. On servers whose rankings need more cores, variables of Celery change this
# (docs/operators.md).
WORKER = {"CELERY_WORKER_POOL": "threads", "CELERY_WORKER_CONCURRENCY": "8"}


def serve(
    directory: DataDirectory,
    report: Callable[[str], None],
    *,
    demo: bool,
) -> None:
    """Start everything, print where to go, and keep it running until a stop is requested.

    Args:
        demo: load missing demo campaigns, and print their links.

    Raises:
        LauncherError: the start failed.
    """
    began = time.monotonic()

    def progress(text: str) -> None:
        report(f"{time.monotonic() - began:6.1f} s  {text}")

    directory.create()
    command = "demo" if demo else "start"
    services = Services(directory)
    with StopRequest() as stop, LoadingPage() as page:
        report(f"starting Quintet with the data folder {directory.path}")
        with services.locked():
            # Not earlier, since the web server of an earlier run, which was just stopped, may have used the port.
            listener = listen(command)
            page.open(listener)
            progress(f"{address_of(listener).url} shows the progress")
            if services.stopped_leftovers:
                progress(
                    f"stopped processes of an earlier run: {', '.join(services.stopped_leftovers)}",
                )
            with _Start(services, page, stop, progress, demo=demo) as start:
                start.begin()
                services.await_external_database(start.watch)
                services.start(start.watch)
                if not stop.is_requested:
                    progress(_services_sentence(services))
                start.until_usable()
                if not stop.is_requested:
                    report(start.welcome(time.monotonic() - began))
                start.until_complete()
                start.supervisor.run(stop)
                report("\nStopping ...")
    report("Quintet has stopped. Your data is kept.")


class _Start:
    """The stages of a start; leaving the context stops all started processes."""

    def __init__(
        self,
        services: Services,
        page: LoadingPage,
        stop: StopRequest,
        progress: Callable[[str], None],
        *,
        demo: bool,
    ) -> None:
        self._services = services
        self._directory = services.directory
        self._page = page
        self._address = address_of(page.listener)
        self._stop = stop
        self._progress = progress
        self._demo = demo
        #: Number of times that a preparation may be repeated whose connection was lost.
        self._repetitions = 3
        self._is_lost = False
        services.serve_at(self._address.url)
        environment = _environment(services, self._address)
        self._preparation = Preparation(services, environment, demo=demo)
        # Web server and workers do not receive the database address of the owner.
        served = {k: v for k, v in environment.items() if k != "MIGRATION_DATABASE_URL"}
        self._web, *self._background = _children(
            services,
            served,
            page.listener.fileno(),
        )
        embedded = [s for s in (services.postgres, services.valkey) if s is not None]
        self.supervisor = Supervisor(embedded, services.registry, progress)
        self._files: Command | None = None
        self._database: Command | None = None
        self._links_before = _modification_time(self._directory.demo_file)

    def __enter__(self) -> _Start:
        return self

    def begin(self) -> None:
        """Start the steps that need no database, and meanwhile load code for the others."""
        for file in (
            self._directory.tables_ready_file,
            self._directory.web_ready_file,
            self._directory.demo_loading_file,
        ):
            file.unlink(missing_ok=True)
        self._database = self._preparation.database(self._progress)
        self._files = self._preparation.files()
        if self._files is None:
            self.supervisor.start(self._web)

    def __exit__(self, *_error: object) -> None:
        for command in (self._files, self._database):
            if command is not None:
                command.stop()
        self._preparation.organiser_file.unlink(missing_ok=True)
        self.supervisor.stop(self._stop)

    @property
    def watch(self) -> Watch:
        """How to wait for services."""
        return Watch(self._report_wait, lambda: self._stop.is_requested)

    def _report_wait(self, text: str) -> None:
        """Tell the operator, and people with the page open, that a service is not ready yet."""
        self._progress(text)
        self._page.waiting = True

    def until_usable(self) -> None:
        """Start the web server once its files exist, and wait until it can serve the first links."""
        self._page.finish("services")
        if self._files is not None:
            self._wait_until(self._files.has_ended)
            self._step_done("files", "static files ready")
            if not self._stop.is_requested:
                self.supervisor.start(self._web)
        self._page.finish("files")
        tables = self._directory.tables_ready_file
        if self._preparation.is_done("tables"):
            tables.touch()
        else:
            self._wait_until(tables.exists)
            self._step_done("tables", "database tables up to date")
        self._page.finish("tables")
        late = (
            f"The web server was not ready within {READY_SECONDS} s. "
            f"See the end of {self._directory.logs / 'web.log'}"
        )
        self._wait_until(self._directory.web_ready_file.exists, late)
        self._page.close()
        self._wait_until(self._is_ready, late)
        links = self._directory.demo_file
        self._wait_until(
            lambda: (
                _modification_time(links) != self._links_before or self._is_loaded()
            ),
        )
        if not self._stop.is_requested:
            # Only now, since the first pages do not need them and load sooner.
            self.supervisor.start(*self._background)

    def _is_ready(self) -> bool:
        """Return whether the web server is ready.

        Raises:
            LauncherError: it cannot use the tables. An earlier start prepared them, and they have changed since.
        """
        answer = self._address.ready_answer()
        if answer.get("database", "ok") not in ("ok", "unreachable"):
            self._preparation.forget("tables")
            raise LauncherError(self._preparation.database_problem())
        return answer.get("status") == "ok"

    def _step_done(self, step: str, message: str) -> None:
        if not self._stop.is_requested:
            self._preparation.record(step)
            self._progress(message)

    def welcome(self, seconds: float) -> str:
        """Return the lines with the addresses for users."""
        if self._demo:
            link = None
        else:
            link = self._preparation.first_organiser_link()
        base_url = self._preparation.base_url
        return welcome(self._directory, base_url, link, seconds, demo=self._demo)

    def until_complete(self) -> None:
        """Load the other demo campaigns while judges work."""
        if self._demo and not self._preparation.is_done("demo"):
            self._wait_until(self._is_loaded)
            links = demo_links(self._directory)
            self._step_done("demo", "\n".join(["demo campaigns loaded", *links]))

    def _is_loaded(self) -> bool:
        """Return whether the database is prepared; prepare it again if PostgreSQL ended meanwhile.

        Raises:
            LauncherError: the preparation failed.
        """
        if self._database is None:
            return True
        if self._is_lost:
            self._prepare_again()
            return False
        try:
            return self._database.has_ended()
        except ConnectionLostError:
            if self._services.postgres is None or self._repetitions == 0:
                raise
        self._is_lost = True
        return False

    def _prepare_again(self) -> None:
        """Prepare the database again once the supervisor has started PostgreSQL again, and it answers."""
        server = self._services.postgres
        if server is None or not server.answers():
            return
        self._progress("connection to PostgreSQL lost; preparing the database again")
        self._repetitions -= 1
        self._is_lost = False
        self._database = self._preparation.database(self._progress)

    def _wait_until(self, holds: Callable[[], bool], late: str | None = None) -> None:
        """Watch the processes until the condition is true or a stop is requested.

        Raises:
            LauncherError: `READY_SECONDS` have passed; the message is `late`.
        """
        end = time.monotonic() + READY_SECONDS
        while not self._stop.is_requested and not holds():
            self.supervisor.poll()
            self._is_loaded()  # raises an error if it failed
            if late is not None and time.monotonic() > end:
                raise LauncherError(late)
            self._stop.wait(0.05)


def _modification_time(file: Path) -> int:
    if file.exists():
        return file.stat().st_mtime_ns
    return 0


def _services_sentence(services: Services) -> str:
    own = [s.name for s in (services.postgres, services.valkey) if s is not None]
    names = {"postgresql": "PostgreSQL", "valkey": "Valkey"}
    if not own:
        return "using PostgreSQL and Valkey from DATABASE_URL and REDIS_URL"
    verb = "is" if len(own) == 1 else "are"
    listed = " and ".join(names[name] for name in own)
    return f"{listed} {verb} up"


def _environment(services: Services, address: Address) -> dict[str, str]:
    # Otherwise each process would compile all modules again.
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {
        **WORKER,
        **inherited,
        **ONE_THREAD,
        **services.environment,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "START_AFTER": str(services.directory.tables_ready_file),
        "ALLOWED_HOSTS": os.environ.get("ALLOWED_HOSTS") or address.allowed_hosts,
        "READY_FILE": str(services.directory.web_ready_file),
        "STATIC_ROOT": os.environ.get("STATIC_ROOT")
        or str(services.directory.path / "static"),
        # For trying out invitations; logs contain no links.
        "EMAIL_URL": os.environ.get("EMAIL_URL")
        or f"filemail:///{quote(str(_mails(services.directory)))}",
        "PYTHONUNBUFFERED": "1",  # a delayed log is misleading
    }


def _mails(directory: DataDirectory) -> Path:
    """Return the folder for messages if there is no mail server; only its owner may read their links."""
    folder = directory.path / "mails"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _children(
    services: Services,
    environment: dict[str, str],
    listener: int,
) -> list[Child]:
    python = [sys.executable, "-m"]
    celery = [*python, "celery", "--quiet", "-A", "config"]
    commands = {
        "web": [
            *python,
            "gunicorn",
            "--config=python:config.gunicorn",
            f"--bind=fd://{listener}",
            "--graceful-timeout=5",
        ],
        "worker": [
            *celery,
            # Checks load all pages; they are for developers and for `manage.py migrate`.
            "--skip-checks",
            "worker",
            "--beat",
            "--loglevel=INFO",
            "--hostname=worker@localhost",
            # There are no other workers to exchange events with.
            "--without-gossip",
            "--without-mingle",
            "--without-heartbeat",
        ],
    }
    children = []
    for name, command in commands.items():
        inherits = []
        if name == "web":
            inherits.append(listener)
        child = Child(
            name,
            command,
            log=services.directory.log(name),
            registry=services.registry,
            environment=environment,
            cwd=CHECKOUT,
            inherits=inherits,
        )
        children.append(child)
    return children


def welcome(
    directory: DataDirectory,
    base_url: str,
    link: str | None,
    seconds: float,
    *,
    demo: bool,
) -> str:
    """Return the messages for users after the start at this address.

    Args:
        link: sign-in link of the first organiser; None if there is already an organiser.
    """
    lines = ["", f"Quintet is ready, after {seconds:.1f} s.", ""]
    if demo:
        lines += _demo(directory)
    else:
        lines += _own(directory, base_url, link)
    lines += [
        f"  Mails      {directory.path / 'mails'}",
        f"  Logs       {directory.logs}",
        "  Stop       Ctrl-C",
        "",
    ]
    return "\n".join(lines)


def _own(directory: DataDirectory, base_url: str, link: str | None) -> Iterator[str]:
    quintet = f"{_home(directory)}{quintet_command()}"
    if link:
        yield f"  Begin      {link}"
        yield "             Open it once to create the first organiser account."
    else:
        yield f"  Organise   {base_url}/"
        yield f"             Sign in; `{quintet} organiser_link EMAIL` prints a link for a new password."
    yield f"  Campaign   {quintet} import_test_set --help"
    yield "             creates one from your files; see README.md for an example."
    yield f"  Demo       `{_home(directory)}{start_command('demo')}` adds demo campaigns to this folder, and serves both."


def _demo(directory: DataDirectory) -> Iterator[str]:
    demo: Any = read_json(directory.demo_file) or {}
    organiser = demo.get("organiser", {})
    judges = demo.get("judges", [])
    yield f"  Organise   {organiser.get('url', demo.get('base_url', ''))}"
    yield (
        f"             sign in as {organiser.get('email', '')} with {organiser.get('password', '')}"
    )
    yield f"  Join       {demo.get('newcomers', {}).get('url', '')}"
    yield from _link_lines("Judge", judges)
    yield from demo_links(directory)
    if (
        loading := directory.demo_loading_file.exists()
        and directory.demo_loading_file.read_text()
    ):
        yield f"  Loading    {', '.join(loading.splitlines())}"
    yield f"  All links  {directory.demo_file}"
    home = _home(directory)
    quintet = f"{home}{quintet_command()}"
    yield f"  Your data  `{quintet} organiser_link` creates an organiser account, `{quintet} import_test_set`"
    yield f"             a campaign (README.md). `{home}{start_command()}` serves this folder without loading the demo;"
    yield "             set another QUINTET_HOME to start with an empty one."


def demo_links(directory: DataDirectory) -> Iterator[str]:
    """Return the links of judges of each protocol; empty before their campaign is loaded."""
    protocols = (read_json(directory.demo_file) or {}).get("protocols", [])
    yield from _link_lines("Protocols", protocols)


def _link_lines(label: str, entries: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """Yield a line with name and address for each entry; only the first line has the label."""
    names = [str(entry.get("name", "")) for entry in entries]
    width = max(map(len, names), default=0)
    for name, entry in zip(names, entries, strict=True):
        yield f"  {label:<9}  {name:<{width}}  {entry.get('url', '')}"
        label = ""


def _home(directory: DataDirectory) -> str:
    """Return the prefix for commands to find this folder."""
    if directory.path == DataDirectory.default().path:
        return ""
    return f"QUINTET_HOME={shlex.quote(str(directory.path))} "
