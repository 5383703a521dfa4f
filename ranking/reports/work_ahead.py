"""What a forecast of stopping found, and its tables of judgments, hours and days ahead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from ranking.core.simulation.budget import Budget, BudgetRow
from ranking.core.simulation.budget_curve import DesignNeed
from ranking.core.simulation.noise import CampaignCurve, Forecast
from ranking.core.simulation.work_ahead import Ahead, ReadingPace
from ranking.reports.plots import Plot
from ranking.reports.tables import Column, Table, Value
from ranking.reports.work import WorkFacts
from ranking.wording.numbers import decimals, percent_in_figures
from ranking.wording.rule_states import counting_in_words


class WhyNot(StrEnum):
    """Why nothing can be forecast."""

    NOTHING_DECIDED = "nothing_decided"
    NONE_APART = "none_apart"
    ALL_APART = "all_apart"


@dataclass(frozen=True, kw_only=True)
class TargetAhead:
    """What a target takes from now on: of pairs or clusters, or a number of judgments that was fixed.

    Attributes
    ----------
    measure : str
        "significant_pairs", "clusters", "wanted" or "rule".
    target : float
    judgments : Ahead
    hours, days : Ahead or None
        None where it is not known how fast judges are.
    """

    measure: str
    target: float
    judgments: Ahead
    hours: Ahead | None
    days: Ahead | None


@dataclass(frozen=True, kw_only=True)
class DesignAhead:
    """What a design would take from now on, with so many outputs in a block, at so many seconds for each."""

    shown: int
    chooses: bool
    need: DesignNeed
    seconds: float | None

    def hours(self, judgments: float | None) -> float | None:
        """Return the hours of so many judgments."""
        if judgments is None or self.seconds is None:
            return None
        return judgments * self.seconds / 3600


@dataclass(frozen=True, eq=False, kw_only=True)
class StoppingFound:
    """A forecast, or why there is none.

    Attributes
    ----------
    why_not : WhyNot or None
    curve : CampaignCurve or None
        None if no comparison is decided.
    per_judgment : float
        Comparisons of a judgment, ties included, on average.
    budget : Budget or None
    forecast : Forecast or None
    from_start : tuple of sequences of BudgetRow
        What such campaigns need from their first judgment on, as they are and with one more system; empty
        without a forecast.
    pace : ReadingPace or None
        Seconds of a judgment; None if nothing is known of it.
    ahead : sequence of TargetAhead
    designs : sequence of DesignAhead
    """

    why_not: WhyNot | None = None
    curve: CampaignCurve | None = None
    per_judgment: float = 0.0
    budget: Budget | None = None
    forecast: Forecast | None = None
    from_start: tuple[Sequence[BudgetRow], ...] = ()
    pace: ReadingPace | None = None
    ahead: Sequence[TargetAhead] = ()
    designs: Sequence[DesignAhead] = ()

    def judgments(self, comparisons: float | None) -> int | None:
        """Return the judgments that make so many comparisons, ties included."""
        return None if comparisons is None else round(comparisons / self.per_judgment)


def target_in_words(row: BudgetRow) -> str:
    if row.measure == "clusters":
        return _("%(clusters)d clusters") % {"clusters": row.target}
    return _("%(share)s %% of the pairs told apart") % {"share": percent_in_figures(row.target)}


def judgments_table(found: StoppingFound, budget: Budget) -> Table:
    limit = found.judgments(budget.limit)
    rows: list[tuple[Value, ...]] = [
        (
            target_in_words(row),
            found.judgments(row.comparisons),
            found.judgments(row.low),
            found.judgments(row.high),
            found.judgments(row.more),
            row.comparisons,
            row.beyond,
        )
        for row in budget.rows
    ]
    return Table(
        name="plan",
        title=_("Judgments until a target is reached"),
        columns=(
            Column("target", _("Target"), is_text=True),
            Column("judgments", _("Half of such campaigns by")),
            Column("low", _("From")),
            Column("high", _("To")),
            Column("more", _("Still to collect")),
            Column("comparisons", _("Comparisons")),
            Column("beyond", _("Share beyond"), decimals=2),
        ),
        rows=rows,
        notes=[
            _(
                "Judgments in all, those made so far included. A dash stands for more than %(limit)s: "
                "systems may be equally good, and then no number tells them apart. Share beyond: of the "
                "simulated campaigns, those that need more."
            )
            % {"limit": "–" if limit is None else number_format(limit)}
        ],
        plot=Plot(
            kind="intervals", label="target", value="judgments", low="low", high="high", start=0
        ),
    )


def time_table(found: StoppingFound, work: WorkFacts | None) -> Table:
    rows: list[tuple[Value, ...]] = []
    for row in found.ahead:
        cells: list[Value] = [_ahead_of(row)]
        for ahead in (row.judgments, row.hours, row.days):
            ends = (None,) * 3 if ahead is None else (ahead.value, ahead.low, ahead.high)
            cells += [rounded(end, whole=ahead is row.judgments) for end in ends]
        rows.append(tuple(cells))
    return Table(
        name="time_ahead",
        title=_("Hours and days until then"),
        columns=(
            Column("target", _("Target"), is_text=True),
            Column("judgments", _("Judgments still")),
            Column("judgments_low", _("From")),
            Column("judgments_high", _("To")),
            Column("hours", _("Hours"), decimals=1),
            Column("hours_low", _("From"), decimals=1),
            Column("hours_high", _("To"), decimals=1),
            Column("days", _("Days"), decimals=1),
            Column("days_low", _("From"), decimals=1),
            Column("days_high", _("To"), decimals=1),
        ),
        rows=rows,
        notes=[
            _pace_note(found.pace),
            *_counted_note(work),
            _(
                "Hours are of active time, all judges together. Each likely number of judgments is combined with "
                "each likely pace, so the interval has both uncertainties."
            ),
            _(
                "Days are counted from the midnight before the question, at the pace of the seven whole days before; "
                "a dash: fewer than seven days of work, or no end in sight."
            ),
        ],
    )


def _counted_note(work: WorkFacts | None) -> list[str]:
    """Say how many judgments count by a rule that ends at a number of them, where others were made."""
    if work is None or not work.rule_judgments or work.counted in (None, work.judged):
        return []
    return [counting_in_words(work.counted)]


def _ahead_of(row: TargetAhead) -> str:
    if row.measure == "clusters":
        return _("%(clusters)d clusters") % {"clusters": row.target}
    if row.measure == "wanted":
        return _("Judgments wanted: %(count)s") % {"count": decimals(row.target, 0)}
    if row.measure == "rule":
        return _("Stopping rule: %(count)s judgments") % {"count": decimals(row.target, 0)}
    return _("%(share)s %% of the pairs told apart") % {"share": percent_in_figures(row.target)}


def rounded(value: float | None, *, whole: bool) -> Value:
    return None if value is None else round(value) if whole else value


def _pace_note(pace: ReadingPace | None) -> str:
    if pace is None:
        return _("Nothing is known of the time a judgment takes: there are no texts and no times.")
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
                "A judgment takes %(seconds)s seconds (%(low)s to %(high)s for others like these), measured on "
                "%(blocks)s judgments of %(judges)s judges."
            )
            % values
        )
    return (
        _(
            "A judgment is taken to need %(seconds)s seconds (%(low)s to %(high)s): too few are measured, so every "
            "word is read twice."
        )
        % values
    )
