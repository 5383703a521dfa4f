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
    words = {"percent": percent_in_figures(confidence)}
    return _("From (%(percent)s%%)") % words, _("To (%(percent)s%%)") % words


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
    ends = f"{key}_" if ends is None else ends
    low, high = interval_ends(confidence)
    parts = (
        ("value", key, heading),
        ("low", f"{ends}low", low),
        ("high", f"{ends}high", high),
    )
    return tuple(
        Column(name, words, decimals, of=partial(_part_of, key, part))
        for part, name, words in parts
    )


def _part_of(key: str, part: str, row: Mapping[str, Any]) -> float | None:
    found = row.get(key)
    if isinstance(found, Mapping):
        value = found.get(part)
    else:
        value = getattr(found, part, None)
    return None if value is None else float(value)  # published results write 1.0 as 1


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
    return tuple(
        Column(f"{key}{suffix}{end}", words, of=attrgetter(f"{key}{end}"))
        for key, heading in headings.items()
        for end, words in (("", heading), ("_low", low), ("_high", high))
    )


def in_figures_with_interval(
    value: float, low: float | None, high: float | None, places: int = 3
) -> str:
    """Return "0.93 [0.41, 0.99]", or only the value if it has no interval."""
    if low is None or high is None:
        return decimals(value, places)
    return _("%(value)s [%(low)s, %(high)s]") % {
        "value": decimals(value, places),
        "low": decimals(low, places),
        "high": decimals(high, places),
    }


def interval_notes(found: Sequence[SampledCorrelation], confidence: float) -> list[str]:
    """Return notes on the intervals of correlations of systems, and on missing ones."""
    reasons = {each.no_interval for each in found}
    notes = []
    if any(each.pearson_low is not None for each in found):
        notes.append(
            _(
                "%(percent)s intervals (Fisher for Pearson, Bonett and Wright for Spearman) treat systems as a "
                "random sample."
            )
            % {"percent": percent(confidence)}
        )
    if NoInterval.FEW_PAIRS in reasons:
        notes.append(_("Correlations of fewer than four systems have no interval."))
    if NoInterval.STRAIGHT_LINE in reasons:
        notes.append(
            _(
                "Correlations have no interval where one score determines the other, for example if no judges are left out."
            )
        )
    return notes


def kappa_columns(
    heading: str = "", *, key: str = "", places: int = 3, with_reason: bool = True
) -> tuple[Column, ...]:
    """Return columns of an estimate of κ: value, ends of the interval, and strength in words or why it is missing."""
    return (
        Column("kappa", heading or _("κ"), decimals=places),
        Column(f"{key}low", _("From"), decimals=places, of=attrgetter("low")),
        Column(f"{key}high", _("To"), decimals=places, of=attrgetter("high")),
        Column(
            "strength",
            _("In words"),
            is_text=True,
            of=lambda row: strength_in_words(
                row.kappa, row.low, row.high, reason=row.reason if with_reason else None
            ),
        ),
    )


def kappa_plot(
    label: str, *, key: str = "", mark: float | None = 0, most: int | None = None
) -> Plot:
    """Return the plot of `kappa_columns`: a κ with its interval in each row, and a mark."""
    return interval_plot(label, "kappa", key, mark=mark, most=most)
