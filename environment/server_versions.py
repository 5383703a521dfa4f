"""Servers that Quintet works with. The oldest are those of Debian 12; `make test-oldest` runs tests on them."""

from typing import Final

#: Major version.
POSTGRESQL: Final = 15
#: Valkey has reported at least 7.2 as the version of Redis that it is compatible with since its first release.
REDIS: Final = (7, 0)


def postgresql_problem(server_version: int, encoding: str | None) -> str | None:
    """Return a message if a PostgreSQL is too old, or if its database cannot store all characters, otherwise None.

    Parameters
    ----------
    server_version : int
        As libpq reports it: 150020 for 15.20.
    encoding : str | None
        The database's `server_encoding`.
    """
    major, minor = divmod(server_version, 10_000)
    if major < POSTGRESQL:
        return (
            f"DATABASE_URL points to PostgreSQL {major}.{minor}, which is too old: Quintet needs PostgreSQL {POSTGRESQL} or newer. "
            "What to do: upgrade the server, or move the data to a newer one with a backup (docs/backups.md)."
        )
    if encoding != "UTF8":
        return (
            f"DATABASE_URL points to a database with the encoding {encoding}, but texts need UTF8. What to do: create "
            "another with `CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0` (docs/operators.md, Two roles); "
            "`pg_dump` and `pg_restore` move data that are there."
        )
    return None


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
