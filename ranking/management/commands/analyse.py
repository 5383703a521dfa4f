"""`analyse`: ask something of the judgments of a test set in the database."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import get_language

from campaign.management.arguments import protocol_option_add, task_asked
from ranking.analyses import ANALYSES, OptionError
from ranking.analyses.judgments import JUDGMENT_OPTIONS
from ranking.management.analysis_options import given_options, option_argument
from ranking.management.arguments import POSITIVE
from ranking.management.file_command import (
    add_report_arguments,
    checked_output,
    refuse,
    report_write,
)
from ranking.management.output import Progress
from ranking.reports.stored import report_in
from ranking.services.analyses import (
    AnalysisRefusedError,
    analysis_ask,
    analysis_choice,
    analysis_compute,
)


class Command(BaseCommand):
    help = (
        "Ask something of the judgments of a test set, and print the answer, which pages and REST then "
        "have, too. Nothing else changes."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", choices=list(ANALYSES))
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--test-set", required=True, metavar="NAME")
        protocol_option_add(parser)
        parser.add_argument(
            "--option",
            metavar="NAME=VALUE",
            type=option_argument,
            nargs="+",
            action="extend",
            default=[],
            help="options of the analysis, for instance method=bradley_terry; one that may have several "
            "values is given several times. An unknown one is answered with those there are. Which "
            "judgments count: " + ", ".join(option.name for option in JUDGMENT_OPTIONS),
        )
        parser.add_argument(
            "--watermark", type=POSITIVE, metavar="N", help="of the judgments up to this number"
        )
        add_report_arguments(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        output = checked_output(options["output"])
        task = task_asked(options)
        try:
            analysis = analysis_ask(
                task=task,
                choice=analysis_choice(options["kind"], given_options(options["option"])),
                watermark=options["watermark"],
                is_queued=False,
            )
            if analysis.finished_at is None:
                with Progress(self.stderr, quiet=not options["verbosity"]) as progress:
                    analysis = analysis_compute(analysis=analysis, begin=progress.begin)
        except OptionError as error:
            refuse(f"{error.field}: {error}", error)
        except AnalysisRefusedError as error:
            raise CommandError(str(error)) from error
        report = report_in(analysis.reports or {}, get_language() or "en", data=analysis.data)
        report_write(self, report, options["format"], output)
