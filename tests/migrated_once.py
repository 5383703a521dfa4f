"""The tables of the test database: one process of a run migrates, and the others restore its dump.

Migrating takes ten seconds of the processor, and restoring three. Restored tables are those of a backup, which `migrate` checks, too.
"""

import fcntl
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.backends.postgresql.creation import DatabaseCreation

from launcher.backup import connected, programs_for, run_program, server_major
from launcher.dump_restore import dump_restore
from launcher.program_target import Target
from tests.roles import database_url


def migrate_once(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let `create_test_db` restore the dump in a folder of the run; the first process makes it, and others wait."""
    dump = folder / "migrated.dump"
    create = DatabaseCreation.create_test_db
    create_empty = DatabaseCreation._create_test_db  # type: ignore[attr-defined]  # Django's own

    def created(creation: DatabaseCreation, *args: Any, **options: Any) -> str:
        with (folder / "migrated.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not dump.exists():
                name = create(creation, *args, **options)
                _dump(database_url(name), dump)
                return name
        with pytest.MonkeyPatch.context() as restoring:
            restoring.setattr(DatabaseCreation, "_create_test_db", restored)
            return create(creation, *args, **options)

    def restored(creation: DatabaseCreation, *args: Any, **options: Any) -> str:
        name: str = create_empty(creation, *args, **options)
        dump_restore(_programs(), dump, Target.of(database_url(name)))
        return name

    patch.setattr(DatabaseCreation, "create_test_db", created)


def _dump(url: str, path: Path) -> None:
    partial = path.with_suffix(".partial")
    program = _programs() / "pg_dump"
    run_program(program, "--format=custom", f"--file={partial}", url=url)
    partial.rename(path)


def _programs() -> Path:
    """Return the folder of PostgreSQL's programs for the server of the tests."""
    with connected(database_url(connection.settings_dict["NAME"])) as session:
        return programs_for(server_major(session))
