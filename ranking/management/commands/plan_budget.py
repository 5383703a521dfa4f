"""`plan_budget`: compute the number of judgments needed to separate systems."""

from typing import Any

from django.core.management.base import CommandParser

from campaign.management.files import Progress
from ranking.core.simulation.budget import Budget, plan_budget, plan_campaign
from ranking.core.simulation.noise import (
    NoiseNotEstimableError,
    campaign_curve,
    fit_noise,
)
from ranking.management.file_command import (
    POSITIVE,
    SHARE,
    Options,
    ReportCommand,
    add_file_arguments,
    add_model_arguments,
    add_option,
    add_target_arguments,
    model_of,
    read_input,
    refuse,
)
from ranking.reports import Report
from ranking.reports.inputs import Input
from ranking.reports.simulations import budget_report

_TARGETS = [0.5, 0.7, 0.8, 0.9]


class Command(ReportCommand):
    help = (
        "Estimate the comparisons needed to separate a share of system pairs or to reach a number of "
        "clusters, before a campaign (--systems, --noise) or from its judgments so far (FILE). Needs no "
        "database."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_file_arguments(parser, optional=True, short=False)
        add_model_arguments(parser, systems=None, noise=None)
        add_target_arguments(parser, "--target", "0.5 0.7 0.8 0.9")
        add_option(
            parser,
            "--experiments",
            POSITIVE,
            "simulated campaigns",
            default=200,
        )
        add_option(
            parser,
            "--confidence",
            SHARE,
            "confidence of the intervals",
            default=0.95,
        )
        help_text = "maximum comparisons per simulation"
        add_option(parser, "--limit N", POSITIVE, help_text, default=4_000_000)
        super().add_arguments(parser)

    def report(self, options: Options, progress: Progress) -> Report:
        how: dict[str, Any] = {
            name: options[name]
            for name in ("clusters", "experiments", "confidence", "limit")
        }
        # No default target if only clusters are requested.
        how["targets"] = options["target"] or ([] if options["clusters"] else _TARGETS)
        how["seed"], how["engine"] = options["seed"], options["engine"]
        if not options["files"]:
            if options["systems"] is None or options["noise"] is None:
                refuse("Specify --systems and --noise, or files.")
            planned = plan_budget(
                model_of(options),
                **how,
                progress=progress.begin("Simulating"),
            )
            return budget_report(planned, None)
        judged = read_input(options, progress)
        try:
            budget = _budget_from_campaign(judged, options, how, progress)
        except NoiseNotEstimableError as error:
            refuse(
                f"The noise of these judgments cannot be estimated: {error}. Collect more, or plan without files, "
                "with --systems and --noise.",
                error,
            )
        return budget_report(budget, judged)


def _budget_from_campaign(
    judged: Input,
    options: Options,
    how: dict[str, Any],
    progress: Progress,
) -> Budget:
    if options["noise"] is not None or options["systems"] is not None:
        refuse("Remove --systems and --noise: the files determine them.")
    common = {
        name: how[name] for name in ("experiments", "confidence", "seed", "engine")
    }
    curve = campaign_curve(judged.blocks, seed=how["seed"])
    fit = fit_noise(curve, **common, progress=progress.begin("Fitting the noise"))
    return plan_campaign(curve, fit, **how, progress=progress.begin("Simulating"))
