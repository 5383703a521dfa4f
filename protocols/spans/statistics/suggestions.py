"""Effects of suggested errors: answers that start from them against answers about outputs shown without them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import Final, NamedTuple

import numpy as np

from protocols.spans.records import ScoredJudgment, ScoredOutput, Span
from protocols.spans.statistics.agreement import FEWEST_SEGMENTS
from protocols.spans.statistics.columns import score_of
from protocols.spans.statistics.span_agreement import common_characters
from protocols.spans.weights import Weights
from ranking.core.judges.shares import Share, clustered_share
from ranking.core.metrics.figures import Drawing, Figure
from ranking.core.uncertainty import variance_of_sum

#: Means over outputs; "f1" is of the characters that two judges of an output marked.
MEASURES: Final = ("score", "errors", "seconds", "f1")
#: What becomes of suggested errors, and how many of the planted ones are removed.
OUTCOMES: Final = ("kept", "changed", "removed", "planted")


@dataclass(frozen=True, slots=True)
class Difference:
    """Means of a measure over outputs shown with and without suggestions.

    Attributes
    ----------
    measure : str
    shown, withheld, difference : float
    low, high : float or None
        Ends of the interval of the difference, with segments as clusters; None if fewer than ten
        segments have outputs of either kind.
    """

    measure: str
    shown: float
    withheld: float
    difference: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class SuggestionEffects:
    """Differences that suggestions make, what became of them, and how many errors judges added."""

    differences: list[Difference]
    outcomes: dict[str, Share]
    added: int


class _Row(NamedTuple):
    segment: str
    is_shown: bool
    value: float


def suggestion_effects(
    judgments: Sequence[ScoredJudgment],
    *,
    weights: Weights | None,
    confidence: float,
) -> SuggestionEffects:
    """Compare answers that start from suggestions with those about outputs drawn to be shown without.

    Outputs in which nothing was suggested are left out, because they were not drawn.
    """
    rows: dict[str, list[_Row]] = defaultdict(list)
    by_output: dict[tuple[str, str], list[ScoredOutput]] = defaultdict(list)
    for judgment in judgments:
        segment = f"{judgment.document} {judgment.segment}"
        for output in judgment.outputs:
            if output.start is None:
                continue
            by_output[segment, min(output.systems)].append(output)
            for name, value in _values(judgment, output, weights):
                rows[name].append(_Row(segment, output.start.is_shown, value))
    for (segment, _system), outputs in by_output.items():
        rows["f1"] += _common_errors(segment, outputs)
    differences = []
    for name in MEASURES:
        if len({measured.is_shown for measured in rows[name]}) > 1:
            differences.append(_difference(name, rows[name], confidence))
    outcomes = {}
    for name in OUTCOMES:
        if rows[name]:
            outcomes[name] = _share(rows[name], confidence)
    return SuggestionEffects(
        differences=differences,
        outcomes=outcomes,
        added=sum(row.value == 1 for row in rows["added"]),
    )


def _common_errors(segment: str, outputs: Sequence[ScoredOutput]) -> Iterator[_Row]:
    for one, other in combinations(outputs, 2):
        agreeing, _common, total = common_characters(one, other)
        if total and one.start is not None:
            yield _Row(segment, one.start.is_shown, agreeing / total)


def _values(
    judgment: ScoredJudgment,
    output: ScoredOutput,
    weights: Weights | None,
) -> Iterator[tuple[str, float]]:
    """Yield measures of an answer about an output, and 0 or 1 for each outcome of each suggested error."""
    spans = output.spans or ()
    start = output.start
    score = score_of(output, weights)
    if score is not None:
        yield "score", score
    yield "errors", len(spans)
    if judgment.duration_ms is not None:
        yield "seconds", judgment.duration_ms / 1000 / len(judgment.outputs)
    if start is None or not start.is_shown:
        return
    for index, suggested in enumerate(start.spans):
        outcome = _outcome(suggested, spans)
        if index == start.planted:
            yield "planted", outcome == "removed"
        else:
            yield from ((name, outcome == name) for name in OUTCOMES[:-1])
    for span in spans:
        yield "added", _outcome(span, start.spans) == "removed"


def _outcome(span: Span, others: Sequence[Span]) -> str:
    """Return what became of a span among others: there unchanged, there in part or with other properties, or gone."""
    if span in others:
        return "kept"
    for other in others:
        is_in_place = span.start is None or span.overlaps(other)
        if other.kind == span.kind and is_in_place:
            return "changed"
    return "removed"


def _share(rows: Sequence[_Row], confidence: float) -> Share:
    _segments, segment = np.unique([row.segment for row in rows], return_inverse=True)
    successes = np.bincount(segment, [row.value for row in rows]).astype(np.int64)
    return clustered_share(successes, np.bincount(segment), confidence=confidence)


def _difference(measure: str, rows: Sequence[_Row], confidence: float) -> Difference:
    _segments, segment = np.unique([row.segment for row in rows], return_inverse=True)
    value = np.array([row.value for row in rows], dtype=np.float64)
    is_shown = np.array([row.is_shown for row in rows])
    with_suggestions = Figure.of_sums(value * is_shown, is_shown, (segment,))
    without_suggestions = Figure.of_sums(value * ~is_shown, ~is_shown, (segment,))
    difference = with_suggestions.value - without_suggestions.value
    segments_compared = []
    for side in (is_shown, ~is_shown):
        segments_compared.append(len(set(segment[side])))
    units = min(segments_compared)
    low = high = None
    if units >= FEWEST_SEGMENTS:
        error = sqrt(
            variance_of_sum(
                with_suggestions.influence - without_suggestions.influence,
                segment,
            ),
        )
        reach = Drawing(confidence=confidence).quantile(units) * error
        low = difference - reach
        high = difference + reach
    return Difference(
        measure,
        with_suggestions.value,
        without_suggestions.value,
        difference,
        low,
        high,
    )
