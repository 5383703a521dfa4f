"""`select_method`: find the ranking method that best predicts held-out judgments."""

import numpy as np
from django.core.management.base import CommandParser

from campaign.management.files import Progress
from ranking.core.selection import (
    Requirement,
    data_requirements,
    predictors,
    select_method,
)
from ranking.management.file_command import (
    Options,
    ReportCommand,
    add_file_arguments,
    add_method_argument,
    add_option,
    add_parameter_argument,
    number_between,
    parameters_of,
    read_input,
    whole_number,
)
from ranking.reports import Report
from ranking.reports.analyses.methods import selection_report

_FOLDS = 100
_FOLDS_OF_SHARES = 10
_DEFAULT = ("expected_wins", "hopkins_may", "trueskill_wmt", "trueskill")


class Command(ReportCommand):
    help = "Compare how well ranking methods predict held-out comparisons (win, tie or loss). Needs no database."

    def add_arguments(self, parser: CommandParser) -> None:
        add_file_arguments(parser)
        add_method_argument(parser, " ".join(_DEFAULT))
        add_parameter_argument(parser)
        help_text = "number of folds of segments (default: 100, or the number of segments if there are fewer)"
        add_option(parser, "--folds", whole_number(2), help_text)
        shares = number_between(0, 1, including_high=True)
        help_text = (
            "also measure accuracy with these shares of the training data (ten folds)"
        )
        add_option(parser, "--shares SHARE", shares, help_text, nargs="+")
        super().add_arguments(parser)

    def report(self, options: Options, progress: Progress) -> Report:
        methods = tuple(dict.fromkeys(options["method"] or _DEFAULT))
        parameters = parameters_of(options["parameter"], methods)
        judged = read_input(options, progress)
        chosen = predictors(parameters, seed=options["seed"])
        folds = options["folds"]
        if folds is None:
            folds = min(_FOLDS, len(np.unique(judged.blocks.segment)))
        selection = select_method(
            judged.blocks,
            chosen,
            folds=folds,
            seed=options["seed"],
            engine=options["engine"],
            progress=progress.begin("Predicting"),
        )
        requirements: list[Requirement] = []
        if options["shares"]:
            requirements = data_requirements(
                judged.blocks,
                chosen,
                shares=sorted(set(options["shares"])),
                folds=min(_FOLDS_OF_SHARES, folds),
                seed=options["seed"],
                progress=progress.begin("Learning from subsets"),
            )
        return selection_report(judged, selection, requirements)
