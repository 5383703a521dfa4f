"""Django finds a database backend by the name of this module and of the class in it."""

from typing import Any

from django.db.backends.postgresql import base

from campaign.database.acting import actor_told


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that tells PostgreSQL who changes what is recorded."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.execute_wrappers.append(actor_told)
