from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binomtest, t

from ranking.core.judges.shares import clustered_share


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def test_single_trials_have_the_exact_interval_of_clopper_and_pearson() -> None:
    share = clustered_share(ints(1, 1, 1, 0, 0, 0, 0, 0, 0, 0), np.ones(10, dtype=np.int64))
    exact = binomtest(3, 10).proportion_ci(method="exact")
    assert (share.value, share.trials, share.successes) == (0.3, 10, 3)
    assert (share.low, share.high) == pytest.approx((exact.low, exact.high))


def test_clusters_that_stand_or_fall_together_count_once() -> None:
    # Four comparisons a block, all won or all lost: ten blocks, not forty trials. With G/(G−1) the
    # design effect is 4 · 10/9, so that 9 trials remain; t of 39 and of 9 degrees of freedom are
    # 2.0227 and 2.2622, so that 7.195 of them count (Korn and Graubard 1998).
    won = ints(*[4] * 5, *[0] * 5)
    share = clustered_share(won, np.full(10, 4, dtype=np.int64))
    effective = 9 * (2.0227 / 2.2622) ** 2
    half = effective / 2
    low, high = beta.ppf(0.025, half, half + 1), beta.ppf(0.975, half + 1, half)
    assert (share.low, share.high) == pytest.approx((low, high), abs=1e-4)


@pytest.mark.parametrize("clusters", [2, 3, 5, 30])
def test_the_interval_holds_the_share_with_few_clusters_too(clusters: int) -> None:
    rng = np.random.default_rng(clusters)
    trials = np.full(clusters, 10, dtype=np.int64)
    held = 0
    for _campaign in range(400):
        won = rng.binomial(10, rng.beta(1.4, 0.6, clusters))
        share = clustered_share(won.astype(np.int64), trials)
        assert share.low is not None
        assert share.high is not None
        held += share.low <= 0.7 <= share.high
    # Without the factor 87 % with two clusters and 89 % with three; 0.95 less three times 0.011.
    assert held / 400 >= 0.917


def test_nothing_judged_is_no_share_and_all_or_nothing_has_one_open_end() -> None:
    none = clustered_share(ints(0, 0), ints(0, 0))
    assert (none.trials, none.value, none.low, none.high) == (0, None, None, None)
    assert clustered_share(ints(4, 4), ints(4, 4)).high == 1.0
    assert clustered_share(ints(0, 0), ints(4, 4)).low == 0.0


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 4)).map(lambda pair: (min(pair), max(pair))),
        max_size=30,
    )
)
def test_an_interval_holds_its_share_and_is_never_shorter_than_of_independent_trials(
    clusters: list[tuple[int, int]],
) -> None:
    won = ints(*[cluster[0] for cluster in clusters])
    of = ints(*[cluster[1] for cluster in clusters])
    share = clustered_share(won, of)
    if share.value is None:
        return
    assert share.low is not None
    assert share.high is not None
    assert 0 <= share.low <= share.value <= share.high <= 1
    exact = binomtest(share.successes, share.trials).proportion_ci(method="exact")
    assert share.high - share.low >= exact.high - exact.low - 1e-9


@pytest.mark.parametrize(
    ("won", "of"), [((2,), (1,)), ((-1,), (1,)), ((1, 1), (1,))], ids=["more", "less", "shapes"]
)
def test_impossible_counts_are_refused(won: tuple[int, ...], of: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"successes"):
        clustered_share(ints(*won), ints(*of))


@given(
    st.lists(
        st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda pair: (min(pair), max(pair))),
        max_size=30,
    )
)
def test_whole_numbers_give_the_design_effect_of_residuals(clusters: list[tuple[int, int]]) -> None:
    share = clustered_share(
        ints(*[cluster[0] for cluster in clusters]), ints(*[cluster[1] for cluster in clusters])
    )
    known = [(won, of) for won, of in clusters if of]
    trials, successes = sum(of for _won, of in known), sum(won for won, _of in known)
    assert (share.trials, share.successes) == (trials, successes)
    if not trials:
        return
    effective = float(len(known))
    value = Fraction(successes, trials)
    between = sum(((won - value * of) ** 2 for won, of in known), Fraction(0))
    if max(of for _won, of in known) == 1:
        effective = float(trials)
    elif len(known) > 1 and between:
        between *= Fraction(len(known), len(known) - 1) / trials**2
        quantiles = t.ppf(0.025, trials - 1) / t.ppf(0.025, len(known) - 1)
        effect = max(1.0, float(between / (value * (1 - value) / trials)))
        effective = trials / effect * quantiles**2
    x = float(value) * effective
    low = beta.ppf(0.025, x, effective - x + 1) if successes else 0
    high = beta.ppf(0.975, x + 1, effective - x) if successes < trials else 1
    assert (share.low, share.high) == pytest.approx((low, high), rel=1e-11, abs=1e-14)


def test_clusters_of_one_share_are_taken_for_the_trials_whatever_rounding_says() -> None:
    # 3/7 of each: in floating point, residuals of 1e-16 would remain.
    share = clustered_share(ints(3, 6, 9, 27), ints(7, 14, 21, 63))
    x = 3 / 7 * 4
    assert share.low == pytest.approx(beta.ppf(0.025, x, 4 - x + 1))
