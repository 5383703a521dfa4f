"""Why documents that files name are left out of rank ranges."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt


class IgnoredBecause(StrEnum):
    """The reason why documents do not count although the files name some."""

    SOME_UNNAMED = "some_blocks_name_none"
    ONE = "only_one_is_named"
    SEGMENT_OF_TWO = "a_segment_is_of_two"


@dataclass(frozen=True, slots=True)
class IgnoredDocuments:
    """Documents that are named and do not count.

    Attributes
    ----------
    reason : IgnoredBecause
    naming : int
        Judged blocks that name a document.
    """

    reason: IgnoredBecause
    naming: int


def ignored_documents(document: npt.NDArray[np.int32], *, used: bool) -> IgnoredDocuments | None:
    """Return why the documents of blocks are ignored; None if they are used or none is named.

    Parameters
    ----------
    document : int32, shape (N,)
        Number of the document that each judged block names, -1 where it names none.
    used : bool
        Whether `ranking.core.judged.documents.several_documents` found that they count.
    """
    naming = int(np.count_nonzero(document >= 0))
    if used or not naming:
        return None
    if naming < len(document):
        return IgnoredDocuments(IgnoredBecause.SOME_UNNAMED, naming)
    if (document == document[0]).all():
        return IgnoredDocuments(IgnoredBecause.ONE, naming)
    return IgnoredDocuments(IgnoredBecause.SEGMENT_OF_TWO, naming)
