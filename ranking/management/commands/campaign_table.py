"""`campaign_table`: print a table over the test sets of a campaign in the database."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaign.management.arguments import campaign_named
from ranking.analyses import OptionError
from ranking.campaign_tables import TABLES
from ranking.management.analysis_options import given_options, option_argument
from ranking.management.file_command import (
    add_report_arguments,
    checked_output,
    refuse,
    report_write,
)
from ranking.management.output import Progress
from ranking.selectors.campaign_tables import live_rows, stored_report
from ranking.services.analyses import AnalysisRefusedError
from ranking.services.campaign_tables import table_ask, table_choice, table_compute


class Command(BaseCommand):
    help = (
        "Print a table over the test sets of a campaign, which pages and REST then have, too. Nothing else "
        "changes."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", choices=list(TABLES))
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument(
            "--option",
            metavar="NAME=VALUE",
            type=option_argument,
            nargs="+",
            action="extend",
            default=[],
            help="options of the table, for instance method=bradley_terry; one that may have several values is "
            "given several times. An unknown one is answered with those there are",
        )
        add_report_arguments(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        output = checked_output(options["output"])
        campaign = campaign_named(options["campaign"])
        try:
            choice = table_choice(options["kind"], given_options(options["option"]))
            if choice.is_live:
                rows = live_rows(campaign=campaign, kind=choice.kind)
                report = choice.kind.tell(rows, choice.options)
            else:
                table = table_ask(campaign=campaign, choice=choice, is_queued=False)
                if table.finished_at is None:
                    with Progress(self.stderr, quiet=not options["verbosity"]) as progress:
                        table = table_compute(table=table, begin=progress.begin)
                report = stored_report(table)
        except OptionError as error:
            refuse(f"{error.field}: {error}", error)
        except AnalysisRefusedError as error:
            raise CommandError(str(error)) from error
        report_write(self, report, options["format"], output)
