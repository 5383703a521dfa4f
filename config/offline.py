"""Settings of the commands that work on files: no database, no broker, nothing that is signed.

`manage.py` chooses them by the command's name; nothing that serves or works for a campaign ever
loads them. Whatever the environment says, these commands cannot reach a campaign's database.
"""

import os
import secrets

# Settings that config.settings requires. The key lives as long as the command.
os.environ["SECRET_KEY"] = secrets.token_urlsafe()
os.environ["DATABASE_URL"] = "postgres://localhost/no-database-for-this-command"
os.environ["REDIS_URL"] = "redis://localhost/0"

from config.settings import *  # noqa: F403

DATABASES = {}  # Django's dummy: any query is an error.
