"""How often all judges of an item agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ranking.core.agreement.counts import shards_of_whole_segments
from ranking.core.agreement.units import cells_of_comparisons
from ranking.core.judged.blocks import Blocks
from ranking.core.judged.collapsed_candidates import collapsed_comparisons
from ranking.core.judges.clustered_share import Share, cluster_sums, shares_of_sums


@dataclass(frozen=True)
class Unanimity:
    """Items on which all their judges agree.

    Attributes
    ----------
    judges : int or None
        Judges of the items; None for two or more.
    share : Share
        Of those items, with its interval over segments.
    """

    judges: int | None
    share: Share


def unanimity(blocks: Blocks, *, confidence: float = 0.95) -> tuple[Unanimity, ...]:
    """Count the items, compared by two judges or more, on which all judges agree.

    Bojar et al. (2011, §2.5) found one label of all six annotators on 24 % of items. A judge who
    compared an item twice with two outcomes does not agree with themselves, so nobody is unanimous.
    The share falls with the number of judges by itself: compare items with as many judges.

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    tuple of Unanimity
        Of all such items first, then by the number of judges, ascending; empty without such an item.

    Raises
    ------
    ValueError
        If `confidence` is not between 0 and 1.
    """
    segments, judges, agreed = [], [], []
    for shard in shards_of_whole_segments(blocks):
        cells = cells_of_comparisons(collapsed_comparisons(shard), len(blocks.judges))
        items = len(cells.item_segment)
        by_outcome = np.zeros((items, cells.counts.shape[1]), dtype=np.int64)
        np.add.at(by_outcome, cells.item, cells.counts)
        of_item = np.bincount(cells.item, minlength=items)
        shared = of_item > 1
        segments.append(cells.item_segment[shared])
        judges.append(of_item[shared])
        agreed.append(np.count_nonzero(by_outcome[shared], axis=1) == 1)
    segment, count, is_agreed = (np.concatenate(each) for each in (segments, judges, agreed))
    found = []
    for number in (None, *np.unique(count).tolist()):
        rows = slice(None) if number is None else count == number
        numbers, place = np.unique(segment[rows], return_inverse=True)
        trials = np.bincount(place, minlength=len(numbers))
        successes = np.bincount(place[is_agreed[rows]], minlength=len(numbers))
        sums = cluster_sums(successes, trials).sum(axis=0)
        found.append(Unanimity(number, shares_of_sums(sums[np.newaxis], confidence=confidence)[0]))
    return tuple(found) if len(segment) else ()
