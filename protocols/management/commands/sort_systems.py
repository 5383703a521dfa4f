"""`sort_systems`: sort systems by merge insertion, by comparisons of two outputs."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from protocols.sorting.files import read_comparisons
from protocols.sorting.statistics.chain import SortSettings, orders_beside, sort_judged
from protocols.sorting.statistics.verdicts import VerdictRule
from protocols.sorting.tables import SortFound, sort_report
from ranking.core.ranges import Correction
from ranking.management.arguments import POSITIVE, SEED, SHARE, whole_number
from ranking.management.file_command import (
    Options,
    Progress,
    ReportCommand,
    add_files_of_answers,
    add_left_out_judges,
)
from ranking.reports import Report


class Command(ReportCommand):
    help = (
        "Sort systems by merge insertion, by judges’ comparisons of two outputs: the order with its clusters, or what to "
        "compare next. Needs no database."
    )
    #: Draws, but has nothing to hand to an engine.
    computes = False

    def add_arguments(self, parser: CommandParser) -> None:
        add_files_of_answers(parser, answers="comparisons")
        parser.add_argument(
            "--systems",
            type=_names,
            metavar="A,B,…",
            help="the systems to sort, if some have not been compared yet (default: those of the files)",
        )
        add_left_out_judges(parser)
        parser.add_argument(
            "--seed",
            type=SEED,
            default=0,
            help="seed of the start order and of all random numbers (default: 0)",
        )
        _add_verdict_arguments(parser)
        _add_test_arguments(parser)
        parser.add_argument(
            "--verify",
            action="store_true",
            help="list the pairs that the sort did not compare, the nearest first",
        )
        parser.add_argument(
            "--beside",
            type=_named_order,
            metavar="NAME=A,B,…",
            nargs="+",
            action="extend",
            default=[],
            help="another order of the systems, best first, such as that of BLEU",
        )
        super().add_arguments(parser)

    def report(self, options: Options, progress: Progress) -> Report:
        read = read_comparisons(
            options["files"],
            exclude_judges=options["exclude_judge"],
            progress=progress.begin(_("Reading")),
        )
        settings = _settings(options)
        chain = sort_judged(options["systems"] or read.systems, read.judged, settings)
        beside = None
        if chain.order is not None:
            judged = list(read.judged.values())
            beside = orders_beside(chain.order, judged, dict(options["beside"]))
        return sort_report(SortFound(read, settings, chain, beside, verify=options["verify"]))


def _add_verdict_arguments(parser: CommandParser) -> None:
    parser.add_argument(
        "--quota",
        type=POSITIVE,
        help="judgments that close a comparison (default: as many as there are)",
    )
    parser.add_argument(
        "--extension",
        type=whole_number(0),
        default=100,
        help="judgments to ask for where the quota does not decide (default: %(default)s)",
    )
    parser.add_argument(
        "--on-undecided",
        choices=["sign", "extend"],
        default="sign",
        help="sign: extend only where both systems have as many judgments; extend: until the difference is significant, "
        "up to --cap (default: sign)",
    )
    parser.add_argument(
        "--cap", type=POSITIVE, help="judgments at which extending ends (default: four quotas)"
    )


def _add_test_arguments(parser: CommandParser) -> None:
    parser.add_argument(
        "--test",
        choices=["normal", "exact"],
        default="normal",
        help="what decides significance: |R| > z · se[R], or the exact sign test (default: normal)",
    )
    parser.add_argument(
        "--error",
        choices=["auto", "judgments", "two_way"],
        default="auto",
        help="what se[R] of all judges takes for independent: judgments, or judges and segments, by a bootstrap "
        "(default: auto, which is two_way where judges share segments)",
    )
    parser.add_argument(
        "--correction",
        choices=["none", "holm"],
        default="none",
        help="correct the tests for the number of comparisons made (default: none)",
    )
    parser.add_argument(
        "--level", type=SHARE, default=0.05, help="level of the tests (default: %(default)s)"
    )
    parser.add_argument(
        "--resamples",
        type=whole_number(2),
        default=1000,
        help="how many resamples to draw (default: %(default)s)",
    )


def _settings(options: Options) -> SortSettings:
    decided: dict[str, Any] = {name: options[name] for name in ("test", "level")}
    rule = None
    if options["quota"] is not None:
        rule = VerdictRule(
            quota=options["quota"],
            extension=options["extension"],
            on_undecided=options["on_undecided"],
            cap=options["cap"],
            **decided,
        )
    elif options["on_undecided"] == "extend" or options["cap"] is not None:
        raise ValueError(_("--on-undecided and --cap need a --quota."))
    return SortSettings(
        seed=options["seed"],
        rule=rule,
        correction=Correction(options["correction"]),
        error=options["error"],
        resamples=options["resamples"],
        **decided,
    )


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise argparse.ArgumentTypeError(f"{text!r} has an empty name between its commas")
    return names


def _named_order(text: str) -> tuple[str, tuple[str, ...]]:
    name, equals, systems = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not like NAME=A,B,C")
    return name, _names(systems)
