"""PostgreSQL's own programs, told a database by the environment: no password stands in a list of processes."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg2
import psycopg2.extensions

from launcher.errors import LauncherError
from launcher.postgresql import CONNECT_SECONDS, wheel_folder

# What libpq reads where an address has it under another name than PG + upper case.
_NAMES = {"dbname": "PGDATABASE", "application_name": "PGAPPNAME"}


@contextlib.contextmanager
def connected(url: str) -> Iterator[psycopg2.extensions.connection]:
    """Connect to a database for as long as the block runs.

    Raises:
        LauncherError: it cannot be reached.
    """
    try:
        connection = psycopg2.connect(url, connect_timeout=CONNECT_SECONDS)
    except psycopg2.OperationalError as error:
        reason = str(error).strip().splitlines()[0]
        raise LauncherError(f"The database cannot be reached: {reason}") from error
    with contextlib.closing(connection):
        yield connection


def server_major(connection: psycopg2.extensions.connection) -> int:
    """Return the server's major version: 18."""
    return connection.server_version // 10_000


def programs_for(major: int) -> Path:
    """Return the folder of programs that can read a server of this version: at least as new as it.

    Raises:
        LauncherError: there are none.
    """
    folders = []
    with contextlib.suppress(LauncherError):
        folders.append(wheel_folder() / "bin")
    found = shutil.which("pg_dump")
    if found:
        folders.append(Path(found).parent)
    for folder in folders:
        if _major_of(folder) >= major:
            return folder
    raise LauncherError(
        f"The server is PostgreSQL {major}, and there is no pg_dump of that version or a newer one here. "
        f"Install PostgreSQL's client programs of version {major}, so that `pg_dump --version` says it."
    )


def _major_of(folder: Path) -> int:
    said = subprocess.run(
        [str(folder / "pg_dump"), "--version"], capture_output=True, text=True, check=False
    ).stdout
    # It says, for one: pg_dump (PostgreSQL) 18.4
    words = said.split()
    number = words[2].partition(".")[0] if len(words) > 2 else ""
    return int(number) if number.isdecimal() else 0


def run_program(program: Path, *arguments: str, url: str | None = None) -> str:
    """Run a program on the database of an address; return what it printed.

    Raises:
        LauncherError: it failed; the message holds its last words.
    """
    done = subprocess.run(
        [str(program), *arguments],
        env=_environment(url),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        words = "\n".join(done.stderr.strip().splitlines()[-8:])
        raise LauncherError(f"{program.name} failed (status {done.returncode}):\n{words}")
    return done.stdout


def _environment(url: str | None) -> dict[str, str]:
    """Return our environment with the parts of the address, and without what else it says of databases."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    if url is None:
        return ours
    parts = psycopg2.extensions.parse_dsn(url)
    return ours | {_NAMES.get(name, f"PG{name.upper()}"): value for name, value in parts.items()}
