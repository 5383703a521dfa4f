"""Run tests on the oldest supported PostgreSQL and Redis (`environment.server_versions`).

    python -m tests.oldest [ARGUMENTS OF PYTEST]

Both run from their packages of Debian 12 on data of their own. For root, missing packages are installed.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import psycopg2
import redis

from environment.server_versions import POSTGRESQL
from launcher.data_directory import CHECKOUT, wait_until
from launcher.services import APPLICATION, DATABASE, OWNER, Account

PROGRAMS = Path(f"/usr/lib/postgresql/{POSTGRESQL}/bin")
PACKAGES = (f"postgresql-{POSTGRESQL}", "redis-server")

#: Tests of what depends on the version of a server: tables, constraints and triggers, roles, COPY, locks,
#: lending, numbering, ranking, metrics, backups, messages to workers.
TESTS = (
    "tests/integration/constraints",
    "tests/integration/database",
    "tests/integration/annotation/test_lending.py",
    "tests/integration/annotation/test_lending_races.py",
    "tests/integration/annotation/test_numbers.py",
    "tests/integration/annotation/test_submission.py",
    "tests/integration/annotation/test_worker.py",
    "tests/integration/launcher/test_backup_of_an_older_server.py",
    "tests/integration/operating/test_gauges.py",
    "tests/integration/ranking/test_same_bits.py",
    "tests/integration/ranking/test_services.py",
    "tests/integration/ranking/test_tasks.py",
    "tests/integration/worker",
)


def main(arguments: Sequence[str]) -> int:
    """Run the tests; return the exit code of pytest."""
    if not (PROGRAMS.is_dir() and shutil.which("redis-server")) and not _install():
        sys.stderr.write(
            f"This needs PostgreSQL {POSTGRESQL} and Redis. On Debian 12: apt-get install {' '.join(PACKAGES)}\n",
        )
        return 2
    with (
        tempfile.TemporaryDirectory(prefix="quintet-oldest-") as folder,
        contextlib.ExitStack() as stack,
    ):
        Path(folder).chmod(0o711)
        environment = stack.enter_context(postgresql_running(Path(folder)))
        environment |= stack.enter_context(redis_running(Path(folder)))
        names_tests = any(not argument.startswith("-") for argument in arguments)
        paths = () if names_tests else TESTS
        command = [sys.executable, "-m", "pytest", "-n", "0", *arguments, *paths]
        return subprocess.run(
            command,
            cwd=CHECKOUT,
            env={**os.environ, **environment, "SECRET_KEY": "of the oldest servers"},
            check=False,
        ).returncode


def _install() -> bool:
    """Install the packages; return whether they are installed."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return False
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    for command in (
        ["update"],
        ["install", "-y", "--no-install-recommends", *PACKAGES],
    ):
        done = subprocess.run(
            ["apt-get", "-qq", *command],
            env=environment,
            check=False,
        )
        if done.returncode != 0:
            return False
    return True


@contextlib.contextmanager
def _running(
    command: Sequence[str],
    **options: Any,
) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, **options)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


@contextlib.contextmanager
def postgresql_running(folder: Path) -> Iterator[dict[str, str]]:
    """Run PostgreSQL with an empty database and both roles; yield the variables that name it."""
    account = Account.for_postgresql()
    place = folder / "postgresql"
    place.mkdir(mode=0o700)
    account.chown(place)
    data = place / "data"
    subprocess.run(
        [
            str(PROGRAMS / "initdb"),
            "-D",
            str(data),
            "-U",
            OWNER,
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
        ],
        cwd="/",
        stdout=subprocess.DEVNULL,
        check=True,
        **account.run_options(),
    )
    settings = (
        f"unix_socket_directories={place}",
        "listen_addresses=",
        "fsync=off",
        "autovacuum=off",
    )
    options = [part for setting in settings for part in ("-c", setting)]
    with (
        (folder / "postgresql.log").open("wb") as log,
        _running(
            [str(PROGRAMS / "postgres"), "-D", str(data), *options],
            cwd="/",
            stdout=log,
            stderr=log,
            **account.run_options(),
        ) as process,
    ):
        address = f"host={place} user={OWNER} dbname=postgres"
        assert wait_until(
            lambda: _answers(address),
            seconds=60,
            alive=lambda: process.poll() is None,
        )
        with contextlib.closing(psycopg2.connect(address)) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(f"CREATE DATABASE {DATABASE}")
                cursor.execute(f"CREATE ROLE {APPLICATION} LOGIN")
        yield {
            "DATABASE_URL": f"postgresql://{APPLICATION}@/{DATABASE}?host={place}",
            "MIGRATION_DATABASE_URL": f"postgresql://{OWNER}@/{DATABASE}?host={place}",
        }


def _answers(address: str) -> bool:
    with contextlib.suppress(psycopg2.OperationalError):
        psycopg2.connect(address).close()
        return True
    return False


@contextlib.contextmanager
def redis_running(folder: Path) -> Iterator[dict[str, str]]:
    """Run Redis without files; yield the variable that names it."""
    socket = folder / "redis.sock"
    command = ["redis-server", "--port", "0", "--unixsocket", str(socket), "--save", ""]
    with (
        (folder / "redis.log").open("wb") as log,
        _running(command, cwd=folder, stdout=log, stderr=log) as process,
    ):
        url = f"unix://{socket}"
        assert wait_until(
            lambda: _pongs(url),
            seconds=20,
            alive=lambda: process.poll() is None,
        )
        yield {"REDIS_URL": url}


def _pongs(url: str) -> bool:
    client = redis.Redis.from_url(url)
    with contextlib.closing(client), contextlib.suppress(redis.ConnectionError):
        return bool(client.ping())
    return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
