"""Django's sessions in the database, stored under a hash of their key, with a column for the user.

The key is only in the cookie, so a copy of the database cannot be used to sign in. The column lets accounts list and
end their sessions.
"""

from typing import Any, cast

from django.contrib import auth
from django.contrib.sessions.backends import db
from django.utils import timezone

from campaign.models import Session
from campaign.models.user import session_key_digest


class SessionStore(db.SessionStore):
    """Django's session store, which saves a hash of the key, and the user in a column.

    Only the synchronous methods are supported; no view is asynchronous.
    """

    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        session = cast("Session", super().create_model_instance(data))
        session.session_key = session_key_digest(session.session_key)
        session.user_id = data.get(auth.SESSION_KEY)
        return session

    def exists(self, session_key: str) -> bool:
        """Return whether there is a session with this key."""
        return super().exists(session_key_digest(session_key))

    def delete(self, session_key: str | None = None) -> None:
        """Delete the session with this key, or the current one."""
        key = session_key or self.session_key
        if key is not None:
            super().delete(session_key_digest(key))

    def _get_session_from_db(self) -> Session | None:
        digest = session_key_digest(self.session_key or "")
        try:
            return Session.objects.get(
                session_key=digest,
                expire_date__gt=timezone.now(),
            )
        except Session.DoesNotExist:
            self._session_key = None
            return None
