"""Wait for a condition by checking it repeatedly."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_until(
    ready: Callable[[], bool],
    *,
    seconds: float,
    alive: Callable[[], bool] | None = None,
    pause_seconds: float = 0.02,
) -> bool:
    """Return whether ``ready()`` becomes true within the time; give up once ``alive()`` is false."""
    end = time.monotonic() + seconds
    while True:
        if ready():
            return True
        if time.monotonic() >= end or (alive is not None and not alive()):
            return False
        time.sleep(pause_seconds)
