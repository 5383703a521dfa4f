"""Agreement of judges on scores and marked characters."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from protocols.spans.records import MAX_CHARACTERS, ScoredOutput
from protocols.spans.simulator import SpanModel, simulate_spans
from protocols.spans.statistics.agreement import (
    JudgePairScores,
    marked_stretches,
    score_agreement,
    span_agreement,
)
from ranking.core.diagnosis.clustered_correlation import correlation_clustered
from tests.unit.protocols.spans.drawn import judgment, major, minor, output, spans_of


def test_two_judges_side_by_side() -> None:
    scores = {"ann": [10, 40, 60, 90], "bob": [20, 40, 90, 70]}
    screens = [
        judgment(output("A", score), judge=judge, segment=str(number))
        for judge, given_scores in scores.items()
        for number, score in enumerate(given_scores)
    ]
    found = score_agreement([*screens, judgment(output("A", 0), judge="eve", segment="9")])
    (pair,) = found.pairs
    assert (pair.one, pair.other, pair.shared) == ("ann", "bob", 4)
    assert pair.pearson == pytest.approx(np.corrcoef(scores["ann"], scores["bob"])[0, 1])
    assert pair.spearman == pytest.approx(0.8)
    assert pair.kendall == pytest.approx(2 / 3)
    assert (pair.difference, pair.distance) == (-5, 15)
    assert (pair.low, pair.high) == (None, None)
    both = np.array([scores["ann"] + scores["bob"], scores["bob"] + scores["ann"]])
    assert found.pearson == pytest.approx(np.corrcoef(both)[0, 1])
    # Too few segments to say how sure that is.
    assert (found.low, found.high) == (None, None)


def test_the_interval_of_two_judges_takes_outputs_of_a_segment_for_alike() -> None:
    """A second system with the same scores makes nothing more certain."""
    random = np.random.default_rng(3)
    scores = {"ann": random.integers(0, 101, 20), "bob": random.integers(0, 101, 20)}

    def pair(*systems: str) -> JudgePairScores:
        screens = [
            judgment(*(output(name, score) for name in systems), judge=judge, segment=str(number))
            for judge, given_scores in scores.items()
            for number, score in enumerate(given_scores.tolist())
        ]
        return score_agreement(screens, resamples=200).pairs[0]

    one, two = pair("A"), pair("A", "B")
    by_hand = correlation_clustered(scores["ann"], scores["bob"], (np.arange(20),))
    assert (one.low, one.high) == (by_hand.low, by_hand.high)
    assert one.low is not None
    assert two.shared == 40
    assert (two.low, two.high) == pytest.approx((one.low, one.high))


def test_a_severe_judge_lowers_raw_agreement_and_not_the_standardised() -> None:
    screens = [
        judgment(output("A", 30 + 5 * number - shift), judge=judge, segment=str(number))
        for judge, shift in (("ann", 0), ("bob", 30))
        for number in range(12)
    ]
    found = score_agreement(screens, resamples=200)
    assert found.pairs[0].pearson == pytest.approx(1)
    assert found.standardised == pytest.approx(1)
    assert found.pearson is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.pearson < 0.3
    assert found.pearson < found.high


def test_no_shared_output_is_no_agreement() -> None:
    found = score_agreement([judgment(output("A", 1)), judgment(output("B", 1), judge="bob")])
    assert (found.pairs, found.shared, found.pearson) == ((), 0, None)


def of_two(one: ScoredOutput, other: ScoredOutput) -> tuple[Any, Any]:
    found = span_agreement([judgment(one), judgment(other, judge="bob")])
    return found.f1, found.unweighted


def test_f1_counts_characters_and_half_for_another_severity() -> None:
    # Four characters and six, three in common, of which two with the same severity.
    one = output("A", 50, [minor(0, 2), major(4, 6)])
    other = output("A", 50, [minor(1, 2), minor(4, 5), major(5, 9)])
    assert of_two(one, other) == (pytest.approx(2 * 2.5 / 10), pytest.approx(2 * 3 / 10))


def test_missing_content_is_a_character_of_its_own() -> None:
    missing = output("A", 50, [minor(None, None)])
    assert of_two(missing, output("A", 40, [minor(None, None)])) == (1, 1)
    assert of_two(missing, output("A", 40, [minor(0, 1)])) == (0, 0)


def test_outputs_without_errors_are_counted_apart() -> None:
    found = span_agreement(
        [
            judgment(output("A", 90), output("B", 90), output("C", 50, None)),
            judgment(output("A", 80), output("B", 50, [major()]), output("C", 50), judge="bob"),
        ]
    )
    assert (found.shared, found.both_free, found.one_free, found.f1) == (2, 1, 1, 0)


def test_the_higher_severity_counts_where_spans_overlap() -> None:
    length, (marked,) = marked_stretches([output("A", 50, [major(1, 3), minor(0, 4)])])
    assert length.tolist() == [1, 2, 1]
    assert marked.tolist() == [1, 2, 1]


def test_long_spans_take_no_room() -> None:
    one = output("A", 50, [minor(0, MAX_CHARACTERS)])
    length, (marked,) = marked_stretches([one])
    assert (length.tolist(), marked.tolist()) == ([MAX_CHARACTERS], [1])
    assert of_two(one, output("A", 50, [minor(0, MAX_CHARACTERS // 2)])) == (
        pytest.approx(2 / 3),
        pytest.approx(2 / 3),
    )


@given(spans_of("a text of words"), spans_of("a text of words"))
def test_f1_is_symmetric_and_1_for_oneself(one: tuple, other: tuple) -> None:  # type: ignore[type-arg]
    first, second = output("A", 50, one), output("A", 50, other)
    assert of_two(first, second) == of_two(second, first)
    assert of_two(first, first) == ((1, 1) if one else (None, None))


def test_judges_who_find_more_errors_agree_more() -> None:
    f1 = []
    for found in (0.3, 0.9):
        model = SpanModel(segments=60, screens=3, outputs=5, systems=5, found=found)
        f1.append(span_agreement(simulate_spans(model, seed=1).judgments).f1 or 0)
    # Both find a given error with probability p², one of the two marks 2p: F1 is p.
    np.testing.assert_allclose(f1, [0.3, 0.9], atol=0.05)
