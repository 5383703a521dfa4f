"""Documents of judged segments: whether they are known, and their numbers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.core.judged.blocks import Blocks, Int32Array

Int64Array = npt.NDArray[np.int64]


def several_documents(document: Int32Array, segment: Int32Array) -> Int32Array | None:
    """Return the documents of blocks if they are known and there are several.

    Parameters
    ----------
    document : int32, shape (B,)
        Number of the document of each block's segment; negative if none is named.
    segment : int32, shape (B,)

    Returns
    -------
    int32, shape (B,), or None
        None unless every block has a document, there are at least two documents, and each segment
        is in only one.
    """
    if not len(document) or int(document.min()) < 0 or bool((document == document[0]).all()):
        return None
    numbers, first = np.unique(segment, return_index=True)
    alike = document[first][np.searchsorted(numbers, segment)] == document
    return document if bool(alike.all()) else None


def first_segments(blocks: Blocks) -> Int64Array:
    """Return the number of the first segment of each block's document.

    Parameters
    ----------
    blocks : Blocks
        B blocks whose documents are known.

    Returns
    -------
    int64, shape (B,)
        The smallest segment number among the blocks of that document. It does not depend on the
        numbers of documents, so it is the same for a file and for the database.

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
