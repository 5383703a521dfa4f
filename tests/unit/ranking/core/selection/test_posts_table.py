"""Post (2015), the results of the slides "Review": what of the print adds up, and what does not."""

import numpy as np
import pytest

# Accuracy in % of Expected Wins, Hopkins and May, TrueSkill and the oracle, for ten language pairs of WMT14.
RESULTS = np.array(
    [
        [40.4, 41.1, 41.1, 41.2],
        [45.3, 45.6, 45.9, 46.8],
        [49.0, 49.4, 49.3, 50.3],
        [44.6, 44.4, 44.7, 46.0],
        [43.5, 43.7, 43.7, 45.2],
        [47.3, 47.4, 47.2, 48.2],
        [62.5, 62.2, 62.5, 62.6],
        [53.3, 53.7, 53.5, 55.7],
        [47.6, 47.7, 47.7, 50.6],
        [46.5, 46.1, 46.4, 48.2],
    ]
)


def test_means_are_of_the_rows_but_for_the_oracles() -> None:
    means = RESULTS.mean(axis=0)
    assert means[:3] == pytest.approx([48.0, 48.1, 48.2], abs=0.05)
    # Printed: 49.2.
    assert means[3] == pytest.approx(49.48)


def test_no_method_is_better_than_the_oracle() -> None:
    assert (RESULTS[:, :3] < RESULTS[:, 3:]).all()


def test_rankings_a_system_are_cut_and_not_rounded() -> None:
    """German: 54,660 rankings of 18 systems are printed as 3,036.6 a system."""
    assert pytest.approx(3036.67, abs=0.005) == 54_660 / 18
    assert int(54_660 / 18 * 10) / 10 == 3036.6
    assert round(54_660 / 18, 1) == 3036.7
