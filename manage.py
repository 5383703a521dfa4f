#!/usr/bin/env python
"""Run Django's command line."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

#: Commands that only use files: no database, broker or key, regardless of the environment.
FILE_COMMANDS = frozenset(
    {
        "compare_designs",
        "convert_judgments",
        "convert_spans",
        "plan_budget",
        "rank_judgments",
        "reproduce",
        "select_method",
        "simulate_campaigns",
    },
)
#: Commands that change tables and triggers, which the role of the application must not.
OWNER_COMMANDS = frozenset({"migrate", "pgtrigger"})
#: Commands of every deployment, whose output is part of its log.
LOGGED_COMMANDS = frozenset({"collectstatic", "migrate"})


def works_on_files(argv: list[str]) -> bool:
    """Return whether a command with its arguments needs no database."""
    reads_files = argv[0] == "analyse" or (
        argv[0] == "import_test_set" and "--check" in argv
    )
    names_campaign = any(
        argument.partition("=")[0] == "--campaign" for argument in argv
    )
    asks_for_help = argv[0] in {"help", "version"} or argv[0].startswith("-")
    return (
        asks_for_help
        or argv[0] in FILE_COMMANDS
        or (reads_files and not names_campaign)
    )


def main(argv: list[str]) -> int:
    """Run a command; if Quintet is not set up, print an explanation and return 1 without changes."""
    from environment import output_in_utf8  # refuses an old Python

    output_in_utf8()

    named = argv[1:2]
    on_files = not named or works_on_files(argv[1:])
    if on_files:
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.offline"
    if OWNER_COMMANDS.intersection(named):
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.owner"
    if named == ["collectstatic"]:
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.static_files"
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    problem: str | None
    if find_spec("django") is None:
        problem = (
            f"Quintet's packages are not installed for {sys.executable}. What to do: run `make install`, and then "
            "`./quintet` or `.venv/bin/python manage.py`."
        )
    elif on_files:
        problem = run_on_files(argv)
    else:
        problem = run_with_database(argv)
    if problem is not None:
        sys.stderr.write(f"{problem}\n")
        return 1
    return 0


def run_with_database(argv: list[str]) -> str | None:
    """Run a command that needs the settings of a server; return a message if it cannot run."""
    import django

    from config.set_up import (
        missing_from,
        other_migration_await,
        problem_after_migrate,
        problem_before,
    )

    command = argv[1]
    if command in LOGGED_COMMANDS:
        from config.logs import output_log

        output_log()
    problem = missing_from(os.environ, command)
    if problem is not None:
        return problem
    django.setup()
    from django.core.management import execute_from_command_line

    from campaign.database.acting import command_acts
    from config.logs import command_logs
    from config.postgresql.base import UnsuitableServerError

    with command_logs(command):
        try:
            if command == "migrate":
                other_migration_await()
            problem = problem_before(argv)
            if problem is None:
                command_acts(command)
                execute_from_command_line(argv)
            if problem is None and command == "migrate":
                problem = problem_after_migrate()
        except UnsuitableServerError as error:
            problem = str(error)
    return problem


def run_on_files(argv: list[str]) -> str | None:
    """Run a command that needs no server; return a message if it cannot run."""
    from django.core.management import execute_from_command_line

    from optional_packages import ExtraMissingError

    try:
        execute_from_command_line(argv)
    except ExtraMissingError as error:
        return str(error)
    return None


if __name__ == "__main__":
    if code := main(sys.argv):
        sys.exit(code)
