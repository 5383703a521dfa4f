"""Write a backup, and read it again before it counts as one."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from launcher.backups.base import PG_MANIFEST, base_write
from launcher.backups.manifest import BASE, DUMP, SECRET_KEY, Manifest, sha256
from launcher.backups.programs import connected, programs_for, run_program, server_major
from launcher.backups.tables import in_words, migrations_of, rows_of_tables
from launcher.data_directory import write_private
from launcher.errors import LauncherError

KINDS: Final = {"dump": ["dump"], "base": ["base"], "both": ["dump", "base"]}


def backup_write(
    environment: Mapping[str, str], *, into: Path, kinds: list[str], report: Callable[[str], None]
) -> Path:
    """Write a backup into a new folder below `into`; return that folder.

    It has its name only once all of it was written and read again, so that a folder with the name of a
    backup is one.

    Raises:
        LauncherError: it cannot be written, or is not what it should be.
    """
    url = environment.get("MIGRATION_DATABASE_URL") or environment["DATABASE_URL"]
    now = datetime.now(UTC)
    folder = into / f"quintet-{now:%Y%m%d-%H%M%S}"
    try:
        into.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=into))
    except OSError as error:
        raise LauncherError(f"No backup can be written to {into}: {error.strerror}") from error
    try:
        _write(url, environment, unfinished, kinds=kinds, made_at=now, report=report)
        unfinished.rename(folder)
    except OSError as error:
        raise LauncherError(
            f"The backup could not be written to {into}: {error.strerror}"
        ) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def _write(
    url: str,
    environment: Mapping[str, str],
    folder: Path,
    *,
    kinds: list[str],
    made_at: datetime,
    report: Callable[[str], None],
) -> None:
    with connected(url) as connection:
        connection.set_session(isolation_level="REPEATABLE READ", readonly=True)
        major = server_major(connection)
        programs = programs_for(major)
        with connection.cursor() as cursor:
            # What is counted here is what is dumped, while judges work on.
            cursor.execute("SELECT pg_export_snapshot()")
            (snapshot,) = cursor.fetchone() or ("",)
            rows = rows_of_tables(cursor)
            migrations = migrations_of(cursor)
            if not rows:
                raise LauncherError("The database has no tables: there is nothing to back up.")
            if "dump" in kinds:
                _dump(programs, url, str(snapshot), folder / DUMP)
                report(f"dump: {in_words(rows)}; {_megabytes(folder / DUMP)}; read again whole")
    if "base" in kinds:
        base_write(programs, url, folder / BASE)
        report(f"base backup: {_megabytes(folder / BASE)}; each file read again")
    key = environment.get("SECRET_KEY", "")
    if key:
        write_private(folder / SECRET_KEY, key)
        report("secret key: kept in the backup; whoever reads the folder can sign sessions")
    else:
        report("secret key: SECRET_KEY is not set here, so keep it with the backup yourself")
    manifest = Manifest(
        made_at=made_at.isoformat(timespec="seconds"),
        postgresql=major,
        kinds=kinds,
        rows=rows,
        migrations=migrations,
        files={path.name: sha256(path) for path in sorted(folder.iterdir()) if path.is_file()},
        base_manifest=sha256(folder / BASE / PG_MANIFEST) if "base" in kinds else "",
    )
    manifest.write(folder)


def _dump(programs: Path, url: str, snapshot: str, path: Path) -> None:
    run_program(
        programs / "pg_dump",
        "--format=custom",
        "--no-password",
        f"--snapshot={snapshot}",
        f"--file={path}",
        url=url,
    )
    path.chmod(0o600)
    dump_check(programs, path)


def dump_check(programs: Path, path: Path) -> None:
    """Read a dump from its first to its last byte.

    Raises:
        LauncherError: it cannot be read, or holds no table.
    """
    listed = run_program(programs / "pg_restore", "--list", str(path))
    if " TABLE DATA public " not in listed:
        raise LauncherError(f"{path} holds no rows of tables.")
    # The list is at its beginning; this unpacks all of it.
    run_program(programs / "pg_restore", f"--file={os.devnull}", str(path))


def _megabytes(path: Path) -> str:
    size = 0
    for found in [path, *path.rglob("*")]:
        with contextlib.suppress(OSError):
            size += found.stat().st_size if found.is_file() else 0
    return f"{size / 1e6:,.1f} MB"
