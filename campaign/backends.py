"""Who a session belongs to, read by one prepared statement."""

from functools import cache

from django.contrib.auth.backends import ModelBackend

from campaign.models import User
from campaign.statements import Statement


@cache
def _read() -> tuple[list[str], Statement]:
    fields = [field.attname for field in User._meta.concrete_fields]
    columns = ", ".join(f'"{field.column}"' for field in User._meta.concrete_fields)
    table = User._meta.db_table
    return fields, Statement(
        "user_read", "bigint", f'SELECT {columns} FROM "{table}" WHERE id = $1'  # noqa: S608
    )


class UserBackend(ModelBackend):
    """Django's own, but for how it reads the user: every request does."""

    def get_user(self, user_id: int) -> User | None:
        fields, read = _read()
        found = read.row(user_id)
        if found is None:
            return None
        user = User.from_db("default", fields, found)
        return user if self.user_can_authenticate(user) else None
