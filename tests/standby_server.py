"""A standby of the tests' PostgreSQL whose replay can be stopped."""

import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg2

from launcher.data_directory import wait_until
from launcher.services import OWNER, Account, Postgres


class Standby:
    """A PostgreSQL that replays what the primary writes; `sockets` is the folder of its socket."""

    def __init__(self, primary: Postgres) -> None:
        self._primary = primary
        self._account = Account.for_postgresql()
        self._folder = Path(tempfile.mkdtemp(prefix="quintet-standby-"))
        self._data = self._folder / "data"
        self.sockets = self._folder / "run"
        self._process: subprocess.Popen[bytes] | None = None

    def make(self) -> None:
        """Copy the primary's data."""
        for each in (self._folder, self._data, self.sockets):
            each.mkdir(mode=0o700, exist_ok=True)
            self._account.chown(each)
        address = f"host={self._primary.sockets} user={OWNER}"
        command = [
            self._program("pg_basebackup"),
            f"--dbname={address}",
            f"--pgdata={self._data}",
        ]
        subprocess.run(
            [*command, "--write-recovery-conf", "--checkpoint=fast", "--no-sync"],
            cwd="/",
            check=True,
            **self._account.run_options(),
        )

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with (self._folder / "standby.log").open("ab") as log:
            process = self._process = subprocess.Popen(
                [
                    *(
                        self._program("postgres"),
                        "-D",
                        str(self._data),
                        "-c",
                        "listen_addresses=",
                    ),
                    *(
                        "-c",
                        f"unix_socket_directories={self.sockets}",
                        "-c",
                        "fsync=off",
                    ),
                ],
                cwd="/",
                stdout=log,
                stderr=log,
                **self._account.run_options(),
            )
        assert wait_until(
            self._answers, seconds=60, alive=lambda: process.poll() is None
        )

    def stop(self) -> None:
        """End it at once."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait()

    def remove(self) -> None:
        """Delete its data."""
        shutil.rmtree(self._folder)

    def pause(self) -> None:
        """Stop replaying: later writes are missing."""
        self.follow()
        self._ask("SELECT pg_wal_replay_pause()")
        assert wait_until(
            lambda: self._ask("SELECT pg_get_wal_replay_pause_state()") == "paused",
            seconds=30,
        )

    def follow(self) -> None:
        """Replay all that the primary has written."""
        self._ask("SELECT pg_wal_replay_resume()")
        with (
            closing(psycopg2.connect(self._primary.owner_url)) as primary,
            primary.cursor() as cursor,
        ):
            cursor.execute("SELECT pg_current_wal_insert_lsn()")
            [written] = cursor.fetchone() or [""]
        replayed = f"SELECT pg_last_wal_replay_lsn() >= '{written}'::pg_lsn"
        assert wait_until(lambda: self._ask(replayed) is True, seconds=30)

    def _answers(self) -> bool:
        try:
            return self._ask("SELECT true") is True
        except psycopg2.OperationalError:
            return False

    def _ask(self, statement: str) -> object:
        address = f"host={self.sockets} user={OWNER} dbname=postgres"
        with closing(psycopg2.connect(address)) as session, session.cursor() as cursor:
            cursor.execute(statement)
            found = cursor.fetchone()
        return found and found[0]

    def _program(self, name: str) -> str:
        return str(self._primary.programs / name)


@contextmanager
def standby_server(primary: Postgres) -> Iterator[Standby]:
    """Run a standby server in this block, with the primary's data."""
    standby = Standby(primary)
    try:
        standby.make()
        standby.start()
        yield standby
    finally:
        standby.stop()
        standby.remove()
