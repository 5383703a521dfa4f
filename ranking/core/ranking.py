"""The ranking of a test set: scores, ranks, rank ranges and clusters in one frozen result."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csgraph

from ranking.core.blocks import Blocks
from ranking.core.clusters import RankRanges, clusters, rank_ranges
from ranking.core.content_key import CONTENT_KEY_VERSION
from ranking.core.resampling import bootstrap_wins, chopped
from ranking.core.tallies import Tallies, chunks, tally
from ranking.core.wins import NotEstimable, Scores, expected_wins, ordinal_ranks

_RESAMPLES_AT_A_TIME = 64


@dataclass(frozen=True)
class RankedSystem:
    """One row of a ranking.

    Attributes
    ----------
    system : str
    score : float
        In [0, 1], higher is better.
    rank : int
        1, 2, 3 … best first; see `ranking.core.wins.ordinal_ranks` for ties.
    rank_low, rank_high : int
        The rank range, both ends included.
    cluster : int
        1 for the best.
    wins, losses, ties : int
        Comparisons of the system, against all others.
    """

    system: str
    score: float
    rank: int
    rank_low: int
    rank_high: int
    cluster: int
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True)
class UnrankedSystem:
    """A system the data say nothing about, and why."""

    system: str
    reason: NotEstimable
    ties: int


@dataclass(frozen=True)
class Ranking:
    """The ranking of the systems of one test set.

    Attributes
    ----------
    method : str
        "expected_wins".
    resample : str
        What was resampled for the rank ranges: "blocks". To be printed wherever a range is.
    resamples : int
    confidence : float
    seed : int
    content_key_version : int
        Definition of the content keys the resampling hangs on.
    systems : tuple of RankedSystem
        Best first.
    not_estimable : tuple of UnrankedSystem
        By name. They take no rank, and do not count in the ranks of the others.
    groups : tuple of tuples of str
        The ranked systems by connected group of decided comparisons. More than one group means
        that nothing compares the systems of one with those of another, not even indirectly: their
        common ranking is then arbitrary, and whoever shows it must say so.
    blocks : int
        Judged blocks.
    comparisons, ties : int
        Pairwise comparisons after expansion of collapsed outputs, and how many of them are tied.
    judges : int
        Judges of at least one of the blocks.
    """

    method: str
    resample: str
    resamples: int
    confidence: float
    seed: int
    content_key_version: int
    systems: tuple[RankedSystem, ...]
    not_estimable: tuple[UnrankedSystem, ...]
    groups: tuple[tuple[str, ...], ...]
    blocks: int
    comparisons: int
    ties: int
    judges: int


def rank_by_expected_wins(
    blocks: Blocks, *, resamples: int = 1000, confidence: float = 0.95, seed: int = 0
) -> Ranking:
    """Rank systems by Expected Wins, with block-bootstrap rank ranges and clusters.

    Leave out the reference first, with `Blocks.without`, unless it is to be ranked.

    A rank range is widened, if need be, to hold the system's rank: with few judgments the
    percentiles of the resampled ranks can miss it, and a table must not contradict itself.

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set.
    resamples : int
        Number of bootstrap resamples of blocks.
    confidence : float
        Confidence of the rank ranges, between 0 and 1.
    seed : int
        0 ≤ seed < 2**64. The same blocks in any order, and the same arguments, give the same
        ranking bit for bit.

    Returns
    -------
    Ranking
        Systems without any decided comparison are listed apart, with the reason.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    P. Koehn (2012), Simulating Human Judgment in Machine Translation Evaluation Campaigns, IWSLT.
    """
    chopped(resamples, confidence)  # Refuse bad arguments before the work, not after it.
    tallies = tally(blocks)
    scores = expected_wins(tallies.wins)
    unranked = _unranked(tallies, scores)
    # What has no decided comparison has none in a resample either: leaving it out keeps it from
    # widening the ranges of the others.
    ranked = blocks.without([row.system for row in unranked])
    wins = bootstrap_wins(ranked, resamples=resamples, seed=seed)
    ranges = rank_ranges(_resampled_scores(wins), confidence=confidence)
    return Ranking(
        method="expected_wins",
        resample="blocks",
        resamples=resamples,
        confidence=confidence,
        seed=seed,
        content_key_version=CONTENT_KEY_VERSION,
        systems=_ranked(tallies, scores, ranges),
        not_estimable=unranked,
        groups=_groups(tallies, scores),
        blocks=len(blocks),
        comparisons=tallies.comparisons,
        ties=tallies.tied,
        judges=len(np.unique(blocks.judge)),
    )


def _unranked(tallies: Tallies, scores: Scores) -> tuple[UnrankedSystem, ...]:
    tied = tallies.ties.sum(axis=1)
    return tuple(
        UnrankedSystem(
            system=tallies.systems[index],
            reason=NotEstimable.ONLY_TIES if tied[index] else NotEstimable.NO_COMPARISON,
            ties=int(tied[index]),
        )
        for index in np.flatnonzero(~scores.estimable).tolist()
    )


def _resampled_scores(wins: npt.NDArray[np.int64]) -> Scores:
    """Score all resamples, a slice at a time: the intermediate tables are n² each."""
    parts = [expected_wins(wins[rows]) for rows in chunks(len(wins), _RESAMPLES_AT_A_TIME)]
    return Scores(
        values=np.concatenate([part.values for part in parts]),
        estimable=np.concatenate([part.estimable for part in parts]),
    )


def _ranked(tallies: Tallies, scores: Scores, ranges: RankRanges) -> tuple[RankedSystem, ...]:
    kept = np.flatnonzero(scores.estimable)
    ranks = ordinal_ranks(scores)[kept]
    widened = RankRanges(low=np.minimum(ranges.low, ranks), high=np.maximum(ranges.high, ranks))
    cluster = clusters(widened)
    won, lost = tallies.wins.sum(axis=1), tallies.wins.sum(axis=0)
    tied = tallies.ties.sum(axis=1)
    return tuple(
        RankedSystem(
            system=tallies.systems[index],
            score=float(scores.values[index]),
            rank=int(ranks[i]),
            rank_low=int(widened.low[i]),
            rank_high=int(widened.high[i]),
            cluster=int(cluster[i]),
            wins=int(won[index]),
            losses=int(lost[index]),
            ties=int(tied[index]),
        )
        for i, index in sorted(enumerate(kept.tolist()), key=lambda pair: int(ranks[pair[0]]))
    )


def _groups(tallies: Tallies, scores: Scores) -> tuple[tuple[str, ...], ...]:
    kept = np.flatnonzero(scores.estimable)
    if not len(kept):
        return ()
    decided = tallies.wins[np.ix_(kept, kept)] > 0
    count, member = csgraph.connected_components(decided, directed=False)
    names = [tallies.systems[index] for index in kept.tolist()]
    return tuple(
        tuple(names[i] for i in np.flatnonzero(member == group).tolist()) for group in range(count)
    )
