import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from ranking.core.anytime import MIXTURE, half_width, log_evidence


def evidence(difference: float, variance: float, degrees_of_freedom: float) -> float:
    return float(
        np.exp(log_evidence(np.array(difference), np.array(variance), np.array(degrees_of_freedom)))
    )


def test_a_difference_of_three_standard_errors_worked_by_hand() -> None:
    # r = 0.01 / (0.01 + 0.1²) = ½, t² = 9: √½ · (2 / 1.5)^5.
    assert evidence(0.3, 0.01, 9) == pytest.approx(0.5**0.5 * (4 / 3) ** 5)
    assert evidence(0.0, 0.01, 9) == pytest.approx(0.5**0.5)


@pytest.mark.parametrize(
    ("difference", "variance", "degrees_of_freedom"), [(0.3, 0.01, 9), (0.1, 0.004, 4)]
)
def test_it_is_the_mixture_of_noncentral_t_densities(
    difference: float, variance: float, degrees_of_freedom: float
) -> None:
    t, spread = difference / variance**0.5, MIXTURE / variance**0.5
    mixed, _ = integrate.quad(
        lambda shift: (
            stats.nct.pdf(t, degrees_of_freedom, shift) * stats.norm.pdf(shift, 0, spread)
        ),
        -9 * spread,
        9 * spread,
    )
    expected = mixed / stats.t.pdf(t, degrees_of_freedom)
    assert evidence(difference, variance, degrees_of_freedom) == pytest.approx(expected, rel=1e-6)


def test_with_a_known_variance_it_is_the_mixture_of_normal_densities() -> None:
    difference, variance = 0.2, 0.003
    expected = stats.norm.pdf(difference, 0, (variance + MIXTURE**2) ** 0.5) / stats.norm.pdf(
        difference, 0, variance**0.5
    )
    assert evidence(difference, variance, 1e9) == pytest.approx(expected, rel=1e-5)


@given(
    variance=st.floats(1e-6, 1), degrees_of_freedom=st.floats(1, 1e4), level=st.floats(1e-6, 0.5)
)
def test_an_estimate_half_a_width_away_has_just_the_evidence(
    variance: float, degrees_of_freedom: float, level: float
) -> None:
    width = float(half_width(np.array(variance), np.array(degrees_of_freedom), level=level))
    needed = -np.log(level)
    if np.isinf(width):
        # The most that any difference can be evidence for.
        assert degrees_of_freedom / 2 * np.log1p(MIXTURE**2 / variance) <= needed * (1 + 1e-9)
    elif width < 1e5:
        found = log_evidence(np.array(width), np.array(variance), np.array(degrees_of_freedom))
        assert float(found) == pytest.approx(needed, rel=1e-4, abs=1e-6)


def test_who_looks_after_every_unit_is_seldom_wrong() -> None:
    runs, units = 2000, 400
    seen = np.random.default_rng(4).normal(0, 1, (runs, units))
    number = np.arange(1, units + 1)
    mean = np.cumsum(seen, axis=1) / number
    square = np.cumsum(seen**2, axis=1) / number - mean**2
    from_ = slice(4, None)
    variance = (square[:, from_] / (number[from_] - 1)).clip(1e-12)
    found = log_evidence(
        mean[:, from_], variance, np.broadcast_to(number[from_] - 1.0, variance.shape)
    )
    wrong = (found >= np.log(20)).any(axis=1).mean()
    assert wrong <= 0.05 + 3 * (0.05 * 0.95 / runs) ** 0.5
    # An ordinary test that looks as often is wrong in most of them.
    t = np.abs(mean[:, from_]) / variance**0.5
    assert (t > stats.t.isf(0.025, number[from_] - 1)).any(axis=1).mean() > 0.3
