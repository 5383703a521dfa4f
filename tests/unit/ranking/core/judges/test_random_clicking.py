from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.judges.clicking import reference_preferences
from tests.clickers import CLICKERS, clicking
from tests.some_now import some_now

REF = ("_ref",)
SYSTEMS = ["a", "b", "c", "d", "_ref"]


def test_hand_worked_preference() -> None:
    rows = [
        BlockRow("ann", 1, ["a", REF, "b"], [2, 1, 1]),
        BlockRow("ann", 2, ["a", REF, "b"], [2, 3, None]),
        BlockRow("ann", 3, ["a", REF, "b"], [2, None, 1]),  # the reference has no label
        BlockRow("ann", 4, [("a", "_ref"), "b"], [1, 2]),  # a is the reference, word for word
        BlockRow("bob", 4, ["a", "b"], [1, 2]),
    ]
    ann, bob = reference_preferences(blocks_from_rows(rows, SYSTEMS), "_ref")
    assert (ann.comparisons, ann.preferred, ann.tied) == (4, 2, 1)
    assert ann.share == 0.5
    assert (bob.comparisons, bob.share, bob.p_random, bob.p_lowest) == (0, None, None, None)


def test_probability_is_that_of_all_ways_to_shuffle_the_labels_given() -> None:
    # Two blocks, with two and one outputs beside the reference, which wins two of three.
    rows = [BlockRow("ann", 1, ["a", REF, "b"], [2, 1, 1]), BlockRow("ann", 2, ["a", REF], [2, 1])]
    (ann,) = reference_preferences(blocks_from_rows(rows, SYSTEMS), "_ref")
    # Margins 1, 1, -2 with labels 1, 1, 2; and 1, -1. At least 2 in two cases of six.
    assert ann.p_random == pytest.approx(2 / 6)
    assert ann.p_lowest == pytest.approx(2 / 6)
    assert ann.p_binomial == pytest.approx(3 * 0.4**2 * 0.6 + 0.4**3)


@given(
    st.lists(
        st.lists(st.sampled_from([1, 2, 3, 4, 5, None]), min_size=1, max_size=5),
        min_size=1,
        max_size=2,
    )
)
@example([[1, 1, 1, 2], [5, 3], [2, None, 2]])
def test_it_equals_counting_every_shuffle(labels: list[list[int | None]]) -> None:
    names = [REF, "a", "b", "c", "d"]
    rows = [BlockRow("ann", n, names[: len(each)], each) for n, each in enumerate(labels)]
    (ann,) = reference_preferences(blocks_from_rows(rows, SYSTEMS), "_ref")

    def margin(shuffled: Sequence[int]) -> int:
        first, *others = shuffled
        return sum((first < other) - (first > other) for other in others)

    given_labels = [[label for label in each if label] for each in labels if each[0]]
    compared = [each for each in given_labels if len(each) > 1]
    if not compared:
        assert ann.p_random is None
        return
    seen = sum(map(margin, compared))
    sums = np.zeros(1)
    for each in compared:
        sums = np.add.outer(sums, list(map(margin, permutations(each)))).ravel()
    assert ann.p_random == pytest.approx(np.mean(sums >= seen))
    assert ann.p_lowest == pytest.approx(np.mean(sums == sums.max()))


@pytest.mark.parametrize("kind", some_now(CLICKERS, most=2))
def test_clickers_of_every_kind_pass_as_often_as_the_level_says(kind: str) -> None:
    blocks = clicking(kind, judges=1500, blocks=60, seed=1)
    found = reference_preferences(blocks, "_ref")
    passed = np.mean([each.p_random is not None and each.p_random <= 0.05 for each in found])
    if kind == "one label for all":
        # No order of equal labels says anything: nothing is ever told from clicking.
        assert passed == 0
        assert {each.p_lowest for each in found} == {1.0}
        return
    # Three standard errors of 0.0056 around 3 to 5 %.
    assert 0.013 <= passed <= 0.067
