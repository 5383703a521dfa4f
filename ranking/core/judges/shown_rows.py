"""Blocks as rows of labels by shown position, each different row once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.core.judged.blocks import MAX_LABEL, Blocks, Int8Array
from ranking.core.judged.shown_labels import shown_labels

Int64Array = npt.NDArray[np.int64]

_BLOCKS_AT_A_TIME = 1 << 17
#: Three bits hold a label; a row of more than this many bits is not looked up among the others.
_LABEL_BITS, _MOST_BITS = 3, 62
_LABELS = np.arange(1, MAX_LABEL + 1)


@dataclass(frozen=True, eq=False)
class ShownRows:
    """Rows of labels by shown position, and how often each judge gave them.

    Attributes
    ----------
    judge : int64, shape (N,)
        Index into `Blocks.judges`.
    labels : int8, shape (N, positions)
        1 best … 5 worst; 0 if the label was left blank or no candidate was shown.
    chosen : int8, shape (N,)
        Label of the system asked for; 0 if it has none or no system was asked for.
    times : int64, shape (N,)
        Number of such blocks.
    """

    judge: Int64Array
    labels: Int8Array
    chosen: Int8Array
    times: Int64Array

    def used(self) -> Int64Array:
        """Return how many candidates of each row have each label, shape (N, 5)."""
        return np.stack([np.count_nonzero(self.labels == each, axis=1) for each in _LABELS], axis=1)


def shown_rows(blocks: Blocks, system: str | None = None) -> Iterator[ShownRows]:
    """Yield the rows of all blocks, in parts; at least one part, which may be empty.

    Parameters
    ----------
    blocks : Blocks
        With every system that was shown: a candidate without remaining systems is missing.
    system : str or None
        The system whose labels are asked for.
    """
    labels = shown_labels(blocks)
    chosen = None if system is None else blocks.labels[:, blocks.systems.index(system)]
    for start in range(0, max(1, len(blocks)), _BLOCKS_AT_A_TIME):
        part = slice(start, start + _BLOCKS_AT_A_TIME)
        judge = blocks.judge[part].astype(np.int64)
        asked = np.zeros(len(judge), dtype=np.int8) if chosen is None else chosen[part]
        yield _distinct(judge, labels[part], asked, judges=len(blocks.judges))


def _distinct(judge: Int64Array, labels: Int8Array, chosen: Int8Array, *, judges: int) -> ShownRows:
    """Return each row once, sorted; rows too long for one number are returned as they are."""
    positions = labels.shape[1]
    if _LABEL_BITS * (positions + 1) + judges.bit_length() > _MOST_BITS:
        return ShownRows(judge, labels, chosen, np.ones(len(judge), dtype=np.int64))
    code = judge << _LABEL_BITS | chosen
    for column in labels.T:
        code = code << _LABEL_BITS | column
    code, times = np.unique(code, return_counts=True)
    found = np.empty((len(code), positions), dtype=np.int8)
    for position in reversed(range(positions)):
        found[:, position] = code & ((1 << _LABEL_BITS) - 1)
        code = code >> _LABEL_BITS
    return ShownRows(
        judge=code >> _LABEL_BITS,
        labels=found,
        chosen=(code & ((1 << _LABEL_BITS) - 1)).astype(np.int8),
        times=times.astype(np.int64),
    )
