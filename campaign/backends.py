"""Who a session belongs to, read by one prepared statement."""

from functools import cache

from django.contrib.auth.backends import ModelBackend

from campaign.models import User
from campaign.statements import Statement, columns_of, instance_from


@cache
def _read() -> Statement:
    columns = columns_of(User, "u")
    return Statement(
        "user_read",
        "bigint",
        f"SELECT {columns} FROM campaign_user u WHERE id = $1",  # noqa: S608  constants alone
    )


class UserBackend(ModelBackend):
    """Django's own, but for how it reads the user: every request does."""

    def get_user(self, user_id: int) -> User | None:
        found = _read().row(user_id)
        if found is None:
            return None
        user = instance_from(User, found)
        return user if self.user_can_authenticate(user) else None
