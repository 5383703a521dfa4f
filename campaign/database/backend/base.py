"""Django finds a database backend by the name of this module and of the class in it."""

from typing import Any

import psycopg2
from django.db.backends.postgresql import base

from campaign.database.limits import process_limits
from campaign.database.silence import watcher_of_this_process


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that is cut when PostgreSQL falls silent, in processes that answer requests."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect; refuse at once while PostgreSQL is known to be silent."""
        patience = process_limits().silence_seconds
        if patience is None:
            return super().get_new_connection(conn_params)
        watcher = watcher_of_this_process(self.alias, conn_params, patience)
        if watcher.is_silent:
            raise psycopg2.OperationalError("PostgreSQL is there, and does not answer.")
        watcher.connecting()
        connection = super().get_new_connection(conn_params)
        watcher.watch(connection)
        return connection
