"""`compare_designs`: compare the judgments needed by sampling designs."""

from django.core.management.base import CommandParser

from campaign.management.files import Progress
from ranking.core.counting.counts import tally
from ranking.management.file_command import (
    POSITIVE,
    SHARE,
    Options,
    ReportCommand,
    add_file_arguments,
    add_model_arguments,
    add_option,
    add_resampling_arguments,
    add_target_arguments,
    checked_output,
    model_of,
    number_between,
    read_input,
    refuse,
    replaced,
)
from ranking.reports import Report
from ranking.reports.design_study.study import (
    RANGES,
    ComparedDesign,
    DesignStudy,
    JudgmentSource,
    compare_designs,
    rates_of,
)
from ranking.reports.inputs import Input
from ranking.reports.simulations import comparison_report, plot_of

_SYSTEMS = 15
_NOISE = 10.0


class Command(ReportCommand):
    help = (
        "Compare sampling designs by the judgments needed to tell systems apart and by the coverage of "
        "rank ranges, in simulated campaigns (Koehn 2012) or with judgments resampled from FILE. Needs no "
        "database."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_file_arguments(parser, optional=True, short=False)
        add_model_arguments(parser, systems=None, noise=None)
        parser.add_argument(
            "--designs",
            metavar="D",
            type=ComparedDesign,
            choices=list(ComparedDesign),
            nargs="+",
            default=list(ComparedDesign),
            help=f"designs to compare; the first is the baseline (default: {' '.join(ComparedDesign)})",
        )
        parser.add_argument(
            "--rank-ranges",
            metavar="R",
            choices=RANGES,
            nargs="+",
            default=["sign_test", "expected_wins", "bradley_terry"],
            help=f"methods to tell systems apart: {', '.join(RANGES)} (default: all but anytime)",
        )
        add_target_arguments(parser, "--target-pairs", "0.9")
        help_text = "simulated campaigns for each design"
        add_option(parser, "--experiments", POSITIVE, help_text, default=100)
        shares = number_between(-1e-12, 1, including_high=True)
        help_text = "share of active blocks drawn as balanced"
        add_option(parser, "--floor SHARE", shares, help_text, default=0.1)
        help_text = "maximum judgments per campaign"
        add_option(parser, "--limit N", POSITIVE, help_text, default=100_000)
        help_text = "level of the rank ranges under the active design (default: as under the others)"
        add_option(parser, "--active-confidence C", SHARE, help_text)
        parser.add_argument(
            "--plot",
            metavar="F",
            help="write the plot to this SVG file",
        )
        add_resampling_arguments(parser, resamples=200)
        super().add_arguments(parser)

    def report(self, options: Options, progress: Progress) -> Report:
        plot = checked_output(options["plot"])
        source, judged = _source(options, progress)
        if "anytime" in options["rank_ranges"] and options["segments"]:
            refuse(
                "--rank-ranges anytime requires independent comparisons: remove --segments or anytime.",
            )
        target_pairs = options["target_pairs"]
        # No default target if only clusters are requested.
        if not target_pairs and not options["clusters"]:
            target_pairs = [0.9]
        study = DesignStudy(
            source=source,
            designs=tuple(dict.fromkeys(options["designs"])),
            ranges=tuple(dict.fromkeys(options["rank_ranges"])),
            target_pairs=target_pairs or [],
            clusters=options["clusters"],
            confidence=options["confidence"],
            active_confidence=options["active_confidence"],
            resamples=options["resamples"],
            floor=max(0.0, options["floor"]),
            limit=options["limit"],
            experiments=options["experiments"],
            seed=options["seed"],
        )
        comparison = compare_designs(
            study,
            engine=options["engine"],
            progress=progress.begin("Simulating"),
        )
        if plot is not None:
            with replaced(plot) as part:
                part.write_text(plot_of(comparison), encoding="utf-8")
        return comparison_report(comparison, judged)


def _source(
    options: Options,
    progress: Progress,
) -> tuple[JudgmentSource, Input | None]:
    if not options["files"]:
        systems = options["systems"] or _SYSTEMS
        noise = options["noise"] or _NOISE
        return model_of({**options, "systems": systems, "noise": noise}), None
    for name in ("systems", "noise", "segments", "tie_radius", "judge_noise"):
        if options[name]:
            refuse("Remove the options of the model: the files replace it.")
    judged = read_input(options, progress)
    return rates_of(tally(judged.blocks), per_block=options["per_block"]), judged
