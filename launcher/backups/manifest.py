"""What a backup holds, written beside it: files with their digests, rows of each table, where it came from."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from launcher.data_directory import read_json, start_command, write_private
from launcher.errors import LauncherError

MANIFEST: Final = "manifest.json"
DUMP: Final = "quintet.dump"
BASE: Final = "base"
SECRET_KEY: Final = "secret_key"  # noqa: S105  the name of a file
#: Of the manifest. A later one is refused.
FORMAT: Final = 1


@dataclass(frozen=True)
class Manifest:
    """What a backup says of itself.

    Attributes:
        made_at: in UTC, as ISO 8601.
        postgresql: the server's major version.
        kinds: "dump", "base" or both.
        rows: rows of each table, at the moment of the dump.
        migrations: the migrations that the tables had, "app.name".
        files: SHA-256 of each file, but of those in `base`, which has a manifest of PostgreSQL's.
        base_manifest: SHA-256 of that manifest; empty without a base backup.
    """

    made_at: str
    postgresql: int
    kinds: list[str]
    rows: dict[str, int]
    migrations: list[str]
    files: dict[str, str]
    base_manifest: str = ""
    format: int = FORMAT

    def write(self, folder: Path) -> None:
        """Write it into the backup's folder."""
        write_private(folder / MANIFEST, json.dumps(asdict(self), indent=1, sort_keys=True) + "\n")

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read that of a backup.

        Raises:
            LauncherError: this is no folder of a backup, or one of a later version.
        """
        found = read_json(folder / MANIFEST)
        if not isinstance(found, dict) or "format" not in found:
            raise LauncherError(
                f"{folder} holds no backup: it has no {MANIFEST} that can be read. Name the folder that "
                f"`{start_command('backup')}` printed."
            )
        if found["format"] != FORMAT:
            raise LauncherError(
                f"The backup in {folder} is of another version of Quintet (format {found['format']}; this one "
                f"reads {FORMAT}). Restore it with that version."
            )
        try:
            return cls(**found)
        except TypeError as error:
            raise LauncherError(f"The {MANIFEST} in {folder} is damaged: {error}") from error

    def damaged(self, folder: Path) -> list[str]:
        """Return the files of the backup that are missing or were changed since it was made."""
        expected = dict(self.files)
        if self.base_manifest:
            expected[f"{BASE}/backup_manifest"] = self.base_manifest
        return [
            name
            for name, digest in sorted(expected.items())
            if not (folder / name).is_file() or sha256(folder / name) != digest
        ]


def sha256(path: Path) -> str:
    """Return the digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
