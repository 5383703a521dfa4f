"""`make backup` and `make restore`: what was asked for, from the command line and the environment."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from launcher.backups.programs import connected, server_major
from launcher.backups.restoring import Backup, restore_into_database, restore_into_folder
from launcher.backups.writing import KINDS, backup_write
from launcher.data_directory import DataDirectory, quintet_command, start_command
from launcher.errors import FolderInUseError, LauncherError
from launcher.postgresql import programs_major
from launcher.services import Services, running_environment

NOT_IN_IT: Final = (
    "Not in it: environment variables and certificates of a proxy (keep both with it), and messages that wait in "
    "Valkey, which workers make up for."
)

Report = Callable[[str], None]


def backup_command(directory: DataDirectory, *, into: str, kind: str, report: Report) -> None:
    """Back up the database that the environment names, else that of the data folder.

    Raises:
        LauncherError: there is nothing to back up, or it failed.
    """
    own = not os.environ.get("DATABASE_URL")
    kinds = KINDS[kind or ("both" if own else "dump")]
    if own and not directory.was_started:
        raise LauncherError(
            f"There is nothing to back up: Quintet was never started from the data folder {directory.path}. Set "
            "QUINTET_HOME to the folder your campaigns are in, or DATABASE_URL and SECRET_KEY to your own database."
        )
    place = Path(into).expanduser().resolve() if into else directory.path / "backups"
    if own:
        try:
            with Services(directory) as services:
                folder = backup_write(services.environment, into=place, kinds=kinds, report=report)
        except FolderInUseError:
            running = running_environment(directory)
            if running is None:
                raise
            folder = backup_write(running, into=place, kinds=kinds, report=report)
    else:
        folder = backup_write(os.environ, into=place, kinds=kinds, report=report)
    report(f"The backup is {folder}\n{NOT_IN_IT}")
    if own and not into:
        report(
            "It lies on the disk of what it saves: copy the folder elsewhere, or say TO=/folder."
        )


def restore_command(
    directory: DataDirectory, *, source: str, kind: str, confirmed: bool, report: Report
) -> None:
    """Restore a backup into the data folder, or into the empty database that the environment names.

    Raises:
        LauncherError: it cannot be restored there, or something stands there and nobody confirmed.
    """
    folder = Path(source).expanduser().resolve()
    if os.environ.get("DATABASE_URL"):
        if kind == "base":
            raise LauncherError(
                "A base backup is a server's whole data folder: stop your server, put the backup's folder `base` in "
                "the place of its data folder, and start it. KIND=dump restores into the database of DATABASE_URL."
            )
        url = os.environ.get("MIGRATION_DATABASE_URL") or os.environ["DATABASE_URL"]
        with connected(url) as connection:
            major = server_major(connection)
        backup = Backup.checked(folder, kind="dump", major=major, report=report)
        restore_into_database(backup, os.environ, report)
        report("Done. `manage.py check_rankings` computes every ranking again and compares.")
        return
    backup = Backup.checked(folder, kind=kind, major=programs_major(), report=report)
    restore_into_folder(directory, backup, confirmed=confirmed, report=report)
    report(
        f"Done: `{start_command()}` serves it. `{quintet_command()} check_rankings` computes every ranking again and compares."
    )
