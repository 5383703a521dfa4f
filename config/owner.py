"""Settings for commands that change tables and triggers, as the owner of the database.

`manage.py` chooses them by the name of the command. Without `MIGRATION_DATABASE_URL` there is one role for both.
"""

import environ

from config.settings import *  # noqa: F403
from config.settings import DATABASE_ENGINE, DATABASES, env

#: Credentials of the application, for a process that migrates first (`config.preparing`).
DATABASE_OF_APPLICATION = {**DATABASES["default"]}
_owner = environ.Env.db_url_config(
    env["MIGRATION_DATABASE_URL"] or env["DATABASE_URL"], engine=DATABASE_ENGINE
)
_options = {**DATABASES["default"]["OPTIONS"], **_owner.get("OPTIONS", {})}
DATABASES["default"].update({**_owner, "OPTIONS": _options})
