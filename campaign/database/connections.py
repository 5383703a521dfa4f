"""Planning mode and time limits of database connections."""

import os
from collections.abc import Mapping
from typing import Any, Final

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper

#: Environment variable with the kind of process.
PROCESS: Final = "QUINTET_PROCESS"

_TIMEOUTS: Final = {
    "statement": "statement_timeout",
    "lock": "lock_timeout",
    "idle": "idle_in_transaction_session_timeout",
    "unused": "idle_session_timeout",
}


#: How PostgreSQL writes definitions, which are compared with those of this version (campaign/database/catalogue.py).
_DEFINITIONS: Final = {"bytea_output": "hex", "quote_all_identifiers": "off"}


def connection_prepare(*, connection: BaseDatabaseWrapper, **_signal: Any) -> None:
    """Set the planning mode, the writing of definitions and the time limits of a new connection.

    By default, PostgreSQL discards the first five plans of a statement in a trigger; ours look up keys, so the first
    plan is good for all values. Time limits depend on the kind of process.
    For the signal `connection_created`, before any transaction: a rollback would undo the settings.
    """
    limits = settings.DATABASE_LIMITS[os.environ.get(PROCESS, "command")]
    values = {
        "plan_cache_mode": "force_generic_plan",
        **_DEFINITIONS,
        **time_limits(limits),
    }
    chosen = ", ".join("set_config(%s, %s, false)" for _ in values)
    parameters = []
    for setting in values.items():
        for part in setting:
            parameters.append(part)
    with connection.cursor() as cursor:
        # Without Django's counting of queries.
        cursor.cursor.execute(f"SELECT {chosen}", parameters)


def time_limits(limits: Mapping[str, float]) -> dict[str, str]:
    """Return PostgreSQL's settings for time limits in seconds; 0 is no limit.

    Parameters
    ----------
    limits : mapping of str to float
        `statement` for one statement, `lock` for waiting for a lock, `idle` for a transaction without a query, `unused`
        between two transactions, after which the next one connects again.
    """
    settings = {}
    for name, setting in _TIMEOUTS.items():
        milliseconds = limits.get(name, 0) * 1000
        settings[setting] = f"{milliseconds:.0f}ms"
    return settings
