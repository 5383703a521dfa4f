from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ranking.core.ranges import RankRanges, clusters, rank_ranges
from ranking.core.scores import Scores

ranges_strategy = st.lists(
    st.tuples(st.integers(1, 9), st.integers(0, 3)).map(
        lambda pair: (pair[0], sum(pair)),
    ),
    min_size=1,
    max_size=7,
)


def ranges_of(pairs: list[tuple[int, int]]) -> RankRanges:
    low, high = zip(*pairs, strict=True)
    return RankRanges(low=np.array(low), high=np.array(high))


def scores_of(rows: list[list[float]]) -> Scores:
    values = np.array(rows)
    return Scores(values=values, estimable=~np.isnan(values))


def test_published_ranges_give_the_clusters_of_koehn_table_3() -> None:
    published = [
        *[(1, 3), (1, 4), (1, 5), (2, 6), (3, 7), (5, 8), (5, 8), (6, 9), (8, 12)],
        *[(9, 13), (9, 14), (9, 14), (10, 14), (12, 14), (15, 15)],
    ]
    assert clusters(ranges_of(published)).tolist() == [1] * 14 + [2]


def test_published_ranges_give_the_clusters_of_koehn_table_2() -> None:
    # In print SFU and JHU both have the range 12; with 12 and 13 there are the six clusters of the
    # text, with 12 and 12 equation 6 makes five.
    published = [
        (1, 1),
        (2, 2),
        (3, 6),
        (3, 6),
        (3, 7),
        (4, 7),
        (4, 7),
        (8, 10),
        (8, 11),
    ]
    published += [(9, 11), (9, 11), (12, 12)]
    assert clusters(ranges_of([*published, (13, 13)])).max() == 6
    assert clusters(ranges_of([*published, (12, 12)])).max() == 5


def test_a_chain_of_overlaps_is_one_cluster_in_any_order() -> None:
    assert clusters(ranges_of([(4, 4), (2, 3), (1, 2), (3, 3)])).tolist() == [
        2,
        1,
        1,
        1,
    ]


def partitions(items: list[int]) -> Iterator[list[list[int]]]:
    if not items:
        yield []
        return
    head, *tail = items
    for partition in partitions(tail):
        yield [[head], *partition]
        for i, group in enumerate(partition):
            yield [*partition[:i], [head, *group], *partition[i + 1 :]]


@given(ranges_strategy)
def test_clusters_are_the_largest_set_that_satisfies_equation_6(
    pairs: list[tuple[int, int]],
) -> None:
    def apart(j: int, k: int) -> bool:
        return pairs[j][0] > pairs[k][1] or pairs[k][0] > pairs[j][1]

    def valid(partition: list[list[int]]) -> bool:
        cluster_of = {
            member: i for i, group in enumerate(partition) for member in group
        }
        return all(
            apart(j, k)
            for j in cluster_of
            for k in cluster_of
            if cluster_of[j] != cluster_of[k]
        )

    largest = max(filter(valid, partitions(list(range(len(pairs))))), key=len)
    largest.sort(key=lambda group: min(pairs[member][0] for member in group))
    expected = {
        member: i for i, group in enumerate(largest, start=1) for member in group
    }
    assert dict(enumerate(clusters(ranges_of(pairs)).tolist())) == expected


def test_the_same_number_of_ranks_is_trimmed_off_at_both_ends() -> None:
    # The first system is best in 97 resamples of 100 and last in 3; 95 % trims off two and two.
    ranges = rank_ranges(scores_of([[0.9, 0.5, 0.1]] * 97 + [[0.0, 0.5, 0.1]] * 3))
    assert ranges.low.tolist() == [1, 1, 2]
    assert ranges.high.tolist() == [3, 2, 3]
    ranges = rank_ranges(scores_of([[0.9, 0.5, 0.1]] * 98 + [[0.0, 0.5, 0.1]] * 2))
    assert (ranges.low.tolist(), ranges.high.tolist()) == ([1, 2, 3], [1, 2, 3])


def test_systems_tied_in_a_resample_share_a_span_of_ranks() -> None:
    ranges = rank_ranges(scores_of([[0.7, 0.5, 0.5, 0.2]]))
    assert (ranges.low.tolist(), ranges.high.tolist()) == ([1, 2, 2, 4], [1, 3, 3, 4])


def test_a_system_not_estimable_in_a_resample_may_have_any_rank() -> None:
    ranges = rank_ranges(scores_of([[0.7, np.nan, 0.5]]))
    assert (ranges.low.tolist(), ranges.high.tolist()) == ([1, 1, 2], [2, 3, 3])


def test_systems_of_different_groups_may_be_in_any_order() -> None:
    # a > b in one group, c > d in another; e is in a third and not estimable.
    scores = Scores(
        values=np.array([[0.9, 0.5, 0.8, 0.1, np.nan]]),
        estimable=np.array([[True, True, True, True, False]]),
        group=np.array([[0, 0, 1, 1, 2]]),
    )
    ranges = rank_ranges(scores)
    assert ranges.low.tolist() == [1, 2, 1, 2, 1]
    assert ranges.high.tolist() == [4, 5, 4, 5, 5]


scores_strategy = hnp.arrays(
    float,
    st.tuples(st.integers(1, 40), st.integers(1, 5)),
    elements=st.sampled_from([0, 0.5, 1]),
)


@given(scores_strategy, st.floats(0.01, 0.98))
def test_more_confidence_never_narrows_a_range(
    values: npt.NDArray[np.float64],
    confidence: float,
) -> None:
    scores = Scores(
        values=np.asarray(values),
        estimable=np.ones(np.shape(values), bool),
    )
    narrow = rank_ranges(scores, confidence=confidence)
    wide = rank_ranges(scores, confidence=confidence + 0.01)
    assert np.all(wide.low <= narrow.low)
    assert np.all(wide.high >= narrow.high)
    assert np.all(wide.low >= 1)
    assert np.all(narrow.low <= narrow.high)
    assert np.all(wide.high <= scores.values.shape[1])


def test_there_are_no_ranges_without_resamples() -> None:
    with pytest.raises(ValueError, match="resamples"):
        rank_ranges(Scores(values=np.empty((0, 3)), estimable=np.empty((0, 3), bool)))
