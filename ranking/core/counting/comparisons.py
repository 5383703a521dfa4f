"""Single comparisons, with their judges and covariates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.core.counting.tallies import chunks, tied, won
from ranking.core.judged.blocks import Blocks

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

_CELLS_AT_A_TIME = 1 << 20


@dataclass(frozen=True, eq=False)
class Comparisons:
    """C comparisons, each of two systems by a judge.

    Attributes
    ----------
    first, second : int64, shape (C,)
        Indices of the systems.
    judge : int64, shape (C,)
        Index of the judge.
    block : int64, shape (C,)
        Row of the block the comparison is from.
    outcome : int64, shape (C,)
        1 if the first system is better, −1 if the second one is, 0 for a tie.
    covariates : float64, shape (C, K)
        Covariate of the first system minus that of the second.
    """

    first: Int64Array
    second: Int64Array
    judge: Int64Array
    block: Int64Array
    outcome: Int64Array
    covariates: FloatArray


def comparisons_of(
    blocks: Blocks, covariates: Mapping[str, FloatArray] | None = None
) -> Comparisons:
    """Return the comparisons of blocks, in the order of the blocks.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    covariates : mapping of str to float64 of shape (B, n), optional
        Covariates of each system's output in each block, by name; see `shown_position`. Values of
        systems without a label are ignored.

    Returns
    -------
    Comparisons
        Comparisons of labelled systems with different candidates, as in
        `ranking.core.counting.tallies.tally`.

    Raises
    ------
    ValueError
        If a covariate has another shape, or is not finite where a system has a label.
    """
    count, n = blocks.labels.shape
    known = dict(covariates or {})
    for name, values in known.items():
        if values.shape != (count, n):
            raise ValueError(f"{name}: expected shape {(count, n)}, got {values.shape}")
        if not np.isfinite(values[blocks.labels > 0]).all():
            raise ValueError(f"{name}: expected a finite number for each output with a label")
    parts = [np.empty((4, 0), dtype=np.int64)]
    for rows in chunks(count, max(1, _CELLS_AT_A_TIME // max(1, n * n))):
        beats = won(blocks.labels[rows])
        drew = tied(blocks.labels[rows], blocks.candidates[rows])
        outcome = beats.astype(np.int64) - np.swapaxes(beats, 1, 2)
        block, first, second = np.nonzero(np.triu((outcome != 0) | drew, 1))
        parts.append(np.stack([block + rows.start, first, second, outcome[block, first, second]]))
    block, first, second, outcome = np.concatenate(parts, axis=1)
    apart = [values[block, first] - values[block, second] for values in known.values()]
    return Comparisons(
        first=first,
        second=second,
        judge=blocks.judge[block].astype(np.int64),
        block=block,
        outcome=outcome,
        covariates=np.stack(apart, axis=1) if apart else np.zeros((len(block), 0)),
    )


def shown_position(blocks: Blocks) -> FloatArray:
    """Return the position of each output in its block: 0 for the first, 1 for the last.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.

    Returns
    -------
    float64, shape (B, n)
        0 where a system was not shown, or shown alone.
    """
    last = blocks.candidates.max(axis=1, initial=0)[:, np.newaxis]
    shown = np.maximum(blocks.candidates, 0)
    return np.asarray(shown / np.maximum(1, last), dtype=np.float64)
