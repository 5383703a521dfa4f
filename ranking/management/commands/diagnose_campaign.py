"""`diagnose_campaign`: what to look at in judgments before believing a ranking."""

from __future__ import annotations

from django.core.management.base import CommandParser

from ranking.core.diagnostics import diagnose_campaign
from ranking.management.arguments import whole_number
from ranking.management.file_command import Options, ReportCommand, add_file_arguments, read_input
from ranking.management.output import Progress
from ranking.reports import Report
from ranking.reports.campaigns import campaign_report


class Command(ReportCommand):
    help = (
        "Count sole winners, pairs of systems, ties and how often each system was judged, the "
        "reference included. Needs no database."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_file_arguments(parser, reference=False)
        parser.add_argument(
            "--decimals",
            type=whole_number(0, 15),
            help="round scores before correlating them, as Bojar et al. (2011) did with 3",
        )
        super().add_arguments(parser)

    def report(self, options: Options, progress: Progress) -> Report:
        given = read_input(options, progress)
        found = diagnose_campaign(
            given.blocks, reference=given.reference, decimals=options["decimals"]
        )
        return campaign_report(given, found)
