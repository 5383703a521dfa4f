"""What a simulated judge says of outputs of stated qualities."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.spans.records import Severity, span_problems
from protocols.spans.simulator import scores_of_qualities, spans_on_words

TEXT = "Der  Zug nach Łódź hält\theute nicht in 🎻 Wien."


@given(
    st.lists(st.tuples(st.floats(0, 100), st.integers(1, 5)), min_size=1, max_size=5),
    st.randoms(use_true_random=False),
)
def test_scores_are_in_the_order_of_the_ranks(
    judged: list[tuple[float, int]], random: Random
) -> None:
    qualities, labels = zip(*judged, strict=True)
    scores = scores_of_qualities(qualities, labels, random)
    assert all(0 <= score <= 100 for score in scores)
    for one, label in zip(scores, labels, strict=True):
        for other, beside in zip(scores, labels, strict=True):
            assert (one > other) == (label < beside)


def test_scores_are_near_the_qualities() -> None:
    random = Random(5)
    found = [scores_of_qualities([90, 40, 60], [1, 3, 2], random) for _each in range(300)]
    means = [sum(scores) / len(found) for scores in zip(*found, strict=True)]
    assert means == pytest.approx([90, 40, 60], abs=1)


@given(st.text(), st.integers(0, 100), st.booleans(), st.randoms(use_true_random=False))
def test_spans_fit_any_text(text: str, score: int, missing: bool, random: Random) -> None:
    spans = spans_on_words(text, score, random, missing=missing)
    assert span_problems(spans, text) == []
    assert missing or not any(span.is_missing_content for span in spans)


def test_spans_are_words_and_more_of_them_where_the_score_is_low() -> None:
    random = Random(2)
    counts = []
    for score in (100, 80, 20):
        found = [spans_on_words(TEXT, score, random, missing=True) for _each in range(200)]
        counts.append(sum(map(len, found)) / len(found))
        for span in (each for spans in found for each in spans if each.start is not None):
            assert TEXT[span.start : span.end] in TEXT.split()
    assert counts[0] == 0
    assert counts == sorted(counts)
    assert counts[2] == pytest.approx(4, abs=0.2)
    severities = {span.severity for span in spans_on_words(TEXT, 0, random, missing=False)}
    assert severities <= set(Severity)
