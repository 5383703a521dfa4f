"""Progress of a judge in a task that allots its texts."""

from dataclasses import dataclass
from typing import Final

from django.db.models import (
    Exists,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Sum,
)

from annotation.models import HIT, Assignment, Design, Judgment
from annotation.protocols.answer_kinds import Passes, answer_kind_of
from annotation.sampling.rounds import Rounds
from annotation.selectors.designs import design_in_force
from annotation.selectors.drawing import windows_of
from campaign.models import Task

FIRST: Final = 1


@dataclass(frozen=True, slots=True)
class PassesSoFar:
    """Progress of a judge.

    Attributes
    ----------
    texts : int
        Texts lent to the judge in the first pass; in all passes, if each is by others.
    planned : int
        The latest pass planned for the judge, who is lent nothing more of the earlier ones.
    is_holding : bool
        Whether the judge holds a HIT of that pass or an earlier one.
    holds_earlier : bool
        Whether the judge holds a HIT of an earlier pass.
    """

    texts: int
    planned: int
    is_holding: bool
    holds_earlier: bool

    @property
    def is_past_first(self) -> bool:
        """True if a pass after the first is planned for the judge."""
        return self.planned > FIRST


def has_passes(task: Task) -> bool:
    """Return whether the texts of a task are allotted to judges, who see them in one or several passes."""
    return answer_kind_of(task).passes is not None


def passes_of(task: Task) -> Passes:
    """Return the passes of a task that has passes."""
    passes = answer_kind_of(task).passes
    assert passes is not None, "has_passes"  # noqa: S101  for the type checker
    return passes


def passes_so_far(*, judge_id: int, task_id: int) -> PassesSoFar:
    """Return the progress of a judge in a task. Three queries, one of which reads all HITs lent to the judge."""
    task = Task.objects.get(pk=task_id)
    if passes_of(task).are_by_others:
        counted = Q()
    else:
        counted = Q(hit__part=FIRST)
    lent = Assignment.objects.filter(judge=judge_id, hit__task=task_id).aggregate(
        texts=Sum("hit__segment_ids__len", filter=counted),
        earliest=Min("hit__part", filter=Q(completed_at=None, released_at=None)),
    )
    later = HIT.objects.filter(reserved_for=judge_id, task=task_id, part__gt=FIRST)
    planned = later.aggregate(last=Max("part"))["last"] or FIRST
    held_pass = lent["earliest"]
    return PassesSoFar(
        texts=lent["texts"] or 0,
        planned=planned,
        is_holding=held_pass is not None and held_pass <= planned,
        holds_earlier=held_pass is not None and held_pass < planned,
    )


def hits_to_show_again(judge_id: int, task_id: int, part: int) -> QuerySet[HIT]:
    """Return the HITs of a pass that this judge completed and judged at least in part."""
    own = Assignment.objects.filter(
        hit=OuterRef("pk"),
        judge=judge_id,
        completed_at__isnull=False,
    )
    judged = Judgment.objects.filter(block__hit=OuterRef("pk"), judge=judge_id)
    return HIT.objects.filter(Exists(own), Exists(judged), task=task_id, part=part)


def is_over(*, judge_id: int, task: Task) -> bool:
    """Return whether a judge gets nothing more of the first pass, even if others return HITs."""
    so_far = passes_so_far(judge_id=judge_id, task_id=task.pk)
    return so_far.is_past_first or is_full(task_id=task.pk, texts=so_far.texts)


def is_full(*, task_id: int, texts: int) -> bool:
    """Return whether the task's rules allow no further HIT for a judge who was lent `texts` texts."""
    task = Task.objects.get(pk=task_id)
    most = passes_of(task).items_per_judge
    design = design_in_force(task_id=task_id)
    if most is None or design is None:
        return False
    return texts + design.segments_per_hit > max(most, design.segments_per_hit)


def rounds_of(*, task: Task, design: Design) -> Rounds:
    """Return the rounds in which the texts of a task with passes are allotted."""
    windows = windows_of(task, design)
    segments = windows.segments
    together = None
    if windows.are_pages:
        together = windows.pages
    read_together = answer_kind_of(task).read_together(task)
    if read_together is not None:
        judged = set(segments)
        together = [window for window in read_together if judged.issuperset(window)]
        segments = []
        for window in together:
            segments.extend(window)
    return Rounds(
        segments=segments,
        size=design.segments_per_hit,
        seed=design.seed,
        together=together,
    )
