"""Beat's scheduler, which can be asked whether it is at work: `python -m config.beat`.

Where `BEAT_ALIVE` names a file, the scheduler writes the time into it with each look at the
schedule, every ten seconds at least, by the monotonic clock. Beat that hangs, or cannot reach the
broker, writes nothing.
"""

import os
import sys
import time
from pathlib import Path
from typing import Any, Final

import celery.beat

VARIABLE: Final = "BEAT_ALIVE"
#: After as many seconds without a look beat is taken for dead.
MOST_SECONDS: Final = 60.0


class Scheduler(celery.beat.Scheduler):
    """Celery's, with the schedule in memory; it says when it last looked."""

    def tick(self, *arguments: Any, **options: Any) -> float:
        """Send due tasks; return the seconds until the next one."""
        pause: float = super().tick(*arguments, **options)
        if path := os.environ.get(VARIABLE):
            beside = Path(f"{path}.new")
            beside.write_text(str(time.monotonic()))
            beside.replace(path)
        return pause


def seconds_since_look(path: Path) -> float | None:
    """Return how long ago beat looked at its schedule; None if it has not yet."""
    try:
        return time.monotonic() - float(path.read_text())
    except (OSError, ValueError):
        return None


def main() -> int:
    """Print whether beat is at work; return the exit code."""
    path = os.environ.get(VARIABLE)
    if not path:
        sys.stderr.write(f"Set {VARIABLE} to the heartbeat file of beat.\n")
        return 2
    seconds = seconds_since_look(Path(path))
    if seconds is None:
        sys.stderr.write("Beat has not checked its schedule yet.\n")
        return 1
    sys.stdout.write(f"Beat checked its schedule {seconds:.0f} s ago.\n")
    return 0 if seconds <= MOST_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
