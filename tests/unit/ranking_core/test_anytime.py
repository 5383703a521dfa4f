import numpy as np
import pytest
from scipy import integrate

from ranking.core.anytime import (
    anytime_rank_ranges,
    confidence_sequence,
    log_evidence,
    pairwise_sequences,
    separated,
)
from ranking.core.significance import better, sign_test


def allowed(share: float, runs: int) -> float:
    """Largest share of errors that three standard errors of a simulation explain."""
    return float(share + 3 * np.sqrt(share * (1 - share) / runs))


@pytest.mark.parametrize("rate", [0.5, 0.65, 0.95])
def test_the_error_rate_holds_for_who_looks_after_every_comparison(rate: float) -> None:
    runs, comparisons = 2000, 1500
    won = np.random.default_rng(1).random((runs, comparisons)) < rate
    wins, losses = np.cumsum(won, axis=1, dtype=np.int64), np.cumsum(~won, axis=1, dtype=np.int64)
    # The true rate is out of the interval at a time if and only if its evidence is over 1/α then.
    ever_out = (log_evidence(wins, losses, rate) >= np.log(20)).any(axis=1)
    assert ever_out.mean() <= allowed(0.05, runs)


def test_the_sign_test_does_not_bear_looking_at_it_every_day() -> None:
    won = np.random.default_rng(2).random((1000, 1000)) < 0.5
    wins, losses = np.cumsum(won, axis=1, dtype=np.int64), np.cumsum(~won, axis=1, dtype=np.int64)
    assert (sign_test(wins, losses, sides=2)[:, -1] <= 0.05).mean() <= allowed(0.05, 1000)
    assert (sign_test(wins, losses, sides=2) <= 0.05).any(axis=1).mean() > 0.3


def test_a_campaign_watched_block_by_block_names_no_wrong_pair() -> None:
    # Five equal systems; each block ranks all of them, so its ten comparisons hang together.
    runs, blocks = 400, 300
    quality = np.random.default_rng(3).random((runs, blocks, 5))
    beats = quality[..., :, np.newaxis] > quality[..., np.newaxis, :]
    wins = np.cumsum(beats, axis=1, dtype=np.int64)
    ever = separated(wins[:, ::3]).any(axis=(1, 2, 3))
    assert ever.mean() <= allowed(0.05, runs)
    peeked = better(wins[:, ::3], sides=2).any(axis=(1, 2, 3))
    assert peeked.mean() > 0.5


def test_intervals_are_the_rates_without_evidence_against_them() -> None:
    wins, losses = np.array([0, 3, 50, 400, 7]), np.array([0, 9, 50, 380, 0])
    found = confidence_sequence(wins, losses, confidence=0.9)
    limit = np.log(10)
    inside = (found.low + found.high) / 2
    assert np.all(log_evidence(wins, losses, inside) < limit)
    for edge, out in ((found.low, -1e-6), (found.high, 1e-6)):
        at_the_end = (edge == 0) | (edge == 1)
        assert np.all(at_the_end | (log_evidence(wins, losses, edge + out) >= limit))
    assert (found.low[0], found.high[0], found.high[4]) == (0, 1, 1)
    np.testing.assert_array_less(found.low[1:], wins[1:] / (wins + losses)[1:])


def test_the_evidence_is_the_likelihood_ratio_mixed_by_jeffreys_prior() -> None:
    for wins, losses, rate in ((3, 5, 0.5), (10, 2, 0.3)):
        mixed, _ = integrate.quad(
            lambda x, w=wins, l_=losses: x ** (w - 0.5) * (1 - x) ** (l_ - 0.5) / np.pi, 0, 1
        )
        expected = np.log(mixed / (rate**wins * (1 - rate) ** losses))
        assert log_evidence(np.array(wins), np.array(losses), rate) == pytest.approx(expected)


def test_intervals_shrink_as_comparisons_come_in() -> None:
    counts = np.array([10, 100, 1000, 100_000])
    found = confidence_sequence(counts, counts)
    assert np.all(np.diff(found.high - found.low) < 0)
    assert found.high[-1] - found.low[-1] < 0.02


def test_all_pairs_together_ask_for_more_than_one_alone() -> None:
    wins = np.random.default_rng(4).integers(0, 200, (8, 8))
    together, alone = pairwise_sequences(wins), pairwise_sequences(wins, simultaneous=False)
    apart = ~np.eye(8, dtype=bool)
    assert np.all(together.low[apart] < alone.low[apart])
    np.testing.assert_allclose(together.low, 1 - together.high.T, atol=1e-12)
    np.testing.assert_array_equal(together.low[~apart], 0)


def test_pairs_are_separated_when_their_interval_is_on_one_side_of_a_half() -> None:
    wins = np.random.default_rng(5).integers(0, 200, (12, 12))
    np.testing.assert_array_equal(separated(wins), pairwise_sequences(wins).low > 0.5)


def test_rank_ranges_at_any_time_hold_those_of_the_moment() -> None:
    wins = np.array([[0, 400, 60], [100, 0, 50], [50, 50, 0]])
    ranges = anytime_rank_ranges(wins)
    assert (ranges.low.tolist(), ranges.high.tolist()) == ([1, 2, 1], [2, 3, 3])


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_a_confidence_out_of_range_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        confidence_sequence(np.array(1), np.array(1), confidence=confidence)


def test_negative_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        confidence_sequence(np.array(-1), np.array(1))
