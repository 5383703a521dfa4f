"""Documents of judged segments: when they are known, and how they are numbered."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.core.judged.blocks import Blocks, Int32Array

Int64Array = npt.NDArray[np.int64]


def several_documents(document: Int32Array, segment: Int32Array) -> Int32Array | None:
    """Return the documents of blocks if they say which segments are alike.

    Parameters
    ----------
    document : int32, shape (B,)
        Number of the document of each block's segment; negative where none is named.
    segment : int32, shape (B,)

    Returns
    -------
    int32, shape (B,), or None
        None unless every block has a document, there are at least two, and no segment is of two.
    """
    if not len(document) or int(document.min()) < 0 or bool((document == document[0]).all()):
        return None
    numbers, first = np.unique(segment, return_index=True)
    alike = document[first][np.searchsorted(numbers, segment)] == document
    return document if bool(alike.all()) else None


def first_segments(blocks: Blocks) -> Int64Array:
    """Number each block's document by its first segment.

    Parameters
    ----------
    blocks : Blocks
        B blocks whose documents are known.

    Returns
    -------
    int64, shape (B,)
        The smallest number of a segment among the blocks of that document: the same however
        documents are numbered, in a file and in the database alike.

    Raises
    ------
    ValueError
        If documents are not known.
    """
    if blocks.document is None:
        raise ValueError("document: these blocks name no documents")
    numbers, of_block = np.unique(blocks.document, return_inverse=True)
    first = np.full(len(numbers), np.iinfo(np.int64).max, dtype=np.int64)
    np.minimum.at(first, of_block, blocks.segment)
    return first[of_block]
