"""Django's sessions in the database (decision 11), read by one prepared statement."""

from typing import Any

from django.contrib.sessions.backends import db
from django.utils import timezone

from campaign.statements import Statement

_READ = Statement(
    "session_read",
    "text, timestamptz",
    "SELECT session_data FROM django_session WHERE session_key = $1 AND expire_date > $2",
)


class SessionStore(db.SessionStore):
    """What Django's own store does; every request of a judge reads its session."""

    def load(self) -> dict[str, Any]:
        found = _READ.row(self.session_key, timezone.now())
        if found is None:
            self._session_key = None
            return {}
        data: dict[str, Any] = self.decode(found[0])
        return data
