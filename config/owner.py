"""Settings of the commands that change tables and triggers: as the owner of the database.

`manage.py` chooses them by the command's name. Without `MIGRATION_DATABASE_URL` there is one role for both.
"""

from config.settings import *  # noqa: F403
from config.settings import DATABASES, env

DATABASES["default"].update(env.db("MIGRATION_DATABASE_URL", default=env.str("DATABASE_URL")))
