"""Agreement of judges on the characters they mark in the same outputs."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import Final

import numpy as np

from protocols.spans.records import (
    MAX_CHARACTERS,
    SOURCE,
    ScoredJudgment,
    ScoredOutput,
    Severity,
    Span,
)
from protocols.spans.statistics.agreement import FEWEST_SEGMENTS
from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.metrics.figures import Drawing, Figure
from ranking.core.uncertainty import variance_of_sum

#: Weight of a character that both marked with different severities (as in WMT23's error span task).
OTHER_SEVERITY: Final = 0.5


@dataclass(frozen=True, slots=True)
class SpanAgreement:
    """Agreement of marked characters between judges.

    Attributes
    ----------
    shared : int
        Outputs marked by two judges, counted once for each pair of judges.
    f1 : float or None
        2 · agreeing characters / (characters marked by one + by the other), over all pairs; the
        same severity counts 1, a different one 0.5 (WMT23). None if no errors were marked.
    unweighted : float or None
        The same, ignoring severities.
    low, high, unweighted_low, unweighted_high : float or None
        Ends of the intervals over segments of `f1` and `unweighted`; None with fewer than ten
        segments, or if all segments agree equally.
    both_free, one_free : int
        Pairs in which both judges marked nothing, and pairs in which only one did.
    """

    shared: int
    f1: float | None
    low: float | None
    high: float | None
    unweighted: float | None
    unweighted_low: float | None
    unweighted_high: float | None
    both_free: int
    one_free: int


def span_agreement(
    judgments: Sequence[ScoredJudgment],
    *,
    confidence: float = 0.95,
) -> SpanAgreement:
    """Measure the agreement of judges on the marked characters of the same outputs.

    Missing content and special marks count as one separate character, since they have no position.
    Where spans overlap, a character has the higher severity; neutral marks do not count. If a judge judged an output several times, the last
    judgment counts.

    Intervals are symmetric on the logit scale, log(F1 / (1 − F1)). The variance is that of a ratio
    of sums over segments; Student's t has one degree of freedom fewer than there are segments with
    marks.
    """
    by_item: dict[tuple[str, str, str], dict[str, ScoredOutput]] = defaultdict(dict)
    for judgment in judgments:
        for output in judgment.outputs:
            if output.spans is not None:
                item = (judgment.document, judgment.segment, min(output.systems))
                by_item[item][judgment.judge] = output
    shared = both_free = one_free = 0
    of_segments: dict[tuple[str, str], FloatArray] = defaultdict(lambda: np.zeros(3))
    for (document, segment, _system), by_judge in by_item.items():
        for one, other in combinations(by_judge.values(), 2):
            of_segments[document, segment] += common_characters(one, other)
            shared += 1
            has_errors = [output.count(*_ERRORS) > 0 for output in (one, other)]
            both_free += not any(has_errors)
            one_free += has_errors[0] != has_errors[1]
    sums = np.array(list(of_segments.values())).reshape(-1, 3)
    sums = sums[sums[:, 2] != 0]
    weighted = _ratio(sums[:, 0], sums[:, 2], confidence)
    unweighted = _ratio(sums[:, 1], sums[:, 2], confidence)
    return SpanAgreement(
        shared,
        *weighted,
        *unweighted,
        both_free=both_free,
        one_free=one_free,
    )


def common_characters(*outputs: ScoredOutput) -> FloatArray:
    """Return twice the characters that two outputs agree in, twice the common ones, and the sum of those marked."""
    length, (one, other) = marked_stretches(outputs)
    common = length * ((one > 0) & (other > 0))
    agreeing = (common * np.where(one == other, 1, OTHER_SEVERITY)).sum()
    total = (length * (one > 0)).sum() + (length * (other > 0)).sum()
    return np.array([2 * agreeing, 2 * common.sum(), total])


def _ratio(
    above: FloatArray,
    below: FloatArray,
    confidence: float,
) -> tuple[float | None, float | None, float | None]:
    """Return Σ above / Σ below, from 0 to 1, with its interval; each entry is a segment."""
    count = len(below)
    if not count:
        return None, None, None
    ratio = Figure.of_sums(above, below, ())
    value = ratio.value
    error = sqrt(variance_of_sum(ratio.influence, np.arange(count)))
    if count < FEWEST_SEGMENTS or not 0 < value < 1 or error == 0:
        return value, None, None
    from scipy.special import expit, logit

    reach = (
        Drawing(confidence=confidence).quantile(count) * error / (value * (1 - value))
    )
    middle = logit(value)
    return value, float(expit(middle - reach)), float(expit(middle + reach))


def marked_stretches(
    outputs: Sequence[ScoredOutput],
) -> tuple[Int64Array, list[Int64Array]]:
    """Return the lengths of the stretches between span boundaries, and each output's severity on
    each stretch.

    Using stretches instead of characters makes the cost independent of span lengths. A severity is
    0 for unmarked text, 1 for a minor error, 2 for a major and 3 for a critical one. Missing content
    is a stretch of one character before the text; the source is before that.
    """
    placed = []
    ends: list[int] = []
    for output in outputs:
        spans = list(map(_span_coordinates, output.spans or ()))
        placed.append(spans)
        for begin, end, *_severity in spans:
            ends += [begin, end]
    cuts = np.unique(np.array(ends, dtype=np.int64))
    length = np.diff(cuts)
    severities = []
    for spans in placed:
        severest = np.zeros(len(length), dtype=np.int64)
        for start, end, severity in spans:
            stretch = slice(*np.searchsorted(cuts, (start, end)).tolist())
            severest[stretch] = np.maximum(severest[stretch], severity)
        severities.append(severest)
    return length, severities


_SEVERITIES: Final = tuple(Severity)
_ERRORS: Final = _SEVERITIES[1:]
#: Before positions in the output and missing content.
_OF_SOURCE: Final = -2 * MAX_CHARACTERS


def _span_coordinates(span: Span) -> tuple[int, int, int]:
    """Return the start, the end and the severity of a span."""
    severity = _SEVERITIES.index(span.severity)
    if span.start is None or span.end is None:
        return -1, 0, severity
    before = _OF_SOURCE if span.kind == SOURCE else 0
    return before + span.start, before + span.end, severity
