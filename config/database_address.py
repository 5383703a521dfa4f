"""Connection settings from the address of a database."""

from typing import Any

from psycopg2.extensions import parse_dsn


def database_settings(url: str) -> dict[str, Any]:
    """Return Django's settings of the database at an address.

    libpq reads the address, as it does for `pg_dump` and the launcher. Another parser could understand hosts,
    sockets and passwords differently, and backups would fail where pages work.
    """
    parameters = parse_dsn(url)
    return {
        "ENGINE": "config.postgresql",
        "NAME": parameters.pop("dbname", ""),
        "USER": parameters.pop("user", ""),
        "PASSWORD": parameters.pop("password", ""),
        "HOST": parameters.pop("host", ""),
        "PORT": parameters.pop("port", ""),
        "OPTIONS": parameters,
    }
