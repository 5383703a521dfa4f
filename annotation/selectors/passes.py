"""Progress of a judge in a task that allots its texts."""

from dataclasses import dataclass
from typing import Final

from django.db.models import (
    Count,
    Exists,
    OuterRef,
    Q,
    QuerySet,
    Sum,
)

from annotation.models import HIT, Assignment, Design, Judgment
from annotation.protocols import LAST_PASS, Passes, answer_kind
from annotation.sampling.rounds import Rounds
from annotation.selectors.designs import design_in_force
from annotation.selectors.drawing import windows_of
from campaign.models import Task

FIRST: Final = 1
SECOND: Final = LAST_PASS


@dataclass(frozen=True, slots=True)
class PassesSoFar:
    """Progress of a judge.

    Attributes
    ----------
    texts : int
        Texts lent to the judge in the first pass; in both passes, if the second is by others.
    has_first_in_hand : bool
        Whether the judge holds a HIT of the first pass.
    has_second : bool
        Whether the second pass is planned for the judge, who is then lent nothing more of the
        first.
    """

    texts: int
    has_first_in_hand: bool
    has_second: bool


def has_passes(task: Task) -> bool:
    """Return whether the texts of a task are allotted to judges, who see them once or twice."""
    return answer_kind(task.protocol).passes is not None


def passes_of(task: Task) -> Passes:
    """Return the passes of a task that has passes."""
    passes = answer_kind(task.protocol).passes
    assert passes is not None, "has_passes"  # noqa: S101  for the type checker
    return passes


def passes_so_far(*, judge_id: int, task_id: int) -> PassesSoFar:
    """Return the progress of a judge in a task. Three queries, one of which reads all HITs lent to the judge."""
    task = Task.objects.get(pk=task_id)
    first = Q(hit__part=FIRST)
    counted = Q() if passes_of(task).is_second_by_others(task.rules) else first
    lent = Assignment.objects.filter(judge=judge_id, hit__task=task_id).aggregate(
        texts=Sum("hit__segment_ids__len", filter=counted),
        in_hand=Count("pk", filter=first & Q(completed_at=None, released_at=None)),
    )
    second = HIT.objects.filter(reserved_for=judge_id, task=task_id, part=SECOND)
    return PassesSoFar(
        texts=lent["texts"] or 0,
        has_first_in_hand=lent["in_hand"] > 0,
        has_second=second.exists(),
    )


def hits_to_show_again(judge_id: int, task_id: int) -> QuerySet[HIT]:
    """Return the HITs of the first pass that this judge completed and judged at least in part."""
    own = Assignment.objects.filter(hit=OuterRef("pk"), judge=judge_id, completed_at__isnull=False)
    judged = Judgment.objects.filter(block__hit=OuterRef("pk"), judge=judge_id)
    return HIT.objects.filter(Exists(own), Exists(judged), task=task_id, part=FIRST)


def is_over(*, judge_id: int, task: Task) -> bool:
    """Return whether a judge gets nothing more of the first pass, even if others return HITs."""
    so_far = passes_so_far(judge_id=judge_id, task_id=task.pk)
    return so_far.has_second or is_full(task_id=task.pk, texts=so_far.texts)


def is_full(*, task_id: int, texts: int) -> bool:
    """Return whether the task's rules allow no further HIT for a judge who was lent `texts` texts."""
    task = Task.objects.get(pk=task_id)
    most, design = passes_of(task).items_per_judge(task.rules), design_in_force(task_id=task_id)
    if most is None or design is None:
        return False
    return texts + design.segments_per_hit > max(most, design.segments_per_hit)


def rounds_of(*, task: Task, design: Design) -> Rounds:
    """Return the rounds in which the texts of a task with passes are allotted."""
    passes = passes_of(task)
    segments = windows_of(task, design).segments
    together = None if passes.together is None else passes.together(task)
    if together is not None:
        judged = set(segments)
        together = [window for window in together if judged.issuperset(window)]
        segments = [segment for window in together for segment in window]
    return Rounds(
        segments=segments, size=design.segments_per_hit, seed=design.seed, together=together
    )
