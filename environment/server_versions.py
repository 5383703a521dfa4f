"""The oldest servers that Quintet works with: those of Debian 12. `make test-oldest` runs tests on them."""

from typing import Final

#: Major version.
POSTGRESQL: Final = 15
#: Valkey has reported at least 7.2 as the version of Redis that it is compatible with since its first release.
REDIS: Final = (7, 0)


def postgresql_problem(server_version: int) -> str | None:
    """Return a message if a PostgreSQL is too old, otherwise None.

    Parameters
    ----------
    server_version : int
        As libpq reports it: 150020 for 15.20.
    """
    major, minor = divmod(server_version, 10_000)
    if major >= POSTGRESQL:
        return None
    return (
        f"DATABASE_URL points to PostgreSQL {major}.{minor}, which is too old: Quintet needs PostgreSQL {POSTGRESQL} or newer. "
        "What to do: upgrade the server, or move the data to a newer one with a backup (docs/backups.md)."
    )


def broker_problem(version: str) -> str | None:
    """Return a message if a Redis is too old, otherwise None.

    Parameters
    ----------
    version : str
        `redis_version` of the command INFO, such as 7.0.15.
    """
    numbers = tuple(int(part) for part in version.split(".")[:2])
    if numbers >= REDIS:
        return None
    needed = ".".join(map(str, REDIS))
    return (
        f"REDIS_URL points to Redis {version}, which is too old: Quintet needs Redis {needed} or newer, or any Valkey. "
        "What to do: upgrade it or use another server; nothing in it has to be kept."
    )
