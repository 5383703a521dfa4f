"""Correlations and κ in tables and sentences, each with its interval."""

from collections.abc import Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

from django.utils.translation import gettext as _

from ranking.core.diagnosis.correlation import NoInterval, SampledCorrelation
from ranking.reports.plots import Plot, interval_plot
from ranking.reports.tables import Column
from ranking.reports.wording.agreement import strength_in_words
from ranking.reports.wording.numbers import decimals, percent, percent_in_figures


def interval_ends(confidence: float) -> tuple[str, str]:
    """Return the headings of the columns of an interval's ends."""
    level = {"percent": percent_in_figures(confidence)}
    return _("From (%(percent)s%%)") % level, _("To (%(percent)s%%)") % level


def interval_columns(
    key: str,
    heading: str,
    confidence: float,
    *,
    ends: str | None = None,
    decimals: int = 3,
) -> tuple[Column, ...]:
    """Return the columns of an estimate, which a row has under `key`, and of its interval's ends.

    The keys of the ends begin with `ends` (default: `key`). The estimate may be plain values, or None.
    """
    if ends is None:
        ends = f"{key}_"
    low, high = interval_ends(confidence)
    return (
        Column(key, heading, decimals, of=partial(_part_of, key, "value")),
        Column(f"{ends}low", low, decimals, of=partial(_part_of, key, "low")),
        Column(f"{ends}high", high, decimals, of=partial(_part_of, key, "high")),
    )


def _part_of(key: str, part: str, row: Any) -> float | None:
    """Return a part of an estimate, which is an object or plain values, of a row, which is either, too."""
    number = _value_of(_value_of(row, key), part)
    if number is None:
        return None
    return float(number)  # published results write 1.0 as 1


def _value_of(values: Any, name: str) -> Any:
    if isinstance(values, Mapping):
        return values.get(name)
    return getattr(values, name, None)


def correlation_columns(
    confidence: float,
    *,
    suffix: str = "",
    pearson: str | None = None,
    spearman: str | None = None,
) -> tuple[Column, ...]:
    """Return columns of a `SampledCorrelation`: Pearson and Spearman with the ends of their intervals."""
    low, high = interval_ends(confidence)
    headings = {
        "pearson": pearson or _("Pearson"),
        "spearman": spearman or _("Spearman"),
    }
    columns: list[Column] = []
    for key, heading in headings.items():
        of_low, of_high = f"{key}_low", f"{key}_high"
        columns += [
            Column(f"{key}{suffix}", heading, of=attrgetter(key)),
            Column(f"{key}{suffix}_low", low, of=attrgetter(of_low)),
            Column(f"{key}{suffix}_high", high, of=attrgetter(of_high)),
        ]
    return tuple(columns)


def in_figures_with_interval(
    value: float,
    low: float | None,
    high: float | None,
    places: int = 3,
) -> str:
    """Return "0.93 [0.41, 0.99]", or only the value if it has no interval."""
    if low is None or high is None:
        return decimals(value, places)
    return _("%(value)s [%(low)s, %(high)s]") % {
        "value": decimals(value, places),
        "low": decimals(low, places),
        "high": decimals(high, places),
    }


def interval_notes(
    correlations: Sequence[SampledCorrelation],
    confidence: float,
) -> list[str]:
    """Return notes on the intervals of correlations of systems, and on missing ones."""
    reasons = {correlation.no_interval for correlation in correlations}
    notes = []
    if any(correlation.pearson_low is not None for correlation in correlations):
        notes.append(
            _(
                "%(percent)s intervals (Fisher for Pearson, Bonett and Wright for Spearman) treat systems as a "
                "random sample.",
            )
            % {"percent": percent(confidence)},
        )
    if NoInterval.FEW_PAIRS in reasons:
        notes.append(_("Correlations of fewer than four systems have no interval."))
    if NoInterval.STRAIGHT_LINE in reasons:
        notes.append(
            _(
                "Correlations have no interval where one score determines the other, for example if no judges are left out.",
            ),
        )
    return notes


def kappa_columns(
    heading: str = "",
    *,
    key: str = "",
    places: int = 3,
    with_reason: bool = True,
) -> tuple[Column, ...]:
    """Return columns of an estimate of κ: value, ends of the interval, and strength in words or why it is missing."""

    def strength(row: Any) -> str | None:
        reason = row.reason if with_reason else None
        return strength_in_words(row.kappa, row.low, row.high, reason=reason)

    return (
        Column("kappa", heading or _("κ"), decimals=places),
        Column(f"{key}low", _("From"), decimals=places, of=attrgetter("low")),
        Column(f"{key}high", _("To"), decimals=places, of=attrgetter("high")),
        Column("strength", _("In words"), is_text=True, of=strength),
    )


def kappa_plot(
    label: str,
    *,
    key: str = "",
    mark: float | None = 0,
    most: int | None = None,
) -> Plot:
    """Return the plot of `kappa_columns`: a κ with its interval in each row, and a mark."""
    return interval_plot(label, "kappa", key, mark=mark, most=most)
