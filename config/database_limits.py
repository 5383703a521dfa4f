"""How long a process waits for the database, in seconds, by what it does.

`campaign.database.limits.Limits` says what each limit means; 0 is none.
"""

from typing import Final

LIMITS: Final = {
    "web": {
        # The longest statements of a page or an export take one or two seconds.
        "statement": 30,
        # Judges wait for one another for milliseconds. A thread must not wait for somebody's migration.
        "lock": 10,
        # Longer than a slow reader of an export may take for a part of it: `CLIENT_SECONDS`.
        "idle": 300,
        # A thread that is not needed any more keeps no process of PostgreSQL.
        "unused": 300,
        "silence_seconds": 3,
    },
    "worker": {
        # As long as a task may take.
        "statement": 600,
        "lock": 60,
        # A ranking is computed inside the transaction that holds its lock.
        "idle": 660,
    },
    "command": {
        # A person watches an import of a million texts, and can end it.
        "statement": 0,
        # A migration that waits for a lock holds everybody up: better to try it again.
        "lock": 60,
        "idle": 3600,
    },
}
