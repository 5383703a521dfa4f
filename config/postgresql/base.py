"""Connections to PostgreSQL."""

from django.db.backends.postgresql import base

from environment.server_versions import postgresql_problem


class OldServerError(Exception):
    """The server is too old; the message names the versions and the remedy.

    Not an error of the database, so that no code takes the server for one that cannot be reached.
    """


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection to a server that is new enough."""

    def check_database_version_supported(self) -> None:
        """Refuse an old server on the first connection.

        Raises
        ------
        OldServerError
            The server is too old.
        """
        problem = postgresql_problem(self.pg_version)
        if problem is not None:
            # Otherwise the next query would use this connection.
            self.close()
            raise OldServerError(problem)
