"""Rankings with and without some judges, and by those judges alone."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np

from ranking.core.diagnosis.correlation import SampledCorrelation, correlation_sampled
from ranking.core.judged.blocks import Blocks
from ranking.core.rankings.ranking import Ranking
from ranking.core.scores import Scores


@dataclass(frozen=True)
class RankingsWithout:
    """What a ranking is with and without some judges.

    Attributes
    ----------
    judges : dict of str to int
        The judges left out who judged something, by name, with their blocks.
    before, after : Ranking
        With and without them.
    alone : dict of str to float or None
        Score of each system by their judgments alone; None if it cannot be estimated.
    before_and_after : SampledCorrelation
        Of the scores with and without them, over the systems that have both.
    alone_and_rest : SampledCorrelation
        Of the scores by them alone and by all others (Hamon et al. 2007, Table 4, compares the
        ranking with all judges with that without outliers, which hides how much these judges differ
        where they judged little).
    """

    judges: dict[str, int]
    before: Ranking
    after: Ranking
    alone: dict[str, float | None]
    before_and_after: SampledCorrelation
    alone_and_rest: SampledCorrelation


def rankings_without(
    blocks: Blocks,
    judges: Collection[str],
    *,
    rank: Callable[[Blocks], Ranking],
    score: Callable[[Blocks], Scores],
    confidence: float = 0.95,
) -> RankingsWithout:
    """Rank systems with and without some judges, and score them by these judges alone.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems: the current judgments of one test set; without the reference, unless
        it is to be ranked.
    judges : collection of str
        Names of the judges to leave out; those who judged nothing make no difference.
    rank : callable
        Ranks the systems of blocks.
    score : callable
        Returns their scores by the same method.
    confidence : float
        Of the intervals of the correlations.

    Returns
    -------
    RankingsWithout

    Raises
    ------
    ValueError
        If nobody else judged.
    """
    out = np.array([name in set(judges) for name in blocks.judges], dtype=np.bool_)
    is_out = out[blocks.judge]
    if is_out.all():
        raise ValueError("judges: nobody else judged")
    counts = np.bincount(blocks.judge, minlength=len(blocks.judges)).tolist()
    rest, theirs = blocks.take(~is_out), blocks.take(is_out)
    everybody, others, alone = score(blocks), score(rest), score(theirs)
    return RankingsWithout(
        judges={
            name: count
            for name, count, left_out in zip(blocks.judges, counts, out, strict=True)
            if left_out and count
        },
        before=rank(blocks),
        after=rank(rest),
        alone={
            name: None if np.isnan(value) else float(value)
            for name, value in zip(blocks.systems, alone.values.tolist(), strict=True)
        },
        before_and_after=correlation_sampled(
            everybody.values, others.values, confidence=confidence
        ),
        alone_and_rest=correlation_sampled(alone.values, others.values, confidence=confidence),
    )
