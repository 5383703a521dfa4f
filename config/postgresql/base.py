"""Connections to PostgreSQL."""

from django.db.backends.postgresql import base

from environment.server_versions import postgresql_problem


class UnsuitableServerError(Exception):
    """The server is too old, or its database is not in UTF8; the message names the remedy.

    Not an error of the database, so that no code takes the server for one that cannot be reached.
    """


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection to a server that is new enough, and to a database in UTF8."""

    def check_database_version_supported(self) -> None:
        """Refuse an unsuitable server on the first connection.

        Raises
        ------
        UnsuitableServerError
            The server is too old, or the database is not in UTF8.
        """
        problem = postgresql_problem(
            self.pg_version,
            self.connection.get_parameter_status("server_encoding"),
        )
        if problem is not None:
            # Otherwise the next query would use this connection.
            self.close()
            raise UnsuitableServerError(problem)
