"""`campaign_table`: print a table over the test sets of a campaign in the database."""

from typing import Any

from django.core.management.base import CommandParser

from campaign.management.arguments import campaign_named
from ranking.analyses import TABLES
from ranking.management.analysis_options import QuestionCommand, add_option_argument
from ranking.models import Analysis
from ranking.reports import Report
from ranking.selectors.campaign_tables import table_answer
from ranking.services.analyses import analysis_choice, table_ask


class Command(QuestionCommand):
    help = (
        "Print a table over the test sets of a campaign, which pages and REST then have, too. Nothing else "
        "changes."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", choices=list(TABLES))
        super().add_arguments(parser)
        add_option_argument(parser, "options of the table")

    def asked(self, given: dict[str, Any], options: dict[str, Any]) -> Analysis | Report:
        campaign = campaign_named(options["campaign"])
        choice = analysis_choice(options["kind"], given, of_campaign=True)
        stored = table_answer(campaign=campaign, choice=choice).report if choice.is_live else None
        return stored or table_ask(campaign=campaign, choice=choice, is_queued=False)
