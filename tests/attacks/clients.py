"""Attacking clients in a process of their own, so that what a judge waits for is the server alone."""

from __future__ import annotations

import multiprocessing
import time
from collections import Counter
from collections.abc import Callable
from threading import Thread
from typing import Any

# What one client does once: (port, client's number, how often it did so before) -> status, 0 if none came.
Try = Callable[[int, int, int], int]


def clients_attack(attempt: Try, *, port: int, clients: int, seconds: float) -> Counter[int]:
    """Let so many clients try without a pause, for so many seconds; return how often each status came.

    `attempt` must be a function of a module, since another process runs it.
    """
    context = multiprocessing.get_context("spawn")
    results: Any = context.Queue()
    process = context.Process(target=_attack, args=(attempt, port, clients, seconds, results))
    process.start()
    statuses: Counter[int] = results.get(timeout=seconds + 300)
    process.join()
    return statuses


def _attack(attempt: Try, port: int, clients: int, seconds: float, results: Any) -> None:
    statuses: Counter[int] = Counter()
    until = time.monotonic() + seconds

    def work(number: int) -> None:
        tried = 0
        while time.monotonic() < until:
            statuses[attempt(port, number, tried)] += 1
            tried += 1

    threads = [Thread(target=work, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results.put(statuses)


def in_words(statuses: Counter[int]) -> str:
    """Return how often each status came, most frequent first."""
    return ", ".join(f"{count} x {status or 'none'}" for status, count in statuses.most_common())
