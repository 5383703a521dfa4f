"""What judges said of the comparisons of a sort.

A judgment is of the comparison that its HIT was drawn for, or that its file names, also where a third system wrote one of the
texts.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Final

from django.db.models import Q

from annotation.export.shown import systems_shown
from annotation.models import Judgment
from annotation.selectors.comparisons import COMPARISON, COMPARISON_IMPORTED
from campaign.models import Task
from protocols.sorting.statistics.closing import Answer

#: Two names, the first by alphabet first.
PairOf = tuple[str, str]
_OF_HIT: Final = tuple(f"block__hit__{path}" for path in (COMPARISON, COMPARISON_IMPORTED))


def pair_of(one: str, other: str) -> PairOf:
    """Return two systems as comparisons are known by."""
    return (one, other) if one < other else (other, one)


@dataclass(frozen=True, slots=True)
class Given:
    """An answer as stored, for the first system of the pair.

    Attributes
    ----------
    answer : Answer
    is_current : bool
        Whether no later judgment, up to the watermark, has taken its place.
    """

    answer: Answer
    is_current: bool


def answers_given(
    *,
    task: Task,
    watermark: int,
    pairs: Iterable[PairOf],
    without: Collection[str] = (),
    documents: Collection[str] | None = None,
) -> dict[PairOf, list[Given]]:
    """Return the answers 1…`watermark` to these comparisons, by number; without those of some judges.

    Attention checks are left out. Three queries, whatever the number of answers.
    """
    wanted = list(pairs)
    if not wanted:
        return {}
    judgments = Judgment.objects.of(task.pk).counted().until(watermark)
    judgments = judgments.filter(
        reduce(or_, (Q(**{path: list(pair)}) for pair in wanted for path in _OF_HIT))
    )
    judgments = judgments.exclude(judge__pseudonym__in=list(without))
    if documents is not None:
        judgments = judgments.filter(block__segment__document__name__in=list(documents))
    rows = list(
        judgments.order_by("numbered__number").values_list(
            *("numbered__number", "judge__pseudonym", "block__segment__number", "block_id"),
            *("labels", *_OF_HIT, "superseded_by__numbered__number"),
        )
    )
    ids = dict(task.test_set.systems.values_list("name", "id"))
    shown = systems_shown({row[3] for row in rows})
    found: dict[PairOf, list[Given]] = defaultdict(list)
    for number, judge, segment, block, labels, planned, imported, later in rows:
        first, second = planned or imported
        place = 0 if ids[first] in shown[block][0] else 1
        ahead = labels[1 - place] - labels[place]
        is_current = later is None or later > watermark
        found[first, second].append(Given(Answer(number, judge, segment, ahead), is_current))
    return found
