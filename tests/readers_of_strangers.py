"""Readers for tests of `campaign.formats.isolation`: they run in another process, which imports them by name."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from campaign.formats import FormatError
from campaign.formats.isolation import progress_report


def numbers(until: int) -> Iterator[tuple[int, int]]:
    """Yield numbers, each with the process that read it."""
    for number in range(until):
        yield number, os.getpid()


def refused() -> None:
    raise FormatError("a.txt", "the line is longer", "shorten it", line=3)


def absent() -> bytes:
    return Path("/absent/a.txt").read_bytes()


def mistaken() -> int:
    empty: dict[str, int] = {}
    return empty["missing"]


def busy() -> list[int]:
    while True:
        pass


def waiting() -> list[int]:
    time.sleep(3600)
    return []


def large() -> list[int]:
    return [len(bytearray(200_000_000))]


def ended(number: int) -> list[int]:
    signal.raise_signal(number)
    return []


def endless() -> list[int]:
    """Report the process instead of bytes, again and again."""
    while True:
        progress_report(os.getpid())


def reporting(*done: int) -> list[str]:
    for number in done:
        progress_report(number)
    return ["first", "last"]


def descriptor(number: int) -> bytes:
    return os.read(number, 100)
