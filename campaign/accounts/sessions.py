"""Django's sessions in the database with a column for the user, so that accounts can list and end them."""

from typing import Any, cast

from django.contrib import auth
from django.contrib.sessions.backends import db

from campaign.models import Session


class SessionStore(db.SessionStore):
    """Django's session store, which also saves the user in a column."""

    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        session = cast("Session", super().create_model_instance(data))
        session.user_id = data.get(auth.SESSION_KEY)
        return session
