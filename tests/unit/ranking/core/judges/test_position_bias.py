import numpy as np
import pytest
from scipy.stats import friedmanchisquare

from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.judges.patterns import PositionBias
from tests.measured_judges import position_bias

SYSTEMS = ["a", "b", "c", "d", "e"]


def bias(labels: list[list[int | None]]) -> PositionBias:
    rows = [
        BlockRow("ann", number, SYSTEMS[: len(each)], each)
        for number, each in enumerate(labels, start=1)
    ]
    return position_bias(blocks_from_rows(rows, SYSTEMS))[0]


def test_whole_blocks_without_ties_have_the_statistic_of_friedman() -> None:
    rng = np.random.default_rng(2)
    labels = [rng.permutation([1, 2, 3, 4, 5]).tolist() for _ in range(30)]
    found = bias(labels)
    expected = friedmanchisquare(*np.array(labels).T)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)
    assert (found.blocks, found.degrees_of_freedom) == (30, 4)


def test_hand_worked_pairs() -> None:
    # Two outputs a block, the first better in three of four: deviations −1/2 · (3 − 1) = −1 and 1,
    # s² = 1/2 each, covariance 4 · 1/2 · [[1/2, −1/2], [−1/2, 1/2]]: χ² = 1, as for a sign test.
    found = bias([[1, 2], [1, 2], [1, 2], [2, 1], [3, 3]])
    assert found.blocks == 4
    assert found.deviations == (-0.25, 0.25)
    assert found.statistic == pytest.approx(1.0)
    assert found.degrees_of_freedom == 1
    assert found.p_value == pytest.approx(0.3173, abs=1e-4)


def test_judges_without_bias_pass_as_often_as_the_level_says() -> None:
    rng = np.random.default_rng(5)
    rows = [
        BlockRow(
            f"j{judge:03d}",
            segment,
            SYSTEMS[: 3 + segment % 3],
            [
                None if rng.random() < 0.1 else int(label)
                for label in rng.integers(1, 6, 3 + segment % 3)
            ],
        )
        for judge in range(400)
        for segment in range(40)
    ]
    p_values = np.array(
        [each.p_value for each in position_bias(blocks_from_rows(rows, SYSTEMS))],
    )
    for level in (0.01, 0.05, 0.2):
        error = (level * (1 - level) / 400) ** 0.5
        assert np.mean(p_values <= level) == pytest.approx(level, abs=3.5 * error)


def test_blanks_and_blocks_of_any_length_have_the_statistic_of_deviations_and_covariances() -> (
    None
):
    rng = np.random.default_rng(7)
    drawn: list[list[int | None]] = [
        [int(label) or None for label in rng.integers(0, 6, rng.integers(1, 6))]
        for _block in range(200)
    ]
    found = bias(drawn)
    total, covariance = np.zeros(5), np.zeros((5, 5))
    blocks = 0
    for labels in drawn:
        place = [index for index, label in enumerate(labels) if label]
        given = np.array([label for label in labels if label], dtype=np.float64)
        if len(set(given)) < 2:
            continue
        blocks += 1
        total[place] += given - given.mean()
        shuffled = np.eye(len(given)) - 1 / len(given)
        covariance[np.ix_(place, place)] += given.var(ddof=1) * shuffled
    # Deviations sum to nothing, so one position follows from the others.
    expected = total[1:] @ np.linalg.solve(covariance[1:, 1:], total[1:])
    assert (found.blocks, found.degrees_of_freedom) == (blocks, 4)
    assert found.statistic == pytest.approx(expected, rel=1e-12)


def test_a_direction_without_variance_never_counts() -> None:
    # With rounding alone to tell it from one with variance, one judge in sixty had it counted.
    rng = np.random.default_rng(1)
    rows = [
        BlockRow(
            f"j{judge:03d}",
            segment,
            SYSTEMS,
            [int(x) or None for x in rng.integers(0, 6, 5)],
        )
        for judge in range(150)
        for segment in range(60)
    ]
    found = position_bias(blocks_from_rows(rows, SYSTEMS))
    assert {each.degrees_of_freedom for each in found} == {4}
