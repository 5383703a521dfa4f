"""The measures of a judge, each drawn among those of everybody."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from annotation.judge_measures import SCALES, JudgeMeasure, Scale
from ranking.pages.judge_measures import MeasureRow, in_figures, measure_rows
from ranking.pages.plots import percent

# Judges in the same hundredth of the width are one stroke.
_STEPS: Final = 100
_LOWEST_KAPPA: Final = -0.2
_SHORTEST: Final = 0.01
_Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Strip:
    """Where the judges are on the axis of a measure.

    Attributes
    ----------
    others : str
        Path of a stroke for each place where anybody is, 100 wide and 20 high.
    dot, low, high : str
        Place of the judge, and of their interval.
    median : str
        Place of the middle of all.
    """

    others: str
    dot: str
    low: str
    high: str
    median: str


@dataclass(frozen=True, slots=True)
class DrawnMeasure:
    """A measure in words, its place among all judges, and what the middle one of so many has."""

    row: MeasureRow
    strip: Strip | None
    middle: str
    judges: int


def drawn_measures(
    measures: Mapping[str, Mapping[str, Any]], everybody: Mapping[str, Sequence[float]]
) -> list[DrawnMeasure]:
    """Return the measures of a judge in the order of the pages, among the values of `everybody`."""
    return [
        _drawn(row, measures.get(row.measure), everybody.get(row.measure, ()))
        for row in measure_rows(measures)
    ]


def _drawn(
    row: MeasureRow, own: Mapping[str, Any] | None, everybody: Sequence[float]
) -> DrawnMeasure:
    measure, values = JudgeMeasure(row.measure), np.array(everybody)
    if own is None or own["value"] is None or not values.size:
        return DrawnMeasure(row=row, strip=None, middle="", judges=values.size)
    middle = float(np.median(values))
    return DrawnMeasure(
        row=row,
        strip=_strip(SCALES[measure], own, values, middle),
        middle=in_figures(measure, middle),
        judges=values.size,
    )


def _strip(scale: Scale, own: Mapping[str, Any], values: _Values, middle: float) -> Strip:
    value = own["value"]
    low, high = (value if own[end] is None else own[end] for end in ("low", "high"))
    marks = _on_axis(scale, np.array([value, low, high, middle]), values)
    dot, low_at, high_at, median = (percent(float(mark)) for mark in marks)
    places = np.unique(np.rint(_STEPS * _on_axis(scale, values, values)).astype(int))
    return Strip(
        others="".join(f"M{place} 4V16" for place in places.tolist()),
        dot=dot,
        low=low_at,
        high=high_at,
        median=median,
    )


def _on_axis(scale: Scale, these: _Values, values: _Values) -> _Values:
    """Return where these are on the axis of all values, from 0 to 1: times by their logarithm."""
    if scale == Scale.SECONDS:
        these, values = (np.log(np.maximum(each, _SHORTEST)) for each in (these, values))
        least, most = values.min() - 0.1, values.max() + 0.1
    elif scale == Scale.KAPPA:
        least, most = min(_LOWEST_KAPPA, values.min()), 1.0
    else:
        least, most = 0.0, 1.0
    places: _Values = np.clip((these - least) / (most - least), 0.0, 1.0)
    return places
