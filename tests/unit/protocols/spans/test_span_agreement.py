"""Agreement of judges on marked characters."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from protocols.spans.records import ScoredJudgment, ScoredOutput
from protocols.spans.statistics.span_agreement import marked_stretches, span_agreement
from tests.unit.protocols.spans.drawn import judgment, major, minor, output, spans_of


def of_two(one: ScoredOutput, other: ScoredOutput) -> tuple[Any, Any]:
    found = span_agreement([judgment(one), judgment(other, judge="bob")])
    return found.f1, found.unweighted


def test_f1_counts_characters_and_half_for_another_severity() -> None:
    # Four characters and six, three in common, of which two with the same severity.
    one = output("A", 50, [minor(0, 2), major(4, 6)])
    other = output("A", 50, [minor(1, 2), minor(4, 5), major(5, 9)])
    assert of_two(one, other) == (
        pytest.approx(2 * 2.5 / 10),
        pytest.approx(2 * 3 / 10),
    )


def test_missing_content_is_a_character_of_its_own() -> None:
    missing = output("A", 50, [minor(None, None)])
    assert of_two(missing, output("A", 40, [minor(None, None)])) == (1, 1)
    assert of_two(missing, output("A", 40, [minor(0, 1)])) == (0, 0)


def test_outputs_without_errors_are_counted_apart() -> None:
    found = span_agreement(
        [
            judgment(output("A", 90), output("B", 90), output("C", 50, None)),
            judgment(
                output("A", 80),
                output("B", 50, [major()]),
                output("C", 50),
                judge="bob",
            ),
        ],
    )
    assert (found.shared, found.both_free, found.one_free, found.f1) == (2, 1, 1, 0)


def test_the_higher_severity_counts_where_spans_overlap() -> None:
    length, (marked,) = marked_stretches([output("A", 50, [major(1, 3), minor(0, 4)])])
    assert length.tolist() == [1, 2, 1]
    assert marked.tolist() == [1, 2, 1]


@given(spans_of("a text of words"), spans_of("a text of words"))
def test_f1_is_symmetric_and_1_for_oneself(one: tuple, other: tuple) -> None:  # type: ignore[type-arg]
    first, second = output("A", 50, one), output("A", 50, other)
    assert of_two(first, second) == of_two(second, first)
    assert of_two(first, first) == (
        (1, 1) if any(span.severity != "neutral" for span in one) else (None, None)
    )


def of_segments(lengths: list[int], *, systems: str = "A") -> list[ScoredJudgment]:
    """Return judgments of two: one marks ten characters of each segment, the other so many of them."""
    return [
        judgment(
            *(output(system, 50, [minor(0, end)]) for system in systems),
            judge=judge,
            segment=str(number),
        )
        for number, length in enumerate(lengths)
        for judge, end in (("ann", 10), ("bob", length))
    ]


def test_the_interval_of_f1_is_that_of_a_ratio_over_segments() -> None:
    lengths = [2, 4, 4, 5, 6, 6, 7, 8, 9, 9, 10, 10]
    found = span_agreement(of_segments(lengths))
    agreeing, marked = 2 * np.array(lengths), 10 + np.array(lengths)
    f1 = agreeing.sum() / marked.sum()
    assert found.f1 == pytest.approx(f1)
    away = (agreeing - f1 * marked) / marked.mean()
    error = away.std(ddof=1) / np.sqrt(12)
    reach = stats.t.ppf(0.975, 11) * error / (f1 * (1 - f1))
    logit = np.log(f1 / (1 - f1))
    ends = 1 / (1 + np.exp(-(logit + np.array([-reach, reach]))))
    assert (found.low, found.high) == pytest.approx(tuple(ends))
    # All have one severity.
    assert (found.unweighted_low, found.unweighted_high) == (found.low, found.high)


def test_a_second_output_of_each_segment_makes_f1_no_more_certain() -> None:
    lengths = [2, 4, 4, 5, 6, 6, 7, 8, 9, 9]
    one, two = (
        span_agreement(of_segments(lengths, systems=systems)) for systems in ("A", "AB")
    )
    assert (two.shared, one.shared) == (20, 10)
    assert one.low is not None
    assert (two.low, two.high) == pytest.approx((one.low, one.high))


def test_nine_segments_give_no_interval_of_f1() -> None:
    found = span_agreement(of_segments([2, 4, 4, 5, 6, 6, 7, 8, 9]))
    assert found.f1 is not None
    assert (found.low, found.unweighted_high) == (None, None)


def test_judges_who_mark_the_same_have_no_interval_of_f1() -> None:
    found = span_agreement(of_segments([10] * 12))
    assert (found.f1, found.low, found.high) == (1, None, None)
