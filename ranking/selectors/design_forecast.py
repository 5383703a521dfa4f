"""Forecast of a design: hours, money, separated pairs and clusters, each with an interval."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from django.db.models import F

from annotation.models import Design, JudgmentSequence
from annotation.sampling.parameters import DesignKind
from annotation.sampling.priorities import active_priorities_of_many
from annotation.selectors.designs import systems_drawn
from annotation.selectors.target import blocks_left_out
from annotation.selectors.words_to_read import DesignWords, blocks_read, design_words
from campaign.models import Task
from ranking.core.simulation.budget_curve import ActiveDraw, budget_curve
from ranking.core.simulation.work_ahead import ASSUMED_PACE, ReadingPace, reading_pace
from ranking.models import RankingRun
from ranking.selectors.runs import latest_run

#: Number of budgets in the plot; the last one is the maximum of the slider.
POINTS: Final = 25
#: Judgments per pair of systems at the end of the slider, unless the target is higher.
_JUDGMENTS_A_PAIR: Final = 100


class Estimate(NamedTuple):
    """An expected number with its 95% interval."""

    value: float
    low: float
    high: float

    def times(self, factor: float) -> "Estimate":
        """Return the estimate multiplied by a factor."""
        return Estimate(*(each * factor for each in self))


@dataclass(frozen=True, slots=True)
class BudgetForecast:
    """Cost and results of a number of judgments; None if there is nothing to rank. `cost` is None without a rate."""

    judgments: int
    hours: Estimate
    cost: Estimate | None
    pairs: Estimate
    clusters: Estimate


@dataclass(frozen=True, slots=True)
class DesignForecast:
    """The forecast of a design.

    Attributes
    ----------
    words : DesignWords
    systems : int
        Ranked systems, including those withdrawn since; only the chosen ones if the design is limited to some.
    all_systems : int
        Systems of the test set that a design of all systems would draw.
    pace : ReadingPace
        Seconds per word; assumed until enough is measured.
    judged : int
        Judgments so far that the forecast uses.
    comparisons : int
        Comparisons so far that the forecast of pairs and clusters extrapolates; 0 if it uses assumptions.
    first_share : float
        Share of judgments that are not repeats; repeats cost hours but do not help to separate systems.
    most : int
        Maximum of the slider, in judgments.
    segments_per_hit : int
    chosen : BudgetForecast
        Forecast for the requested budget.
    run : RankingRun or None
        The latest ranking.
    curve : sequence of BudgetForecast
        About `POINTS` budgets from 0 to `most`, in growing steps.
    """

    words: DesignWords
    systems: int
    all_systems: int
    pace: ReadingPace
    judged: int
    comparisons: int
    first_share: float
    most: int
    segments_per_hit: int
    chosen: BudgetForecast
    run: RankingRun | None
    curve: Sequence[BudgetForecast]

    @property
    def pairs(self) -> int:
        """Number of pairs of systems."""
        return self.systems * (self.systems - 1) // 2

    @property
    def seconds_a_block(self) -> Estimate:
        return _pace(self.pace).times(self.words.words)

    @property
    def seconds_a_hit(self) -> Estimate:
        return self.seconds_a_block.times(self.segments_per_hit)

    def at(self, judgments: float) -> BudgetForecast:
        """Return the forecast of a budget up to `most`, interpolated from the curve."""
        budgets = [row.judgments for row in self.curve]

        def between(name: str) -> Estimate | None:
            found = [getattr(row, name) for row in self.curve]
            if found[0] is None:
                return None
            ends = zip(*found, strict=True)
            return Estimate(
                *(float(np.interp(judgments, budgets, each)) for each in ends)
            )

        parts: Any = {
            name: between(name) for name in ("hours", "cost", "pairs", "clusters")
        }
        return BudgetForecast(judgments=round(judgments), **parts)

    def judgments_for(self, share: float) -> float | None:
        """Return the judgments needed to separate a share of the pairs; None if `most` is not enough."""
        wanted = share * self.pairs
        before = self.curve[0]
        for row in self.curve:
            if row.pairs.value >= wanted:
                gained = row.pairs.value - before.pairs.value
                if gained > 0:
                    part = (wanted - before.pairs.value) / gained
                else:
                    part = 0.0
                return before.judgments + max(0.0, part) * (
                    row.judgments - before.judgments
                )
            before = row
        return None

    @property
    def plotted(self) -> list[BudgetForecast]:
        """Eleven evenly spaced budgets from 0 to where most pairs are separated, at least to the requested budget."""
        last = self.curve[-1].pairs.value
        reached = next(
            row.judgments for row in self.curve if row.pairs.value >= 0.95 * last
        )
        end = _round_up(
            min(self.most, max(1.5 * reached, 1.25 * self.chosen.judgments, 10))
        )
        return [self.at(end * step / 10) for step in range(11)]

    @property
    def hours_a_judgment(self) -> float:
        return self.seconds_a_block.value / 3600


def design_forecast(
    *,
    task: Task,
    design: Design,
    judgments: int | None = None,
    hours: float | None = None,
    money: float | None = None,
    rate: float | None = None,
    is_from_scratch: bool = False,
) -> DesignForecast | None:
    """Forecast a design, saved or not; None if fewer than two systems can be ranked.

    The budget is a number of `judgments`, or the `hours` or `money` (at `rate` per hour) to spend;
    the default is the target of the test set, or a tenth of `most`. With `is_from_scratch`, existing
    judgments are ignored. Constant number of queries.
    """
    words = design_words(task=task, design=design)
    if words.systems < 2 or words.comparisons <= 0:
        return None
    pace = pace_of(task=task)
    # The result is large with many judges, so read it once.
    if is_from_scratch:
        run = None
    else:
        run = latest_run(task_id=task.pk)
    judged, (wins, ties, compared) = 0, (np.zeros((0, 0)), 0.0, 0)
    if not is_from_scratch:
        sequences = JudgmentSequence.objects.filter(task=task)
        counted = sequences.values_list(
            F("judged") - blocks_left_out("task"), flat=True
        )
        judged, (wins, ties, compared) = counted.first() or 0, _known(task, design, run)
    systems = max(words.systems, len(wins))
    # Repeats follow from the design's schedule.
    first_share = (
        (1 - design.inter_share) * (1 - design.intra_share) / design.redundancy
    )
    wanted = task.blocks_wanted
    pairs = systems * (systems - 1) // 2
    most = _round_up(max(2 * (wanted or 0), 2 * judged, _JUDGMENTS_A_PAIR * pairs))
    hours_each = pace.seconds * words.words / 3600
    if money is not None and rate:
        hours = money / rate
    if hours is not None:
        judgments = round(hours / hours_each)
    if judgments is None:
        judgments = wanted or max(judged, most // 10)
    chosen = max(0, min(judgments, 10 * most))
    # Budgets are closer together where they are small, because most pairs become separated there.
    steps = (
        np.geomspace(max(1.0, most / 500), most, POINTS - 1)
        .round()
        .astype(int)
        .tolist()
    )
    budgets = sorted({0, min(judged, most), chosen, *steps})
    before = judged if compared else 0
    comparisons = [
        compared + max(0, budget - before) * first_share * words.comparisons
        for budget in budgets
    ]
    curve = budget_curve(
        comparisons,
        systems=systems,
        per_block=max(2, round(words.candidates)),
        wins=wins if compared else None,
        ties=ties,
        # Other designs show all pairs equally often.
        active=ActiveDraw(active_priorities_of_many, floor=design.active_floor)
        if design.kind == DesignKind.ACTIVE
        else None,
    )
    hours_a_block = _pace(pace).times(words.words / 3600)
    pairs_apart = zip(curve.pairs, curve.pairs_low, curve.pairs_high, strict=True)
    clusters = zip(curve.clusters, curve.clusters_low, curve.clusters_high, strict=True)
    found = [
        BudgetForecast(
            judgments=budget,
            hours=hours_a_block.times(budget),
            cost=None if rate is None else hours_a_block.times(budget).times(rate),
            pairs=Estimate(*map(float, apart)),
            clusters=Estimate(*map(float, separate)),
        )
        for budget, apart, separate in zip(budgets, pairs_apart, clusters, strict=True)
    ]
    return DesignForecast(
        words=words,
        systems=systems,
        all_systems=systems_drawn(
            task=task, design=Design(reference_rate=design.reference_rate)
        ).count()
        if design.systems
        else systems,
        pace=pace,
        judged=judged,
        comparisons=compared,
        first_share=first_share,
        most=most,
        segments_per_hit=design.segments_per_hit,
        chosen=found[budgets.index(chosen)],
        run=run,
        curve=[each for each in found if each.judgments <= most],
    )


def pace_of(*, task: Task) -> ReadingPace:
    """Return the pace measured in a test set, otherwise in its campaign, otherwise the assumed one."""
    own = blocks_read(task=task)
    measured = reading_pace(own.judges, own.words, own.seconds)
    if measured is not None:
        return measured
    others = Task.objects.filter(test_set__campaign=task.test_set.campaign_id).exclude(
        pk=task.pk
    )
    beside = others.select_related("test_set__campaign")[:10]
    found = [own, *(blocks_read(task=each) for each in beside)]
    together = (
        list(chain.from_iterable(getattr(each, name) for each in found))
        for name in ("judges", "words", "seconds")
    )
    return reading_pace(*together) or ASSUMED_PACE


def _known(
    task: Task, design: Design, run: RankingRun | None
) -> tuple[npt.NDArray[np.float64], float, int]:
    """Return the comparisons of the latest ranking: `wins[a, b]` of a against b, ties, and the number of both."""
    systems = systems_drawn(task=task, design=design)
    result = {"systems": [], "pairs": []} if run is None else run.result
    ranked = [row["system"] for row in result["systems"]]
    drawn = list(systems.order_by("name").values_list("name", flat=True))
    # A ranking under an earlier design with other systems does not apply to the selected ones.
    if design.systems:
        names = drawn
    else:
        names = list(dict.fromkeys([*ranked, *drawn]))
    at = {name: place for place, name in enumerate(names)}
    wins = np.zeros((len(names), len(names)))
    ties = 0.0
    for (one, other), pair in zip(
        combinations(ranked, 2), result["pairs"], strict=False
    ):
        if one in at and other in at:
            better = at[one]
            worse = at[other]
            wins[better, worse], wins[worse, better] = pair[0], pair[1]
            ties += pair[2]
    return wins, ties, round(float(wins.sum()) + ties) if wins.any() else 0


def _pace(pace: ReadingPace) -> Estimate:
    return Estimate(pace.seconds, pace.low, pace.high)


def _round_up(number: float) -> int:
    """Round up to two significant digits, at least to 100."""
    size: int = 10 ** max(1, len(str(round(number))) - 2)
    return max(100, -(-round(number) // size) * size)
