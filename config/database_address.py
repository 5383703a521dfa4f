"""Connection settings from the address of a database."""

from typing import Any

import psycopg2
from psycopg2.extensions import parse_dsn


def database_settings(url: str) -> dict[str, Any]:
    """Return Django's settings of the database at an address.

    libpq reads the address, as it does for `pg_dump` and the launcher. Another parser could understand hosts,
    sockets and passwords differently, and backups would fail where pages work.

    Raises
    ------
    SystemExit
        libpq does not know a parameter of the address.
    """
    try:
        parameters = parse_dsn(url)
    except psycopg2.ProgrammingError as error:
        raise SystemExit(
            f"DATABASE_URL or MIGRATION_DATABASE_URL is wrong; nothing was started or changed: {error}",
        ) from error
    return {
        "ENGINE": "config.postgresql",
        "NAME": parameters.pop("dbname", ""),
        "USER": parameters.pop("user", ""),
        "PASSWORD": parameters.pop("password", ""),
        "HOST": parameters.pop("host", ""),
        "PORT": parameters.pop("port", ""),
        "OPTIONS": parameters,
    }
