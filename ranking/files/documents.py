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
        Whether `ranking.core.judged.blocks.several_documents` found that they count.
    """
    naming = document[document >= 0]
    several = bool(len(naming)) and not bool((naming == naming[0]).all())
    return None if used else ignored_of(len(naming), len(document), several=several)


def ignored_of(naming: int, blocks: int, *, several: bool) -> IgnoredDocuments | None:
    """Return why documents do not count, of which so many of all blocks name one, or several."""
    if not naming:
        return None
    if naming < blocks:
        return IgnoredDocuments(IgnoredBecause.SOME_UNNAMED, naming)
    because = IgnoredBecause.SEGMENT_OF_TWO if several else IgnoredBecause.ONE
    return IgnoredDocuments(because, naming)
