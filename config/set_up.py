"""Check the preconditions of a command: a database with the tables of this version.

`manage.py` does this before it runs a command, so that a user in the wrong folder, or without the
environment, reads an explanation instead of a traceback.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

#: Settings without a default in `config.settings`.
_REQUIRED = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY")
_OURS = ("campaign", "annotation", "ranking", "protocols", "demo", "whole_campaigns")
#: Commands of Django and of libraries that read or write our tables.
_OF_OTHERS = frozenset(
    {"changepassword", "clearsessions", "createsuperuser", "dumpdata", "loaddata"}
)
#: Commands for users, in a checkout and with an installed wheel.
_START, QUINTET = (
    ("make start", "./quintet")
    if (Path(__file__).parents[1] / "Makefile").exists()
    else ("quintet start", "quintet")
)
_WHAT_TO_DO = f"What to do: run `{_START}`, and then `{QUINTET} {{command}}`; or, on a server, set {{what}} (docs/operators.md)."


def missing_from(environment: Mapping[str, str], command: str) -> str | None:
    """Return a message about missing environment settings that every command needs; None if none are missing."""
    missing = [name for name in _REQUIRED if not environment.get(name)]
    if not missing:
        return None
    names = " and ".join(filter(None, [", ".join(missing[:-1]), missing[-1]]))
    verb = "is" if len(missing) == 1 else "are"
    what_to_do = _WHAT_TO_DO.format(command=command, what=names)
    return f"Quintet is not set up here: {names} {verb} not set. {what_to_do}"


def problem_before(arguments: Sequence[str]) -> str | None:
    """Return a message about why this command cannot use the database; None if it can.

    The database is only read. Commands that use none of our tables are not checked.
    """
    from django.core.management import get_commands

    command = arguments[1] if len(arguments) > 1 else ""
    if {"-h", "--help"}.intersection(arguments):
        return None
    if command == "migrate":
        return _is_of_another()
    app = str(get_commands().get(command)).partition(".")[0]
    if app not in _OURS and command not in _OF_OTHERS:
        return None
    return _database_problem(command)


def _place() -> str:
    where = os.environ.get("QUINTET_HOME")
    return f"the data folder {where}" if where else "the database that DATABASE_URL names"


def _is_of_another() -> str | None:
    """Return a message if the tables belong to a version with unknown migrations, otherwise None."""
    from django.db import Error, connection
    from django.db.migrations.loader import MigrationLoader

    try:
        loader = MigrationLoader(connection)
    except Error:
        return None  # `migrate` itself reports the error
    if all(key in loader.graph.nodes for key in loader.applied_migrations if key[0] == "campaign"):
        return None
    return f"The tables in {_place()} belong to another version of Quintet and cannot be migrated. What to do: use that version, or start with an empty data folder or database."


def _database_problem(command: str) -> str | None:
    # Imported here, because `manage.py` chooses the settings first.
    from django.db import Error, connection
    from django.db.migrations.executor import MigrationExecutor

    where = os.environ.get("QUINTET_HOME")
    place = _place()
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except Error as error:
        reason = str(error).strip().splitlines()[0]
        return (
            f"Quintet's database cannot be reached ({reason}). What to do: run `{_START}`, and "
            f"then `{QUINTET} {command}`; or, on a server, look at DATABASE_URL."
        )
    if not missing:
        return None
    start = f"QUINTET_HOME={where} {_START}" if where else _START
    if not any(app == "campaign" for app, _name in executor.loader.applied_migrations):
        return (
            f"Quintet is not set up here: {place} has no tables. What to do: run `{start}`, or, if your "
            "campaigns are elsewhere, set QUINTET_HOME to their data folder; on a server run `manage.py migrate`."
        )
    names = ", ".join(f"{migration.app_label}.{migration.name}" for migration, _back in missing[:3])
    more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
    return (
        f"The tables in {place} belong to an earlier version of Quintet. Missing: {names}{more}. What to do: stop "
        f"Quintet and run `{start}`, or, on a server, `manage.py migrate`."
    )
