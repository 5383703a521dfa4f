"""Update the tables as their owner, then run a command as the application, to prepare a database for the launcher.

    python -m config.preparing SERVICES_FILE TABLES_FILE [COMMAND ...]

This waits for the first file, which exists once PostgreSQL is running, and creates the second one once the tables are
up to date. It loads Django once, while PostgreSQL starts; separate commands would take five seconds longer.
"""

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path


def main(services: Path, tables: Path, command: Sequence[str]) -> int:
    """Prepare the database; return the exit code."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.owner"
    import django
    from django.core.management import CommandError, call_command
    from django.db import connection

    django.setup()
    from campaign.database.acting import command_acts
    from config.logs import command_logs
    from config.owner import DATABASE_OF_APPLICATION
    from config.postgresql.base import OldServerError
    from config.set_up import problem_after_migrate, problem_before

    while not services.exists():
        time.sleep(0.02)
    try:
        if problem := problem_before(["manage.py", "migrate"]):
            raise CommandError(problem)
        call_command("migrate", interactive=False, verbosity=0)
        if problem := problem_after_migrate():
            raise CommandError(problem)
    except (CommandError, OldServerError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    tables.touch()
    if command:
        connection.close()
        connection.settings_dict.update(DATABASE_OF_APPLICATION)
        command_acts(command[0])
        with command_logs(command[0]):
            call_command(*command)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]))
