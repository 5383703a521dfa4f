"""What a fault has at hand while judges work."""

import signal
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum

import psutil
import psycopg2

from launcher.data_directory import wait_until
from tests.faults.installation import Installation
from tests.faults.ledger import Ledger
from tests.faults.proxy import Proxy
from tests.faults.server import Server


class Needs(StrEnum):
    """What an installation must have for a fault."""

    NOTHING = "nothing"
    SMALL_DISK = "a small disk"
    SETTABLE_CLOCK = "a clock that can be set"


@dataclass
class Stage:
    """One run: the installation, the ledger, and connections of judges that do not work by themselves.

    Attributes:
        spare: names and tokens of judges kept for faults that are requests.
        notes: what a fault has to say of itself, for the table.
        failures: what went otherwise than it must, beside what the comparison finds.
        proxy: what judges connect through, if the fault is one of the network.
    """

    installation: Installation
    ledger: Ledger
    task: int
    spare: dict[str, str]
    short: bool
    proxy: Proxy | None = None
    notes: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def last(self, seconds: float) -> None:
        """Let the fault last that long; a twentieth in the short form."""
        time.sleep(seconds / 20 if self.short else seconds)

    def send(self, number: signal.Signals, processes: Iterable[psutil.Process]) -> None:
        """Send a signal to processes, as far as they still run."""
        for process in list(processes):
            with suppress(psutil.NoSuchProcess):
                process.send_signal(number)

    def hold(self, processes: Iterable[psutil.Process], seconds: float) -> None:
        """Stop processes for a while, and let them go on whatever happens."""
        held = list(processes)
        self.send(signal.SIGSTOP, held)
        try:
            self.last(seconds)
        finally:
            self.send(signal.SIGCONT, held)

    def start_again(self, installation: Installation | None = None) -> None:
        """Start an installation once, ours by default; note how long it took.

        Raises:
            RuntimeError: the start failed.
        """
        began = time.monotonic()
        (installation or self.installation).start()
        self.notes.append(f"started in {time.monotonic() - began:.0f} s")

    def until(self, holds: Callable[[], bool], *, seconds: float, what: str) -> None:
        """Wait for a moment to put the fault in; note where it did not come."""
        if not wait_until(holds, seconds=seconds):
            self.notes.append(f"not seen: {what}")

    def asks(self, sql: str, *, as_owner: bool = False) -> bool:
        """Return whether a query of the database says true; the owner of the tables sees what all others do."""
        name = "MIGRATION_DATABASE_URL" if as_owner else "DATABASE_URL"
        with suppress(psycopg2.Error):
            connection = psycopg2.connect(self.installation.services[name])
            try:
                with connection.cursor() as cursor:
                    cursor.execute(sql)
                    row = cursor.fetchone()
                    return bool(row and row[0])
            finally:
                connection.close()
        return False

    def spare_server(self, number: int) -> tuple[str, Server]:
        """Return the name of a spare judge and a new connection for them."""
        name, token = list(self.spare.items())[number]
        return name, Server(self.installation.port, token, self.ledger)
