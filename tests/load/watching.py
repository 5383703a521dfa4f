"""What a running Quintet is watched for under load: how far rankings lie behind, its memory, its disk."""

import os
import tempfile
import threading
import time
from dataclasses import dataclass, field

import psutil

# The age of the oldest judgment that is not in the present ranking.
_LAG = """
SELECT coalesce(extract(epoch FROM clock_timestamp() - least(
    (SELECT submitted_at FROM annotation_judgmentnumber n JOIN annotation_judgment j ON j.id = n.judgment_id
        WHERE n.task_id = %(task)s AND n.number = 1 + (
            SELECT watermark FROM ranking_latestranking WHERE task_id = %(task)s)),
    (SELECT submitted_at FROM annotation_uncountedanswer u JOIN annotation_judgment j ON j.id = u.answer
        WHERE u.task_id = %(task)s AND NOT u.is_skip ORDER BY u.answer LIMIT 1)
)), 0)
"""


@dataclass(eq=False)
class Lags(threading.Thread):
    """Looks each half a second how old the oldest judgment is that the present ranking has not.

    Attributes
    ----------
    seconds : list of float
        What was seen since the last `taken`.
    """

    task_id: int
    end: threading.Event
    seconds: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(daemon=True)

    def run(self) -> None:
        """Look until the end."""
        from django.db import connection

        with connection.cursor() as cursor:
            while not self.end.wait(0.5):
                cursor.execute(_LAG, {"task": self.task_id})
                self.seconds.append(float(cursor.fetchone()[0]))
        connection.close()

    def taken(self) -> list[float]:
        """Return what was seen, and begin anew."""
        found, self.seconds = self.seconds, []
        return found


@dataclass(eq=False)
class Flushes(threading.Thread):
    """Writes a few bytes each second and waits until they are on disk, as PostgreSQL does at a commit.

    A disk that many machines share stands still now and then; whoever commits meanwhile waits.

    Attributes
    ----------
    seconds : list of float
        What each took since the last `taken`.
    """

    end: threading.Event
    seconds: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(daemon=True)

    def run(self) -> None:
        """Write until the end, where temporary files are: the folder of the database is one."""
        with tempfile.TemporaryFile() as file:
            while not self.end.wait(1):
                began = time.monotonic()
                os.pwrite(file.fileno(), b"0" * 512, 0)
                os.fdatasync(file.fileno())
                self.seconds.append(time.monotonic() - began)

    def taken(self) -> list[float]:
        """Return what was seen, and begin anew."""
        found, self.seconds = self.seconds, []
        return found


def megabytes(process: psutil.Process) -> float:
    """Memory of a process and all below it; what they share is divided between them."""
    total = 0
    for each in [process, *process.children(recursive=True)]:
        try:
            total += each.memory_full_info().pss
        except psutil.NoSuchProcess:
            continue
    return total / 1e6
