"""`diagnose_judges`: who stands out among the judges, and what the ranking is without them."""

from __future__ import annotations

import math

from django.core.management.base import CommandParser

from ranking.analyses.judges import judges_found, judges_report
from ranking.core.agreement.report import JudgeChance
from ranking.core.agreement.statistics import Chance
from ranking.core.methods.registry import METHODS
from ranking.management.arguments import (
    POSITIVE,
    SHARE,
    add_parameter_argument,
    number_between,
    parameters_of,
)
from ranking.management.file_command import (
    Options,
    ReportCommand,
    add_file_arguments,
    add_kappa_level_argument,
    add_resampling_arguments,
    read_input,
)
from ranking.management.output import Progress
from ranking.reports import Report


class Command(ReportCommand):
    help = (
        "Compare each judge with the others, with clicking at random and with the clock, and rank "
        "the systems without those who stand out. Needs no database."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_file_arguments(parser)
        parser.add_argument(
            "--chance",
            type=Chance,
            choices=[Chance.SCOTT, Chance.UNIFORM, Chance.RANDOM_CLICKER],
            default=Chance.SCOTT,
            help="agreement to expect by chance (default: scott)",
        )
        parser.add_argument(
            "--method",
            choices=list(METHODS),
            default="expected_wins",
            metavar="M",
            help="method of the ranking without outliers (default: expected_wins)",
        )
        add_parameter_argument(parser)
        parser.add_argument(
            "--deviations",
            type=number_between(0, math.inf),
            default=1.0,
            help="how many standard deviations from the mean of all judges stand out (default: 1)",
        )
        parser.add_argument(
            "--level",
            type=SHARE,
            default=0.05,
            help="level of the test against clicking at random (default: 0.05)",
        )
        parser.add_argument(
            "--minimum",
            type=POSITIVE,
            default=10,
            help="smallest number of items at which a rule applies to a judge (default: 10)",
        )
        parser.add_argument(
            "--chance-of-judges",
            type=JudgeChance,
            choices=list(JudgeChance),
            default=JudgeChance.OWN,
            help="whose ties the chance of a judge's κ is from, with --chance scott (default: own)",
        )
        add_kappa_level_argument(parser)
        add_resampling_arguments(parser)
        super().add_arguments(parser)

    def report(self, options: Options, progress: Progress) -> Report:
        method = METHODS[options["method"]]
        settings = method.complete(parameters_of(options["parameter"], [method.name])[method.name])
        given = read_input(options, progress)
        found = judges_found(given, options, parameters=settings)
        return judges_report(given, found, confidence=options["confidence"])
