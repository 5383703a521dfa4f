"""`measure_edits`: how many outputs of each system could be edited into acceptable text."""

from __future__ import annotations

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from protocols.editing.files import read_edits
from protocols.editing.report import edits_report
from protocols.editing.statistics import FEWEST_EDITS, Counting, acceptability
from ranking.management.arguments import POSITIVE, SHARE
from ranking.management.file_command import Options, Progress, ReportCommand, add_files_of_answers
from ranking.reports import Report


class Command(ReportCommand):
    help = (
        "Compare systems by blind editing and acceptability (Bojar et al. 2011, §4.1). "
        "Needs no database."
    )
    computes = False

    def add_arguments(self, parser: CommandParser) -> None:
        add_files_of_answers(parser, answers="edits")
        parser.add_argument(
            "--fewest",
            type=POSITIVE,
            default=FEWEST_EDITS,
            help="fewer edits give no percentage and no rank (default: %(default)s)",
        )
        parser.add_argument(
            "--acceptances",
            type=Counting,
            choices=list(Counting),
            default=Counting.MAJORITY,
            help="how several acceptances of an edit count (default: majority)",
        )
        parser.add_argument(
            "--confidence", type=SHARE, default=0.95, help="of intervals (default: 0.95)"
        )
        super().add_arguments(parser)

    def report(self, options: Options, progress: Progress) -> Report:
        read = read_edits(options["files"], progress=progress.begin(_("Reading")))
        found = acceptability(
            read.edits,
            fewest=options["fewest"],
            counting=options["acceptances"],
            confidence=options["confidence"],
        )
        return edits_report(read, found)
