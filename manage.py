#!/usr/bin/env python
"""Run Django's command line."""

import os
import sys

#: Commands that only use files: no database, broker or key, regardless of the environment.
FILE_COMMANDS = frozenset(
    {
        "compare_designs",
        "convert_judgments",
        "convert_spans",
        "plan_budget",
        "plan_ratings",
        "rank_judgments",
        "reproduce",
        "select_method",
        "simulate_campaigns",
    }
)
#: Commands that change tables and triggers, which the role of the application must not.
OWNER_COMMANDS = frozenset({"migrate", "pgtrigger"})


def works_on_files(argv: list[str]) -> bool:
    """Return whether a command with its arguments needs no database."""
    reads_files = argv[0] == "analyse" or (argv[0] == "import_test_set" and "--check" in argv)
    names_campaign = any(each.partition("=")[0] == "--campaign" for each in argv)
    return argv[0] == "help" or argv[0] in FILE_COMMANDS or (reads_files and not names_campaign)


def main(argv: list[str]) -> int:
    """Run a command; if Quintet is not set up, print an explanation and return 1 without changes."""
    named = argv[1:2]
    on_files = bool(named) and works_on_files(argv[1:])
    if on_files:
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.offline"
    if OWNER_COMMANDS.intersection(named):
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.owner"
    if named == ["collectstatic"]:
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.static_files"
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    if named and not named[0].startswith("-") and not on_files and named[0] != "version":
        import django

        from config.set_up import missing_from, problem_after_migrate, problem_before

        problem = missing_from(os.environ, named[0])
        if problem is not None:
            sys.stderr.write(f"{problem}\n")
            return 1
        django.setup()
        from campaign.database.acting import command_acts
        from config.logs import command_logs
        from config.postgresql.base import OldServerError

        with command_logs(named[0]):
            try:
                problem = problem_before(argv)
                if problem is None:
                    command_acts(named[0])
                    execute_from_command_line(argv)
                if problem is None and named == ["migrate"]:
                    problem = problem_after_migrate()
            except OldServerError as error:
                problem = str(error)
        if problem is not None:
            sys.stderr.write(f"{problem}\n")
            return 1
        return 0
    from optional_packages import ExtraMissingError

    try:
        execute_from_command_line(argv)
    except ExtraMissingError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    if code := main(sys.argv):
        sys.exit(code)
