"""`score_spans`: systems by scores and error spans, from files."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from django.core.management.base import CommandParser

from protocols.management.spans_command import (
    add_spans_files,
    of_one_language_pair,
    read_spans_files,
)
from protocols.spans.computed import SpanOptions, analyse_spans
from protocols.spans.contradictions import ContradictionRule
from protocols.spans.statistics.additive import Level
from protocols.spans.statistics.columns import Measure, given_measure
from protocols.spans.statistics.comparisons import Compared
from protocols.spans.statistics.means import Drawn
from protocols.spans.statistics.rules import ClusterRule
from protocols.spans.tables import spans_report
from ranking.core.methods.registry import METHODS
from ranking.management.arguments import number_between
from ranking.management.file_command import (
    Options,
    Progress,
    ReportCommand,
    add_resampling_arguments,
)
from ranking.reports import Report

_THRESHOLD = number_between(-1e-9, 100, including_high=True)
_THRESHOLDS = {
    "error_free_from": "scores below it need an error",
    "perfect_from": "scores from it on have no error",
    "major_below": "scores from it on have no major error",
    "margin": "scores closer than it do not contradict numbers of errors",
}


class Command(ReportCommand):
    help = (
        "Score systems by judgments of ESA, contrastive ESA, DA or MQM: an additive model, means with WMT's rules, the "
        "ranking that scores imply, agreement, and scores that contradict the errors. Needs no database."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_spans_files(parser)
        parser.add_argument(
            "--measure",
            type=Measure,
            choices=list(Measure),
            help="the scores that judges gave, or minus the weights of the errors as in MQM (default: the scores if there are any)",
        )
        parser.add_argument(
            "--rule",
            type=ClusterRule,
            choices=list(ClusterRule),
            default=ClusterRule.PERMUTATION,
            help="how means are tested and clustered (default: permutation)",
        )
        parser.add_argument(
            "--level",
            choices=get_args(Level),
            default="two_way",
            help="what the additive model takes for drawn at random (default: two_way)",
        )
        parser.add_argument(
            "--draw",
            choices=get_args(Drawn),
            default="segments",
            help="what intervals of means draw (default: segments)",
        )
        parser.add_argument(
            "--compare",
            choices=get_args(Compared),
            default="screen",
            help="scores of one screen, or of one judge and segment, imply comparisons (default: screen)",
        )
        parser.add_argument(
            "--method",
            choices=sorted(METHODS),
            default="expected_wins",
            help="method of the ranking that scores imply (default: expected_wins)",
        )
        for name, what in _THRESHOLDS.items():
            default = getattr(ContradictionRule(), name)
            parser.add_argument(
                f"--{name.replace('_', '-')}",
                type=_THRESHOLD,
                default=default,
                metavar="X",
                help=f"{what} (default: {default:g})",
            )
        add_resampling_arguments(parser)
        super().add_arguments(parser)

    def report(self, options: Options, progress: Progress) -> Report:
        read = of_one_language_pair(read_spans_files(options, progress), options)
        measure = options["measure"] or given_measure(read.judgments)
        options = {**options, "measure": measure}
        given = {"drawn": "draw", "compared": "compare"}
        wanted = replace(
            SpanOptions(),
            **{name: options[given.get(name, name)] for name in SpanOptions.__dataclass_fields__},
        )
        found = analyse_spans(
            read.judgments,
            wanted,
            asked=ContradictionRule(**{name: max(options[name], 0) for name in _THRESHOLDS}),
            engine=options["engine"],
        )
        return spans_report(read.judgments, found, files=read)
