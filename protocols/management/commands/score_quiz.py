"""`score_quiz`: how much readers of each system's outputs understood."""

from __future__ import annotations

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from protocols.quiz.files import read_quiz
from protocols.quiz.report import quiz_report
from protocols.quiz.statistics import scores_of_readings
from ranking.management.arguments import SHARE
from ranking.management.file_command import Options, Progress, ReportCommand, add_files_of_answers
from ranking.reports import Report


class Command(ReportCommand):
    help = "Score systems by quizzes of their readers (Berka et al. 2011). Needs no database."
    computes = False

    def add_arguments(self, parser: CommandParser) -> None:
        add_files_of_answers(parser, answers="answers")
        parser.add_argument(
            "--confidence", type=SHARE, default=0.95, help="of intervals (default: 0.95)"
        )
        super().add_arguments(parser)

    def report(self, options: Options, progress: Progress) -> Report:
        read = read_quiz(options["files"], progress=progress.begin(_("Reading")))
        found = scores_of_readings(read.readings, confidence=options["confidence"])
        return quiz_report(read.readings, found, files=read.files)
