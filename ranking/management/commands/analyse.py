"""`analyse`: ask something of the judgments of a test set in the database."""

from typing import Any

from django.core.management.base import CommandParser

from campaign.management.arguments import protocol_option_add, task_asked
from ranking.analyses import ANALYSES
from ranking.analyses.judgments import JUDGMENT_OPTIONS
from ranking.management.analysis_options import QuestionCommand, add_option_argument
from ranking.management.arguments import POSITIVE
from ranking.models import Analysis
from ranking.services.analyses import analysis_ask, analysis_choice


class Command(QuestionCommand):
    help = (
        "Ask something of the judgments of a test set, and print the answer, which pages and REST then "
        "have, too. Nothing else changes."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", choices=list(ANALYSES))
        super().add_arguments(parser)
        parser.add_argument("--test-set", required=True, metavar="NAME")
        protocol_option_add(parser)
        of_judgments = ", ".join(option.name for option in JUDGMENT_OPTIONS)
        add_option_argument(
            parser, f"options of the analysis, or of which judgments count ({of_judgments})"
        )
        parser.add_argument(
            "--watermark", type=POSITIVE, metavar="N", help="of the judgments up to this number"
        )

    def asked(self, given: dict[str, Any], options: dict[str, Any]) -> Analysis:
        task = task_asked(options)
        choice = analysis_choice(options["kind"], given)
        return analysis_ask(
            task=task, choice=choice, watermark=options["watermark"], is_queued=False
        )
