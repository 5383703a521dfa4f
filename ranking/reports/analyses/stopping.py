"""Forecast the separation of systems: whether to continue, and the cost of another system."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import partial
from operator import attrgetter, itemgetter
from typing import Final, NamedTuple

import numpy as np
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.sampling.priorities import active_priorities_of_many
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.core.rankings.rank import Ranking, rank
from ranking.core.simulation.budget import (
    Budget,
    BudgetRow,
    plan_campaign,
    plan_from_start,
)
from ranking.core.simulation.budget_curve import ActiveDraw, DesignNeed, needs_of_design
from ranking.core.simulation.noise import (
    CampaignCurve,
    Forecast,
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
from ranking.reports.analyses.kind import (
    AnalysisKind,
    Begin,
    Need,
    Progress,
    converging,
)
from ranking.reports.analyses.options import CONFIDENCE, SEED, AnalysisOptions, Option
from ranking.reports.analyses.ranking import limits_of
from ranking.reports.inputs import Input, WorkFacts, report_on
from ranking.reports.plots import LinePlot, interval_plot
from ranking.reports.range_choices import count_told_apart
from ranking.reports.simulations import budget_data, budget_notes
from ranking.reports.tables import (
    Column,
    Report,
    ReportData,
    Table,
    Value,
    end_columns,
    of_optional,
    of_part,
)
from ranking.reports.wording.numbers import decimals, in_figures, percent
from ranking.reports.wording.ranges import count_clusters, told_apart_notes
from ranking.reports.wording.stopping_rules import clusters_so_far, counting_in_words

#: `alpha` of the sign tests that forecasts count (`ranking.core.simulation.measures`).
SIGN_TEST_LEVEL: Final = 0.05

EXPERIMENTS = Option(
    name="experiments",
    label=gettext_lazy("Simulated campaigns"),
    default=200,
    low=40,
    high=1000,
)
LIMIT = Option(
    name="limit",
    label=gettext_lazy("Maximum judgments"),
    default=100_000,
    low=100,
    high=1_000_000,
    help=gettext_lazy(
        "Simulated campaigns end at this number, including judgments so far.",
    ),
)
#: Target shares of separated pairs.
TARGETS = (0.8, 0.9)
#: Minimum and maximum horizon of the figure, as multiples of the campaign's progress.
_AHEAD = (2.0, 20.0)
_POINTS_AHEAD = 16
#: Share of balanced blocks in designs whose judgments choose pairs.
_FLOOR = 0.1
_FEW = 2
_MANY = 5


class WhyNot(StrEnum):
    """Reasons why nothing can be forecast."""

    NOTHING_DECIDED = "nothing_decided"
    NONE_APART = "none_apart"
    ALL_APART = "all_apart"


@dataclass(frozen=True, kw_only=True)
class DesignAhead:
    """Remaining effort with a design, given the block size and the seconds per block."""

    shown: int
    chooses: bool
    need: DesignNeed
    seconds: float | None

    def hours(self, judgments: float | None) -> float | None:
        """Return the hours needed for a number of judgments."""
        if judgments is None or self.seconds is None:
            return None
        return judgments * self.seconds / 3600


@dataclass(frozen=True, kw_only=True)
class TargetAhead:
    """Remaining effort until a target; no hours if the pace is unknown, and no days without days of work."""

    measure: str
    target: float
    judgments: Ahead
    hours: Ahead | None
    days: Ahead | None

    @property
    def in_words(self) -> str:
        """The target in words."""
        return _target_in_words(self.measure, self.target)

    @property
    def is_chosen(self) -> bool:
        """True if organisers chose the target."""
        return self.measure in ("rule", "wanted")


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetJudgments:
    """A row of a budget in judgments."""

    measure: str
    target: float
    comparisons: int | None
    low: int | None
    high: int | None
    more: int | None
    beyond: float | None

    @property
    def in_words(self) -> str:
        """The target in words."""
        return _target_in_words(self.measure, self.target)


@dataclass(frozen=True, eq=False, kw_only=True)
class StoppingFindings:
    """A forecast, or the reason for having none.

    Attributes
    ----------
    why_not : WhyNot or None
    ranking : Ranking
        The ranking of these judgments by the settings of the task, whose tests tell pairs apart.
    curve : CampaignCurve or None
        None if no comparison is decided.
    per_judgment : float
        Average number of comparisons per judgment, including ties.
    budget : Budget or None
    forecast : Forecast or None
    from_start : tuple of sequences of BudgetRow
        Requirements of similar campaigns from the first judgment on, with as many systems and with one more; empty
        without a forecast.
    pace : ReadingPace or None
        Seconds per judgment; None if unknown.
    ahead : sequence of TargetAhead
    designs : sequence of DesignAhead
    """

    why_not: WhyNot | None = None
    ranking: Ranking | None = None
    curve: CampaignCurve | None = None
    per_judgment: float = 0.0
    budget: Budget | None = None
    forecast: Forecast | None = None
    from_start: tuple[Sequence[BudgetRow], ...] = ()
    pace: ReadingPace | None = None
    ahead: Sequence[TargetAhead] = ()
    designs: Sequence[DesignAhead] = ()

    def judgments(self, comparisons: float | None) -> int | None:
        """Return the judgments needed for a number of comparisons, including ties."""
        if comparisons is None:
            return None
        return round(comparisons / self.per_judgment)

    def in_judgments(self, rows: Sequence[BudgetRow]) -> list[TargetJudgments]:
        """Return the rows of a budget in judgments."""
        targets = []
        for row in rows:
            targets.append(
                TargetJudgments(
                    measure=row.measure,
                    target=row.target,
                    comparisons=self.judgments(row.comparisons),
                    low=self.judgments(row.low),
                    high=self.judgments(row.high),
                    more=self.judgments(row.more),
                    beyond=row.beyond,
                ),
            )
        return targets

    @property
    def fitted_curve(self) -> list[float] | None:
        """The curve predicted by the fitted model, at the same points as the campaign's own curve."""
        if self.budget is None or self.budget.fit is None:
            return None
        simulated: list[float] = self.budget.fit.simulated.tolist()
        return simulated


def _find(inputs: Input, options: AnalysisOptions, begin: Begin) -> StoppingFindings:
    answer = replace(_forecast(inputs, options, begin), ranking=_ranking(inputs))
    if inputs.work is None:
        return answer
    return replace(
        answer,
        pace=_pace(inputs.work, answer.per_judgment),
        ahead=_ahead(answer, inputs.work, options),
        designs=_designs(inputs, options, answer, begin),
    )


def _ranking(inputs: Input) -> Ranking:
    """Rank by the settings of the task, or by the defaults."""
    ranked_by = None if inputs.work is None else inputs.work.ranked_by
    if ranked_by is None:
        return rank(inputs.blocks)
    with converging(ranked_by["method"]):
        return rank(
            inputs.blocks,
            ranked_by["method"],
            parameters=ranked_by["method_parameters"],
            seed=ranked_by["seed"],
            **asdict(RangeOptions.from_record(ranked_by)),
        )


def _forecast(
    inputs: Input,
    options: AnalysisOptions,
    begin: Begin,
) -> StoppingFindings:
    seed = options[SEED]
    confidence = options[CONFIDENCE]
    experiments = options[EXPERIMENTS]
    begin(_("Counting"))
    try:
        curve = campaign_curve(inputs.blocks, seed=seed)
    except NoiseNotEstimableError:
        return StoppingFindings(why_not=WhyNot.NOTHING_DECIDED)
    per_judgment = curve.comparisons / len(inputs.blocks)
    try:
        fit = fit_noise(
            curve,
            confidence=confidence,
            experiments=experiments,
            seed=seed,
            progress=begin(_("Fitting the noise")),
        )
    except NoiseNotEstimableError:
        why_not = WhyNot.ALL_APART if curve.separated == 1 else WhyNot.NONE_APART
        return StoppingFindings(why_not=why_not, curve=curve, per_judgment=per_judgment)

    def simulating() -> Progress:
        return begin(_("Simulating campaigns"))

    futures = likely_futures(
        curve,
        fit,
        experiments=experiments,
        seed=seed,
        progress=simulating(),
    )
    limit = max(curve.comparisons, round(options[LIMIT] * per_judgment))
    budget = plan_campaign(
        curve,
        fit,
        experiments=experiments,
        futures=futures,
        targets=TARGETS,
        clusters=[curve.clusters + 1] if curve.clusters < curve.systems else [],
        progress=simulating(),
        confidence=confidence,
        limit=limit,
        seed=seed,
    )
    forecast = forecast_pairs(
        curve,
        futures,
        _points_ahead(curve, budget),
        confidence=confidence,
        seed=seed,
        progress=simulating(),
    )

    def from_start(more_systems: int) -> Sequence[BudgetRow]:
        return plan_from_start(
            curve,
            futures,
            more_systems=more_systems,
            targets=TARGETS,
            progress=simulating(),
            confidence=confidence,
            limit=limit,
            seed=seed,
        )

    return StoppingFindings(
        curve=curve,
        per_judgment=per_judgment,
        budget=budget,
        forecast=forecast,
        from_start=(from_start(0), from_start(1)),
    )


def _pace(work: WorkFacts, per_judgment: float) -> ReadingPace | None:
    """Return the pace per judgment: measured, or else assumed from the words of a block; None without texts."""
    blocks, _words, seconds = work.of_judges
    measured = pace_of_judges(blocks, seconds, blocks=sum(blocks))
    if measured is not None:
        return measured
    # Number of candidates that gives this many comparisons.
    words = work.words((1 + np.sqrt(1 + 8 * per_judgment)) / 2)
    if not words:
        return None
    return ASSUMED_PACE.times(float(words))


def _pace_of_words(work: WorkFacts) -> ReadingPace:
    blocks, words, seconds = work.of_judges
    return pace_of_judges(words, seconds, blocks=sum(blocks)) or ASSUMED_PACE


class _Need(NamedTuple):
    """Judgments that a target still needs, in each simulated campaign, or exactly."""

    measure: str
    target: float
    more: list[float]


def _needs(answer: StoppingFindings, work: WorkFacts) -> list[_Need]:
    """Return the needs of each target of pairs or clusters, and of each fixed number of judgments."""
    needs = []
    if answer.budget is not None and answer.curve is not None:
        now = answer.curve.comparisons
        for row, reached in zip(answer.budget.rows, answer.budget.needs, strict=True):
            more = [_more_judgments(need, now, answer.per_judgment) for need in reached]
            needs.append(_Need(row.measure, row.target, more))
    if work.wanted:
        needs.append(_Need("wanted", work.wanted, [work.wanted_more]))
    if work.rule_judgments:
        needs.append(_Need("rule", work.rule_judgments, [work.rule_more]))
    return needs


def _ahead(
    answer: StoppingFindings,
    work: WorkFacts,
    options: AnalysisOptions,
) -> list[TargetAhead]:
    """Return the remaining effort to reach each target."""
    pace = _pace(work, answer.per_judgment)
    confidence = options[CONFIDENCE]
    ahead = []
    for need in _needs(answer, work):
        totals = need.more
        # A rule only counts judgments that count in rankings; hours and days include all judgments made
        # meanwhile.
        if need.measure == "rule":
            totals = [work.of_everybody(judgments) for judgments in need.more]
        hours = None
        if pace is not None:
            hours = hours_ahead(totals, pace, confidence=confidence)
        days = None
        if work.days:
            remaining = [_work_since_midnight(judgments, work) for judgments in totals]
            days = days_ahead(remaining, work.days, confidence=confidence)
        judgments = judgments_ahead(need.more, confidence=confidence)
        ahead.append(
            TargetAhead(
                measure=need.measure,
                target=need.target,
                judgments=judgments,
                hours=hours,
                days=days,
            ),
        )
    return ahead


def _work_since_midnight(judgments: float, work: WorkFacts) -> float:
    """Return the work left since midnight, from which days are counted: today's judgments are still part of it."""
    if judgments:
        return judgments + work.today
    return 0.0


def _more_judgments(need: float, now: int, per_judgment: float) -> float:
    """Return the remaining judgments until a number of comparisons, which is rounded as in the table of judgments."""
    comparisons = need if np.isinf(need) else round(need)
    return max(0.0, (comparisons - now) / per_judgment)


def _designs(
    inputs: Input,
    options: AnalysisOptions,
    forecast: StoppingFindings,
    begin: Begin,
) -> list[DesignAhead]:
    """Return the remaining effort by design, given the systems and the noise of this campaign.

    Only covers target shares that have not been reached yet.
    """
    tallies = inputs.tallies
    work = inputs.work
    curve = forecast.curve
    if (
        work is None
        or curve is None
        or forecast.budget is None
        or not tallies.wins.any()
    ):
        return []
    targets = [share for share in TARGETS if curve.separated < share]
    # Blocks are forecast as if all their pairs were compared, which best-worst scaling does not do.
    if not targets or inputs.blocks.best_worst:
        return []
    pace = _pace_of_words(work)
    active = ActiveDraw(active_priorities_of_many, floor=_FLOOR)
    many = min(_MANY, work.most_shown, len(tallies.systems))
    progress = begin(_("Comparing designs"))
    offered = _offered_designs(many, len(tallies.systems))
    designs = []
    for number, (per_block, chooses) in enumerate(offered, 1):
        words = work.words(per_block)
        seconds = None if words is None else pace.seconds * words
        needs = needs_of_design(
            tallies,
            per_block=per_block,
            targets=targets,
            limit=options[LIMIT],
            confidence=options[CONFIDENCE],
            active=active if chooses else None,
            seed=options[SEED],
        )
        for need in needs:
            designs.append(
                DesignAhead(
                    shown=per_block,
                    chooses=chooses,
                    need=need,
                    seconds=seconds,
                ),
            )
        progress(number, len(offered))
    return designs


def _offered_designs(many: int, systems: int) -> list[tuple[int, bool]]:
    """Return the designs to compare: outputs shown together, and whether judgments choose the pairs."""
    designs = dict.fromkeys([(many, False), (_FEW, False)])
    for per_block in (many, _FEW):
        # If blocks show all systems, there are no pairs to choose.
        if per_block < systems:
            designs[per_block, True] = None
    return list(designs)


def _points_ahead(curve: CampaignCurve, budget: Budget) -> list[float]:
    """Return evenly spaced numbers of comparisons from now to just beyond the targets, within the horizon."""
    shortest, longest = _AHEAD
    needed = [row.comparisons for row in budget.rows if row.comparisons is not None]
    end = longest * curve.comparisons
    if needed:
        end = min(end, max(shortest * curve.comparisons, 1.25 * max(needed)))
    end = min(end, budget.limit)
    points = np.linspace(curve.comparisons, end, _POINTS_AHEAD + 1)
    ahead: list[float] = points[1:].tolist()
    return ahead


def _target_in_words(measure: str, target: float) -> str:
    if measure == "clusters":
        return _("%(count)s clusters (sign tests)") % {"count": target}
    if measure == "wanted":
        return _("Target: %(count)s judgments") % {"count": decimals(target, 0)}
    if measure == "rule":
        return _("Stopping rule: %(count)s judgments") % {"count": decimals(target, 0)}
    return _("%(share)s of pairs significant (sign tests)") % {"share": percent(target)}


def judgments_table(answer: StoppingFindings, budget: Budget) -> Table:
    limit = answer.judgments(budget.limit)
    of_judgments = (
        Column("target", _("Target"), is_text=True, of=attrgetter("in_words")),
        Column("judgments", _("Judgments (median)"), of=attrgetter("comparisons")),
        *end_columns(),
        Column("more", _("Remaining judgments")),
    )
    of_comparisons = (
        Column("comparisons", _("Comparisons")),
        Column("beyond", _("Share beyond limit"), decimals=2),
    )
    return Table.of(
        zip(answer.in_judgments(budget.rows), budget.rows, strict=True),
        name="plan",
        title=_("Judgments until a target is reached"),
        columns=(
            *of_part(itemgetter(0), of_judgments),
            *of_part(itemgetter(1), of_comparisons),
        ),
        notes=[
            _(
                "Totals include judgments so far. A dash means more than %(limit)s, as for equally good systems. “Share beyond limit” is the share of simulated campaigns that need more.",
            )
            % {"limit": "–" if limit is None else number_format(limit)},
        ],
        plot=interval_plot("target", "judgments", start=0),
    )


def _amount_columns(unit: str, heading: str) -> list[Column]:
    """Return the columns of an amount of work in a unit; empty if it is unknown."""
    low, high = end_columns(f"{unit}_", decimals=1)
    return [
        Column(unit, heading, decimals=1, of=of_optional(unit, "value")),
        replace(low, of=of_optional(unit, "low")),
        replace(high, of=of_optional(unit, "high")),
    ]


def _judgments_column(row: TargetAhead, end: str) -> Value:
    return rounded(getattr(row.judgments, end))


def time_table(answer: StoppingFindings, work: WorkFacts | None) -> Table:
    low, high = end_columns("judgments_")
    value = Column("judgments", _("Remaining judgments"))
    return Table.of(
        answer.ahead,
        name="time_ahead",
        title=_("Hours and days"),
        columns=(
            Column("target", _("Target"), is_text=True, of=attrgetter("in_words")),
            replace(value, of=partial(_judgments_column, end="value")),
            replace(low, of=partial(_judgments_column, end="low")),
            replace(high, of=partial(_judgments_column, end="high")),
            *_amount_columns("hours", _("Hours")),
            *_amount_columns("days", _("Days")),
        ),
        notes=[
            _pace_note(answer.pace),
            *_counted_note(work),
            _(
                "Hours are active time of all judges. Intervals combine the uncertainty of judgments and pace.",
            ),
            _(
                "Days start at midnight and use the pace of the last seven full days. A dash means fewer than seven days of work, or no end in sight.",
            ),
        ],
    )


def _counted_note(work: WorkFacts | None) -> list[str]:
    """Return a note on counted judgments if a rule counts fewer than were submitted."""
    if work is None or not work.rule_judgments or work.counted in (None, work.judged):
        return []
    return [counting_in_words(work.counted)]


def rounded(value: float | None) -> int | None:
    return None if value is None else round(value)


def _pace_note(pace: ReadingPace | None) -> str:
    if pace is None:
        return _("Time per judgment unknown: there are no texts and no times.")
    values = {
        "seconds": decimals(pace.seconds, 0),
        "low": decimals(pace.low, 0),
        "high": decimals(pace.high, 0),
        "judges": pace.judges,
        "blocks": pace.blocks,
    }
    if pace.is_measured:
        return (
            _(
                "Time per judgment: %(seconds)s s (%(low)s to %(high)s), measured on %(blocks)s judgments by %(judges)s judges.",
            )
            % values
        )
    return (
        _(
            "Time per judgment: %(seconds)s s (%(low)s to %(high)s), estimated from text length because too few are measured.",
        )
        % values
    )


def _tell(inputs: Input, options: AnalysisOptions, answer: StoppingFindings) -> Report:
    """Report the judgments needed for each target, with Koehn's (2012) Figure 2 of this campaign."""
    tables: list[Table] = []
    notes = [*_answer(answer, options[LIMIT]), *_state(inputs, answer.ranking)]
    if answer.why_not is not None:
        notes.append(_why_not(answer.why_not))
    if answer.budget is not None:
        notes += [
            *budget_notes(answer.budget),
            _(
                "A forecast is not a stopping rule: stopping when the ranking looks good produces false differences. Fix the number in advance or use anytime ranges.",
            ),
        ]
        tables.append(judgments_table(answer, answer.budget))
    if answer.ahead:
        tables.append(time_table(answer, inputs.work))
    if answer.designs:
        tables.append(_designs_table(answer))
    if answer.curve is not None:
        tables.append(_figure(answer, answer.curve))
    if answer.budget is not None:
        tables.append(_one_more(answer))
    return report_on(inputs, notes=notes, tables=tables, data=_data(answer))


def _data(answer: StoppingFindings) -> ReportData:
    pairs_told_apart = None
    judgments: list[TargetJudgments] = []
    plan = None
    if answer.ranking is not None:
        pairs_told_apart = count_told_apart(
            answer.ranking.corrected_pairs,
            answer.ranking.options,
        )
    if answer.budget is not None:
        judgments = answer.in_judgments(answer.budget.rows)
        plan = budget_data(answer.budget)
    return {
        "why_not": answer.why_not,
        "told_apart": pairs_told_apart,
        "comparisons_per_judgment": answer.per_judgment or None,
        "judgments": judgments,
        "curve": answer.curve,
        "fitted_curve": answer.fitted_curve,
        "forecast": answer.forecast,
        "pace": None if answer.pace is None else _pace_data(answer.pace),
        "ahead": answer.ahead,
        "designs": answer.designs,
        "from_start": [answer.in_judgments(rows) for rows in answer.from_start],
        "plan": plan,
    }


def _answer(answer: StoppingFindings, limit: int) -> list[str]:
    """Return the remaining judgments to the chosen target, or else to the next one that is not reached."""
    missing = [row for row in answer.ahead if row.judgments.value != 0]
    if not missing:
        return []
    # Targets that organisers chose come first.
    row = next(filter(attrgetter("is_chosen"), missing), missing[0])
    ahead = row.judgments
    if ahead.value is None:
        message = _("%(target)s. Judgments needed: more than %(limit)s.")
        return [message % {"target": row.in_words, "limit": number_format(limit)}]
    if ahead.low == ahead.high:
        message = _("%(target)s. Remaining judgments: %(count)s.")
    elif ahead.high is None:
        message = _("%(target)s. Remaining judgments: %(count)s (at least %(low)s).")
    else:
        message = _("%(target)s. Remaining judgments: %(count)s (%(low)s to %(high)s).")
    return [
        message
        % {
            "target": row.in_words,
            "count": _whole(ahead.value),
            "low": _whole(ahead.low),
            "high": _whole(ahead.high),
        },
    ]


def _whole(value: float | None) -> str:
    if value is None:
        return "–"
    return decimals(value, 0)


def _state(inputs: Input, ranking: Ranking | None) -> list[str]:
    """Return the pairs and clusters that the ranking tells apart so far."""
    if ranking is None or not ranking.pairs:
        return []
    limits = limits_of(inputs, ranking)
    choice = ranking.options
    total, *caption = told_apart_notes(
        count_told_apart(ranking.corrected_pairs, choice),
        choice,
        limits=limits.codes,
        counts=limits.counts,
    )
    clusters = count_clusters(ranking.rows())
    if clusters is None:
        return [total, *caption]
    return [total, clusters_so_far(clusters), *caption]


def _why_not(reason: WhyNot) -> str:
    return {
        WhyNot.NOTHING_DECIDED: _("No forecast yet: all comparisons are ties."),
        WhyNot.NONE_APART: _(
            "No forecast yet: no pair is significant by Koehn’s sign tests, so the noise cannot be estimated. Collect more judgments, or plan without them (plan_budget).",
        ),
        WhyNot.ALL_APART: _(
            "Nothing to forecast: all pairs are significant by Koehn’s sign tests from the first judgments on.",
        ),
    }[reason]


def _pace_data(pace: ReadingPace) -> ReportData:
    """Return the pace as plain data, without its distribution, whose degrees of freedom may be infinite."""
    return {
        "seconds": pace.seconds,
        "low": pace.low,
        "high": pace.high,
        "judges": pace.judges,
        "blocks": pace.blocks,
    }


def _designs_table(answer: StoppingFindings) -> Table:
    rows: list[tuple[Value, ...]] = []
    for row in answer.designs:
        ends = (row.need.judgments, row.need.low, row.need.high)
        target = percent(row.need.target)
        rows.append((_design(row), target, *map(rounded, ends), *map(row.hours, ends)))
    return Table(
        name="designs",
        title=_("Cost of other designs from now on"),
        columns=(
            Column("design", _("Design"), is_text=True),
            Column("target", _("Significant pairs"), is_text=True),
            Column("judgments", _("Remaining judgments")),
            *end_columns(),
            Column("hours", _("Hours"), decimals=1),
            *end_columns("hours_", decimals=1),
        ),
        rows=rows,
        notes=[
            _(
                "Each design continues from these judgments, with abilities drawn from their uncertainty. Significant: one-sided sign tests at %(level)s, without correction. “Remaining judgments” is the median. A dash means beyond the limit.",
            )
            % {"level": in_figures(SIGN_TEST_LEVEL)},
            _(
                "Hours use the measured reading pace for all designs. Faster choices among fewer outputs are not modelled.",
            ),
        ],
    )


def _design(row: DesignAhead) -> str:
    counts = {"shown": row.shown}
    if row.chooses:
        return _("%(shown)d outputs, active") % counts
    return _("%(shown)d outputs, balanced") % counts


def _figure(answer: StoppingFindings, curve: CampaignCurve) -> Table:
    """Return the campaign's own curve, extended by the forecast."""
    own = (curve.decided / curve.decided_share).tolist()
    # The share is known at the last judgment so far.
    shares = [*curve.significant.tolist()[:-1], curve.separated]
    fitted: Sequence[float | None] = answer.fitted_curve or [None] * len(own)
    rows: list[tuple[Value, ...]] = []
    so_far = _("So far")
    # The forecast starts at the share so far, which has no uncertainty.
    ends = [*[None] * (len(own) - 1), curve.separated]
    for count, share, simulated, end in zip(own, shares, fitted, ends, strict=True):
        rows.append((answer.judgments(count), share, simulated, end, end, so_far))
    if answer.forecast is not None:
        ahead = answer.forecast
        columns = (ahead.comparisons, ahead.share, ahead.low, ahead.high)
        for count, share, low, high in np.column_stack(columns).tolist():
            rows.append(
                (answer.judgments(count), share, None, low, high, _("Forecast")),
            )
    return Table(
        name="koehn_figure_2",
        title=_("Koehn’s Figure 2"),
        columns=(
            Column("judgments", _("Judgments")),
            Column("share", _("Significant pairs"), decimals=2),
            Column("simulated", _("Fitted model"), decimals=2),
            *end_columns(decimals=2),
            Column("when", _("Period"), is_text=True),
        ),
        rows=rows,
        notes=[
            _(
                "Share of pairs that are significant by one-sided sign tests at %(level)s, with comparisons taken as independent and without correction (Koehn 2012). So far: mean over random orders of the judgments. Forecast: mean and interval of simulated campaigns like this one.",
            )
            % {"level": in_figures(SIGN_TEST_LEVEL)},
        ],
        plot=LinePlot(
            label="judgments",
            value="share",
            low="low",
            high="high",
            start=0,
            end=1,
        ),
    )


def _one_more(answer: StoppingFindings) -> Table:
    rows: list[tuple[Value, ...]] = []
    for now, more in zip(*answer.from_start, strict=True):
        difference = None
        if now.comparisons is not None and more.comparisons is not None:
            difference = answer.judgments(more.comparisons - now.comparisons)
        rows.append(
            (
                _target_in_words(now.measure, now.target),
                answer.judgments(now.comparisons),
                answer.judgments(more.comparisons),
                answer.judgments(more.low),
                answer.judgments(more.high),
                difference,
                more.beyond,
            ),
        )
    return Table(
        name="one_more_system",
        title=_("Judgments with one more system"),
        columns=(
            Column("target", _("Target"), is_text=True),
            Column("now", _("Current systems")),
            Column("judgments", _("One more system")),
            *end_columns(),
            Column("difference", _("Difference")),
            Column("beyond", _("Share beyond limit"), decimals=2),
        ),
        rows=rows,
        notes=[
            _(
                "Totals for a new campaign, ignoring the results so far, with the current systems and with one more of random quality. Block size is unchanged.",
            ),
        ],
    )


STOPPING = AnalysisKind(
    name="stopping",
    title=gettext_lazy("When to stop"),
    page="progress",
    question=gettext_lazy(
        "How many more judgments, hours and days are needed until most pairs are significant by Koehn’s sign tests?",
    ),
    options=(CONFIDENCE, EXPERIMENTS, LIMIT, SEED),
    is_slow=True,
    needs=frozenset({Need.WORK, Need.RULE}),
    find=_find,
    tell=_tell,
)
