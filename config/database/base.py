"""Django's PostgreSQL backend, which tells a dead connection without asking it."""

import select

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    def is_usable(self) -> bool:
        """Whether the server has left the connection open.

        Asked once a request (`CONN_HEALTH_CHECKS`), and between two statements PostgreSQL says
        nothing but good-bye: a connection with something to read has been closed by a restart, a
        time-out or an administrator. Django would ask with a statement, a tenth of what a judged
        block costs.
        """
        if self.connection is None or self.connection.closed:
            return False
        try:
            poll = select.poll()
            poll.register(self.connection.fileno(), select.POLLIN | select.POLLPRI)
            return not poll.poll(0)
        except (OSError, self.Database.Error):
            return False
