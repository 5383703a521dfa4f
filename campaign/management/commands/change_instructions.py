"""`change_instructions`: another version of what judges read and agree to."""

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from campaign.management.arguments import campaign_named, language_argument, user_named
from campaign.services import InstructionsRefusedError, instructions_write


class Command(BaseCommand):
    help = "Put another version of a campaign's instructions (Markdown) in force."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file",
            type=argparse.FileType(encoding="utf-8"),
            metavar="FILE",
            help='Markdown; "-" for standard input',
        )
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--language", type=language_argument, required=True, metavar="TAG")
        parser.add_argument(
            "--demand-acceptance",
            action="store_true",
            help="judges must accept it before they continue (always so for the first version)",
        )
        parser.add_argument("--by", metavar="EMAIL", help="who changes it")

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"])
        with options["file"] as file:
            text = file.read()
        try:
            kept = instructions_write(
                campaign=campaign,
                language=options["language"],
                text=text,
                demands_acceptance=options["demand_acceptance"],
                user=user_named(options["by"]) if options["by"] else None,
            )
        except InstructionsRefusedError as error:
            raise CommandError(str(error)) from error
        if options["verbosity"]:
            self.stdout.write(
                _("Version %(version)d (%(language)s) is in force.")
                % {"version": kept.version, "language": kept.language}
            )
