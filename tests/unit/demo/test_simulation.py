from random import Random

from hypothesis import given
from hypothesis import strategies as st

from annotation.services.simulation import SimulatedJudge, labels_of

qualities = st.lists(st.floats(0, 100), min_size=2, max_size=5)


@given(qualities, st.integers(0, 1000))
def test_a_judge_without_noise_ranks_by_quality(values: list[float], seed: int) -> None:
    labels = labels_of(values, SimulatedJudge("exact", noise=0, ties_within=0), Random(seed))
    for value, label in zip(values, labels, strict=True):
        for other, other_label in zip(values, labels, strict=True):
            assert label is not None
            assert other_label is not None
            assert (value > other) == (label < other_label)


@given(qualities, st.integers(0, 1000))
def test_every_output_gets_a_rank_from_1_to_5(values: list[float], seed: int) -> None:
    for judge in (SimulatedJudge("hasty", noise=30), SimulatedJudge("careless", noise=None)):
        labels = labels_of(values, judge, Random(seed))
        assert len(labels) == len(values)
        assert all(label in {1, 2, 3, 4, 5} for label in labels)


def test_what_seems_equal_is_tied() -> None:
    judge = SimulatedJudge("fair", noise=0, ties_within=4)
    assert labels_of([90, 88, 60, 20], judge, Random(1)) == [1, 1, 2, 3]
