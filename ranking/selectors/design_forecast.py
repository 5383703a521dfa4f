"""Forecast of a design: hours and money, and for comparisons separated pairs and clusters, each with an interval."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from math import ceil
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from django.db.models import F

from annotation.models import Design, JudgmentSequence
from annotation.protocols.answer_kinds import (
    AnswerKind,
    ScoresOneOutput,
    answer_kind_of,
)
from annotation.sampling.parameters import DesignKind
from annotation.sampling.priorities import active_priorities_of_many
from annotation.selectors.designs import systems_drawn
from annotation.selectors.target import blocks_left_out
from annotation.selectors.words_to_read import DesignWords, blocks_read, design_words
from campaign.models import Task
from ranking.core.simulation.budget_curve import ActiveDraw, BudgetCurve, budget_curve
from ranking.core.simulation.work_ahead import ASSUMED_PACE, ReadingPace, reading_pace
from ranking.models import RankingRun
from ranking.reports.wording.ranges import systems_of
from ranking.selectors.runs import latest_run

#: Number of budgets in the plot; the last one is the maximum of the slider.
POINTS: Final = 25
#: Judgments per pair of systems at the end of the slider, unless the target is higher.
_JUDGMENTS_A_PAIR: Final = 100
#: Answers to each output at the end of the slider, in rounds as planned.
_ROUNDS: Final = 4

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Budget:
    """A number of `judgments`, or the `hours` or `money` (at `rate` per hour) to spend.

    The default is the target of the test set, or a tenth of the forecast's `most`.
    """

    judgments: int | None = None
    hours: float | None = None
    money: float | None = None
    rate: float | None = None

    def in_judgments(self, hours_per_judgment: float) -> int | None:
        """Return the number of judgments that the budget buys; None for the default."""
        hours = self.hours
        if self.money is not None and self.rate:
            hours = self.money / self.rate
        if hours is None:
            return self.judgments
        return round(hours / hours_per_judgment)


DEFAULT_BUDGET: Final = Budget()


def _no_wins() -> FloatArray:
    return np.zeros((0, 0))


@dataclass(frozen=True, slots=True)
class _Basis:
    """Starting point of a forecast: judgments so far, and comparisons of the latest ranking.

    `wins[a, b]` are those of a against b; `comparisons` is the number of wins and ties.
    """

    run: RankingRun | None = None
    judged: int = 0
    wins: FloatArray = field(default_factory=_no_wins)
    ties: float = 0.0
    comparisons: int = 0


class Estimate(NamedTuple):
    """An expected number with its 95% interval."""

    value: float
    low: float
    high: float

    def times(self, factor: float) -> "Estimate":
        """Return the estimate multiplied by a factor."""
        return Estimate(self.value * factor, self.low * factor, self.high * factor)


@dataclass(frozen=True, slots=True)
class BudgetForecast:
    """Cost and results of a number of judgments.

    `cost` is None without a rate, and `pairs` and `clusters` are None for tasks whose answers are no comparisons, see
    `counts_pairs`.
    """

    judgments: int
    hours: Estimate
    cost: Estimate | None
    pairs: Estimate | None
    clusters: Estimate | None


@dataclass(frozen=True, slots=True)
class DesignForecast:
    """The forecast of a design.

    Attributes
    ----------
    block_averages : DesignWords
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

    block_averages: DesignWords
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
    def counts_pairs(self) -> bool:
        """True if separated pairs and clusters are forecast."""
        return self.chosen.pairs is not None

    @property
    def pairs(self) -> int:
        """Number of pairs of systems."""
        return self.systems * (self.systems - 1) // 2

    @property
    def seconds_a_block(self) -> Estimate:
        return _pace(self.pace).times(self.block_averages.words)

    @property
    def seconds_a_hit(self) -> Estimate:
        return self.seconds_a_block.times(self.segments_per_hit)

    def of_budget(self, judgments: float) -> BudgetForecast:
        """Return the forecast of a budget up to `most`, interpolated from the curve."""
        hours = self._interpolated_estimate("hours", judgments)
        assert hours is not None  # noqa: S101  every budget has hours
        return BudgetForecast(
            judgments=round(judgments),
            hours=hours,
            cost=self._interpolated_estimate("cost", judgments),
            pairs=self._interpolated_estimate("pairs", judgments),
            clusters=self._interpolated_estimate("clusters", judgments),
        )

    def _interpolated_estimate(self, name: str, judgments: float) -> Estimate | None:
        if getattr(self.chosen, name) is None:
            return None
        budgets = [row.judgments for row in self.curve]
        estimates = np.array([getattr(row, name) for row in self.curve])
        value, low, high = (np.interp(judgments, budgets, end) for end in estimates.T)
        return Estimate(float(value), float(low), float(high))

    def judgments_for(self, share: float) -> float | None:
        """Return the judgments needed to separate a share of the pairs; None if `most` is not enough."""
        target_pairs = share * self.pairs
        before = 0
        pairs_before = 0.0
        for judgments, pairs in self.separated:
            if pairs >= target_pairs:
                missing = max(0.0, target_pairs - pairs_before)
                gained = pairs - pairs_before
                part = missing / gained if gained > 0 else 0.0
                return before + part * (judgments - before)
            before = judgments
            pairs_before = pairs
        return None

    @property
    def separated(self) -> list[tuple[int, float]]:
        """The budgets of the curve, each with the expected number of separated pairs."""
        return [
            (row.judgments, row.pairs.value)
            for row in self.curve
            if row.pairs is not None
        ]

    @property
    def plotted(self) -> list[BudgetForecast]:
        """Eleven evenly spaced budgets from 0 to where most pairs are separated, at least to the requested budget."""
        separated = self.separated
        most_pairs = 0.95 * separated[-1][1]
        reached = next(
            judgments for judgments, pairs in separated if pairs >= most_pairs
        )
        extent = max(1.5 * reached, 1.25 * self.chosen.judgments, 10)
        end = _round_up(min(self.most, extent))
        return [self.of_budget(end * step / 10) for step in range(11)]

    @property
    def hours_a_judgment(self) -> float:
        return self.seconds_a_block.value / 3600


def counts_pairs(kind: AnswerKind) -> bool:
    """Return whether separated pairs and clusters are forecast: not for scores, which no test of comparisons fits."""
    return kind.compares_outputs and not isinstance(kind, ScoresOneOutput)


def design_forecast(
    *,
    task: Task,
    design: Design,
    budget: Budget = DEFAULT_BUDGET,
    is_from_scratch: bool = False,
    kind: AnswerKind | None = None,
) -> DesignForecast | None:
    """Forecast a design, saved or not; None if no block can be drawn, or if fewer than two systems can be ranked.

    With `is_from_scratch`, existing judgments are ignored. `kind` are the answers of another protocol, for a task still to be
    added. Constant number of queries.
    """
    kind = kind or answer_kind_of(task)
    has_pairs = counts_pairs(kind)
    block_averages = design_words(task=task, design=design)
    if not block_averages.candidates:
        return None
    if has_pairs and (block_averages.systems < 2 or block_averages.comparisons <= 0):
        return None
    pace = pace_of(task=task)
    if is_from_scratch:
        basis = _Basis()
    else:
        basis = _basis(task, design)
    systems = max(block_averages.systems, len(basis.wins))
    hours_per_block = _pace(pace).times(block_averages.words / 3600)
    judgments = budget.in_judgments(pace.seconds * block_averages.words / 3600)
    if has_pairs:
        budgets = _budgets_of_pairs(task, basis.judged, systems, judgments)
    else:
        budgets = _budgets_of_rounds(
            task,
            basis.judged,
            _round(kind, design, block_averages),
            judgments,
        )
    # Repeats follow from the design's schedule.
    first_share = (1 - design.inter_share) * (1 - design.intra_share)
    first_share /= design.redundancy
    pairs: Sequence[Estimate | None] = [None] * len(budgets.all)
    clusters = pairs
    if has_pairs:
        gained = first_share * block_averages.comparisons
        curve = _separation(design, budgets, basis, block_averages, gained)
        pairs = _estimates(curve.pairs, curve.pairs_low, curve.pairs_high)
        clusters = _estimates(curve.clusters, curve.clusters_low, curve.clusters_high)
    forecasts = []
    for index, budgeted in enumerate(budgets.all):
        hours = hours_per_block.times(budgeted)
        cost = None
        if budget.rate is not None:
            cost = hours.times(budget.rate)
        forecasts.append(
            BudgetForecast(budgeted, hours, cost, pairs[index], clusters[index]),
        )
    all_systems = systems
    if design.systems:
        unlimited = Design(reference_rate=design.reference_rate)
        all_systems = systems_drawn(task=task, design=unlimited).count()
    return DesignForecast(
        block_averages=block_averages,
        systems=systems,
        all_systems=all_systems,
        pace=pace,
        judged=basis.judged,
        comparisons=basis.comparisons,
        first_share=first_share,
        most=budgets.most,
        segments_per_hit=design.segments_per_hit,
        chosen=forecasts[budgets.all.index(budgets.chosen)],
        run=basis.run,
        curve=[row for row in forecasts if row.judgments <= budgets.most],
    )


def _active_draw(floor: float | None) -> ActiveDraw | None:
    if floor is None:
        return None
    return ActiveDraw(active_priorities_of_many, floor=floor)


@lru_cache(maxsize=100)
def _curve_before_comparisons(
    comparisons: tuple[float, ...],
    systems: int,
    per_block: int,
    active_floor: float | None,
) -> BudgetCurve:
    """Return the curve of a task without comparisons.

    It is cached because a design page has one for each preset, which takes a quarter of a second.
    """
    return budget_curve(
        comparisons,
        systems=systems,
        per_block=per_block,
        active=_active_draw(active_floor),
    )


class _Budgets(NamedTuple):
    """Numbers of judgments to forecast, sorted: `chosen`, and steps up to `most`."""

    all: list[int]
    chosen: int
    most: int


def _budgets_of_pairs(
    task: Task,
    judged: int,
    systems: int,
    judgments: int | None,
) -> _Budgets:
    target = task.blocks_wanted or 0
    pairs = systems * (systems - 1) // 2
    most = _round_up(max(2 * target, 2 * judged, _JUDGMENTS_A_PAIR * pairs))
    if judgments is None:
        judgments = target or max(judged, most // 10)
    return _budgets(judged, judgments, most)


def _budgets_of_rounds(
    task: Task,
    judged: int,
    judgments_a_round: int,
    judgments: int | None,
) -> _Budgets:
    target = task.blocks_wanted or 0
    most = _round_up(max(2 * target, 2 * judged, _ROUNDS * judgments_a_round))
    if judgments is None:
        judgments = target or max(judged, judgments_a_round)
    return _budgets(judged, judgments, most)


def _budgets(judged: int, judgments: int, most: int) -> _Budgets:
    chosen = max(0, min(judgments, 10 * most))
    # Budgets are closer together where they are small, because most pairs become separated there.
    steps = np.geomspace(max(1.0, most / 500), most, POINTS - 1).round()
    budgets = {0, min(judged, most), chosen, *steps.astype(int).tolist()}
    return _Budgets(sorted(budgets), chosen, most)


def _round(kind: AnswerKind, design: Design, averages: DesignWords) -> int:
    """Return the number of judgments after which each output has been answered as often as planned."""
    answers = design.redundancy
    if kind.passes is not None:
        answers = kind.passes.raters * kind.passes.count
    outputs = averages.segments * averages.systems
    return ceil(answers * outputs / averages.candidates)


def _separation(
    design: Design,
    budgets: _Budgets,
    basis: _Basis,
    averages: DesignWords,
    comparisons_per_judgment: float,
) -> BudgetCurve:
    """Return the pairs and clusters that the budgets separate."""
    judged_before = basis.judged if basis.comparisons else 0
    comparisons = []
    for budgeted in budgets.all:
        new_judgments = max(0, budgeted - judged_before)
        comparisons.append(basis.comparisons + new_judgments * comparisons_per_judgment)
    # Other designs show all pairs equally often.
    active_floor = design.active_floor if design.kind == DesignKind.ACTIVE else None
    systems = max(averages.systems, len(basis.wins))
    per_block = max(2, round(averages.candidates))
    if not basis.comparisons and not basis.ties:
        return _curve_before_comparisons(
            tuple(comparisons),
            systems,
            per_block,
            active_floor,
        )
    return budget_curve(
        comparisons,
        systems=systems,
        per_block=per_block,
        wins=basis.wins if basis.comparisons else None,
        ties=basis.ties,
        active=_active_draw(active_floor),
    )


def _estimates(
    values: FloatArray,
    lows: FloatArray,
    highs: FloatArray,
) -> list[Estimate]:
    columns = zip(values, lows, highs, strict=True)
    return [
        Estimate(float(value), float(low), float(high)) for value, low, high in columns
    ]


def pace_of(*, task: Task) -> ReadingPace:
    """Return the pace measured in a test set, otherwise in its campaign, otherwise the assumed one."""
    blocks = blocks_read(task=task)
    measured = reading_pace(blocks.judges, blocks.words, blocks.seconds)
    if measured is not None:
        return measured
    judges = list(blocks.judges)
    words = list(blocks.words)
    seconds = list(blocks.seconds)
    tasks = Task.objects.filter(test_set__campaign=task.test_set.campaign_id)
    others = tasks.exclude(pk=task.pk).select_related("test_set__campaign")
    for other in others[:10]:
        blocks = blocks_read(task=other)
        judges += blocks.judges
        words += blocks.words
        seconds += blocks.seconds
    return reading_pace(judges, words, seconds) or ASSUMED_PACE


def _basis(task: Task, design: Design) -> _Basis:
    """Return the judgments and comparisons so far."""
    # The result is large with many judges, so read it once.
    run = latest_run(task_id=task.pk)
    counted = F("judged") - blocks_left_out("task")
    sequences = JudgmentSequence.objects.filter(task=task)
    judged = sequences.values_list(counted, flat=True).first() or 0
    ranked = [] if run is None else systems_of(run.result["systems"])
    by_name = systems_drawn(task=task, design=design).order_by("name")
    names = list(by_name.values_list("name", flat=True))
    # A ranking under an earlier design with other systems does not apply to the selected ones.
    if not design.systems:
        names = list(dict.fromkeys([*ranked, *names]))
    index_of = {name: index for index, name in enumerate(names)}
    wins = np.zeros((len(names), len(names)))
    ties = 0.0
    pairs = [] if run is None else run.result["pairs"]
    for (better, worse), pair in zip(combinations(ranked, 2), pairs, strict=False):
        if better in index_of and worse in index_of:
            row = index_of[better]
            column = index_of[worse]
            wins[row, column] = pair[0]
            wins[column, row] = pair[1]
            ties += pair[2]
    comparisons = 0
    if wins.any():
        comparisons = round(float(wins.sum()) + ties)
    return _Basis(run, judged, wins, ties, comparisons)


def _pace(pace: ReadingPace) -> Estimate:
    return Estimate(pace.seconds, pace.low, pace.high)


def _round_up(number: float) -> int:
    """Round up to two significant digits, at least to 100."""
    whole = round(number)
    unit: int = 10 ** max(1, len(str(whole)) - 2)
    units = -(-whole // unit)
    return max(100, units * unit)
