"""Check the preconditions of a command: a database with the tables of this version.

`manage.py` does this before it runs a command, so that a user in the wrong folder, or without the
environment, reads an explanation instead of a traceback.
"""

import contextlib
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from config.tables import TablesState

#: Settings without a default in `config.settings`.
_REQUIRED = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY")
_OURS = ("campaign", "annotation", "ranking", "protocols", "demo", "whole_campaigns")
#: Commands of Django and of libraries that read or write our tables.
_OF_OTHERS = frozenset(
    {"changepassword", "clearsessions", "createsuperuser", "dumpdata", "loaddata"},
)
#: Beginning of the answers with SQLSTATE 57P03 (`cannot_connect_now`), which libpq does not pass on.
_STARTING = "the database system is "
#: Commands for users, in a checkout and with an installed wheel.
if (Path(__file__).parents[1] / "Makefile").exists():
    _START = "make start"
    QUINTET = "./quintet"
else:
    _START = "quintet start"
    QUINTET = "quintet"
_WHAT_TO_DO = f"What to do: run `{_START}`, and then `{QUINTET} {{command}}`; or, on a server, set {{what}} (docs/operators.md)."
# The image has neither of these commands.
_WHAT_TO_DO_IN_IMAGE = "What to do: set {what} (docs/operators.md)."


def missing_from(environment: Mapping[str, str], command: str) -> str | None:
    """Return a message about missing environment settings that every command needs; None if none are missing."""
    missing = [name for name in _REQUIRED if not environment.get(name)]
    if not missing:
        return None
    names = " and ".join(filter(None, [", ".join(missing[:-1]), missing[-1]]))
    verb = "is" if len(missing) == 1 else "are"
    if "QUINTET_IMAGE" in environment:
        advice = _WHAT_TO_DO_IN_IMAGE
    else:
        advice = _WHAT_TO_DO
    what_to_do = advice.format(command=command, what=names)
    return f"Quintet is not set up here: {names} {verb} not set. {what_to_do}"


def problem_before(arguments: Sequence[str]) -> str | None:
    """Return a message about why this command cannot use the database; None if it can.

    The database is only read. Commands that use none of our tables are not checked.
    """
    from django.core.management import get_commands

    if len(arguments) > 1:
        command = arguments[1]
    else:
        command = ""
    if {"-h", "--help"}.intersection(arguments):
        return None
    if command == "migrate":
        _await_recovery()
        return _problem_before_migrate()
    app = str(get_commands().get(command)).partition(".")[0]
    checks_database = command == "check" and any(
        part.startswith("--database") for part in arguments
    )
    if app not in _OURS and command not in _OF_OTHERS and not checks_database:
        return None
    _await_recovery()
    return _database_problem(command)


def other_migration_await() -> None:
    """Wait while another process migrates this database, and keep others from it until this connection is closed.

    Django plans before it migrates, so the later of two processes would create tables that the earlier has created. An
    unreachable database is left to `problem_before`.
    """
    from django.db import Error

    _await_recovery()
    attempt = 0
    with contextlib.suppress(Error):
        while not _migration_lock_try():
            if attempt % 20 == 4:
                sys.stderr.write(
                    f"waiting for another process that migrates ({attempt / 2:.0f} s)\n",
                )
            attempt += 1
            time.sleep(0.5)


def _migration_lock_try() -> bool:
    """Take the lock of migrations for this session and return True; return False at once if another holds it."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtextextended('migrate', 0))")
        return bool(cursor.fetchone()[0])


def problem_after_migrate() -> str | None:
    """Return a message if the tables are still not those of this version; otherwise record the version, and return None.

    Some migrations may be left out on purpose.
    """
    from config.tables import tables_state, version_record

    state = tables_state()
    if not state.can_be_migrated:
        return _refusal(state)
    if not state.pending:
        version_record()
    return None


def _unreachable(error: Exception, command: str) -> str:
    reason = str(error).strip().splitlines()[0]
    advice = f"Quintet's database cannot be reached ({reason}). What to do: start its server, or correct DATABASE_URL"
    if "QUINTET_IMAGE" in os.environ:
        return f"{advice}."
    return f"{advice}; without DATABASE_URL, `{QUINTET} {command}` uses the database of the data folder."


def _await_recovery() -> None:
    """Wait while PostgreSQL says that it is starting up or recovering, as after a power failure.

    Report this after two seconds, and then every ten seconds.
    """
    attempt = 0
    while reason := _starting_refusal():
        if attempt % 20 == 4:
            sys.stderr.write(
                f"waiting for PostgreSQL ({attempt / 2:.0f} s): {reason}\n",
            )
        attempt += 1
        time.sleep(0.5)


def _starting_refusal() -> str | None:
    """Return the answer of a PostgreSQL that is starting; None if it accepts connections, or fails for another reason."""
    from django.db import Error, connection

    try:
        connection.ensure_connection()
    except Error as error:
        _before, starting, rest = str(error).strip().partition(_STARTING)
        if starting:
            return f"{starting}{rest}".splitlines()[0]
        return None
    return None


def _location() -> str:
    folder = os.environ.get("QUINTET_HOME")
    if folder:
        return f"the data folder {folder}"
    return "the database that DATABASE_URL names"


def _problem_before_migrate() -> str | None:
    from django.db import Error

    from config.tables import tables_state

    try:
        state = tables_state()
    except Error as error:
        return _unreachable(error, "migrate")
    if state.can_be_migrated:
        return None
    return f"{_refusal(state)} Nothing was changed."


def _database_problem(command: str) -> str | None:
    # Imported here, because `manage.py` chooses the settings first.
    from django.db import Error

    from config.tables import tables_state

    try:
        state = tables_state()
    except Error as error:
        return _unreachable(error, command)
    return _tables_problem(state)


def problem_at_start() -> str | None:
    """Return a message about tables or a PostgreSQL that a server process cannot use; None if they are right, or cannot
    be read yet.

    Close the connection, since the process may fork.
    """
    from django.db import Error, connection

    from config.postgresql.base import UnsuitableServerError
    from config.tables import tables_state

    try:
        return _tables_problem(tables_state())
    except UnsuitableServerError as error:
        return str(error)
    except Error:
        return None  # PostgreSQL is away, and may come later
    finally:
        connection.close()


def static_files_problem() -> str | None:
    """Return a message if the web server lacks static files of this version, or may not read them; otherwise None.

    Without their names, almost every page would be an error.
    """
    from django.conf import settings

    from config.tables import first_of

    if not settings.STATIC_HASHED:
        return None
    collected = Path(settings.STATIC_ROOT) / "staticfiles.json"
    try:
        names = json.loads(collected.read_bytes())["paths"]
    except OSError as error:
        reason = f"{collected}: {error.strerror}"
    else:
        missing = sorted(_static_file_names().difference(names))
        if not missing:
            return None
        reason = f"{collected} lacks {first_of(tuple(missing))}"
    return (
        f"Static files are missing: {reason}. What to do: run `manage.py collectstatic --noinput` as a "
        "user whose files the web server may read, with the same STATIC_ROOT, and start again."
    )


def _static_file_names() -> set[str]:
    """Return the names of the files that `collectstatic` collects."""
    from django.contrib.staticfiles.apps import StaticFilesConfig
    from django.contrib.staticfiles.finders import get_finders

    ignored = StaticFilesConfig.ignore_patterns
    names: set[str] = set()
    for finder in get_finders():
        names.update(name for name, _storage in finder.list(ignored))
    return names


def _tables_problem(state: "TablesState") -> str | None:
    from config.tables import first_of

    if state.problem is None:
        return None
    if not state.can_be_migrated:
        return _refusal(state)
    folder = os.environ.get("QUINTET_HOME")
    if folder:
        start = f"QUINTET_HOME={folder} {_START}"
    else:
        start = _START
    if state.is_empty:
        return (
            f"Quintet is not set up here: {_location()} has no tables. What to do: run `{start}`, or, if your "
            "campaigns are elsewhere, set QUINTET_HOME to their data folder; on a server run `manage.py migrate`."
        )
    missing = first_of(state.pending or state.missing_functions)
    return (
        f"The tables in {_location()} belong to an earlier version of Quintet. Missing: {missing}. What to do: stop "
        f"Quintet and run `{start}`, or, on a server, `manage.py migrate`."
    )


def _refusal(state: "TablesState") -> str:
    """Return a message about tables that this version can neither use nor migrate."""
    from config.tables import first_of, last_ranked_by, migrated_by

    version = migrated_by()
    if version is None:
        names = first_of(state.unknown or state.differences)
        ranked_by = last_ranked_by()
        if ranked_by:
            which = f" (the last ranking is of {ranked_by})"
        else:
            which = ""
        return (
            f"The tables in {_location()} were made before Quintet 0.2.0{which} and cannot be migrated: {names}. What to do: "
            f"go back to that version and export: `{QUINTET} campaign_file CAMPAIGN --folder DIR` writes settings and "
            "texts, Judgments → Download the answers; load them with this version into an empty data folder or "
            "database (docs/operators.md, Upgrades)."
        )
    if state.unknown:
        return (
            f"The tables in {_location()} were made by Quintet {version}, which is newer: {first_of(state.unknown)}. What to do: "
            "install that version or a newer one; or restore a backup made before the upgrade."
        )
    return (
        f"The tables in {_location()} have been changed since Quintet {version} migrated them: {first_of(state.differences)}. "
        "What to do: undo this change (campaign/database/catalogues has all definitions), or restore a backup."
    )
