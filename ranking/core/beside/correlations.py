"""How alike two ways of judging score the same systems: Kendall's tau-b, Spearman's and Pearson's correlation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from ranking.core.beside.judged_task import UNITS, JudgedTask, Unit
from ranking.core.beside.scored_task import ScoredTask
from ranking.core.beside.spread import Estimate, estimate
from ranking.core.counting.resampling import Resampling
from ranking.core.methods.method import CountsMethod
from ranking.core.scores import TIE_DECIMALS, Scores

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

#: Two systems correlate by 1 or -1 whatever was judged, and so do the ranks of three in a third of random orders;
#: no interval of three holds.
FEWEST_SYSTEMS = 4


class NoCorrelation(StrEnum):
    """Why there is no correlation; callers put the code into words."""

    FEW_SYSTEMS = "few_systems"
    """Fewer than four systems have a score in both."""

    EQUAL_SCORES = "equal_scores"
    """All scores of one of the two are equal."""


@dataclass(frozen=True)
class CorrelationsOfScores:
    """Correlations of two lists of scores of the same systems.

    Attributes
    ----------
    systems : tuple of str
        Those that both score, by name.
    kendall, spearman, pearson : Estimate or None
        Tau-b; Spearman's with mean ranks for ties; Pearson's. None where there is none.
    reason : NoCorrelation or None
        Why there is none.
    """

    systems: tuple[str, ...]
    kendall: Estimate | None
    spearman: Estimate | None
    pearson: Estimate | None
    reason: NoCorrelation | None = None


def kendall_tau_b(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return Kendall's tau-b (1945) of scores, shape (..., n) each, possibly of many resamples.

    (C − D) / √((C + D + T₁)(C + D + T₂)): C pairs in the same order, D in opposite orders, T₁ and T₂ tied in the
    other alone. Scores that agree to `TIE_DECIMALS` decimals are tied. NaN where all scores of one are, or any is NaN.
    """
    first, second = np.triu_indices(one.shape[-1], 1)
    signs = [
        np.sign(np.round(each[..., first] - each[..., second], TIE_DECIMALS))
        for each in (one, other)
    ]
    untied = [(each * each).sum(axis=-1) for each in signs]
    return _ratio((signs[0] * signs[1]).sum(axis=-1), untied[0] * untied[1])


def pearson(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return Pearson's correlation of scores, shape (..., n) each; NaN where all of one are equal, or any is NaN."""
    one, other = np.round(one, TIE_DECIMALS), np.round(other, TIE_DECIMALS)
    varies = np.ptp(one, axis=-1) * np.ptp(other, axis=-1) > 0
    one, other = (each - each.mean(axis=-1, keepdims=True) for each in (one, other))
    squares = (one * one).sum(axis=-1) * (other * other).sum(axis=-1)
    return _ratio((one * other).sum(axis=-1), np.where(varies, squares, 0.0))


def spearman(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return Spearman's correlation of scores, with mean ranks for ties.

    Parameters and result are those of `pearson`; scores that are equal to `TIE_DECIMALS` decimals are tied.
    """
    from scipy.stats import rankdata  # a fifth of the time in which Django starts

    ranks = [rankdata(np.round(each, TIE_DECIMALS), axis=-1) for each in (one, other)]
    return pearson(*ranks)


_MEASURES: Mapping[str, Callable[[FloatArray, FloatArray], FloatArray]] = MappingProxyType(
    {"kendall": kendall_tau_b, "spearman": spearman, "pearson": pearson}
)


@dataclass(frozen=True, eq=False)
class DrawnScores:
    """The scores of a task's systems, and those in resamples of each unit.

    `scores` is of shape (n,); `resampled` of shape (R, n). Resamples of the same seed have the same weights of segments
    and judges in every task.
    """

    systems: tuple[str, ...]
    scores: Scores
    resampled: Mapping[Unit, Scores]
    fewest_units: int


def drawn_scores(
    task: JudgedTask | ScoredTask, method: CountsMethod, *, resamples: int = 1000, seed: int = 0
) -> DrawnScores:
    """Score the systems of a task, also in resamples: by the method, or by means where outputs are scored one by one.

    Parameters
    ----------
    task : JudgedTask or ScoredTask
    method : CountsMethod
    resamples, seed : int
        As for `ranking.core.counting.bootstrap.bootstrap_counts`.

    Raises
    ------
    NotConvergedError
        If the method's estimate does not converge.
    """
    if isinstance(task, ScoredTask):
        drawn = {
            unit: _known(task.means_resampled(unit, seed=seed, resamples=resamples))
            for unit in UNITS
        }
        return DrawnScores(task.systems, _known(task.means()), drawn, task.fewest_units)
    parameters = method.complete(None)
    # The keys are those of the units already.
    resampling = Resampling("blocks", seed=seed)
    return DrawnScores(
        systems=task.systems,
        scores=method.score(task.compared, **parameters),
        resampled={
            unit: method.score_resamples(
                task.keyed(unit), resampling, range(resamples), **parameters
            )
            for unit in UNITS
        },
        fewest_units=task.fewest_units,
    )


def _known(values: FloatArray) -> Scores:
    return Scores(values=values, estimable=~np.isnan(values))


def correlations(
    one: DrawnScores, other: DrawnScores, *, confidence: float = 0.95
) -> CorrelationsOfScores:
    """Return correlations of the scores that two tasks give the systems they have in common.

    Parameters
    ----------
    one, other : DrawnScores
        Of the same number of resamples and the same seed.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    CorrelationsOfScores
        Each interval is for what the correlation is on average over campaigns of this size, with other segments and other
        judges: see `ranking.core.beside.spread.estimate`. Noise lowers correlations, so that of the true scores is
        further from 0.
    """
    places = {
        name: index for index, name in enumerate(other.systems) if other.scores.estimable[index]
    }
    common = [
        (index, places[name])
        for index, name in enumerate(one.systems)
        if one.scores.estimable[index] and name in places
    ]
    names = tuple(one.systems[index] for index, _place in common)
    if len(common) < FEWEST_SYSTEMS:
        return CorrelationsOfScores(names, None, None, None, NoCorrelation.FEW_SYSTEMS)
    mine, theirs = (np.array(each, dtype=np.int64) for each in zip(*common, strict=True))
    found = {}
    for name, measure in _MEASURES.items():
        value = float(measure(one.scores.values[mine], other.scores.values[theirs]))
        if np.isnan(value):
            return CorrelationsOfScores(names, None, None, None, NoCorrelation.EQUAL_SCORES)
        found[name] = estimate(
            value,
            {
                unit: measure(
                    one.resampled[unit].values[:, mine], other.resampled[unit].values[:, theirs]
                )
                for unit in UNITS
            },
            fewest_units=min(one.fewest_units, other.fewest_units),
            confidence=confidence,
            least=-1.0,
            most=1.0,
        )
    return CorrelationsOfScores(names, found["kendall"], found["spearman"], found["pearson"])


def _ratio(product: FloatArray, squares: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(squares > 0, product / np.sqrt(squares), np.nan)
    return np.asarray(np.clip(found, -1, 1), dtype=np.float64)
