"""Wait for servers that start up, recover after a power failure, or are away."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

#: Answers of a PostgreSQL (SQLSTATE 57P03, which libpq does not pass on) and of a Valkey that are starting.
_STARTING = ("the database system is ", "loading the dataset in memory")

#: Seconds for a server to answer or to say that it is starting.
ANSWER_SECONDS = 60
_FIRST_REPORT_SECONDS = 2.0
_REPORT_SECONDS = 10.0


def is_starting(refusal: str) -> bool:
    """Return whether a server refused a connection because it is starting up, recovering or shutting down."""
    text = refusal.lower()
    return any(answer in text for answer in _STARTING)


def is_away_or_starting(refusal: str) -> bool:
    """Return whether a PostgreSQL cannot be reached or is starting, rather than refusing this role or database."""
    return is_starting(refusal) or "FATAL:" not in refusal


def _write_line(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def _never() -> bool:
    return False


def _always() -> bool:
    return True


@dataclass(frozen=True)
class Watch:
    """How a wait is reported, and how it is ended.

    Attributes:
        report: receives a line after two seconds, and then every ten seconds.
        is_stopped: whether the user has asked to stop.
    """

    report: Callable[[str], None] = _write_line
    is_stopped: Callable[[], bool] = _never


def await_server(
    name: str,
    refusal: Callable[[], str | None],
    watch: Watch,
    *,
    is_alive: Callable[[], bool] = _always,
    is_worth_waiting: Callable[[str], bool] = is_starting,
) -> str | None:
    """Wait until a server answers, for as long as it says that it is starting.

    Args:
        refusal: tries to connect; returns the reason for a failure, or None if the server answers.
        is_alive: whether the process of the server is running.
        is_worth_waiting: whether this reason is no reason to give up.

    Returns:
        The reason of the last failure if the server has ended, or has given another reason for a minute; None if it answers or
        the user has asked to stop.
    """
    began = time.monotonic()
    give_up_at = began + ANSWER_SECONDS
    report_at = began + _FIRST_REPORT_SECONDS
    while (reason := refusal()) is not None and not watch.is_stopped():
        now = time.monotonic()
        if is_worth_waiting(reason):
            give_up_at = now + ANSWER_SECONDS
        if not is_alive() or now > give_up_at:
            return reason
        if now >= report_at:
            watch.report(f"waiting for {name} ({now - began:.0f} s): {_short(reason)}")
            report_at = now + _REPORT_SECONDS
        # PostgreSQL logs every refused connection.
        pause = 0.02 if now - began < 1 else 0.25
        time.sleep(pause)
    return None


def _short(reason: str) -> str:
    """Return the part of an error of libpq that the server wrote, or else its first line."""
    first, *_rest = reason.strip().splitlines() or ["no reason given"]
    return first.rpartition("FATAL:")[2].strip()
