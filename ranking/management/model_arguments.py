"""The arguments of Koehn's generative model."""

from __future__ import annotations

import math

from django.core.management.base import CommandParser

from ranking.core.simulation.model import Model
from ranking.management.arguments import POSITIVE, number_between, whole_number
from ranking.management.file_command import Options

_NOT_NEGATIVE = number_between(-math.ulp(0), math.inf)


def add_model_arguments(parser: CommandParser, *, systems: int | None, noise: float | None) -> None:
    """Add the model's parameters; `systems` and `noise` are their defaults."""
    parser.add_argument(
        "--systems", metavar="N", type=whole_number(2), default=systems, help="number of systems"
    )
    parser.add_argument(
        "--noise",
        metavar="S",
        type=number_between(0, math.inf),
        default=noise,
        help="standard deviation of an output's quality around its system's, which is in 0 … 10",
    )
    parser.add_argument(
        "--per-block",
        metavar="N",
        type=whole_number(2, 5),
        default=5,
        help="outputs a block shows (default: 5)",
    )
    parser.add_argument(
        "--tie-radius",
        metavar="D",
        type=_NOT_NEGATIVE,
        default=0.0,
        help="difference in quality within which a judge sees a tie (default: 0)",
    )
    parser.add_argument(
        "--judge-noise",
        metavar="S",
        type=_NOT_NEGATIVE,
        default=0.0,
        help="standard deviation of what a judge perceives (default: 0)",
    )
    parser.add_argument(
        "--segments",
        metavar="N",
        type=POSITIVE,
        help="size of the test set whose outputs blocks share (default: each block has its own)",
    )


def model_of(options: Options) -> Model:
    """Return the requested model."""
    return Model(
        systems=options["systems"],
        noise=options["noise"],
        per_block=options["per_block"],
        tie_radius=options["tie_radius"],
        judge_noise=options["judge_noise"],
        segments=options["segments"],
    )
