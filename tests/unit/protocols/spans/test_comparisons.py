"""Comparisons that scores imply for the ranking methods."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.spans.records import ScoredOutput
from protocols.spans.statistics.columns import score_columns
from protocols.spans.statistics.comparisons import blocks_of_scores
from protocols.spans.weights import USUAL_WEIGHTS, weighted_score
from ranking.core.counting.counts import tally
from ranking.core.rankings.rank import rank
from tests.simulated.scores import SpanModel, simulate_spans
from tests.unit.protocols.spans.drawn import judgment, major, minor, output


@given(st.lists(st.integers(0, 100), min_size=2, max_size=5))
def test_labels_are_in_the_order_of_the_scores(scores: list[int]) -> None:
    screen = judgment(
        *(output(f"s{place}", score) for place, score in enumerate(scores)),
    )
    labels = blocks_of_scores([screen]).labels[0]
    for one, label in zip(scores, labels, strict=True):
        for other, other_label in zip(scores, labels, strict=True):
            assert (one > other) == (label < other_label)


def test_equal_texts_with_equal_scores_are_one_candidate() -> None:
    same = blocks_of_scores(
        [
            judgment(
                output("A", 50, text="x"),
                output("B", 50, text="x"),
                output("C", 40, text="y"),
            ),
        ],
    )
    assert same.candidates.tolist() == [[0, 0, 1]]
    assert tally(same).comparisons == 2
    # With two scores, the judge took them for two outputs.
    other = judgment(output("A", 50, text="x"), output("B", 51, text="x"))
    assert tally(blocks_of_scores([other])).comparisons == 1


def test_scores_of_one_judge_are_compared_across_screens_only_if_asked() -> None:
    alone = [
        judgment(output(name, score), segment=segment)
        for segment in ("1", "2")
        for name, score in (("A", 80), ("B", 60), ("C", 60))
    ]
    with pytest.raises(ValueError, match="side by side"):
        blocks_of_scores(alone)
    found = tally(blocks_of_scores(alone, compared="judge"))
    assert (found.comparisons, found.tied) == (6, 2)
    by_two = [
        judgment(output("A", 80), judge="ann"),
        judgment(output("B", 60), judge="bob"),
    ]
    with pytest.raises(ValueError, match="no judge"):
        blocks_of_scores(by_two, compared="judge")


def test_one_text_is_not_compared_with_itself_at_another_time() -> None:
    shared = ScoredOutput(("A", "B"), 80)
    alone = [judgment(shared), judgment(output("C", 60))]
    found = blocks_of_scores(alone, compared="judge")
    assert tally(found).comparisons == 2
    assert len(found) == 1
    same_text = [
        judgment(output("A", 80, text="x")),
        judgment(output("B", 70, text="x")),
        judgment(output("C", 60, text="y")),
    ]
    assert tally(blocks_of_scores(same_text, compared="judge")).comparisons == 2
    with pytest.raises(ValueError, match="no judge"):
        blocks_of_scores(same_text[:2], compared="judge")


def test_documents_count_where_several_are_named() -> None:
    screens = [
        judgment(output("A", 80), output("B", 60), document=document, segment=segment)
        for document, segment in (("x", "1"), ("y", "1"), ("x", "2"))
    ]
    blocks = blocks_of_scores(screens)
    assert blocks.document is not None
    assert blocks.document.tolist() == [0, 1, 0]
    assert len(set(blocks.segment.tolist())) == 3
    assert blocks_of_scores(screens[:1]).document is None


def test_every_method_ranks_what_scores_imply() -> None:
    campaign = simulate_spans(SpanModel(systems=4, segments=60, spread=30), seed=3)
    ranking = rank(blocks_of_scores(campaign.judgments), "bradley_terry", resamples=50)
    assert tuple(row.system for row in ranking.systems) == campaign.systems


@pytest.mark.parametrize(
    ("marked", "score"),
    [
        (output("A", None, []), 0),
        (output("A", None, [major(), minor(2, 3), minor(None, None)]), -7),
        (output("A", None, [minor(category="Fluency/Punctuation")]), -0.1),
        (output("A", None, [major(category="Fluency/Punctuation")]), -5),
        (output("A", None, [major(category="Non-translation!")]), -25),
        (output("A", 50, None), None),
    ],
)
def test_errors_weigh_as_in_mqm(marked: ScoredOutput, score: float | None) -> None:
    assert weighted_score(marked) == score


def test_outputs_without_the_score_are_left_out() -> None:
    screen = judgment(output("A", None, [minor()]), output("B", 50, None))
    assert score_columns([screen]).systems == ("B",)
    assert score_columns([screen], weights=USUAL_WEIGHTS).systems == ("A",)
    with pytest.raises(ValueError, match="no output has a score"):
        score_columns([judgment(output("A", None, [minor()]))])
