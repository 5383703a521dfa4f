#!/usr/bin/env python
"""Django's command line."""

import os
import sys

#: Commands that work on files alone: no database, no broker, no key, whatever the environment says.
FILE_COMMANDS = frozenset(
    {
        "compare_designs",
        "diagnose_campaign",
        "diagnose_judges",
        "measure_agreement",
        "plan_budget",
        "rank_judgments",
        "select_method",
        "simulate_campaigns",
    }
)
#: Commands that change tables and triggers, which the application's role may not.
OWNER_COMMANDS = frozenset({"migrate", "pgtrigger"})

if __name__ == "__main__":
    if FILE_COMMANDS.intersection(sys.argv[1:2]):
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.offline"
    if OWNER_COMMANDS.intersection(sys.argv[1:2]):
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.owner"
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
