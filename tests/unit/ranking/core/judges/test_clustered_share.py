import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binomtest

from ranking.core.judges.clustered_share import clustered_share


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
