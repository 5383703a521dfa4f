"""Restore a dump into a PostgreSQL that is older than 17."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import IO, Final, cast

from launcher.data_directory import LauncherError
from launcher.program_target import Target

#: The first version that knows the setting below.
KNOWS_TRANSACTION_TIMEOUT: Final = 17
#: pg_restore 17 and newer write this for every server, and the older ones refuse it.
_UNKNOWN: Final = b"SET transaction_timeout = 0;\n"


def restore_into_older(programs: Path, dump: Path, target: Target) -> None:
    """Restore a dump in one transaction, without the setting that the server does not know.

    Args:
        programs: folder of pg_restore and psql.
        dump: file of pg_dump.
        target: the database.

    Raises:
        LauncherError: the restore failed and changed nothing; the message includes the end of the output.
    """
    read = [str(programs / "pg_restore"), "--no-owner", "--no-privileges", "--file=-", str(dump)]
    write = [
        str(programs / "psql"),
        "--no-psqlrc",
        "--no-password",
        "--quiet",
        "--output=/dev/null",
        "--set=ON_ERROR_STOP=1",
        "--single-transaction",
        target.argument,
    ]
    with tempfile.TemporaryFile() as errors:
        reader = subprocess.Popen(
            read, stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL
        )
        writer = subprocess.Popen(
            write, env=target.environment, stdin=subprocess.PIPE, stderr=errors
        )
        statements = cast("IO[bytes]", writer.stdin)
        _copy(cast("IO[bytes]", reader.stdout), statements)
        is_complete = reader.wait() == 0
        if not is_complete:
            # At the end of its input, psql would commit what it has.
            writer.kill()
        with contextlib.suppress(BrokenPipeError):
            statements.close()
        if writer.wait() != 0 or not is_complete:
            errors.seek(0)
            lines = errors.read().decode(errors="replace").strip().splitlines()
            raise LauncherError("The restore failed:\n" + "\n".join(lines[-8:]))


def _copy(source: IO[bytes], target: IO[bytes]) -> None:
    """Copy statements, unless psql ends at an error."""
    with source, contextlib.suppress(BrokenPipeError):
        for line in source:
            if line == _UNKNOWN:
                break
            target.write(line)
        shutil.copyfileobj(source, target)
        target.flush()
