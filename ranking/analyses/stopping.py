"""Forecast when systems will be told apart: whether to go on, and what one more system would cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.analyses.common import CONFIDENCE, SEED
from ranking.analyses.kind import AnalysisKind, Begin
from ranking.analyses.options import Option
from ranking.core.simulation.budget import Budget, plan_campaign, plan_from_start
from ranking.core.simulation.forecast import forecast_pairs
from ranking.core.simulation.futures import likely_futures
from ranking.core.simulation.noise import (
    CampaignCurve,
    NoiseNotEstimableError,
    campaign_curve,
    fit_noise,
)
from ranking.reports import Report
from ranking.reports.inputs import Input
from ranking.reports.stopping import StoppingFound, WhyNot, stopping_report

EXPERIMENTS = Option(
    name="experiments",
    label=gettext_lazy("Simulated campaigns"),
    default=200,
    low=40,
    high=1000,
)
LIMIT = Option(
    name="limit",
    label=gettext_lazy("Most judgments"),
    default=100_000,
    low=100,
    high=1_000_000,
    help=gettext_lazy(
        "Campaigns are simulated up to this number of judgments, those made so far included."
    ),
)
#: Shares of the pairs to be told apart.
TARGETS = (0.8, 0.9)
#: The figure looks ahead so many times as far as the campaign has come, at least and at most.
_AHEAD = (2.0, 20.0)
_POINTS_AHEAD = 16


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> StoppingFound:
    seed, confidence = options["seed"], options["confidence"]
    common = {"experiments": options["experiments"], "seed": seed}
    begin(_("Counting"))
    try:
        curve = campaign_curve(given.blocks, seed=seed)
    except NoiseNotEstimableError:
        return StoppingFound(why_not=WhyNot.NOTHING_DECIDED)
    per_judgment = curve.comparisons / len(given.blocks)
    try:
        fit = fit_noise(
            curve, confidence=confidence, progress=begin(_("Fitting the noise")), **common
        )
    except NoiseNotEstimableError:
        why_not = WhyNot.ALL_APART if curve.separated == 1 else WhyNot.NONE_APART
        return StoppingFound(why_not=why_not, curve=curve, per_judgment=per_judgment)
    futures = likely_futures(
        curve, fit, progress=begin(_("Simulating the campaign so far")), **common
    )
    how: dict[str, Any] = {
        "confidence": confidence,
        "limit": max(curve.comparisons, round(options["limit"] * per_judgment)),
        "seed": seed,
    }
    budget = plan_campaign(
        curve,
        fit,
        experiments=options["experiments"],
        futures=futures,
        targets=TARGETS,
        clusters=[curve.clusters + 1] if curve.clusters < curve.systems else [],
        progress=begin(_("Simulating what may come")),
        **how,
    )
    return StoppingFound(
        curve=curve,
        per_judgment=per_judgment,
        budget=budget,
        forecast=forecast_pairs(
            curve,
            futures,
            _points_ahead(curve, budget),
            confidence=confidence,
            seed=seed,
            progress=begin(_("Drawing what may come")),
        ),
        from_start=tuple(
            plan_from_start(
                curve,
                futures,
                more_systems=more,
                targets=TARGETS,
                progress=begin(_("Simulating one more system")),
                **how,
            )
            for more in (0, 1)
        ),
    )


def _points_ahead(curve: CampaignCurve, budget: Budget) -> list[float]:
    """Return comparisons from now on, evenly spaced, as far as the targets, if these are in sight."""
    least, most = (ahead * curve.comparisons for ahead in _AHEAD)
    known = [row.comparisons for row in budget.rows if row.comparisons is not None]
    end = min(max(least, *(1.25 * each for each in known)) if known else most, most, budget.limit)
    points: list[float] = np.linspace(curve.comparisons, end, _POINTS_AHEAD + 1)[1:].tolist()
    return points


def _tell(given: Input, options: Mapping[str, Any], found: StoppingFound) -> Report:
    del options
    return stopping_report(given, found)


STOPPING = AnalysisKind(
    name="stopping",
    title=gettext_lazy("When to stop"),
    question=gettext_lazy(
        "How many more judgments until most systems are told apart, and what would one more system cost?"
    ),
    options=(CONFIDENCE, EXPERIMENTS, LIMIT, SEED),
    find=_find,
    tell=_tell,
)
