"""Shares of what shares segments and judges: by hand, and where the truth is known."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binomtest, norm, t

from ranking.core.judges.shares import clustered_share, two_way_share


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def test_single_trials_have_the_exact_interval_of_clopper_and_pearson() -> None:
    share = clustered_share(
        ints(1, 1, 1, 0, 0, 0, 0, 0, 0, 0),
        np.ones(10, dtype=np.int64),
    )
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
        st.tuples(st.integers(0, 4), st.integers(0, 4)).map(
            lambda pair: (min(pair), max(pair)),
        ),
        max_size=30,
    ),
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
    ("won", "of"),
    [((2,), (1,)), ((-1,), (1,)), ((1, 1), (1,))],
    ids=["more", "less", "shapes"],
)
def test_impossible_counts_are_refused(
    won: tuple[int, ...],
    of: tuple[int, ...],
) -> None:
    with pytest.raises(ValueError, match=r"successes|same shape"):
        clustered_share(ints(*won), ints(*of))


@given(
    st.lists(
        st.tuples(st.integers(0, 30), st.integers(0, 30)).map(
            lambda pair: (min(pair), max(pair)),
        ),
        max_size=30,
    ),
)
def test_whole_numbers_give_the_design_effect_of_residuals(
    clusters: list[tuple[int, int]],
) -> None:
    share = clustered_share(
        ints(*[cluster[0] for cluster in clusters]),
        ints(*[cluster[1] for cluster in clusters]),
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


def test_clusters_of_one_share_are_taken_for_the_trials_whatever_rounding_says() -> (
    None
):
    # 3/7 of each: in floating point, residuals of 1e-16 would remain.
    share = clustered_share(ints(3, 6, 9, 27), ints(7, 14, 21, 63))
    x = 3 / 7 * 4
    assert share.low == pytest.approx(beta.ppf(0.025, x, 4 - x + 1))


def whole_numbers(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def exact(successes: float, trials: float) -> tuple[float, float]:
    found = binomtest(int(successes), int(trials)).proportion_ci(method="exact")
    return float(found.low), float(found.high)


def test_trials_that_share_nothing_have_the_interval_of_clopper_and_pearson() -> None:
    won, each = whole_numbers(1, 1, 1, 0, 0, 0, 0, 0, 0, 0), np.arange(10)
    found = two_way_share(won, np.ones(10, dtype=np.int64), segment=each, judge=each)
    assert (found.successes, found.trials, found.value) == (3, 10, 0.3)
    assert (found.low, found.high) == pytest.approx(exact(3, 10))


def test_with_one_judge_it_is_that_of_segments() -> None:
    won, of = whole_numbers(3, 1, 0, 2, 3), whole_numbers(3, 3, 2, 3, 3)
    found = two_way_share(
        won,
        of,
        segment=np.arange(5),
        judge=np.zeros(5, dtype=np.int64),
    )
    assert found == clustered_share(won, of)


def test_an_example_by_hand() -> None:
    # Two judges, six segments each judged by both: one judge finds all right, the other none but one.
    won = whole_numbers(1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0)
    segment, judge = np.tile(np.arange(6), 2), np.repeat(np.arange(2), 6)
    found = two_way_share(
        won,
        np.ones(12, dtype=np.int64),
        segment=segment,
        judge=judge,
    )
    share = 7 / 12
    # Judges: 6 and 1 of 6, where 3.5 are expected: 2 · (2.5² + 2.5²) / 12² over p(1 − p) / 12.
    judges = 2 * 12.5 / 144 / (share * (1 - share) / 12)
    # Segments: 2 of 2 and five times 1 of 2, where 7/6 are expected.
    segments = 6 / 5 * ((5 / 6) ** 2 + 5 / 36) / 144 / (share * (1 - share) / 12)
    effect = max(judges, judges + segments - 1)
    degrees = effect**2 / (judges**2 / 1 + 1 / 5)
    effective = 12 / effect * (t.ppf(0.025, 11) / t.ppf(0.025, max(1, degrees))) ** 2
    # Two judges who differ so much say hardly anything.
    assert effective == pytest.approx(0.042, abs=0.001)
    x = share * effective
    ends = beta.ppf(0.025, x, effective - x + 1), beta.ppf(0.975, x + 1, effective - x)
    assert (found.low, found.high) == pytest.approx(ends)


def test_judges_and_segments_that_both_differ_add_up() -> None:
    # Each judge finds one right less than the one before, and each segment is found by one judge less.
    won = np.tri(4, dtype=np.int64)[::-1].ravel()
    judge, segment = np.repeat(np.arange(4), 4), np.tile(np.arange(4), 4)
    found = two_way_share(
        won,
        np.ones(16, dtype=np.int64),
        segment=segment,
        judge=judge,
    )
    share = 10 / 16
    # 4, 3, 2 and 1 of 4 for either, where 2.5 are expected.
    either = 4 / 3 * 5 / 256 / (share * (1 - share) / 16)
    effect = either + either - 1
    assert effect > either > 1
    degrees = effect**2 / (2 * either**2 / 3)
    effective = 16 / effect * (t.ppf(0.025, 15) / t.ppf(0.025, degrees)) ** 2
    x = share * effective
    ends = beta.ppf(0.025, x, effective - x + 1), beta.ppf(0.975, x + 1, effective - x)
    assert (found.low, found.high) == pytest.approx(ends)


def test_constant_answers_count_once_per_judge() -> None:
    all_right = two_way_share(
        np.full(12, 3),
        np.full(12, 3),
        segment=np.arange(12),
        judge=np.arange(12) % 4,
    )
    assert (all_right.low, all_right.high) == pytest.approx(exact(4, 4))
    alike = two_way_share(
        np.full(12, 1),
        np.full(12, 2),
        segment=np.arange(12),
        judge=np.arange(12) % 4,
    )
    assert (alike.low, alike.high) == pytest.approx(exact(2, 4))


def test_one_segment_says_nothing_of_others() -> None:
    found = two_way_share(
        whole_numbers(1, 0, 1),
        whole_numbers(1, 1, 1),
        segment=np.zeros(3, dtype=np.int64),
        judge=np.arange(3),
    )
    assert found.value == pytest.approx(2 / 3)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.1
    assert found.high > 0.98


def test_rows_without_trials_change_nothing() -> None:
    won, of = whole_numbers(3, 1, 0, 2), whole_numbers(3, 3, 2, 3)
    plain = two_way_share(
        won,
        of,
        segment=whole_numbers(0, 1, 2, 3),
        judge=whole_numbers(0, 1, 0, 1),
    )
    more = two_way_share(
        whole_numbers(3, 1, 0, 2, 0),
        whole_numbers(3, 3, 2, 3, 0),
        segment=whole_numbers(0, 1, 2, 3, 9),
        judge=whole_numbers(0, 1, 0, 1, 9),
    )
    assert plain == more
    nothing = two_way_share(
        whole_numbers(0),
        whole_numbers(0),
        segment=whole_numbers(0),
        judge=whole_numbers(0),
    )
    assert (nothing.trials, nothing.value, nothing.low) == (0, None, None)


@pytest.mark.parametrize(
    ("segments", "judges", "skill"),
    [(60, 4, 0.7), (60, 10, 0.7), (20, 4, 0.7), (20, 10, 0.3)],
)
def test_share_interval_covers_with_few_judges(
    segments: int,
    judges: int,
    skill: float,
) -> None:
    held, by_segments = 0, 0
    for seed in range(200):
        random = np.random.default_rng([segments, judges, seed])
        segment = np.arange(segments)
        judge = segment % judges
        of_row = (
            random.normal(0, 0.7, segments) + random.normal(0, skill, judges)[judge]
        )
        seen = (of_row[:, np.newaxis] + random.normal(size=(segments, 3))) / np.sqrt(
            1 + 0.7**2 + skill**2,
        )
        won = (seen < norm.ppf(0.7)).sum(axis=1)
        of = np.full(segments, 3)
        found = two_way_share(won, of, segment=segment, judge=judge)
        plain = clustered_share(won, of)
        held += (found.low or 0) <= 0.7 <= (found.high or 1)
        by_segments += (plain.low or 0) <= 0.7 <= (plain.high or 1)
    assert held / 200 >= 0.92
    assert held >= by_segments
    if (segments, judges) == (60, 4):
        # What does not know judges holds in little more than half of the campaigns.
        assert by_segments / 200 < 0.75


def test_impossible_input_is_refused() -> None:
    one = whole_numbers(1)
    with pytest.raises(ValueError, match="one shape"):
        two_way_share(one, one, segment=whole_numbers(1, 2), judge=one)
    with pytest.raises(ValueError, match="confidence"):
        two_way_share(one, one, segment=one, judge=one, confidence=1)
    with pytest.raises(ValueError, match="successes"):
        two_way_share(whole_numbers(2), one, segment=one, judge=one)
