"""Scheduler of Celery beat with a health check: `python -m config.beat`.

If `BEAT_ALIVE` is set to a file, the scheduler writes the monotonic time to it whenever it checks the
schedule, at least every ten seconds. If beat hangs or cannot reach the broker, it writes nothing.
"""

import os
import sys
import time
from pathlib import Path
from typing import Any, Final

import celery.beat

VARIABLE: Final = "BEAT_ALIVE"
#: Seconds without a check of the schedule after which beat is considered dead.
MOST_SECONDS: Final = 60.0


class Scheduler(celery.beat.Scheduler):
    """Scheduler with the schedule in memory that records the time of its last check."""

    def tick(self, *arguments: Any, **options: Any) -> float:
        """Send due tasks; return the seconds until the next one."""
        pause: float = super().tick(*arguments, **options)
        if path := os.environ.get(VARIABLE):
            beside = Path(f"{path}.new")
            beside.write_text(str(time.monotonic()))
            beside.replace(path)
        return pause


def seconds_since_look(path: Path) -> float | None:
    """Return the seconds since beat last checked its schedule; None if it has not yet."""
    try:
        return time.monotonic() - float(path.read_text())
    except (OSError, ValueError):
        return None


def main() -> int:
    """Print whether beat is working; return the exit code."""
    path = os.environ.get(VARIABLE)
    if not path:
        sys.stderr.write(f"Set {VARIABLE} to the heartbeat file of beat.\n")
        return 2
    seconds = seconds_since_look(Path(path))
    if seconds is None:
        sys.stderr.write("Beat has not checked its schedule yet.\n")
        return 1
    sys.stdout.write(f"Beat checked its schedule {seconds:.0f} s ago.\n")
    if seconds <= MOST_SECONDS:
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
