"""Verdicts of a campaign on its systems, by several definitions of a rank range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ranking.core.anytime import separated
from ranking.core.arrays import BoolArray, Int64Array
from ranking.core.counting.counts import Counts
from ranking.core.methods.bradley_terry import scores as bradley_terry
from ranking.core.methods.shares import expected_wins
from ranking.core.ranges.clusters import RankRanges, clusters, rank_ranges
from ranking.core.simulation.measures import significantly_better
from ranking.design_study.campaigns import SimulatedCampaign

Ranges = Literal["sign_test", "anytime", "expected_wins", "bradley_terry"]
RANGES: tuple[Ranges, ...] = ("sign_test", "anytime", "expected_wins", "bradley_terry")
#: The definitions that need resampled blocks.
RESAMPLED: frozenset[Ranges] = frozenset({"expected_wins", "bradley_terry"})


@dataclass(frozen=True, eq=False)
class RangeVerdict:
    """The verdict on n systems at one moment.

    Attributes
    ----------
    above : bool, shape (n, n)
        ``above[a, b]``: a is judged better than b.
    ranges : RankRanges
    """

    above: BoolArray
    ranges: RankRanges

    def pairs(self) -> float:
        """Return the share of the n(n−1)/2 pairs that are separated."""
        n = len(self.above)
        return int(np.count_nonzero(self.above)) / (n * (n - 1) / 2)

    def clusters(self) -> int:
        """Return the number of clusters (Koehn 2012, eq. 6)."""
        return int(clusters(self.ranges).max())

    def range_violations(self, true: Int64Array) -> float:
        """Return the share of the systems whose true rank lies outside their range."""
        return float(np.mean((true < self.ranges.low) | (true > self.ranges.high)))

    def wrong_pairs(self, true: Int64Array) -> float:
        """Return the share of the separated pairs that are in the wrong order; 0 if none is separated."""
        wrong = self.above & (true[:, np.newaxis] > true[np.newaxis, :])
        separated_pairs = int(np.count_nonzero(self.above))
        return int(np.count_nonzero(wrong)) / max(1, separated_pairs)


def range_verdict(
    campaign: SimulatedCampaign, ranges: Ranges, *, confidence: float
) -> RangeVerdict:
    """Return the verdict of a campaign's judgments on its systems.

    Parameters
    ----------
    campaign : SimulatedCampaign
        With resamples for "expected_wins" and "bradley_terry".
    ranges : str
        "sign_test" (one-sided, each pair by itself: Koehn 2012, §5.1) and "anytime"
        (`ranking.core.anytime`, each pair by itself) separate pairs, which give rank
        ranges. Anytime evidence is valid here for any design, because every comparison of a pair is
        independent of those before. "expected_wins" and "bradley_terry" make rank ranges from
        resampled blocks, and separate pairs whose ranges do not overlap.
    confidence : float
        Confidence of each test or range.
    """
    if ranges in RESAMPLED:
        return _by_resampling(campaign, ranges, confidence)
    if ranges == "sign_test":
        above = significantly_better(campaign.wins, alpha=1 - confidence)
    else:
        # One-sided like the sign test: each pair can only be wrong in one direction.
        above = separated(campaign.wins, confidence=2 * confidence - 1)
    better, worse = np.count_nonzero(above, axis=0), np.count_nonzero(above, axis=1)
    return RangeVerdict(above=above, ranges=RankRanges(low=1 + better, high=len(above) - worse))


def _by_resampling(campaign: SimulatedCampaign, ranges: Ranges, confidence: float) -> RangeVerdict:
    counts = Counts(wins=campaign.resampled_wins, ties=campaign.resampled_ties)
    scores = expected_wins(counts.wins) if ranges == "expected_wins" else bradley_terry(counts)
    found = rank_ranges(scores, confidence=confidence)
    above = found.high[:, np.newaxis] < found.low[np.newaxis, :]
    return RangeVerdict(above=above, ranges=found)
