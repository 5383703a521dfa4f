"""`simulate_campaigns`: measure the accuracy of rankings in simulated campaigns (Koehn 2012)."""

from django.core.management.base import CommandParser

from campaign.management.files import Progress
from ranking.core.simulation.measures import METHODS, simulate_campaigns
from ranking.management.file_command import (
    POSITIVE,
    Options,
    ReportCommand,
    add_model_arguments,
    add_option,
    add_resampling_arguments,
    model_of,
)
from ranking.reports import Report
from ranking.reports.simulations import study_report


class Command(ReportCommand):
    help = (
        "Simulate campaigns and measure the errors of ranking methods, of rank ranges and of "
        "clusters (Koehn 2012). Needs no database."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_model_arguments(parser, systems=15, noise=10.0)
        parser.add_argument(
            "--comparisons",
            metavar="N",
            type=POSITIVE,
            nargs="+",
            default=[10_000, 20_000, 30_000, 40_000, 50_000],
            help="numbers of pairwise comparisons (default: 10000 … 50000)",
        )
        add_option(
            parser,
            "--experiments",
            POSITIVE,
            "simulated campaigns",
            default=400,
        )
        parser.add_argument(
            "--method",
            metavar="M",
            nargs="+",
            choices=[*METHODS, "lopez_unweighted"],
            default=list(METHODS),
            help=f"ranking methods: {', '.join(METHODS)}, lopez_unweighted",
        )
        parser.add_argument(
            "--rank-ranges",
            choices=["sign_test", "bootstrap"],
            default="sign_test",
            help="method for rank ranges (default: sign_test)",
        )
        parser.add_argument(
            "--resample",
            choices=["pairs", "blocks"],
            default="pairs",
            help="units resampled by the bootstrap (default: pairs)",
        )
        add_resampling_arguments(parser)
        super().add_arguments(parser)

    def report(self, options: Options, progress: Progress) -> Report:
        study = simulate_campaigns(
            model_of(options),
            comparisons=options["comparisons"],
            experiments=options["experiments"],
            methods=tuple(dict.fromkeys(options["method"])),
            rank_ranges=options["rank_ranges"],
            resample=options["resample"],
            resamples=options["resamples"],
            confidence=options["confidence"],
            seed=options["seed"],
            engine=options["engine"],
            progress=progress.begin("Simulating"),
        )
        return study_report(study)
