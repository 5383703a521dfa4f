"""Ranges that hold at any time, from what was counted for another ranking of the same judgments."""

from __future__ import annotations

from dataclasses import replace

from ranking.core.methods.registry import counts_method_named
from ranking.core.rankings.counted_judgments import CountedJudgments
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.core.rankings.rank import rank_counted
from ranking.core.rankings.ranking import Ranking


def rank_at_any_time(counted: CountedJudgments, *, confidence: float = 0.95) -> Ranking | None:
    """Rank by Expected Wins with ranges that hold at all looks together.

    It is the ranking that `rank` with ``ranges="anytime"`` returns for the same judgments, bit for bit: wins come
    first among the cells of every method, so the moments of wins are the first rows and columns of its moments.

    Parameters
    ----------
    counted : CountedJudgments
        Counted for any method.
    confidence : float

    Returns
    -------
    Ranking or None
        None if no moments of segments and judges were counted.
    """
    if counted.moments is None:
        return None
    method = counts_method_named("expected_wins")
    cells = len(method.layout(len(counted.systems)).used)
    moments = counted.moments.of_first_cells(cells)
    options = RangeOptions(kind="anytime", confidence=confidence)
    return rank_counted(replace(counted, moments=moments), method, {}, options, seed=0)
