"""The judgments that differ between two moments."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.core.judged.blocks import Blocks

Int64Array = npt.NDArray[np.int64]


def changed_rows(before: Blocks, after: Blocks) -> tuple[Blocks, Blocks]:
    """Return the judgments that are gone, and those that are new.

    Parameters
    ----------
    before, after : Blocks
        Over the same systems. Judges are compared by name.

    Returns
    -------
    removed, added : Blocks
        Rows of `before` and of `after`. Rows that are in both, as often, are in neither.
    """
    if not len(before) or not len(after):
        return before, after
    names = {name: index for index, name in enumerate(sorted({*before.judges, *after.judges}))}
    rows = np.concatenate([_contents(before, names), _contents(after, names)])
    whole = rows.view(np.dtype((np.void, rows.shape[1]))).ravel()
    content = np.unique(whole, return_inverse=True)[1]
    old, new = content[: len(before)], content[len(before) :]
    contents = int(content.max()) + 1
    more = np.bincount(new, minlength=contents) - np.bincount(old, minlength=contents)
    return before.take(_first(old, -more)), after.take(_first(new, more))


def _contents(blocks: Blocks, names: dict[str, int]) -> npt.NDArray[np.uint8]:
    """Return all columns of each block as bytes, shape (B, width)."""
    judge = np.array([names[name] for name in blocks.judges], dtype=np.int32)[blocks.judge]
    document = np.full(len(blocks), -1, np.int32) if blocks.document is None else blocks.document
    columns = (
        *(blocks.key, blocks.segment, judge, document),
        *(blocks.labels, blocks.candidates),
    )
    parts = [
        np.ascontiguousarray(column).view(np.uint8).reshape(len(blocks), -1) for column in columns
    ]
    return np.ascontiguousarray(np.concatenate(parts, axis=1))


def _first(content: Int64Array, wanted: Int64Array) -> Int64Array:
    """Return the first rows of each content, as many as wanted; none if that is negative."""
    order = np.argsort(content, kind="stable")
    ordered = content[order]
    nth = np.arange(len(ordered)) - np.searchsorted(ordered, ordered)
    return np.sort(order[nth < wanted[ordered]])
