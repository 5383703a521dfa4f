"""Forecast the separation of systems: whether to continue, and the cost of another system."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from operator import itemgetter
from typing import Any, Final

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
    ReadingPace,
    days_ahead,
    hours_ahead,
    judgments_ahead,
    pace_of_judges,
)
from ranking.reports.analyses.kind import AnalysisKind, Begin, Need, converging
from ranking.reports.analyses.options import CONFIDENCE, SEED, Option
from ranking.reports.analyses.ranking import limits_of
from ranking.reports.inputs import Input, WorkFacts, report_on
from ranking.reports.plots import LinePlot, interval_plot
from ranking.reports.range_choices import count_told_apart
from ranking.reports.simulations import budget_data, budget_notes
from ranking.reports.tables import (
    Column,
    Report,
    Table,
    Value,
    end_columns,
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
        "Simulated campaigns end at this number, including judgments so far."
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


@dataclass(frozen=True, eq=False, kw_only=True)
class StoppingFound:
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
    ahead : sequence of dict
        Remaining effort by target.
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
    ahead: Sequence[Mapping[str, Any]] = ()
    designs: Sequence[DesignAhead] = ()

    def judgments(self, comparisons: float | None) -> int | None:
        """Return the judgments needed for a number of comparisons, including ties."""
        if comparisons is None:
            return None
        return round(comparisons / self.per_judgment)


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> StoppingFound:
    found = replace(_forecast(given, options, begin), ranking=_ranking(given))
    if given.work is None:
        return found
    return replace(
        found,
        pace=_pace(given.work, found.per_judgment),
        ahead=_ahead(found, given.work, options),
        designs=_designs(given, options, found, begin),
    )


def _ranking(given: Input) -> Ranking:
    """Rank by the settings of the task, or by the defaults."""
    if given.work is None:
        ranked_by = None
    else:
        ranked_by = given.work.ranked_by
    if ranked_by is None:
        return rank(given.blocks)
    with converging(ranked_by["method"]):
        return rank(
            given.blocks,
            ranked_by["method"],
            parameters=ranked_by["method_parameters"],
            seed=ranked_by["seed"],
            **asdict(RangeOptions.from_record(ranked_by)),
        )


def _forecast(given: Input, options: Mapping[str, Any], begin: Begin) -> StoppingFound:
    seed = options["seed"]
    confidence = options["confidence"]
    common = {"experiments": options["experiments"], "seed": seed}
    begin(_("Counting"))
    try:
        curve = campaign_curve(given.blocks, seed=seed)
    except NoiseNotEstimableError:
        return StoppingFound(why_not=WhyNot.NOTHING_DECIDED)
    per_judgment = curve.comparisons / len(given.blocks)
    try:
        fit = fit_noise(
            curve,
            confidence=confidence,
            progress=begin(_("Fitting the noise")),
            **common,
        )
    except NoiseNotEstimableError:
        if curve.separated == 1:
            why_not = WhyNot.ALL_APART
        else:
            why_not = WhyNot.NONE_APART
        return StoppingFound(why_not=why_not, curve=curve, per_judgment=per_judgment)
    futures = likely_futures(
        curve, fit, progress=begin(_("Simulating campaigns")), **common
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
        progress=begin(_("Simulating campaigns")),
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
            progress=begin(_("Simulating campaigns")),
        ),
        from_start=tuple(
            plan_from_start(
                curve,
                futures,
                more_systems=more,
                targets=TARGETS,
                progress=begin(_("Simulating campaigns")),
                **how,
            )
            for more in (0, 1)
        ),
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


def _ahead(
    found: StoppingFound, work: WorkFacts, options: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the remaining effort to reach each target of pairs or clusters, and each fixed number of judgments.

    `hours` and `days` are None if the pace of judges is unknown.
    """
    needs: list[tuple[str, float, list[float]]] = []
    if found.budget is not None and found.curve is not None:
        now = found.curve.comparisons
        needs = []
        for row, reached in zip(found.budget.rows, found.budget.needs, strict=True):
            needs.append(
                (
                    row.measure,
                    row.target,
                    [
                        _more_judgments(need, now, found.per_judgment)
                        for need in reached
                    ],
                )
            )
    if work.wanted:
        needs.append(("wanted", work.wanted, [work.wanted_more]))
    if work.rule_judgments:
        needs.append(("rule", work.rule_judgments, [work.rule_more]))
    pace = _pace(work, found.per_judgment)
    how = {"confidence": options["confidence"]}
    ahead = []
    for measure, target, more in needs:
        # A rule only counts judgments that count in rankings; hours and days include all judgments made
        # meanwhile.
        if measure == "rule":
            made = [work.of_everybody(each) for each in more]
        else:
            made = more
        # Days are counted from midnight, so today's judgments are still part of the remaining work.
        left = [each + work.today if each else 0.0 for each in made]
        ahead.append(
            {
                "measure": measure,
                "target": target,
                "judgments": judgments_ahead(more, **how),
                "hours": None if pace is None else hours_ahead(made, pace, **how),
                "days": days_ahead(left, work.days, **how) if work.days else None,
            }
        )
    return ahead


def _more_judgments(need: float, now: int, per_judgment: float) -> float:
    """Return the remaining judgments until a number of comparisons, which is rounded as in the table of judgments."""
    if np.isinf(need):
        comparisons = need
    else:
        comparisons = round(need)
    return max(0.0, (comparisons - now) / per_judgment)


def _designs(
    given: Input, options: Mapping[str, Any], forecast: StoppingFound, begin: Begin
) -> list[DesignAhead]:
    """Return the remaining effort by design, given the systems and the noise of this campaign.

    Only covers target shares that have not been reached yet.
    """
    tallies = given.tallies
    work = given.work
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
    if not targets or given.blocks.best_worst:
        return []
    pace = _pace_of_words(work)
    active = ActiveDraw(active_priorities_of_many, floor=_FLOOR)
    many = min(_MANY, work.most_shown, len(tallies.systems))
    # If blocks show all systems, there are no pairs to choose.
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
    """Return evenly spaced numbers of comparisons from now to just beyond the targets, within the horizon."""
    least, most = (ahead * curve.comparisons for ahead in _AHEAD)
    known = [row.comparisons for row in budget.rows if row.comparisons is not None]
    end = min(
        max(least, *(1.25 * each for each in known)) if known else most,
        most,
        budget.limit,
    )
    points: list[float] = np.linspace(curve.comparisons, end, _POINTS_AHEAD + 1)[
        1:
    ].tolist()
    return points


def _target_in_words(measure: str, target: float) -> str:
    if measure == "clusters":
        return _("%(count)s clusters (sign tests)") % {"count": target}
    if measure == "wanted":
        return _("Target: %(count)s judgments") % {"count": decimals(target, 0)}
    if measure == "rule":
        return _("Stopping rule: %(count)s judgments") % {"count": decimals(target, 0)}
    return _("%(share)s of pairs significant (sign tests)") % {"share": percent(target)}


def _target_of(row: Mapping[str, Any]) -> str:
    return _target_in_words(row["measure"], row["target"])


def judgments_table(found: StoppingFound, budget: Budget) -> Table:
    limit = found.judgments(budget.limit)
    return Table.of(
        zip(_judgments(found, budget.rows), budget.rows, strict=True),
        name="plan",
        title=_("Judgments until a target is reached"),
        columns=(
            *of_part(
                itemgetter(0),
                (
                    Column("target", _("Target"), is_text=True, of=_target_of),
                    Column(
                        "judgments",
                        _("Judgments (median)"),
                        of=itemgetter("comparisons"),
                    ),
                    *end_columns(),
                    Column("more", _("Remaining judgments")),
                ),
            ),
            Column("comparisons", _("Comparisons"), of=lambda row: row[1].comparisons),
            Column(
                "beyond",
                _("Share beyond limit"),
                decimals=2,
                of=lambda row: row[1].beyond,
            ),
        ),
        notes=[
            _(
                "Totals include judgments so far. A dash means more than %(limit)s, as for equally good systems. “Share beyond limit” is the share of simulated campaigns that need more."
            )
            % {"limit": "–" if limit is None else number_format(limit)}
        ],
        plot=interval_plot("target", "judgments", start=0),
    )


def time_table(found: StoppingFound, work: WorkFacts | None) -> Table:
    rows: list[tuple[Value, ...]] = []
    for row in found.ahead:
        cells: list[Value] = [_target_of(row)]
        for unit in ("judgments", "hours", "days"):
            ahead = row[unit]
            if ahead is None:
                ends = (None,) * 3
            else:
                ends = (ahead.value, ahead.low, ahead.high)
            cells += [rounded(end, whole=unit == "judgments") for end in ends]
        rows.append(tuple(cells))
    return Table(
        name="time_ahead",
        title=_("Hours and days"),
        columns=(
            Column("target", _("Target"), is_text=True),
            Column("judgments", _("Remaining judgments")),
            *end_columns("judgments_"),
            Column("hours", _("Hours"), decimals=1),
            *end_columns("hours_", decimals=1),
            Column("days", _("Days"), decimals=1),
            *end_columns("days_", decimals=1),
        ),
        rows=rows,
        notes=[
            _pace_note(found.pace),
            *_counted_note(work),
            _(
                "Hours are active time of all judges. Intervals combine the uncertainty of judgments and pace."
            ),
            _(
                "Days start at midnight and use the pace of the last seven full days. A dash means fewer than seven days of work, or no end in sight."
            ),
        ],
    )


def _counted_note(work: WorkFacts | None) -> list[str]:
    """Return a note on counted judgments if a rule counts fewer than were submitted."""
    if work is None or not work.rule_judgments or work.counted in (None, work.judged):
        return []
    return [counting_in_words(work.counted)]


def rounded(value: float | None, *, whole: bool) -> Value:
    if value is None:
        return None
    if whole:
        return round(value)
    return value


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
                "Time per judgment: %(seconds)s s (%(low)s to %(high)s), measured on %(blocks)s judgments by %(judges)s judges."
            )
            % values
        )
    return (
        _(
            "Time per judgment: %(seconds)s s (%(low)s to %(high)s), estimated from text length because too few are measured."
        )
        % values
    )


def _tell(given: Input, options: Mapping[str, Any], found: StoppingFound) -> Report:
    """Report the judgments needed for each target, with Koehn's (2012) Figure 2 of this campaign."""
    tables: list[Table] = []
    notes = [*_answer(found, options["limit"]), *_state(given, found.ranking)]
    if found.why_not is not None:
        notes.append(_why_not(found.why_not))
    if found.budget is not None:
        notes += [
            *budget_notes(found.budget),
            _(
                "A forecast is not a stopping rule: stopping when the ranking looks good produces false differences. Fix the number in advance or use anytime ranges."
            ),
        ]
        tables.append(judgments_table(found, found.budget))
    if found.ahead:
        tables.append(time_table(found, given.work))
    if found.designs:
        tables.append(_designs_table(found))
    if found.curve is not None:
        tables.append(_figure(found, found.curve))
    if found.budget is not None:
        tables.append(_one_more(found))
    return report_on(
        given,
        notes=notes,
        tables=tables,
        data={
            "why_not": found.why_not,
            "told_apart": None
            if found.ranking is None
            else count_told_apart(found.ranking.corrected_pairs, found.ranking.options),
            "comparisons_per_judgment": found.per_judgment or None,
            "judgments": []
            if found.budget is None
            else _judgments(found, found.budget.rows),
            "curve": found.curve,
            "fitted_curve": _fitted(found),
            "forecast": found.forecast,
            "pace": None if found.pace is None else _pace_data(found.pace),
            "ahead": found.ahead,
            "designs": found.designs,
            "from_start": [_judgments(found, rows) for rows in found.from_start],
            "plan": None if found.budget is None else budget_data(found.budget),
        },
    )


def _judgments(
    found: StoppingFound, rows: Sequence[BudgetRow]
) -> list[dict[str, object]]:
    return [
        {
            "measure": row.measure,
            "target": row.target,
            **{
                name: found.judgments(getattr(row, name))
                for name in ("comparisons", "low", "high", "more")
            },
            "beyond": row.beyond,
        }
        for row in rows
    ]


#: Targets that organisers chose come first.
_CHOSEN_FIRST: Final = ("rule", "wanted")


def _answer(found: StoppingFound, limit: int) -> list[str]:
    """Return the remaining judgments to the chosen target, or else to the next one that is not reached."""
    missing = [row for row in found.ahead if row["judgments"].value != 0]
    if not missing:
        return []
    row = min(missing, key=lambda row: row["measure"] not in _CHOSEN_FIRST)
    target = _target_of(row)
    ahead = row["judgments"]
    if ahead.value is None:
        words = _("%(target)s. Judgments needed: more than %(limit)s.")
        return [words % {"target": target, "limit": number_format(limit)}]
    if ahead.low == ahead.high:
        words = _("%(target)s. Remaining judgments: %(count)s.")
    elif ahead.high is None:
        words = _("%(target)s. Remaining judgments: %(count)s (at least %(low)s).")
    else:
        words = _("%(target)s. Remaining judgments: %(count)s (%(low)s to %(high)s).")
    ends = {name: _whole(getattr(ahead, name)) for name in ("low", "high")}
    return [words % {"target": target, "count": _whole(ahead.value), **ends}]


def _whole(value: float | None) -> str:
    if value is None:
        return "–"
    return decimals(value, 0)


def _state(given: Input, ranking: Ranking | None) -> list[str]:
    """Return the pairs and clusters that the ranking tells apart so far."""
    if ranking is None or not ranking.pairs:
        return []
    limits = limits_of(given, ranking)
    choice = ranking.options
    told, *caption = told_apart_notes(
        count_told_apart(ranking.corrected_pairs, choice),
        choice,
        limits=limits.codes,
        counts=limits.counts,
    )
    clusters = count_clusters(ranking.rows())
    return [told, *([] if clusters is None else [clusters_so_far(clusters)]), *caption]


def _why_not(reason: WhyNot) -> str:
    return {
        WhyNot.NOTHING_DECIDED: _("No forecast yet: all comparisons are ties."),
        WhyNot.NONE_APART: _(
            "No forecast yet: no pair is significant by Koehn’s sign tests, so the noise cannot be estimated. Collect more judgments, or plan without them (plan_budget)."
        ),
        WhyNot.ALL_APART: _(
            "Nothing to forecast: all pairs are significant by Koehn’s sign tests from the first judgments on."
        ),
    }[reason]


def _pace_data(pace: ReadingPace) -> dict[str, object]:
    """Return the pace as plain data, without its distribution, whose degrees of freedom may be infinite."""
    return {
        name: getattr(pace, name)
        for name in ("seconds", "low", "high", "judges", "blocks")
    }


def _designs_table(found: StoppingFound) -> Table:
    rows: list[tuple[Value, ...]] = []
    for row in found.designs:
        ends = (row.need.judgments, row.need.low, row.need.high)
        rows.append(
            (
                _design(row),
                percent(row.need.target),
                *(rounded(end, whole=True) for end in ends),
                *(row.hours(end) for end in ends),
            )
        )
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
                "Each design continues from these judgments, with abilities drawn from their uncertainty. Significant: one-sided sign tests at %(level)s, without correction. “Remaining judgments” is the median. A dash means beyond the limit."
            )
            % {"level": in_figures(SIGN_TEST_LEVEL)},
            _(
                "Hours use the measured reading pace for all designs. Faster choices among fewer outputs are not modelled."
            ),
        ],
    )


def _design(row: DesignAhead) -> str:
    words = {"shown": row.shown}
    if row.chooses:
        return _("%(shown)d outputs, active") % words
    return _("%(shown)d outputs, balanced") % words


def _fitted(found: StoppingFound) -> list[float] | None:
    """Return the curve predicted by the fitted model, at the same points as the campaign's own curve."""
    if found.budget is None or found.budget.fit is None:
        return None
    simulated: list[float] = found.budget.fit.simulated.tolist()
    return simulated


def _figure(found: StoppingFound, curve: CampaignCurve) -> Table:
    """Return the campaign's own curve, extended by the forecast."""
    own = (curve.decided / curve.decided_share).tolist()
    # The share is known at the last judgment so far.
    shares = [*curve.significant.tolist()[:-1], curve.separated]
    fitted: Sequence[float | None] = _fitted(found) or [None] * len(own)
    rows: list[tuple[Value, ...]] = [
        (
            found.judgments(count),
            share,
            simulated,
            share if number == len(own) else None,
            share if number == len(own) else None,
            _("So far"),
        )
        for number, (count, share, simulated) in enumerate(
            zip(own, shares, fitted, strict=True), 1
        )
    ]
    if found.forecast is not None:
        ahead = found.forecast
        rows += [
            (found.judgments(count), share, None, low, high, _("Forecast"))
            for count, share, low, high in zip(
                ahead.comparisons.tolist(),
                ahead.share.tolist(),
                ahead.low.tolist(),
                ahead.high.tolist(),
                strict=True,
            )
        ]
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
                "Share of pairs that are significant by one-sided sign tests at %(level)s, with comparisons taken as independent and without correction (Koehn 2012). So far: mean over random orders of the judgments. Forecast: mean and interval of simulated campaigns like this one."
            )
            % {"level": in_figures(SIGN_TEST_LEVEL)}
        ],
        plot=LinePlot(
            label="judgments", value="share", low="low", high="high", start=0, end=1
        ),
    )


def _one_more(found: StoppingFound) -> Table:
    rows: list[tuple[Value, ...]] = []
    for now, more in zip(*found.from_start, strict=True):
        is_known = now.comparisons is not None and more.comparisons is not None
        rows.append(
            (
                _target_in_words(now.measure, now.target),
                found.judgments(now.comparisons),
                found.judgments(more.comparisons),
                found.judgments(more.low),
                found.judgments(more.high),
                found.judgments((more.comparisons or 0) - (now.comparisons or 0))
                if is_known
                else None,
                more.beyond,
            )
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
                "Totals for a new campaign, ignoring the results so far, with the current systems and with one more of random quality. Block size is unchanged."
            )
        ],
    )


STOPPING = AnalysisKind(
    name="stopping",
    title=gettext_lazy("When to stop"),
    page="progress",
    question=gettext_lazy(
        "How many more judgments, hours and days are needed until most pairs are significant by Koehn’s sign tests?"
    ),
    options=(CONFIDENCE, EXPERIMENTS, LIMIT, SEED),
    is_slow=True,
    needs=frozenset({Need.WORK, Need.RULE}),
    find=_find,
    tell=_tell,
)
