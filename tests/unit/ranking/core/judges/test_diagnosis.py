from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.core.agreement.report import inter_judge_agreement
from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.judges.diagnosis import diagnose_judges

Rows = st.SearchStrategy[list[BlockRow]]


def test_hand_worked_labels_beside_others() -> None:
    rows = [
        BlockRow("ann", 1, "ab", [1, 3]),
        BlockRow("bob", 1, "ab", [2, 5]),
        BlockRow("cat", 1, "ba", [1, 2]),
        BlockRow("cat", 2, "ab", [5, 5]),  # nobody else's
    ]
    ann, bob, cat = (
        row.labels for row in diagnose_judges(blocks_from_rows(rows, "ab"), resamples=1)
    )
    # a: 1, 2, 2; b: 3, 5, 1.
    assert (ann.labels, ann.mean, ann.mean_of_others) == (2, 2, 2.5)
    assert (ann.deviation, ann.distance) == (-0.5, (1 + 2) / 2)
    assert (bob.labels, bob.mean, bob.mean_of_others) == (2, 3.5, 1.75)
    assert (bob.deviation, bob.distance) == (1.75, (0.5 + 3) / 2)
    assert (cat.labels, cat.mean, cat.mean_of_others) == (2, 1.5, 2.75)


def test_easy_items_are_those_the_others_agree_on() -> None:
    rows = [
        BlockRow("ann", 1, "ab", [1, 2]),
        BlockRow("bob", 1, "ab", [1, 2]),
        BlockRow("cat", 1, "ba", [1, 1]),  # misses it with a tie
        BlockRow("dan", 1, "ba", [1, 3]),  # misses it
        BlockRow("ann", 2, "ab", [1, 1]),
        BlockRow("bob", 2, "ab", [1, 1]),  # unanimous, but not decided
        BlockRow("cat", 2, "ab", [1, 2]),
    ]
    blocks = blocks_from_rows(rows[:3] + rows[4:], "ab")
    found = {row.judge: row.easy for row in diagnose_judges(blocks, resamples=1)}
    assert (found["cat"].comparisons, found["cat"].missed, found["cat"].share_missed) == (1, 1, 1)
    assert (found["ann"].comparisons, found["ann"].share_missed) == (0, None)
    everyone = diagnose_judges(blocks_from_rows(rows, "ab"), resamples=1)
    assert [row.easy.comparisons for row in everyone] == [0, 0, 0, 0]
    easier = diagnose_judges(blocks_from_rows(rows[:2], "ab"), easy_votes=1, resamples=1)
    assert [(row.easy.comparisons, row.easy.missed) for row in easier] == [(1, 0), (1, 0)]


def test_time_per_block_ignores_what_is_unknown() -> None:
    rows = [BlockRow(judge, 1, "ab", [1, 2]) for judge in ("ann", "ann", "ann", "ann", "bob")]
    seconds = np.array([10, 30, np.nan, 20, np.nan])
    ann, bob = diagnose_judges(blocks_from_rows(rows, "ab"), seconds=seconds, resamples=1)
    assert ann.time is not None
    assert bob.time is not None
    assert (ann.time.blocks, ann.time.median, ann.time.mean) == (3, 20, 20)
    assert (bob.time.blocks, bob.time.median, bob.time.mean) == (0, None, None)
    assert ann.reference is None


def test_agreement_is_that_of_the_report() -> None:
    rows = [BlockRow(judge, 1, "ab", [1, 2]) for judge in ("ann", "bob")]
    blocks = blocks_from_rows(rows, "ab")
    report = inter_judge_agreement(blocks, resamples=20)
    diagnosed = diagnose_judges(blocks, resamples=20)
    assert [row.agreement for row in diagnosed] == [row.agreement for row in report.judges]


@given(data=st.data())
def test_labels_beside_others_equal_those_found_one_by_one(
    rows_strategy: Rows, systems: tuple[str, ...], data: st.DataObject
) -> None:
    rows = data.draw(rows_strategy)
    given_labels = [
        (row.judge, (row.segment, frozenset(shown)), label)
        for row in rows
        for shown, label in zip(row.candidates, row.labels, strict=True)
        if label is not None
    ]
    for found in diagnose_judges(blocks_from_rows(rows, systems), resamples=1):
        means, distances = [], []
        for judge, item, label in given_labels:
            theirs = [b for j, i, b in given_labels if i == item and j != judge]
            if judge == found.judge and theirs:
                means.append(np.mean(theirs))
                distances.append(np.mean([abs(label - b) for b in theirs]))
        assert found.labels.labels == len(means)
        if means:
            assert found.labels.mean_of_others == pytest.approx(np.mean(means))
            assert found.labels.distance == pytest.approx(np.mean(distances))


@given(data=st.data())
def test_easy_items_equal_those_found_one_by_one(
    rows_strategy: Rows, systems: tuple[str, ...], data: st.DataObject
) -> None:
    rows = data.draw(rows_strategy)
    votes = []
    for row in rows:
        judged = [
            (frozenset(shown), label)
            for shown, label in zip(row.candidates, row.labels, strict=True)
            if label is not None
        ]
        for (one, first), (other, second) in combinations(judged, 2):
            best = None if first == second else one if first < second else other
            votes.append((row.judge, (row.segment, frozenset([one, other])), best))
    for found in diagnose_judges(blocks_from_rows(rows, systems), resamples=1):
        compared = missed = 0
        for judge, item, best in votes:
            theirs = [(j, b) for j, i, b in votes if i == item and j != judge]
            preferred = {b for _, b in theirs}
            if judge == found.judge and len({j for j, _ in theirs}) >= 2 and len(preferred) == 1:
                compared += None not in preferred
                missed += None not in preferred and best not in preferred
        assert (found.easy.comparisons, found.easy.missed) == (compared, missed)
