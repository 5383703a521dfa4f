"""Settings for commands that only use files: no database, broker or signatures.

`manage.py` chooses them by the name of the command. Web servers and workers never load them, and these commands
cannot reach a database regardless of the environment.
"""

import os
import secrets

# Settings required by config.settings. The key is only used by this command.
os.environ["SECRET_KEY"] = secrets.token_urlsafe()
os.environ["DATABASE_URL"] = "postgres://localhost/no-database-for-this-command"
os.environ["REDIS_URL"] = "redis://localhost/0"

from config.settings import *  # noqa: F403

DATABASES = {}  # dummy of Django: any query is an error
