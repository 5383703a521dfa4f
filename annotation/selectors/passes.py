"""How far a judge is with a task that shows them its texts twice."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import (
    BigIntegerField,
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
from annotation.sampling.rounds import Rounds, checks_for_each_block
from annotation.selectors.corpus import TestSetTexts, texts_of_others, windows_of
from annotation.selectors.designs import design_in_force, systems_drawn
from annotation.selectors.first_design import design_unless_chosen
from campaign.database.prepared_query import Parameter, PreparedQuery
from campaign.models import Judge, Output, SystemKind, Task

FIRST: Final = 1
SECOND: Final = LAST_PASS


@dataclass(frozen=True, slots=True)
class PassesSoFar:
    """How far a judge is.

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
    has_limit : bool
        Whether the task's rules say of how many texts at most one is a judge.
    """

    texts: int
    has_first_in_hand: bool
    has_second: bool
    has_judged: bool
    has_several: bool
    has_limit: bool

    @property
    def is_second_due(self) -> bool:
        """Whether the second pass will come as soon as it is known that the first one is over."""
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


def passes_so_far(*, judge_id: int, task_id: int) -> PassesSoFar:
    """Return how far a judge is with a task. Two prepared queries: a judge who asks for a HIT waits for them."""
    asked = {"judge_id": judge_id, "task_id": task_id}
    first, both, in_hand = _LENT.row(**asked) or (0, 0, 0)
    row = _PLANNED.row(**asked)
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
        has_limit=passes is not None and passes.items_per_judge(rules) is not None,
    )


def _lent(*, judge_id: int | Parameter, task_id: int | Parameter) -> QuerySet[Assignment, Any]:
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


def _planned(*, judge_id: int | Parameter, task_id: int | Parameter) -> QuerySet[Task, Any]:
    second = HIT.objects.filter(reserved_for=judge_id, task=task_id, part=SECOND)
    return Task.objects.filter(pk=task_id).values_list(
        "protocol", "rules", Exists(second), Exists(hits_to_show_again(judge_id, task_id))
    )


def hits_to_show_again(judge_id: int | Parameter, task_id: int | Parameter) -> QuerySet[HIT]:
    """Return the HITs of the first pass that this judge completed, and judged in part at least."""
    own = Assignment.objects.filter(hit=OuterRef("pk"), judge=judge_id, completed_at__isnull=False)
    judged = Judgment.objects.filter(block__hit=OuterRef("pk"), judge=judge_id)
    return HIT.objects.filter(Exists(own), Exists(judged), task=task_id, part=FIRST)


_ASKED: Final = {"judge_id": BigIntegerField(), "task_id": BigIntegerField()}
_LENT: Final = PreparedQuery("texts_lent_of_first_pass", _lent, _ASKED)
_PLANNED: Final = PreparedQuery("second_pass_planned", _planned, _ASKED)


def first_pass_is_full(*, task: Task, design: Design, texts: int) -> bool:
    """Return whether who was lent so many texts may not be lent another HIT of the first pass."""
    passes = answer_kind(task.protocol).passes
    most = None if passes is None else passes.items_per_judge(task.rules)
    return most is not None and texts + design.segments_per_hit > max(most, design.segments_per_hit)


def is_over(*, judge_id: int, task: Task) -> bool:
    """Return whether a judge gets nothing more of the first pass, whatever others give back."""
    so_far = passes_so_far(judge_id=judge_id, task_id=task.pk)
    return so_far.has_second or is_full(task_id=task.pk, texts=so_far.texts)


def is_full(*, task_id: int, texts: int) -> bool:
    """Return whether who was lent so many texts gets no more by the task's rules."""
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


@dataclass(frozen=True, slots=True)
class JudgesNeeded:
    """Whether a task with passes has judges enough, and what it takes, in words."""

    task: Task
    is_feasible: bool
    words: list[str]


def judges_needed(tasks: Iterable[Task]) -> list[JudgesNeeded]:
    """Return what the tasks with passes among these need. No query where there is none, four for each that is."""
    return [_needed(task) for task in tasks if has_passes(task)]


def _needed(task: Task) -> JudgesNeeded:
    passes = answer_kind(task.protocol).passes
    assert passes is not None  # noqa: S101  for the type checker
    campaign = task.test_set.campaign
    design = design_in_force(task_id=task.pk) or design_unless_chosen(
        task=task, campaign=campaign, seed=0
    )
    rounds = rounds_of(task=task, design=design)
    segments = rounds.segments
    texts = (
        _read_of_each(task, design, rounds)
        if rounds.are_of_one_system
        else _texts_of_each(task, design, segments)
    )
    size = design.segments_per_hit
    most = passes.items_per_judge(task.rules)
    # Whole HITs are lent.
    most = len(segments) if most is None else max(1, most // size) * size
    found = passes.needs(texts, _judges(task), max(1, most), task.rules)
    return JudgesNeeded(task, *found)


def _texts_of_each(task: Task, design: Design, segments: Sequence[int]) -> list[int]:
    """Count the different texts of each segment."""
    outputs = Output.objects.drawable().filter(
        segment__test_set=task.test_set_id,
        segment__number__in=segments,
        system__in=systems_drawn(task=task, design=design),
    )
    counted = outputs.order_by().values("segment").annotate(texts=Count("text", distinct=True))
    texts = [row["texts"] for row in counted]
    return _with_checks(task, design, texts) if design.bad_reference_rate else texts


def _with_checks(task: Task, design: Design, texts: list[int]) -> list[int]:
    """Return the counts with the damaged references that are rated beside the texts: one more of so many segments."""
    damaged = Output.objects.drawable().filter(
        segment__test_set=task.test_set_id, system__kind=SystemKind.BAD_REFERENCE
    )
    checks = round(checks_for_each_block(design.bad_reference_rate) * sum(texts))
    checks = min(checks, damaged.order_by().values("segment").distinct().count(), len(texts))
    # Where they come is drawn: the segments with most texts are counted with one.
    ordered = sorted(texts, reverse=True)
    return [count + (place < checks) for place, count in enumerate(ordered)]


def _read_of_each(task: Task, design: Design, rounds: Rounds) -> list[int]:
    """Count the systems of each round whose segments are read together; those that wrote the same are one."""
    withdrawn = task.test_set.systems.exclude(withdrawn_at=None).values_list("name", flat=True)
    all_texts = TestSetTexts(task)
    all_texts.read_ahead(rounds.segments)
    texts = texts_of_others(all_texts, set(withdrawn))
    parameters = design.parameters
    found = []
    number = 1
    while rounds.window(number):
        found.append(len(rounds.drawn(number, texts=texts, parameters=parameters)))
        number += 1
    return found


def _judges(task: Task) -> int:
    """Count the people who take part and read both languages."""
    both = [task.test_set.source_language, task.test_set.target_language]
    reads_both = Q(languages=[]) | Q(languages__contains=both)
    people = Judge.objects.filter(reads_both, campaign=task.test_set.campaign_id)
    return people.filter(origin=Judge.Origin.PERSON, withdrawn_at=None, declined_at=None).count()
