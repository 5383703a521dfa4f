"""Random numbers of draws: their distribution."""

import numpy as np
import pytest
from scipy.stats import kstest, t

from ranking.core.uncertainty.two_way import t_deviates


@pytest.mark.parametrize("degrees_of_freedom", [np.inf, 3.0, 12.5])
def test_each_system_has_deviates_of_students_t(degrees_of_freedom: float) -> None:
    found = t_deviates(4, range(4000), 3, degrees_of_freedom)
    distribution = t(degrees_of_freedom) if np.isfinite(degrees_of_freedom) else t(1e12)
    for of_system in found.T:
        assert kstest(of_system, distribution.cdf).pvalue > 0.01


def test_one_scale_is_drawn_for_all_systems() -> None:
    """As in a multivariate t: with few degrees of freedom, large deviates come together."""
    found = t_deviates(4, range(20_000), 2, 5.0)
    assert np.all(np.asarray(np.corrcoef(np.abs(found).T)) > 0.1)
    np.testing.assert_allclose(np.corrcoef(found.T), np.eye(2), atol=0.03)


def test_a_draw_is_a_function_of_seed_and_id() -> None:
    whole = t_deviates(7, range(10), 3, 6.0)
    np.testing.assert_array_equal(whole[4:6], t_deviates(7, range(4, 6), 3, 6.0))
    assert not np.any(whole == t_deviates(8, range(10), 3, 6.0))
    assert t_deviates(7, range(0), 3, 6.0).shape == (0, 3)
