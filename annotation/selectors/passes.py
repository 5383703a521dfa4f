"""Progress of a judge in a task that shows its texts twice."""

from dataclasses import dataclass
from typing import Any, Final

from django.db.models import (
    Count,
    Exists,
    F,
    Func,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Sum,
)

from annotation.models import HIT, Assignment, Design, Judgment
from annotation.protocols import LAST_PASS, answer_kind
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
        They were lent in the first pass; in both, where the second is by others.
    has_first_in_hand : bool
        Whether they hold a HIT of it.
    has_second : bool
        Whether the second pass is planned for them: then they are lent nothing more of the first.
    has_judged : bool
        Whether there is anything to be shown again.
    has_several : bool
        Whether there is a second pass at all.
    """

    texts: int
    has_first_in_hand: bool
    has_second: bool
    has_judged: bool
    has_several: bool

    @property
    def is_second_due(self) -> bool:
        """True if the second pass starts as soon as the first one is known to be over."""
        return (
            self.has_several and not self.has_second and (self.has_judged or self.has_first_in_hand)
        )


def has_passes(task: Task) -> bool:
    """Return whether the texts of a task are allotted, to be seen once or twice."""
    return answer_kind(task.protocol).passes is not None


def raters_of(task: Task) -> int:
    """Return how many judges a text of a task with passes is for."""
    passes = answer_kind(task.protocol).passes
    return 1 if passes is None else passes.raters(task.rules)


@dataclass(frozen=True, slots=True)
class SecondPass:
    """State of a judge's second pass: planned or not, and whether a HIT of the first is still held."""

    is_planned: bool
    has_first_in_hand: bool


def second_pass(*, judge_id: int, task_id: int) -> SecondPass:
    """Return the state of a judge's passes for lending. One query, however many HITs they were lent."""
    row = _in_hand(judge_id=judge_id, task_id=task_id).first()
    return SecondPass(*row) if row else SecondPass(is_planned=False, has_first_in_hand=False)


def passes_so_far(*, judge_id: int, task_id: int) -> PassesSoFar:
    """Return how far a judge is with a task. Two queries, of which one reads all HITs they were lent."""
    lent = _lent(judge_id=judge_id, task_id=task_id)
    first, both, in_hand = next(iter(lent), (0, 0, 0))
    row = _planned(judge_id=judge_id, task_id=task_id).first()
    if row is None:
        raise Task.DoesNotExist
    protocol, rules, has_second, has_judged = row
    passes = answer_kind(protocol).passes
    return PassesSoFar(
        texts=both if passes is not None and passes.is_second_by_others(rules) else first or 0,
        has_first_in_hand=bool(in_hand),
        has_second=has_second,
        has_judged=has_judged,
        has_several=passes is None or not passes.are_seen_once(rules),
    )


def _lent(*, judge_id: int, task_id: int) -> QuerySet[Assignment, Any]:
    """Return in one row, or none, the texts of the first pass and of both a judge was lent, and the first's HITs they hold."""
    lent = Assignment.objects.filter(judge=judge_id, hit__task=task_id)
    of_first = Q(hit__part=FIRST)
    size = Func(F("hit__segment_ids"), function="cardinality", output_field=IntegerField())
    return (
        lent.order_by()
        .values("judge")
        .annotate(
            first=Sum(size, filter=of_first),
            both=Sum(size),
            in_hand=Count("pk", filter=of_first & Q(completed_at=None, released_at=None)),
        )
        .values_list("first", "both", "in_hand")
    )


def _planned(*, judge_id: int, task_id: int) -> QuerySet[Task, Any]:
    again = hits_to_show_again(judge_id, task_id)
    return Task.objects.filter(pk=task_id).values_list(
        "protocol", "rules", _has_second(judge_id, task_id), Exists(again)
    )


def _in_hand(*, judge_id: int, task_id: int) -> QuerySet[Task, Any]:
    first = Assignment.objects.filter(
        judge=judge_id, hit__task=task_id, hit__part=FIRST, completed_at=None, released_at=None
    )
    return Task.objects.filter(pk=task_id).values_list(
        _has_second(judge_id, task_id), Exists(first)
    )


def _has_second(judge_id: int, task_id: int) -> Exists:
    return Exists(HIT.objects.filter(reserved_for=judge_id, task=task_id, part=SECOND))


def hits_to_show_again(judge_id: int, task_id: int) -> QuerySet[HIT]:
    """Return the HITs of the first pass that this judge completed, and judged in part at least."""
    own = Assignment.objects.filter(hit=OuterRef("pk"), judge=judge_id, completed_at__isnull=False)
    judged = Judgment.objects.filter(block__hit=OuterRef("pk"), judge=judge_id)
    return HIT.objects.filter(Exists(own), Exists(judged), task=task_id, part=FIRST)


def first_pass_is_full(*, task: Task, design: Design, texts: int) -> bool:
    """Return True if a judge who was lent `texts` texts may not be lent another HIT of the first pass."""
    passes = answer_kind(task.protocol).passes
    most = None if passes is None else passes.items_per_judge(task.rules)
    return most is not None and texts + design.segments_per_hit > max(most, design.segments_per_hit)


def is_over(*, judge_id: int, task: Task) -> bool:
    """Return whether a judge gets nothing more of the first pass, even if others return some."""
    so_far = passes_so_far(judge_id=judge_id, task_id=task.pk)
    return so_far.has_second or is_full(task_id=task.pk, texts=so_far.texts)


def is_full(*, task_id: int, texts: int) -> bool:
    """Return True if a judge who was lent `texts` texts gets no more by the task's rules."""
    design = design_in_force(task_id=task_id)
    task = Task.objects.get(pk=task_id)
    return design is not None and first_pass_is_full(task=task, design=design, texts=texts)


def rounds_of(*, task: Task, design: Design) -> Rounds:
    """Return the rounds in which the texts of a task with passes are allotted."""
    passes = answer_kind(task.protocol).passes
    segments = windows_of(task, design).segments
    together = passes.together(task) if passes is not None and passes.together is not None else None
    if together is not None:
        judged = set(segments)
        together = [window for window in together if judged.issuperset(window)]
        segments = [segment for window in together for segment in window]
    return Rounds(
        segments=segments, size=design.segments_per_hit, seed=design.seed, together=together
    )


def is_judged_once(task: Task) -> bool:
    """Return whether a judge sees a text of a task with passes once."""
    passes = answer_kind(task.protocol).passes
    return passes is not None and passes.are_seen_once(task.rules)


def is_second_by_others(task: Task) -> bool:
    """Return whether the second pass of a task is by other judges than the first."""
    passes = answer_kind(task.protocol).passes
    return passes is not None and passes.is_second_by_others(task.rules)
