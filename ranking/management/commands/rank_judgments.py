"""`rank_judgments`: rankings of the systems judged in files."""

from __future__ import annotations

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from ranking.analyses.ranking import rankings_report
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.rank import rank
from ranking.management.counted_files import can_be_counted, count_and_rank
from ranking.management.file_command import (
    Options,
    ReportCommand,
    add_file_arguments,
    add_resampling_arguments,
    read_input,
)
from ranking.management.lopez_announcement import lopez_announcement
from ranking.management.method_arguments import add_parameter_argument, parameters_of
from ranking.management.output import Progress
from ranking.management.range_arguments import add_range_arguments, range_choice
from ranking.reports import Report


class Command(ReportCommand):
    help = "Rank the systems judged in files, with rank ranges and clusters. Needs no database."

    def add_arguments(self, parser: CommandParser) -> None:
        add_file_arguments(parser)
        parser.add_argument(
            "--method",
            metavar="M",
            nargs="+",
            action="extend",
            choices=list(METHODS),
            help=f"rank by each of these methods: {', '.join(METHODS)} (default: expected_wins)",
        )
        add_range_arguments(parser)
        add_parameter_argument(parser)
        add_resampling_arguments(parser)
        super().add_arguments(parser)

    def report(self, options: Options, progress: Progress) -> Report:
        choice = range_choice(options)
        methods = tuple(dict.fromkeys(options["method"] or ["expected_wins"]))
        parameters = parameters_of(options["parameter"], methods)
        pairs = choice.ranges != "percentile" or bool(options["correction"] or options["sided"])
        if can_be_counted(options["files"], options["input_format"], methods, choice):
            counted, found = count_and_rank(options, parameters, choice, progress)
            return rankings_report(counted, found, pairs=pairs)
        given = read_input(options, progress)
        work = {name: options[name] for name in ("resamples", "seed", "engine")}
        if "lopez" in methods and options["verbosity"]:
            limit = METHODS["lopez"].complete(parameters["lopez"])["time_limit"]
            announced = lopez_announcement(
                given.blocks,
                choice,
                resamples=options["resamples"],
                seed=options["seed"],
                jobs=options["jobs"],
                time_limit=limit,
            )
            if announced is not None:
                progress.say(announced)
        rankings = [
            rank(
                given.blocks,
                method,
                parameters=parameters[method],
                progress=progress.begin(_("Ranking by %(method)s") % {"method": method}),
                **work,
                **choice.arguments,
            )
            for method in methods
        ]
        return rankings_report(given, rankings, pairs=pairs)
