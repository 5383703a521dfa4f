"""Influence values of the methods, beside differences of scores."""

import numpy as np
import pytest

from ranking.core.counting.counts import Counts
from ranking.core.methods.method import CountsMethod
from ranking.core.methods.registry import METHODS
from ranking.core.methods.shares import expected_wins_influence, smoothed_share

WITH_INFLUENCE = [
    name
    for name, method in METHODS.items()
    if isinstance(method, CountsMethod) and method.influence is not None
]


@pytest.mark.parametrize("name", WITH_INFLUENCE)
def test_influence_is_the_derivative_where_data_are_plenty(name: str) -> None:
    """By one comparison more and one less, of each used cell."""
    method = METHODS[name]
    assert isinstance(method, CountsMethod)
    assert method.influence is not None
    random = np.random.default_rng(2)
    layout = method.layout(4)
    cells = np.zeros(layout.size, dtype=np.int64)
    cells[layout.used] = random.integers(200_000, 400_000, len(layout.used))
    if layout.outright:
        cells[-12:] = [900_000] * 4 + [500_000] * 4 + [400_000] * 4
    influence = method.influence(layout.unpack(cells))
    assert influence.shape == (4, layout.size)
    for cell in layout.used.tolist():
        more, less = cells.copy(), cells.copy()
        more[cell] += 1000
        less[cell] -= 1000
        moved = (
            method.of_counts(layout.unpack(more)).values
            - method.of_counts(layout.unpack(less)).values
        ) / 2000
        np.testing.assert_allclose(influence[:, cell], moved, atol=2e-11)


def test_a_smoothed_share_of_few_trials_is_not_certain() -> None:
    share, weight = smoothed_share(np.array([0, 1, 2, 10]), np.array([0, 1, 2, 10]))
    np.testing.assert_allclose(share, [1 / 2, 2 / 3, 3 / 4, 11 / 12])
    np.testing.assert_allclose(weight, [0, 2**0.5, 2**0.5 / 2, (10 / 9) ** 0.5 / 10])


@pytest.mark.parametrize(
    "name",
    ["geq_others", "gt_others", "bojar", "gt_all_in_block"],
)
def test_influences_of_few_trials_are_deviations_from_the_smoothed_share(
    name: str,
) -> None:
    """Of system a with two wins, no loss and one tie; two of three blocks won alone."""
    method = METHODS[name]
    assert isinstance(method, CountsMethod)
    assert method.influence is not None
    layout = method.layout(2)
    counts = Counts(
        wins=np.array([[0, 2], [0, 0]]),
        ties=np.array([[0, 1], [1, 0]]),
        appearances=np.array([3, 3]),
        best=np.array([3, 1]),
        alone=np.array([2, 0]),
    )
    part, whole = {"geq_others": (3, 3), "bojar": (2, 2)}.get(name, (2, 3))
    share, weight = (part + 1) / (whole + 2), (whole / (whole - 1)) ** 0.5 / whole
    influence = method.influence(counts)[0]
    assert influence.shape == (layout.size,)
    if layout.outright:
        # Shown, best, alone: of a and b each.
        expected = [weight * -share, 0, 0, 0, weight, 0]
        np.testing.assert_allclose(influence[-6:], expected)
        assert not influence[:-6].any()
    else:
        assert influence[1] == pytest.approx(weight * (1 - share))
        assert influence[2] == pytest.approx(weight * -share)
    if layout.ties and not layout.outright:
        tie = {"geq_others": 1, "gt_others": 0}[name]
        assert influence[5] == pytest.approx(weight * (tie - share))


def test_influences_of_expected_wins_ignore_the_diagonal_and_opponents_never_met() -> (
    None
):
    wins = np.array([[7, 3, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    found = expected_wins_influence(wins).reshape(4, 4, 4)
    weight = (4 / 3) ** 0.5 / 4
    assert found[0, 0, 1] == pytest.approx(weight * (1 - 4 / 6))
    assert found[0, 1, 0] == pytest.approx(-weight * 4 / 6)
    # b met two, one of them once.
    assert found[1, 1, 0] == pytest.approx(weight / 2 * (1 - 2 / 6))
    assert found[1, 1, 2] == pytest.approx(2**0.5 / 2 * (1 - 2 / 3))
    assert not found[3].any()
    assert not found[:, :, 3].any()
    assert not np.diagonal(found, axis1=1, axis2=2).any()
