"""Restore a backup into a data folder, or into an empty external database."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from psycopg2.extensions import parse_dsn

from launcher.backup import (
    DUMP,
    SECRET_KEY,
    Manifest,
    Report,
    connected,
    dump_check,
    in_words,
    programs_for,
    rows_of_tables,
    run_program,
    server_major,
)
from launcher.data_directory import (
    CHECKOUT,
    IS_INSTALLED,
    DataDirectory,
    LauncherError,
    quintet_command,
    start_command,
    write_private,
)
from launcher.postgresql import Postgres, programs_major
from launcher.processes import ProcessRegistry
from launcher.services import Services


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
                f"The backup in {folder} is damaged. Changed or missing: {', '.join(damaged)}. Nothing was changed. Use another copy."
            )
        dump_check(programs_for(major), folder / DUMP)
        report(f"the backup of {manifest.made_at} is intact: {in_words(manifest.rows)}")
        return cls(folder, manifest)

    @property
    def secret_key(self) -> str | None:
        path = self.folder / SECRET_KEY
        return path.read_text().strip() if path.exists() else None


class SetAside:
    """Files and folders that are renamed before they are replaced.

    They are never deleted, so that they can be renamed back if the wrong backup was restored.
    """

    def __init__(self, *paths: Path) -> None:
        suffix = f".replaced-{datetime.now(UTC):%Y%m%d-%H%M%S}"
        self._moves = {path: path.with_name(path.name + suffix) for path in paths if path.exists()}
        self._paths = paths
        for path, other in self._moves.items():
            path.rename(other)

    def kept(self) -> list[Path]:
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
    directory: DataDirectory, *, source: str, confirmed: bool, report: Report
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
        restore_into_database(
            Backup.checked(folder, major=major, report=report), os.environ, report
        )
        report(f"Done. `manage.py check_rankings` {check}")
        return
    backup = Backup.checked(folder, major=programs_major(), report=report)
    restore_into_folder(directory, backup, confirmed=confirmed, report=report)
    report(f"Done: `{start_command()}` serves it. `{quintet_command()} check_rankings` {check}")


def restore_into_folder(
    directory: DataDirectory, backup: Backup, *, confirmed: bool, report: Report
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
            raise LauncherError(
                f"{directory.path} already has a database with {_what_is_there(postgres)}. Restoring would "
                f"set it and its secret key aside (as {data.name}.replaced-… beside them) and put in their place the "
                f"backup of {backup.manifest.made_at}, with {in_words(backup.manifest.rows)}. Nothing was changed. "
                "To do it: "
                + ("quintet restore FOLDER --yes" if IS_INSTALLED else "make restore FROM=… YES=1")
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
    for path in aside.kept():
        report(f"set aside: {path}")


def restore_into_database(backup: Backup, environment: Mapping[str, str], report: Report) -> None:
    """Restore a dump into the empty database given by the environment.

    Raises:
        LauncherError: the database is not empty or has no role for the application, or the restore failed and left it
            empty.
    """
    url = environment.get("MIGRATION_DATABASE_URL") or environment["DATABASE_URL"]
    role = parse_dsn(environment["DATABASE_URL"]).get("user", "")
    with connected(url) as connection, connection.cursor() as cursor:
        rows = rows_of_tables(cursor)
        if rows:
            raise LauncherError(
                f"The database that DATABASE_URL names already has tables, with {in_words(rows)}. External databases are never replaced. Create a new one (`createdb --owner=quintet quintet_restored`), set DATABASE_URL "
                "and MIGRATION_DATABASE_URL to it, and restore again. Nothing was changed."
            )
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
        if role and cursor.fetchone() is None:
            raise LauncherError(
                f"The role {role} in DATABASE_URL does not exist. Create it first (docs/operators.md, Two roles)."
            )
    _load(backup, environment, report)
    if backup.secret_key not in (None, environment.get("SECRET_KEY")):
        report(
            f"Set SECRET_KEY to the value in {backup.folder / SECRET_KEY}. With the current value, all users would have to sign in again and set up their authenticator apps again."
        )


def _load(backup: Backup, environment: Mapping[str, str], report: Report) -> None:
    """Load the dump, compare it with the manifest, and migrate, which also grants rights to the application."""
    url = environment.get("MIGRATION_DATABASE_URL") or environment["DATABASE_URL"]
    with connected(url) as connection:
        programs = programs_for(server_major(connection))
    run_program(
        programs / "pg_restore",
        "--no-owner",
        "--no-privileges",
        "--exit-on-error",
        "--single-transaction",
        "--no-password",
        f"--dbname={parse_dsn(url)['dbname']}",
        str(backup.folder / DUMP),
        url=url,
    )
    with connected(url) as connection, connection.cursor() as cursor:
        found = rows_of_tables(cursor)
    saved = backup.manifest.rows
    differing = sorted(
        name for name in saved.keys() | found.keys() if saved.get(name) != found.get(name)
    )
    if differing:
        raise LauncherError(
            f"The restored data differs from the backup in: {', '.join(differing)}."
        )
    report(f"restored: {in_words(found)}")
    migrated = subprocess.run(
        [sys.executable, "manage.py", "migrate", "--noinput", "--verbosity=0"],
        cwd=CHECKOUT,
        env={**os.environ, **environment, "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    if migrated.returncode != 0:
        words = "\n".join(migrated.stderr.strip().splitlines()[-8:])
        raise LauncherError(f"`manage.py migrate` failed on the restored data:\n{words}")
    report("database tables migrated, application role granted")


def _what_is_there(postgres: Postgres) -> str:
    try:
        postgres.start()
        with connected(postgres.owner_url) as connection, connection.cursor() as cursor:
            return in_words(rows_of_tables(cursor))
    except LauncherError:
        return "unreadable data: PostgreSQL does not start with it"
    finally:
        postgres.stop()
        postgres.remove_sockets()
