"""Scores that are shares of wins, and the influence of counts on them.

Expected Wins is the share of decided comparisons won, averaged over opponents. WMT's earlier
measures are shares of comparisons or of blocks: Bojar et al. (2011, §2.1) distinguish the meanings
of "better than or equal to any other system". Their proposal, with ties dropped, became the
official score of WMT12, "wins / (wins + losses)".
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ranking.core.arrays import FloatArray, Int64Array, as_column, off_diagonal, share
from ranking.core.counting.counts import Counts, Layout
from ranking.core.scores import Scores


def expected_wins(wins: Int64Array) -> Scores:
    """Score systems by Expected Wins (Koehn 2012, §4.3).

    The score of a system is its probability of winning against a uniformly drawn opponent:

        score(j) = mean over the opponents k met of  win(j, k) / (win(j, k) + win(k, j))

    Ties are dropped. Equation 4 of the paper divides by n, but its Tables 2 and 3 (with scores that
    average one half) require the n − 1 opponents; in sparse data, only those with at least one
    decided comparison ("met") count, so that a missing comparison is not a defeat.

    A system without any decided comparison cannot be estimated.

    Parameters
    ----------
    wins : integer, shape (..., n, n)
        ``wins[..., a, b]`` comparisons (or resampled counts) won by a against b. The diagonal is
        ignored. Leading axes are independent samples.

    Returns
    -------
    Scores
        Shape (..., n).

    Raises
    ------
    ValueError
        If `wins` is not square in its last two axes or has a negative count.

    References
    ----------
    P. Koehn (2012), Simulating Human Judgment in Machine Translation Evaluation Campaigns, IWSLT.
    """
    if wins.ndim < 2 or wins.shape[-1] != wins.shape[-2]:
        raise ValueError(f"wins: expected shape (..., n, n), got {wins.shape}")
    if wins.size and wins.min() < 0:
        raise ValueError("wins: negative count")
    losses = np.swapaxes(wins, -1, -2)
    decided = (wins + losses) * off_diagonal(wins.shape[-1])
    met = decided > 0
    win_rate = np.divide(wins, decided, out=np.zeros(wins.shape), where=met)
    opponents = np.count_nonzero(met, axis=-1)
    mean_win_rate = share(win_rate.sum(axis=-1), opponents)
    return Scores(mean_win_rate, estimable=opponents > 0)


def expected_wins_influence(
    wins: Int64Array,
    *,
    is_smoothed: bool = True,
) -> FloatArray:
    """Return the influence on the scores of one more win of each system against each other one.

    It is used for the variance of Expected Wins. It is the derivative, except for `smoothed_share`,
    which prevents a pair compared only once or twice from looking certain. The set of opponents met
    is treated as fixed.

    Parameters
    ----------
    wins : integer, shape (n, n)
    is_smoothed : bool
        False for the derivative, whose differences between samples of the same wins cancel.

    Returns
    -------
    float64, shape (n, n²)
        ``result[j, a n + b]`` is the influence of a win of a against b on the score of j.
    """
    n = len(wins)
    decided = (wins + wins.T) * off_diagonal(n)
    if is_smoothed:
        win_rate, weight = smoothed_share(wins, decided)
    else:
        trials = np.maximum(decided, 1)
        win_rate, weight = wins / trials, np.where(decided > 0, 1 / trials, 0.0)
    opponents = np.count_nonzero(decided, axis=1, keepdims=True)
    weight = weight / np.maximum(1, opponents)
    influence = np.zeros((n, n, n))
    system = np.arange(n)
    influence[system, system, :] = weight * (1 - win_rate)
    influence[system, :, system] -= weight * win_rate
    return influence.reshape(n, n * n)


def smoothed_share(
    part: npt.NDArray[np.integer],
    whole: npt.NDArray[np.integer],
) -> tuple[FloatArray, FloatArray]:
    """Return a share from which to measure deviations, and the weight of a deviation in a variance.

    A share of n trials has the variance Σ (weight · (outcome − share))². With the observed share, a
    few trials with the same outcome would have a variance of 0, so one success and one failure are
    added (Agresti & Coull 1998). The weight 1 / n is multiplied by √(n / (n − 1)) for the degree of
    freedom of the estimated share, or by √2 if n is 1.

    Parameters
    ----------
    part, whole : integer, of one shape
        Successes and trials.

    Returns
    -------
    share, weight : float64, of that shape
        ½ and 0 without trials.

    References
    ----------
    A. Agresti, B. A. Coull (1998), Approximate Is Better than "Exact" for Interval Estimation of
    Binomial Proportions, The American Statistician 52.
    """
    trials = np.maximum(whole, 1)
    degrees_of_freedom = np.maximum(trials - 1, 1)
    correction = np.where(whole > 1, trials / degrees_of_freedom, 2.0)
    weight = np.sqrt(correction) / trials
    smoothed = (part + 1) / (whole + 2)
    return smoothed, np.where(whole > 0, weight, 0.0)


#: Worth of a tie in shares of comparisons; the others drop ties.
_TIES = {"geq_others": 1, "gt_others": 0}
#: Count of blocks won, among `shown`, `best` and `alone`, in shares of blocks.
_BLOCKS_WON = {"geq_all_in_block": 1, "gt_all_in_block": 2}
#: Names of the shares.
SHARES = ("geq_others", "gt_others", "geq_all_in_block", "gt_all_in_block", "bojar")


def scores_of(name: str) -> Callable[[Counts], Scores]:
    """Return the function that scores counts of shape (..., n, n) by a share.

    - "geq_others", ≥ others: the share of a system's comparisons that it won or tied. This was the
      official score of WMT up to 2011. Ties reward both sides.
    - "gt_others", > others: the share of its comparisons that it won. Ties count against both sides.
    - "bojar", wins / (wins + losses): the share of its decided comparisons that it won. This was
      the official score of WMT12. Ties are dropped.
    - "geq_all_in_block", ≥ all in block: the share of its blocks in which no system was better. A
      block counts for a system if it compares the system with at least one other; blank labels and
      systems left out do not count.
    - "gt_all_in_block", > all in block: the share of its blocks in which it beat all others. Two
      systems of one candidate are not compared, so both can win a block.

    A system without such comparisons cannot be estimated.

    References
    ----------
    O. Bojar, M. Ercegovčević, M. Popel, O. Zaidan (2011), A Grain of Salt for the WMT Manual
    Evaluation, WMT.
    """

    def scores(counts: Counts) -> Scores:
        part, whole = _won_and_total(name, counts)
        return Scores(values=share(part, whole), estimable=whole > 0)

    return scores


def influence_of(name: str) -> Callable[[Counts], FloatArray]:
    """Return the function for the influence of one more count in each of the m cells of
    `share_layout` on the score of each system, shape (n, m), for its variance; see
    `smoothed_share`.
    """

    def influence(counts: Counts) -> FloatArray:
        smoothed, weight = smoothed_share(*_won_and_total(name, counts))
        part, whole = part_and_whole(name, len(smoothed))
        expected_part = as_column(smoothed) * whole
        deviation: FloatArray = part - expected_part
        return as_column(weight) * deviation

    return influence


def share_layout(name: str, systems: int) -> Layout:
    """Return the cells that are counted for a share."""
    return Layout(systems, ties=name != "bojar", outright=name in _BLOCKS_WON)


def part_and_whole(name: str, n: int) -> tuple[Int64Array, Int64Array]:
    """Return masks of the cells of `share_layout` that count for the part and for the whole of each
    system's share, each of shape (n, m).
    """
    layout = share_layout(name, n)
    system = np.arange(n)
    part = np.zeros((n, layout.size), dtype=np.int64)
    whole = np.zeros((n, layout.size), dtype=np.int64)
    if name in _BLOCKS_WON:
        appearances = layout.size - 3 * n + system
        won = appearances + _BLOCKS_WON[name] * n
        whole[system, appearances] = 1
        part[system, won] = 1
        return part, whole
    part_by_outcome = part.reshape(n, 1 + layout.ties, n, n)
    whole_by_outcome = whole.reshape(part_by_outcome.shape)
    # Wins of the system, and losses to others.
    whole_by_outcome[system, 0, :, system] = 1
    whole_by_outcome[system, 0, system, :] = 1
    part_by_outcome[system, 0, system, :] = 1
    if layout.ties:
        whole_by_outcome[system, 1, system, :] = 1
        whole_by_outcome[system, 1, :, system] = 1
        part_by_outcome[system, 1, system, :] = _TIES[name]
        part_by_outcome[system, 1, :, system] = _TIES[name]
    return part, whole


def _won_and_total(name: str, counts: Counts) -> tuple[Int64Array, Int64Array]:
    """Return the part and the whole of each system's share, each of shape (..., n)."""
    if name in _BLOCKS_WON:
        if name == "geq_all_in_block":
            won = counts.best
        else:
            won = counts.alone
        if counts.appearances is None or won is None:
            raise ValueError("counts: blocks won outright were not counted")
        return won, counts.appearances
    won = counts.wins.sum(axis=-1)
    lost = counts.wins.sum(axis=-2)
    if name not in _TIES:
        return won, won + lost
    tied = counts.tied.sum(axis=-1)
    return won + _TIES[name] * tied, won + lost + tied
