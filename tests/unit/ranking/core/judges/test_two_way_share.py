"""Shares of what shares segments and judges: by hand, and where the truth is known."""

import numpy as np
import pytest
from scipy.stats import beta, binomtest, norm, t

from ranking.core.judges.shares import clustered_share, two_way_share


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def exact(successes: float, trials: float) -> tuple[float, float]:
    found = binomtest(int(successes), int(trials)).proportion_ci(method="exact")
    return float(found.low), float(found.high)


def test_trials_that_share_nothing_have_the_interval_of_clopper_and_pearson() -> None:
    won, each = ints(1, 1, 1, 0, 0, 0, 0, 0, 0, 0), np.arange(10)
    found = two_way_share(won, np.ones(10, dtype=np.int64), segment=each, judge=each)
    assert (found.successes, found.trials, found.value) == (3, 10, 0.3)
    assert (found.low, found.high) == pytest.approx(exact(3, 10))


def test_with_one_judge_it_is_that_of_segments() -> None:
    won, of = ints(3, 1, 0, 2, 3), ints(3, 3, 2, 3, 3)
    found = two_way_share(won, of, segment=np.arange(5), judge=np.zeros(5, dtype=np.int64))
    assert found == clustered_share(won, of)


def test_an_example_by_hand() -> None:
    # Two judges, six segments each judged by both: one judge finds all right, the other none but one.
    won = ints(1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0)
    segment, judge = np.tile(np.arange(6), 2), np.repeat(np.arange(2), 6)
    found = two_way_share(won, np.ones(12, dtype=np.int64), segment=segment, judge=judge)
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
    found = two_way_share(won, np.ones(16, dtype=np.int64), segment=segment, judge=judge)
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


def test_what_never_varies_counts_once_for_each_judge() -> None:
    all_right = two_way_share(
        np.full(12, 3), np.full(12, 3), segment=np.arange(12), judge=np.arange(12) % 4
    )
    assert (all_right.low, all_right.high) == pytest.approx(exact(4, 4))
    alike = two_way_share(
        np.full(12, 1), np.full(12, 2), segment=np.arange(12), judge=np.arange(12) % 4
    )
    assert (alike.low, alike.high) == pytest.approx(exact(2, 4))


def test_one_segment_says_nothing_of_others() -> None:
    found = two_way_share(
        ints(1, 0, 1), ints(1, 1, 1), segment=np.zeros(3, dtype=np.int64), judge=np.arange(3)
    )
    assert found.value == pytest.approx(2 / 3)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.1
    assert found.high > 0.98


def test_rows_without_trials_change_nothing() -> None:
    won, of = ints(3, 1, 0, 2), ints(3, 3, 2, 3)
    plain = two_way_share(won, of, segment=ints(0, 1, 2, 3), judge=ints(0, 1, 0, 1))
    more = two_way_share(
        ints(3, 1, 0, 2, 0),
        ints(3, 3, 2, 3, 0),
        segment=ints(0, 1, 2, 3, 9),
        judge=ints(0, 1, 0, 1, 9),
    )
    assert plain == more
    nothing = two_way_share(ints(0), ints(0), segment=ints(0), judge=ints(0))
    assert (nothing.trials, nothing.value, nothing.low) == (0, None, None)


@pytest.mark.parametrize(
    ("segments", "judges", "skill"), [(60, 4, 0.7), (60, 10, 0.7), (20, 4, 0.7), (20, 10, 0.3)]
)
def test_it_holds_the_share_where_few_judges_differ(
    segments: int, judges: int, skill: float
) -> None:
    held, by_segments = 0, 0
    for seed in range(200):
        random = np.random.default_rng([segments, judges, seed])
        segment = np.arange(segments)
        judge = segment % judges
        of_row = random.normal(0, 0.7, segments) + random.normal(0, skill, judges)[judge]
        seen = (of_row[:, np.newaxis] + random.normal(size=(segments, 3))) / np.sqrt(
            1 + 0.7**2 + skill**2
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
    one = ints(1)
    with pytest.raises(ValueError, match="one shape"):
        two_way_share(one, one, segment=ints(1, 2), judge=one)
    with pytest.raises(ValueError, match="confidence"):
        two_way_share(one, one, segment=one, judge=one, confidence=1)
    with pytest.raises(ValueError, match="successes"):
        two_way_share(ints(2), one, segment=one, judge=one)
