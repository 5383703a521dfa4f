"""The database that a program of PostgreSQL works on."""

from __future__ import annotations

import os
from dataclasses import dataclass

from psycopg2.extensions import make_dsn, parse_dsn


@dataclass(frozen=True)
class Target:
    """The database at an address.

    Attributes:
        argument: names the database with all parameters of the address except the password. Not all of them have an
            environment variable.
        environment: contains the password, which lists of processes would show in an argument.
    """

    argument: str
    environment: dict[str, str]

    @classmethod
    def of(cls, url: str) -> Target:
        """Return the database at an address of libpq."""
        parameters = parse_dsn(url)
        environment = dict(os.environ)
        password = parameters.pop("password", None)
        if password is not None:
            environment["PGPASSWORD"] = password
        return cls(f"--dbname={make_dsn(**parameters)}", environment)
