"""Waiting for something that nobody announces."""

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
    """Ask ``ready()`` until it holds; False when time is up or ``alive()`` no longer holds."""
    end = time.monotonic() + seconds
    while True:
        if ready():
            return True
        if time.monotonic() >= end or (alive is not None and not alive()):
            return False
        time.sleep(pause_seconds)
