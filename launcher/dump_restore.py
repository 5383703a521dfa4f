"""Restore a dump of pg_dump into PostgreSQL of any supported version."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import IO, Final, cast

from launcher.data_directory import LauncherError
from launcher.program_target import Target

#: Statements that some servers refuse, and that change nothing on the others. pg_restore 17 and newer write the
#: setting for every server. PostgreSQL's security releases of November 2026 keep a version of each column among
#: its options; a pg_dump that is older than these releases copies it, and older servers do not know it.
_NOT_FOR_EVERY_SERVER: Final = re.compile(
    rb"SET transaction_timeout = 0;\n"
    rb"|ALTER TABLE ONLY .+ ALTER COLUMN .+ SET \(pg_attver=\d+\);\n",
)


def dump_restore(programs: Path, dump: Path, target: Target) -> None:
    """Restore a dump into an empty database in one transaction.

    Args:
        programs: folder of pg_restore and psql.
        dump: file of pg_dump.
        target: the database.

    Raises:
        LauncherError: the restore failed and changed nothing; the message includes the end of the output.
    """
    read = [
        str(programs / "pg_restore"),
        "--no-owner",
        "--no-privileges",
        "--file=-",
        str(dump),
    ]
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
            read,
            stdout=subprocess.PIPE,
            stderr=errors,
            stdin=subprocess.DEVNULL,
        )
        writer = subprocess.Popen(
            write,
            env=target.environment,
            stdin=subprocess.PIPE,
            stderr=errors,
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
    """Copy the statements that every server knows, unless psql ends at an error."""
    with source, contextlib.suppress(BrokenPipeError):
        for line in source:
            if _NOT_FOR_EVERY_SERVER.fullmatch(line):
                continue
            target.write(line)
            if line.startswith(b"COPY "):
                # Data follow, and after them only indexes, constraints and triggers.
                break
        shutil.copyfileobj(source, target)
        target.flush()
