import numpy as np
import pytest
from scipy import integrate

from ranking.core.anytime import log_evidence_of_rate, separated
from ranking.core.ranges.sign_tests import better


def allowed(share: float, runs: int) -> float:
    """Largest share of errors that three standard errors of a simulation explain."""
    return float(share + 3 * np.sqrt(share * (1 - share) / runs))


@pytest.mark.parametrize("rate", [0.5, 0.65, 0.95])
def test_the_error_rate_holds_for_who_looks_after_every_comparison(rate: float) -> None:
    runs, comparisons = 2000, 1500
    won = np.random.default_rng(1).random((runs, comparisons)) < rate
    wins, losses = np.cumsum(won, axis=1, dtype=np.int64), np.cumsum(~won, axis=1, dtype=np.int64)
    ever_out = (log_evidence_of_rate(wins, losses, rate) >= np.log(20)).any(axis=1)
    assert ever_out.mean() <= allowed(0.05, runs)


def test_a_campaign_watched_block_by_block_names_no_wrong_pair() -> None:
    # Five equal systems; each block ranks all of them, so its ten comparisons hang together.
    runs, blocks = 400, 300
    quality = np.random.default_rng(3).random((runs, blocks, 5))
    beats = quality[..., :, np.newaxis] > quality[..., np.newaxis, :]
    wins = np.cumsum(beats, axis=1, dtype=np.int64)
    ever = separated(wins[:, ::3], confidence=1 - 0.05 / 10).any(axis=(1, 2, 3))
    assert ever.mean() <= allowed(0.05, runs)
    peeked = better(wins[:, ::3], sides=2).any(axis=(1, 2, 3))
    assert peeked.mean() > 0.5


def test_the_evidence_is_the_likelihood_ratio_mixed_by_jeffreys_prior() -> None:
    for wins, losses, rate in ((3, 5, 0.5), (10, 2, 0.3)):
        mixed, _ = integrate.quad(
            lambda x, w=wins, l_=losses: x ** (w - 0.5) * (1 - x) ** (l_ - 0.5) / np.pi, 0, 1
        )
        expected = np.log(mixed / (rate**wins * (1 - rate) ** losses))
        assert log_evidence_of_rate(np.array(wins), np.array(losses), rate) == pytest.approx(
            expected
        )


def test_the_winner_of_a_pair_is_above_once_the_evidence_is_strong_enough() -> None:
    wins = np.array([[0, 60, 52], [40, 0, 90], [48, 10, 0]])
    # ln M(1/2) of 60 : 40 is −0.59, of 52 : 48 −2.53, of 90 : 10 34.7; ln 20 is 3.0.
    assert separated(wins).tolist() == [[False] * 3, [False, False, True], [False] * 3]
    assert not separated(wins, confidence=1 - 1e-16).any()


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_a_confidence_out_of_range_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        separated(np.zeros((2, 2), dtype=np.int64), confidence=confidence)
