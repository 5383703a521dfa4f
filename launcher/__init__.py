"""Start Quintet with one command: embedded PostgreSQL and Valkey, the supervisor, the demo.

The applications do not import this package; they only see ``DATABASE_URL`` and ``REDIS_URL``.
"""

import environment  # noqa: F401  refuses an old Python
