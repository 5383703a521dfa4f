"""Settings for commands that change tables and triggers, as the owner of the database.

`manage.py` chooses them by the name of the command. Without `MIGRATION_DATABASE_URL` there is one role for both.
"""

from config.database_address import database_settings
from config.settings import *  # noqa: F403
from config.settings import DATABASES, env

#: Credentials of the application, for a process that migrates first (`config.preparing`).
DATABASE_OF_APPLICATION = {**DATABASES["default"]}
_owner = database_settings(env["MIGRATION_DATABASE_URL"] or env["DATABASE_URL"])
_options = {**DATABASES["default"]["OPTIONS"], **_owner["OPTIONS"]}
DATABASES["default"].update({**_owner, "OPTIONS": _options})
