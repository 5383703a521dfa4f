"""How long a process waits for the database, by what it does: the kinds are in `settings.DATABASE_LIMITS`."""

import os
from dataclasses import dataclass
from typing import Final

from django.conf import settings

#: Names the kind to the process and to those it starts.
PROCESS: Final = "QUINTET_PROCESS"


@dataclass(frozen=True)
class Limits:
    """What PostgreSQL holds a connection to, in seconds; 0 is no limit.

    Attributes
    ----------
    statement : float
        For one statement.
    lock : float
        For a lock that somebody else holds.
    idle : float
        In a transaction in which nothing is asked.
    unused : float
        Between two transactions; the next one connects again.
    """

    statement: float
    lock: float
    idle: float
    unused: float = 0

    def settings(self) -> dict[str, str]:
        """Return PostgreSQL's settings."""
        return {
            "statement_timeout": _milliseconds(self.statement),
            "lock_timeout": _milliseconds(self.lock),
            "idle_in_transaction_session_timeout": _milliseconds(self.idle),
            "idle_session_timeout": _milliseconds(self.unused),
        }


def process_limits() -> Limits:
    """Return the limits of this process."""
    return Limits(**settings.DATABASE_LIMITS[os.environ.get(PROCESS, "command")])


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.0f}ms"
