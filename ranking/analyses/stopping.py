"""Forecast when systems will be told apart: whether to go on, and what one more system would cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.sampling.priorities import active_priorities_of_many
from ranking.analyses.common import CONFIDENCE, SEED
from ranking.analyses.kind import AnalysisKind, Begin
from ranking.analyses.options import Option
from ranking.core.simulation.budget import Budget, plan_campaign, plan_from_start
from ranking.core.simulation.budget_curve import ActiveDraw, needs_of_design
from ranking.core.simulation.noise import (
    CampaignCurve,
    NoiseNotEstimableError,
    campaign_curve,
    fit_noise,
    forecast_pairs,
    likely_futures,
)
from ranking.core.simulation.work_ahead import (
    ASSUMED_PACE,
    Ahead,
    ReadingPace,
    days_ahead,
    hours_ahead,
    judgments_ahead,
    pace_of_judges,
)
from ranking.reports import Report
from ranking.reports.inputs import Input
from ranking.reports.stopping import stopping_report
from ranking.reports.work import WorkFacts
from ranking.reports.work_ahead import DesignAhead, StoppingFound, TargetAhead, WhyNot

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


#: Of designs whose judgments choose pairs, the share of blocks that are drawn as balanced ones.
_FLOOR = 0.1
_FEW, _MANY = 2, 5


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> StoppingFound:
    found = _forecast(given, options, begin)
    if given.work is None:
        return found
    return replace(
        found,
        pace=_pace(given.work, found.per_judgment),
        ahead=_ahead(found, given.work, options),
        designs=_designs(given, options, found, begin),
    )


def _forecast(given: Input, options: Mapping[str, Any], begin: Begin) -> StoppingFound:
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


def _pace(work: WorkFacts, per_judgment: float) -> ReadingPace | None:
    """Return the pace by judgments: measured, otherwise assumed by the words of a block; None without texts."""
    blocks, _words, seconds = work.of_judges
    measured = pace_of_judges(blocks, seconds, blocks=sum(blocks))
    if measured is not None:
        return measured
    # So many candidates make so many comparisons.
    words = work.words((1 + np.sqrt(1 + 8 * per_judgment)) / 2)
    return None if not words else ASSUMED_PACE.times(float(words))


def _pace_of_words(work: WorkFacts) -> ReadingPace:
    blocks, words, seconds = work.of_judges
    return pace_of_judges(words, seconds, blocks=sum(blocks)) or ASSUMED_PACE


def _ahead(found: StoppingFound, work: WorkFacts, options: Mapping[str, Any]) -> list[TargetAhead]:
    """Return what each target and each number of judgments that was fixed takes from now on."""
    needs: list[tuple[str, float, list[float]]] = []
    if found.budget is not None and found.curve is not None:
        now = found.curve.comparisons
        needs = [
            (
                row.measure,
                row.target,
                [max(0.0, (need - now) / found.per_judgment) for need in reached],
            )
            for row, reached in zip(found.budget.rows, found.budget.needs, strict=True)
        ]
    if work.wanted:
        needs.append(("wanted", work.wanted, [max(0.0, float(work.wanted - work.judged))]))
    if work.rule_judgments:
        needs.append(("rule", work.rule_judgments, [work.rule_more]))
    confidence, pace = options["confidence"], _pace(work, found.per_judgment)
    return [
        _target_ahead(measure, target, more, work=work, pace=pace, confidence=confidence)
        for measure, target, more in needs
    ]


def _target_ahead(
    measure: str,
    target: float,
    more: list[float],
    *,
    work: WorkFacts,
    pace: ReadingPace | None,
    confidence: float,
) -> TargetAhead:
    # A rule looks at judgments that count; hours and days are of those that everybody makes meanwhile.
    made = [work.of_everybody(each) for each in more] if measure == "rule" else more
    return TargetAhead(
        measure=measure,
        target=target,
        judgments=judgments_ahead(more, confidence=confidence),
        hours=None if pace is None else hours_ahead(made, pace, confidence=confidence),
        days=_days(made, work, confidence),
    )


def _days(more: Sequence[float], work: WorkFacts, confidence: float) -> Ahead | None:
    if not work.days:
        return None
    # Days are counted from midnight, when what was judged today was still to come.
    left = [each + work.today if each else 0.0 for each in more]
    return days_ahead(left, work.days, confidence=confidence)


def _designs(
    given: Input, options: Mapping[str, Any], forecast: StoppingFound, begin: Begin
) -> list[DesignAhead]:
    """Return what designs would take from now on, on the systems and the noise of this campaign.

    Of the shares of pairs that are not reached yet.
    """
    tallies, work, curve = given.tallies, given.work, forecast.curve
    if work is None or curve is None or forecast.budget is None or not tallies.wins.any():
        return []
    targets = [share for share in TARGETS if curve.separated < share]
    if not targets:
        return []
    pace = _pace_of_words(work)
    active = ActiveDraw(active_priorities_of_many, floor=_FLOOR)
    many = min(_MANY, work.most_shown, len(tallies.systems))
    # Blocks that show all systems leave nothing to choose.
    designs = [(many, False), (_FEW, False), (many, True), (_FEW, True)]
    offered = [
        (shown, chooses)
        for shown, chooses in dict.fromkeys(designs)
        if not chooses or shown < len(tallies.systems)
    ]
    progress = begin(_("Comparing designs"))
    found = []
    for number, (shown, chooses) in enumerate(offered, 1):
        words = work.words(shown)
        needs = needs_of_design(
            tallies,
            per_block=shown,
            targets=targets,
            limit=options["limit"],
            confidence=options["confidence"],
            active=active if chooses else None,
            seed=options["seed"],
        )
        found += [
            DesignAhead(
                shown=shown,
                chooses=chooses,
                need=need,
                seconds=None if words is None else pace.seconds * words,
            )
            for need in needs
        ]
        progress(number, len(offered))
    return found


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
        "How many more judgments, hours and days until most systems are told apart, would another design take fewer, and what would one more system cost?"
    ),
    options=(CONFIDENCE, EXPERIMENTS, LIMIT, SEED),
    needs_work=True,
    shows_rule=True,
    find=_find,
    tell=_tell,
)
