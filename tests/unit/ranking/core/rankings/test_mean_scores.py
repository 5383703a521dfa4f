"""Mean scores over test sets: one is its own mean, and judges of several count together.

The orders of several methods, and which pairs they differ in.
"""

from dataclasses import replace

import numpy as np
import pytest

from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.mean_scores import (
    MeanRank,
    ScoreInfluence,
    mean_ranks,
    mean_scores,
    orders_by_methods,
    score_influence,
)
from ranking.core.rankings.rank import rank
from tests.worlds import draw_campaign, world_named

BLOCKS, _TRUTH = draw_campaign(world_named("10 judges, taste 3"), 1)
OTHERS, _TRUTH_OF_OTHERS = draw_campaign(world_named("10 judges, taste 3"), 2)
METHOD = METHODS["expected_wins"]


def renamed(blocks: Blocks, prefix: str) -> Blocks:
    return replace(blocks, judges=tuple(prefix + name for name in blocks.judges))


def errors(*test_sets: ScoreInfluence) -> np.ndarray:
    found = mean_scores(test_sets, BLOCKS.systems)
    return np.array([row.standard_error for row in found])


@pytest.mark.parametrize(
    "method",
    [name for name, each in METHODS.items() if each.influence is not None],
)
def test_the_mean_over_one_test_set_is_its_score(method: str) -> None:
    given = score_influence(BLOCKS, METHODS[method])
    ranking = rank(BLOCKS, method)
    found = {row.system: row for row in mean_scores([given], BLOCKS.systems)}
    known = ranking.extra["standard_errors"]["values"]
    for row in ranking.systems:
        assert found[row.system].score == pytest.approx(row.score)
        assert found[row.system].standard_error == pytest.approx(known[row.system])
    # The influence of judges adds up to their part of the variance.
    correction = given.judges.effective / (given.judges.effective - 1)
    np.testing.assert_allclose(
        given.of_judges @ given.of_judges.T * correction,
        given.judges.matrix,
        atol=1e-12,
    )


def test_test_sets_of_different_judges_are_independent() -> None:
    one = score_influence(BLOCKS, METHOD)
    other = score_influence(renamed(OTHERS, "other "), METHOD)
    alone = np.sqrt(errors(one) ** 2 + errors(other) ** 2) / 2
    np.testing.assert_allclose(errors(one, other), alone)


def test_the_same_judgments_twice_tell_nothing_more_of_judges() -> None:
    one = score_influence(BLOCKS, METHOD)
    again = score_influence(renamed(BLOCKS, "other "), METHOD)
    independent, together = errors(one, again), errors(one, one)
    np.testing.assert_allclose(independent, errors(one) / 2**0.5)
    # All of the variance of judges stays, half of that of segments goes.
    np.testing.assert_allclose(
        together**2,
        errors(one) ** 2 / 2 + np.diag(one.judges.matrix) / 2,
        rtol=1e-9,
    )
    assert (together > independent).all()


def test_systems_without_a_score_do_not_count() -> None:
    rows = [
        BlockRow(
            judge=f"j{judge}",
            segment=segment,
            candidates=[["A"], ["B"]],
            labels=[1, 2],
        )
        for segment in range(1, 9)
        for judge in range(5)
    ]
    blocks = blocks_from_rows(rows, ["A", "B", "C"])
    given = score_influence(blocks, METHOD)
    assert given.systems == ("A", "B")
    assert [row.score for row in mean_scores([given], ["B", "A"])] == [0.0, 1.0]


def test_mean_ranks_go_from_end_to_end() -> None:
    found = mean_ranks(
        [{"A": (1, 1, 2), "B": (2, 1, 4)}, {"B": (1, 1, 1), "A": (4, 3, 6)}],
        ["B", "A"],
    )
    assert found == (MeanRank("B", 1.5, 1.0, 2.5), MeanRank("A", 2.5, 2.0, 4.0))


def test_a_method_without_influence_is_refused() -> None:
    with pytest.raises(ValueError, match="lopez"):
        score_influence(BLOCKS, METHODS["lopez"])


def blocks_of(*pairs: tuple[str, int, str, int]) -> Blocks:
    rows = [
        BlockRow("j", segment, [(one,), (other,)], [first, second])
        for segment, (one, first, other, second) in enumerate(pairs, 1)
    ]
    return blocks_from_rows(rows, ("A", "B", "C"))


def test_systems_with_equal_scores_are_in_no_order() -> None:
    # A and C win one each, and so do B and C, who tie twice: by Expected Wins all three have one half.
    won = [("A", 1, "C", 2), ("A", 2, "C", 1), ("B", 1, "C", 2), ("B", 2, "C", 1)]
    blocks = blocks_of(*won, ("B", 1, "C", 1), ("B", 1, "C", 1))
    equal, counted = orders_by_methods(blocks, ["expected_wins", "geq_others"])
    assert (list(equal.ranks), list(counted.ranks)) == (
        ["A", "B", "C"],
        ["B", "C", "A"],
    )
    assert counted.swapped == ()
    assert orders_by_methods(blocks, ["geq_others", "expected_wins"])[1].swapped == ()


def test_pairs_in_another_order_are_named_the_better_by_the_first_method_first() -> (
    None
):
    # A ties with C seven times and beats it once; B wins five of eight against C, and loses the others.
    ties = [("A", 1, "C", 1)] * 7
    others = [("B", 1, "C", 2)] * 5 + [("B", 2, "C", 1)] * 3
    blocks = blocks_of(*ties, ("A", 1, "C", 2), *others)
    _first, strict = orders_by_methods(blocks, ["expected_wins", "gt_others"])
    assert strict.swapped == (("A", "B"), ("A", "C"))
