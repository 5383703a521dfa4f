"""Restore a backup: into a data folder, or into an empty database of somebody's own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from psycopg2.extensions import parse_dsn

from launcher.backups.base import base_check
from launcher.backups.manifest import BASE, DUMP, SECRET_KEY, Manifest
from launcher.backups.programs import connected, programs_for, run_program, server_major
from launcher.backups.set_aside import SetAside
from launcher.backups.tables import in_words, rows_of_tables
from launcher.backups.writing import dump_check
from launcher.data_directory import CHECKOUT, IS_INSTALLED, DataDirectory, write_private
from launcher.errors import LauncherError
from launcher.postgresql import Postgres
from launcher.processes import ProcessRegistry
from launcher.services import Services

Report = Callable[[str], None]
# Rows are only added to it, so that a base backup, which ends after its dump began, has no fewer.
_ONLY_GROWS = "annotation_judgment"


@dataclass(frozen=True)
class Backup:
    """A backup that was found to be as it was written.

    Attributes:
        kind: what of it is restored, "dump" or "base".
    """

    folder: Path
    manifest: Manifest
    kind: str

    @classmethod
    def checked(cls, folder: Path, *, kind: str, major: int, report: Report) -> Backup:
        """Read a backup whole.

        Args:
            kind: "dump", "base", or empty for the best there is.
            major: the version of PostgreSQL that it is to be restored into.

        Raises:
            LauncherError: it is damaged, or cannot be restored here.
        """
        manifest = Manifest.read(folder)
        kind = kind or ("base" if _fits(manifest, major) else "dump")
        if kind not in manifest.kinds:
            raise LauncherError(
                f"The backup in {folder} has no {kind}, only: {', '.join(manifest.kinds)}. A base backup is of one "
                f"version of PostgreSQL, here {manifest.postgresql}, and restored by that version alone."
            )
        if kind == "base" and not _fits(manifest, major):
            raise LauncherError(
                f"The base backup is of PostgreSQL {manifest.postgresql}, and here is {major}. KIND=dump works with both."
            )
        damaged = manifest.damaged(folder)
        if damaged:
            raise LauncherError(
                f"The backup in {folder} is damaged; not as written, or missing: {', '.join(damaged)}. Nothing was "
                "changed. Take another copy of it."
            )
        programs = programs_for(major)
        if kind == "dump":
            dump_check(programs, folder / DUMP)
        else:
            base_check(programs, folder / BASE)
        report(f"the backup of {manifest.made_at} is as it was written: {in_words(manifest.rows)}")
        return cls(folder, manifest, kind)

    @property
    def secret_key(self) -> str | None:
        path = self.folder / SECRET_KEY
        return path.read_text().strip() if path.exists() else None


def _fits(manifest: Manifest, major: int) -> bool:
    return "base" in manifest.kinds and manifest.postgresql == major


def restore_into_folder(
    directory: DataDirectory, backup: Backup, *, confirmed: bool, report: Report
) -> None:
    """Restore into the data folder of `make start`; what was there is set aside, not deleted.

    Raises:
        LauncherError: Quintet runs from there; or there is a database and nobody confirmed; or it failed,
            and then everything is as it was.
    """
    directory.create()
    with directory.locked():
        registry = ProcessRegistry(directory.path / "processes.json")
        registry.stop_leftovers()
        postgres = Postgres(directory, registry)
        data = postgres.folder / "data"
        if (data / "PG_VERSION").exists() and not confirmed:
            raise LauncherError(
                f"There is a database in {directory.path} already, with {_what_is_there(postgres)}. Restoring would "
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
            if backup.kind == "base":
                postgres.adopt(backup.folder / BASE)
            if backup.secret_key is not None:
                write_private(directory.path / SECRET_KEY, backup.secret_key)
    with aside.unless_done(), Services(directory) as services:
        environment = services.environment
        if backup.kind == "dump":
            _dump_load(backup, environment["MIGRATION_DATABASE_URL"])
        _finish(backup, environment, report)
    for path in aside.kept():
        report(f"set aside: {path}")


def restore_into_database(backup: Backup, environment: Mapping[str, str], report: Report) -> None:
    """Restore a dump into the empty database that the environment names.

    Raises:
        LauncherError: it is not empty, or lacks the application's role; or it failed, and it is empty still.
    """
    url = environment.get("MIGRATION_DATABASE_URL") or environment["DATABASE_URL"]
    role = parse_dsn(environment["DATABASE_URL"]).get("user", "")
    with connected(url) as connection, connection.cursor() as cursor:
        rows = rows_of_tables(cursor)
        if rows:
            raise LauncherError(
                f"The database that DATABASE_URL names has tables already, with {in_words(rows)}. A database of your "
                "own is never replaced: make a new one (`createdb --owner=quintet quintet_restored`), set DATABASE_URL "
                "and MIGRATION_DATABASE_URL to it, and restore again. Nothing was changed."
            )
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
        if role and cursor.fetchone() is None:
            raise LauncherError(
                f"There is no role {role}, which DATABASE_URL names. Create it first (docs/operators.md, Two roles)."
            )
    _dump_load(backup, url)
    _finish(backup, environment, report)
    if backup.secret_key not in (None, environment.get("SECRET_KEY")):
        report(
            f"Set SECRET_KEY to what stands in {backup.folder / SECRET_KEY}: with the one set now everybody would "
            "have to sign in again, and set up authenticator apps anew."
        )


def _dump_load(backup: Backup, url: str) -> None:
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


def _finish(backup: Backup, environment: Mapping[str, str], report: Report) -> None:
    """Compare what is there with what the backup says, and migrate, which grants the application its rights."""
    url = environment.get("MIGRATION_DATABASE_URL") or environment["DATABASE_URL"]
    with connected(url) as connection, connection.cursor() as cursor:
        found = rows_of_tables(cursor)
    differing = _differing(backup, found)
    if differing:
        raise LauncherError(
            f"What was restored is not what was saved; rows differ of: {', '.join(differing)}."
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
        raise LauncherError(f"`manage.py migrate` failed on what was restored:\n{words}")
    report("the tables are those of this version, and the application's role has its rights")


def _differing(backup: Backup, found: Mapping[str, int]) -> list[str]:
    saved = backup.manifest.rows
    if backup.kind == "base":
        missing = [name for name in saved if name not in found]
        lost = found.get(_ONLY_GROWS, 0) < saved.get(_ONLY_GROWS, 0)
        return [*missing, *([_ONLY_GROWS] if lost else [])]
    return sorted(
        name for name in saved.keys() | found.keys() if saved.get(name) != found.get(name)
    )


def _what_is_there(postgres: Postgres) -> str:
    try:
        postgres.start()
        with connected(postgres.owner_url) as connection, connection.cursor() as cursor:
            return in_words(rows_of_tables(cursor))
    except LauncherError:
        return "what cannot be read: PostgreSQL does not start on it"
    finally:
        postgres.stop()
        postgres.remove_sockets()
