"""Back up a database with its secret key, check the backup, and restore it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import psycopg2
import psycopg2.extensions
from psycopg2 import sql
from psycopg2.extensions import cursor as Cursor  # noqa: N812  it is a class
from psycopg2.extensions import parse_dsn

from environment.server_versions import postgresql_problem
from launcher.data_directory import (
    CHECKOUT,
    IS_INSTALLED,
    DataDirectory,
    LauncherError,
    quintet_command,
    read_json,
    start_command,
    write_private,
)
from launcher.dump_restore import dump_restore
from launcher.processes import ProcessRegistry
from launcher.program_target import Target
from launcher.services import (
    CONNECT_SECONDS,
    Postgres,
    Services,
    environment_beside,
    programs_major,
    wheel_folder,
)

MANIFEST: Final = "manifest.json"
DUMP: Final = "quintet.dump"
SECRET_KEY: Final = "secret_key"  # noqa: S105  the name of a file
#: Version of the manifest. Later versions are refused.
FORMAT: Final = 1
NOT_IN_IT: Final = (
    "Not included: environment variables and proxy certificates (store them with it), and queued messages in "
    "Valkey (recreated by workers)."
)
Report = Callable[[str], None]


@dataclass(frozen=True)
class Manifest:
    """Manifest of a backup.

    Attributes:
        made_at: time in UTC, in ISO 8601.
        postgresql: major version of the server.
        rows: number of rows in each table at the time of the dump.
        migrations: applied migrations, as "app.name".
        files: SHA-256 of each file.
    """

    made_at: str
    postgresql: int
    rows: dict[str, int]
    migrations: list[str]
    files: dict[str, str]
    format: int = FORMAT

    def write(self, folder: Path) -> None:
        """Write the manifest into the folder of the backup."""
        write_private(
            folder / MANIFEST,
            json.dumps(asdict(self), indent=1, sort_keys=True) + "\n",
        )

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read the manifest of a backup.

        Raises:
            LauncherError: the folder is not a backup, or has another version.
        """
        manifest = read_json(folder / MANIFEST)
        if not isinstance(manifest, dict) or "format" not in manifest:
            raise LauncherError(
                f"{folder} is not a backup: {MANIFEST} is missing or unreadable. Specify the folder printed by `{start_command('backup')}`.",
            )
        if manifest["format"] != FORMAT:
            raise LauncherError(
                f"The backup in {folder} is from another version of Quintet (format {manifest['format']}; this one "
                f"reads {FORMAT}). Restore it with that version.",
            )
        try:
            return cls(**manifest)
        except TypeError as error:
            raise LauncherError(
                f"The {MANIFEST} in {folder} is damaged: {error}",
            ) from error

    def damaged(self, folder: Path) -> list[str]:
        """Return the files of the backup that are missing or have changed."""
        return [
            name
            for name, digest in sorted(self.files.items())
            if not (folder / name).is_file() or _sha256(folder / name) != digest
        ]


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def backup_command(directory: DataDirectory, *, into: str, report: Report) -> None:
    """Back up the database given by the environment, or else that of the data folder.

    Raises:
        LauncherError: there is nothing to back up, or the backup failed.
    """
    own = not os.environ.get("DATABASE_URL")
    if own and not directory.was_started:
        raise LauncherError(
            f"Nothing to back up: Quintet has never been started with the data folder {directory.path}. Set QUINTET_HOME to the folder with your campaigns, or DATABASE_URL and SECRET_KEY for your own database.",
        )
    if into:
        destination = Path(into).expanduser().resolve()
    else:
        destination = directory.path / "backups"
    with (
        environment_beside(directory)
        if own
        else contextlib.nullcontext(os.environ) as here
    ):
        folder = backup_write(here, into=destination, report=report)
    report(f"The backup is {folder}\n{NOT_IN_IT}")
    if own and not into:
        report(
            "The backup is on the same disk as the data. Copy it elsewhere, or use TO=/folder.",
        )


def backup_write(environment: Mapping[str, str], *, into: Path, report: Report) -> Path:
    """Write a backup into a new subfolder of `into`; return the subfolder.

    The folder receives its name after everything has been written and read back, so every folder with the
    name of a backup is complete.

    Raises:
        LauncherError: the backup cannot be written, or its content is wrong.
    """
    url = environment.get("MIGRATION_DATABASE_URL") or environment["DATABASE_URL"]
    now = datetime.now(UTC)
    folder = into / f"quintet-{now:%Y%m%d-%H%M%S}"
    try:
        into.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=into))
    except OSError as error:
        raise LauncherError(
            f"No backup can be written to {into}: {error.strerror}",
        ) from error
    try:
        _write(
            url,
            environment.get("SECRET_KEY", ""),
            unfinished,
            made_at=now,
            report=report,
        )
        unfinished.rename(folder)
    except OSError as error:
        raise LauncherError(
            f"The backup could not be written to {into}: {error.strerror}",
        ) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def _write(
    url: str,
    key: str,
    folder: Path,
    *,
    made_at: datetime,
    report: Report,
) -> None:
    dump = folder / DUMP
    with connected(url) as connection:
        connection.set_session(isolation_level="REPEATABLE READ", readonly=True)
        major = server_major(connection)
        with connection.cursor() as cursor:
            # Count and dump the same snapshot, while judges continue working.
            cursor.execute("SELECT pg_export_snapshot()")
            (snapshot,) = cursor.fetchone() or ("",)
            rows = rows_of_tables(cursor)
            if not rows:
                raise LauncherError(
                    "The database has no tables, so there is nothing to back up.",
                )
            cursor.execute("SELECT to_regclass('public.django_migrations') IS NOT NULL")
            migrations = []
            if (cursor.fetchone() or [False])[0]:
                cursor.execute(
                    "SELECT app || '.' || name FROM django_migrations ORDER BY id",
                )
                migrations = [str(name) for (name,) in cursor.fetchall()]
            programs = programs_for(major)
            run_program(
                programs / "pg_dump",
                "--format=custom",
                "--no-password",
                f"--snapshot={snapshot}",
                f"--file={dump}",
                url=url,
            )
            dump.chmod(0o600)
    dump_check(programs, dump)
    report(f"dump: {in_words(rows)}; {dump.stat().st_size / 1e6:,.1f} MB; verified")
    if key:
        write_private(folder / SECRET_KEY, key)
        report("secret key: included in the backup; keep the folder private")
    else:
        report(
            "secret key: not included (SECRET_KEY is not set here); store it with the backup yourself",
        )
    Manifest(
        made_at=made_at.isoformat(timespec="seconds"),
        postgresql=major,
        rows=rows,
        migrations=migrations,
        files={path.name: _sha256(path) for path in sorted(folder.iterdir())},
    ).write(folder)


def dump_check(programs: Path, path: Path) -> None:
    """Read a complete dump.

    Raises:
        LauncherError: the dump cannot be read, or has no tables.
    """
    listed = run_program(programs / "pg_restore", "--list", str(path))
    if " TABLE DATA public " not in listed:
        raise LauncherError(f"{path} contains no table data.")
    # The list of contents is at the beginning; this unpacks the whole dump.
    run_program(programs / "pg_restore", f"--file={os.devnull}", str(path))


def rows_of_tables(cursor: Cursor) -> dict[str, int]:
    """Return the number of rows of each table; empty if there are no tables."""
    cursor.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename",
    )
    rows = {}
    for name in [str(name) for (name,) in cursor.fetchall()]:
        cursor.execute(
            sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier("public", name)),
        )
        rows[name] = int((cursor.fetchone() or [0])[0])
    return rows


def in_words(rows: dict[str, int]) -> str:
    """Return a summary of the tables in words."""
    if not rows:
        return "no tables"
    campaigns = rows.get("campaign_campaign", 0)
    judgments = rows.get("annotation_judgment", 0)
    runs = rows.get("ranking_rankingrun", 0)
    return f"{campaigns:,} campaigns with {judgments:,} judgments and {runs:,} saved rankings"


@contextlib.contextmanager
def connected(url: str) -> Iterator[psycopg2.extensions.connection]:
    """Connect to a database while the block runs.

    Raises:
        LauncherError: the database cannot be reached.
    """
    try:
        connection = psycopg2.connect(url, connect_timeout=CONNECT_SECONDS)
    except (psycopg2.OperationalError, psycopg2.ProgrammingError) as error:
        reason = str(error).strip().splitlines()[0]
        raise LauncherError(f"The database cannot be reached: {reason}") from error
    with contextlib.closing(connection):
        yield connection


def server_major(connection: psycopg2.extensions.connection) -> int:
    """Return the major version of the server, such as 18."""
    return connection.server_version // 10_000


def programs_for(major: int) -> Path:
    """Return the folder of client programs that are at least as new as this server version.

    Raises:
        LauncherError: there are no such programs.
    """
    folders = []
    with contextlib.suppress(LauncherError):
        folders.append(wheel_folder() / "bin")
    program = shutil.which("pg_dump")
    if program:
        folders.append(Path(program).parent)
    for folder in folders:
        # For example: pg_dump (PostgreSQL) 18.4
        version_words = run_program(folder / "pg_dump", "--version").split()
        if len(version_words) > 2:
            number = version_words[2].partition(".")[0]
        else:
            number = ""
        if number.isdecimal() and int(number) >= major:
            return folder
    raise LauncherError(
        f"The server is PostgreSQL {major}, and no pg_dump of that version or newer was found. Install the PostgreSQL {major} client programs.",
    )


def run_program(program: Path, *arguments: str, url: str | None = None) -> str:
    """Run a program of PostgreSQL on the database at an address; return its output.

    Raises:
        LauncherError: the program failed; the message includes the end of its output.
    """
    command = [str(program)]
    env = None
    if url:
        target = Target.of(url)
        command.append(target.argument)
        env = target.environment
    result = subprocess.run(
        [*command, *arguments],
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if result.returncode != 0:
        last_lines = "\n".join(result.stderr.strip().splitlines()[-8:])
        raise LauncherError(
            f"{program.name} failed (status {result.returncode}):\n{last_lines}",
        )
    return result.stdout


@dataclass(frozen=True)
class Backup:
    """A backup whose files have been verified."""

    folder: Path
    manifest: Manifest

    @classmethod
    def checked(cls, folder: Path, *, major: int, report: Report) -> Backup:
        """Read and verify a backup.

        Args:
            major: major version of the PostgreSQL server to restore into.

        Raises:
            LauncherError: the backup is damaged, or cannot be restored here.
        """
        manifest = Manifest.read(folder)
        damaged = manifest.damaged(folder)
        if damaged:
            raise LauncherError(
                f"The backup in {folder} is damaged. Changed or missing: {', '.join(damaged)}. Nothing was changed. Use another copy.",
            )
        dump_check(programs_for(major), folder / DUMP)
        report(f"the backup of {manifest.made_at} is intact: {in_words(manifest.rows)}")
        return cls(folder, manifest)

    @property
    def secret_key(self) -> str | None:
        path = self.folder / SECRET_KEY
        if path.exists():
            return path.read_text().strip()
        return None


class SetAside:
    """Files and folders that are renamed before they are replaced.

    They are never deleted, so that they can be renamed back if the wrong backup was restored.
    """

    def __init__(self, *paths: Path) -> None:
        suffix = f".replaced-{datetime.now(UTC):%Y%m%d-%H%M%S}"
        self._moves = {
            path: path.with_name(path.name + suffix) for path in paths if path.exists()
        }
        self._paths = paths
        for path, other in self._moves.items():
            path.rename(other)

    def new_paths(self) -> list[Path]:
        """Return their new places in words."""
        return sorted(self._moves.values())

    @contextlib.contextmanager
    def unless_done(self) -> Iterator[None]:
        """Restore the original names if the block fails."""
        try:
            yield
        except BaseException:
            for path in self._paths:
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)
            for path, other in self._moves.items():
                other.rename(path)
            raise


def restore_command(
    directory: DataDirectory,
    *,
    source: str,
    confirmed: bool,
    report: Report,
) -> None:
    """Restore a backup into the data folder, or into the empty database given by the environment.

    Raises:
        LauncherError: the backup cannot be restored there, or would replace data without confirmation.
    """
    folder = Path(source).expanduser().resolve()
    check = "recomputes and compares every ranking."
    if os.environ.get("DATABASE_URL"):
        url = os.environ.get("MIGRATION_DATABASE_URL") or os.environ["DATABASE_URL"]
        with connected(url) as connection:
            major = server_major(connection)
            problem = postgresql_problem(
                connection.server_version,
                connection.get_parameter_status("server_encoding"),
            )
        if problem is not None:
            raise LauncherError(problem)
        restore_into_database(
            Backup.checked(folder, major=major, report=report),
            os.environ,
            report,
        )
        report(f"Done. `manage.py check_rankings` {check}")
        return
    backup = Backup.checked(folder, major=programs_major(), report=report)
    restore_into_folder(directory, backup, confirmed=confirmed, report=report)
    report(
        f"Done: `{start_command()}` serves it. `{quintet_command()} check_rankings` {check}",
    )


def restore_into_folder(
    directory: DataDirectory,
    backup: Backup,
    *,
    confirmed: bool,
    report: Report,
) -> None:
    """Restore into the data folder of `make start`; existing data is renamed, not deleted.

    Raises:
        LauncherError: Quintet is running there, a database would be replaced without confirmation, or the restore
            failed and changed nothing.
    """
    directory.create()
    with directory.locked():
        registry = ProcessRegistry(directory.path / "processes.json")
        registry.stop_leftovers()
        postgres = Postgres(directory, registry)
        data = postgres.folder / "data"
        if (data / "PG_VERSION").exists() and not confirmed:
            if IS_INSTALLED:
                command = "quintet restore FOLDER --yes"
            else:
                command = "make restore FROM=… YES=1"
            raise LauncherError(
                f"{directory.path} already has a database with {_contents(postgres)}. Restoring would "
                f"set it and its secret key aside (as {data.name}.replaced-… beside them) and put in their place the "
                f"backup of {backup.manifest.made_at}, with {in_words(backup.manifest.rows)}. Nothing was changed. "
                f"To do it: {command}",
            )
        aside = SetAside(
            data,
            postgres.folder / "prepared.json",
            directory.path / "valkey",
            directory.path / SECRET_KEY,
        )
        with aside.unless_done():
            if backup.secret_key is not None:
                write_private(directory.path / SECRET_KEY, backup.secret_key)
    with aside.unless_done(), Services(directory) as services:
        _load(backup, services.environment, report)
    for path in aside.new_paths():
        report(f"set aside: {path}")


def restore_into_database(
    backup: Backup,
    environment: Mapping[str, str],
    report: Report,
) -> None:
    """Restore a dump into the empty database given by the environment.

    Raises:
        LauncherError: the database is not empty or has no role for the application, or the restore failed.
    """
    url = environment.get("MIGRATION_DATABASE_URL") or environment["DATABASE_URL"]
    role = parse_dsn(environment["DATABASE_URL"]).get("user", "")
    with connected(url) as connection, connection.cursor() as cursor:
        rows = rows_of_tables(cursor)
        if rows:
            raise LauncherError(
                f"The database that DATABASE_URL names already has tables, with {in_words(rows)}. External databases are never replaced. Create a new one (`createdb --owner=quintet quintet_restored`), set DATABASE_URL "
                "and MIGRATION_DATABASE_URL to it, and restore again. Nothing was changed.",
            )
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
        if role and cursor.fetchone() is None:
            raise LauncherError(
                f"The role {role} in DATABASE_URL does not exist. Create it first (docs/operators.md, Two roles).",
            )
    try:
        _load(backup, environment, report)
    except LauncherError as error:
        raise LauncherError(
            f"{error}\nThe database may have tables of the backup now: drop it, and restore into a new one.",
        ) from error
    if backup.secret_key not in (None, environment.get("SECRET_KEY")):
        report(
            f"Set SECRET_KEY to the value in {backup.folder / SECRET_KEY}. With the current value, all users would have to sign in again and set up their authenticator apps again, and organisers their webhooks and panels.",
        )


def _load(backup: Backup, environment: Mapping[str, str], report: Report) -> None:
    """Load the dump, compare it with the manifest, and migrate, which also grants rights to the application."""
    url = environment.get("MIGRATION_DATABASE_URL") or environment["DATABASE_URL"]
    _restore(backup.folder / DUMP, url)
    with connected(url) as connection, connection.cursor() as cursor:
        rows = rows_of_tables(cursor)
    saved = backup.manifest.rows
    differing = sorted(
        name for name in saved.keys() | rows.keys() if saved.get(name) != rows.get(name)
    )
    if differing:
        raise LauncherError(
            f"The restored data differs from the backup in: {', '.join(differing)}.",
        )
    report(f"restored: {in_words(rows)}")
    migrated = subprocess.run(
        [sys.executable, "manage.py", "migrate", "--noinput", "--verbosity=0"],
        cwd=CHECKOUT,
        env={**os.environ, **environment, "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    if migrated.returncode != 0:
        last_lines = "\n".join(migrated.stderr.strip().splitlines()[-8:])
        raise LauncherError(
            f"`manage.py migrate` failed on the restored data:\n{last_lines}",
        )
    report("database tables migrated, application role granted")


def _restore(dump: Path, url: str) -> None:
    """Restore a dump into an empty database, in one transaction."""
    with connected(url) as connection:
        programs = programs_for(server_major(connection))
    dump_restore(programs, dump, Target.of(url))


def _contents(postgres: Postgres) -> str:
    try:
        postgres.start()
        with connected(postgres.owner_url) as connection, connection.cursor() as cursor:
            return in_words(rows_of_tables(cursor))
    except LauncherError:
        return "unreadable data: PostgreSQL does not start with it"
    finally:
        postgres.stop()
        postgres.remove_sockets()
