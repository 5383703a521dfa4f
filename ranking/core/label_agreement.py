"""Agreement on the labels themselves, not on the comparisons they imply (Hamon et al. 2007)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ranking.core.agreement import Chance
from ranking.core.agreement_intervals import Measure, measure_compared, resampled_sums
from ranking.core.agreement_statistics import share
from ranking.core.agreement_units import Units
from ranking.core.blocks import MAX_LABEL, Blocks
from ranking.core.compared import Compared, compared_labels
from ranking.core.resampling import chopped

Int64Array = npt.NDArray[np.int64]


@dataclass(frozen=True)
class NAgreement:
    """How often two labels of one output differ by at most n.

    Attributes
    ----------
    n : int
        0 … 4.
    agreeing, comparable : int
        Pairs of labels, and those that differ by at most n.
    share, low, high : float or None
        agreeing / comparable with its percentile interval; None without a pair.
    """

    n: int
    agreeing: int
    comparable: int
    share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class LabelAgreement:
    """Agreement on labels.

    Attributes
    ----------
    n_agreement : tuple of NAgreement
        For n = 0 … 4.
    fleiss : Measure
        The "global kappa" of Hamon et al., with each of the five labels a category.
    alpha : Measure
        Krippendorff's α, the labels being ordinal.
    """

    n_agreement: tuple[NAgreement, ...]
    fleiss: Measure
    alpha: Measure


@dataclass(frozen=True)
class LabelAgreements:
    """Agreement on labels between judges, and of judges with themselves."""

    inter: LabelAgreement
    intra: LabelAgreement


def label_agreement(
    blocks: Blocks, *, resamples: int = 1000, confidence: float = 0.95, seed: int = 0
) -> LabelAgreements:
    """Measure how near the labels are that are given to the same output.

    Hamon et al. (2007, §3.1) have two labels a segment; here all pairs of labels of one collapsed
    candidate of a segment count, by different judges for `inter`.

    A label is given relative to the other outputs of the block: even judges who agree on every
    comparison may label an output differently in other company. The values are therefore lower
    than for the absolute scales of the paper, and comparable between judges and campaigns of the
    same design only.

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set.
    resamples : int
        Number of bootstrap resamples of segments.
    confidence : float
        Confidence of the intervals, between 0 and 1.
    seed : int
        0 ≤ seed < 2**64.

    Returns
    -------
    LabelAgreements

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    O. Hamon, D. Mostefa, V. Arranz (2007), Diagnosing Human Judgments in MT Evaluation: an Example
    based on the Spanish Language, MT Summit XI.
    """
    cut = chopped(resamples, confidence)
    compared = compared_labels(blocks)
    return LabelAgreements(
        inter=_label_agreement(compared.inter, resamples, cut, seed),
        intra=_label_agreement(compared.intra, resamples, cut, seed),
    )


def _label_agreement(compared: Compared, resamples: int, cut: int, seed: int) -> LabelAgreement:
    def measure(chance: Chance) -> Measure:
        return measure_compared(
            compared,
            compared.ties,
            chance=chance,
            symmetric=False,
            resamples=resamples,
            cut=cut,
            seed=seed,
        )

    return LabelAgreement(
        n_agreement=_n_agreement(compared.units, resamples, cut, seed),
        fleiss=measure(Chance.FLEISS),
        alpha=measure(Chance.KRIPPENDORFF_ORDINAL),
    )


def _n_agreement(units: Units, resamples: int, cut: int, seed: int) -> tuple[NAgreement, ...]:
    segments, column = np.unique(units.segment, return_inverse=True)
    label = np.arange(MAX_LABEL)
    difference = np.abs(label[:, np.newaxis] - label[np.newaxis, :])
    by_difference = [units.pairs[:, difference == n].sum(axis=1) // 2 for n in label.tolist()]
    rows = np.repeat(label, len(column))
    by_segment = sparse.coo_array(
        (np.concatenate(by_difference), (rows, np.tile(column, MAX_LABEL))),
        shape=(MAX_LABEL, len(segments)),
    ).tocsc()
    counts: Int64Array = np.cumsum(by_segment.sum(axis=1))
    sums = np.hstack(
        list(resampled_sums(by_segment, segments.astype(np.uint64), resamples=resamples, seed=seed))
    )
    within = np.cumsum(sums, axis=0)
    shares = share(within, within[-1])
    lows = np.sort(np.nan_to_num(shares, nan=0.0), axis=1)[:, cut]
    highs = np.sort(np.nan_to_num(shares, nan=1.0), axis=1)[:, resamples - 1 - cut]
    comparable = int(counts[-1])
    return tuple(
        NAgreement(
            n=n,
            agreeing=int(counts[n]),
            comparable=comparable,
            share=int(counts[n]) / comparable if comparable else None,
            low=float(lows[n]) if comparable else None,
            high=float(highs[n]) if comparable else None,
        )
        for n in label.tolist()
    )
