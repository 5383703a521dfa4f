"""Feasibility of assigning texts to judges, checked before a task opens.

With S segments, K_s distinct texts of segment s, J judges who rate up to c items each, and r judges
per item, an assignment exists if and only if

    r · K_s ≤ J for each segment s,    and    r · Σ_s K_s ≤ J · min(c, S).

*Necessary*: no judge sees a segment twice, so segment s needs r · K_s different judges, and no
judge rates more than min(c, S) items. *Sufficient*: go round the judges in a circle, and give each
segment the next r · K_s of them. By the first condition, these are all different; by the second,
each judge gets at most min(c, S) items, because each gets ⌊r Σ K_s / J⌋ or one more. If all
segments have K texts, the second condition implies the first, because min(c, S) ≤ S.

If different judges rate each of p criteria, no judge sees a segment in two passes, so an item has
p · r judges instead of r.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Feasibility:
    """Feasibility of an assignment, and its requirements.

    Attributes
    ----------
    systems, segments, raters, items_per_judge : int
        The numbers given; `systems` is the largest number of texts of a segment.
    passes_by_others : int
        Number of passes, if each is by other judges; otherwise 1.
    is_feasible : bool
    ratings : int
        Ratings in one pass, r · Σ K_s; in all passes if each is by other judges, here and below.
    judges : int
        Available judges.
    needed_judges : int
        Smallest number of judges that suffices.
    judges_of_a_segment : int
        Number of different judges needed by the segment with the most texts.
    needed_items_per_judge : int or None
        Smallest number of items per judge that suffices for these judges; None if none does.
    """

    systems: int
    segments: int
    raters: int
    items_per_judge: int
    passes_by_others: int
    is_feasible: bool
    ratings: int
    judges: int
    needed_judges: int
    judges_of_a_segment: int
    needed_items_per_judge: int | None


def feasibility(
    texts: Sequence[int],
    *,
    judges: int,
    raters: int = 2,
    items_per_judge: int | None = None,
    passes_by_others: int = 1,
) -> Feasibility:
    """Check whether an assignment exists, before a task opens.

    Parameters
    ----------
    texts : sequence of int, length S
        Number of distinct texts of each segment.
    judges : int
        J, the number of judges.
    raters : int
        Judges per item, at least 1.
    items_per_judge : int, optional
        Maximum number of items per judge; the number of segments if not given.
    passes_by_others : int
        Number of passes, if no judge sees a segment in two of them; otherwise 1.

    Returns
    -------
    Feasibility
    """
    if items_per_judge is None:
        most = len(texts)
    else:
        most = min(items_per_judge, len(texts))
    of_item = raters * passes_by_others
    ratings = of_item * sum(texts)
    systems = max(texts, default=0)
    of_segment = of_item * systems
    if ratings:
        needed = max(of_segment, -(-ratings // most))
    else:
        needed = 0
    return Feasibility(
        systems=systems,
        segments=len(texts),
        raters=raters,
        items_per_judge=most,
        passes_by_others=passes_by_others,
        is_feasible=judges >= needed,
        ratings=ratings,
        judges=judges,
        needed_judges=needed,
        judges_of_a_segment=of_segment,
        needed_items_per_judge=-(-ratings // judges)
        if judges and judges >= of_segment
        else None,
    )
