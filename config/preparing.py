"""Update the tables as their owner, then run a command as the application, to prepare a database for the launcher.

    python -m config.preparing SERVICES_FILE TABLES_FILE [COMMAND ...]

This waits for the first file, which exists once PostgreSQL is running, and creates the second one once the tables are
up to date; with ``-`` instead of the second one, they are up to date already. It loads Django once, while PostgreSQL
starts; separate commands would take five seconds longer.
"""

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def main(services: Path, tables: Path | None, command: Sequence[str]) -> int:
    """Prepare the database; return the exit code, `os.EX_TEMPFAIL` if the connection to PostgreSQL was lost.

    Args:
        services: file that exists once PostgreSQL is running.
        tables: file to create once the tables are up to date; None if they are, and only the command is to be run.
        command: the command to run then, with its arguments.
    """
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.owner"
    import django
    from django.core.management import CommandError
    from django.db import InterfaceError, OperationalError, connection

    django.setup()
    from config.postgresql.base import UnsuitableServerError

    launcher = os.getppid()
    while not services.exists():
        if os.getppid() != launcher:
            return 1  # it was killed, and will never say that PostgreSQL is running
        time.sleep(0.02)
    try:
        _migrate_and_run(tables, command)
    except UnsuitableServerError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except CommandError as error:
        sys.stderr.write(f"{error}\n")
        if _is_lost(connection):
            return os.EX_TEMPFAIL
        return 1
    except (InterfaceError, OperationalError, SystemExit) as error:
        # `command_logs` has logged the error, and exits.
        if not _is_lost(connection):
            raise
        sys.stderr.write(f"connection to PostgreSQL lost: {error!r}\n")
        return os.EX_TEMPFAIL
    return 0


def _migrate_and_run(tables: Path | None, command: Sequence[str]) -> None:
    from django.core.management import CommandError, call_command
    from django.db import connection

    from campaign.database.acting import command_acts
    from config.logs import command_logs
    from config.owner import DATABASE_OF_APPLICATION
    from config.set_up import (
        other_migration_await,
        problem_after_migrate,
        problem_before,
    )

    if tables is not None:
        other_migration_await()
    if problem := problem_before(["manage.py", "migrate" if tables else command[0]]):
        raise CommandError(problem)
    if tables is not None:
        call_command("migrate", interactive=False, verbosity=0)
        if problem := problem_after_migrate():
            raise CommandError(problem)
        tables.touch()
    if command:
        connection.close()
        connection.settings_dict.update(DATABASE_OF_APPLICATION)
        command_acts(command[0])
        with command_logs(command[0]):
            call_command(*command)


def _is_lost(connection: Any) -> bool:
    """Return whether Django has no working connection to PostgreSQL after an error."""
    return connection.connection is None or bool(connection.connection.closed)


if __name__ == "__main__":
    _program, services_file, tables_file, *last_command = sys.argv
    sys.exit(
        main(
            Path(services_file),
            None if tables_file == "-" else Path(tables_file),
            last_command,
        ),
    )
