"""A base backup: a copy of a server's whole data folder, with PostgreSQL's manifest of each of its files.

What `pg_verifybackup` checks is checked here: the program of that name in the wheel ends by a segmentation fault,
whatever it is asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from launcher.backups.manifest import sha256
from launcher.backups.programs import run_program
from launcher.data_directory import read_json
from launcher.errors import LauncherError

PG_MANIFEST: Final = "backup_manifest"
# What the manifest does not list: itself, the log of writes, and settings that may change later.
_NOT_LISTED: Final = (PG_MANIFEST, "postgresql.auto.conf")


def base_write(programs: Path, url: str, folder: Path) -> None:
    """Copy the whole server into a folder, and read the copy again.

    Raises:
        LauncherError: the server refuses, or the copy is not what it should be.
    """
    try:
        run_program(
            programs / "pg_basebackup",
            f"--pgdata={folder}",
            "--format=plain",
            "--checkpoint=fast",
            "--wal-method=stream",
            "--manifest-checksums=SHA256",
            "--no-password",
            url=url,
        )
    except LauncherError as error:
        raise LauncherError(
            f"{error}\nA base backup needs the server's version of the programs, a role with REPLICATION and a line "
            "`replication` in pg_hba.conf; KIND=dump needs neither."
        ) from error
    base_check(programs, folder)


def base_check(programs: Path, folder: Path) -> None:
    """Compare each file of a base backup with PostgreSQL's manifest, and read the log of writes that belongs to it.

    Raises:
        LauncherError: something is missing, not as it was written, or not PostgreSQL's.
    """
    manifest = read_json(folder / PG_MANIFEST)
    if not isinstance(manifest, dict) or not manifest.get("Files"):
        raise LauncherError(f"{folder / PG_MANIFEST} cannot be read.")
    wrong = sorted(_wrong(folder, manifest))
    if wrong:
        named = ", ".join(wrong[:5]) + (f" and {len(wrong) - 5} more" if len(wrong) > 5 else "")
        raise LauncherError(f"The base backup in {folder} is damaged: {named}.")
    for written in manifest["WAL-Ranges"]:
        run_program(
            programs / "pg_waldump",
            "--quiet",
            f"--path={folder / 'pg_wal'}",
            f"--timeline={written['Timeline']}",
            f"--start={written['Start-LSN']}",
            f"--end={written['End-LSN']}",
        )


def _wrong(folder: Path, manifest: dict[str, Any]) -> Iterator[str]:
    listed = {_path_of(entry): entry for entry in manifest["Files"]}
    found = {
        path.relative_to(folder).as_posix(): path
        for path in folder.rglob("*")
        if path.is_file() and path.relative_to(folder).parts[0] != "pg_wal"
    }
    for name in found.keys() - listed.keys() - set(_NOT_LISTED):
        yield f"{name} (not of the backup)"
    for name, entry in listed.items():
        # `postgresql.auto.conf` is listed, and may be another all the same.
        if name in _NOT_LISTED:
            continue
        if name not in found:
            yield f"{name} (missing)"
        elif found[name].stat().st_size != entry["Size"]:
            yield f"{name} (another size)"
        elif sha256(found[name]) != entry.get("Checksum"):
            yield f"{name} (other content)"


def _path_of(entry: dict[str, Any]) -> str:
    if "Path" in entry:
        return str(entry["Path"])
    return bytes.fromhex(entry["Encoded-Path"]).decode(errors="surrogateescape")
