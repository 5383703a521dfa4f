"""Systems as organisers see them, the effects of withdrawing one, and corrected outputs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from math import ceil
from random import Random
from typing import Any, Final

from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.functions import Now
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from annotation.models import (
    HIT,
    Assignment,
    Block,
    BlockControl,
    Design,
    JudgmentNumber,
    JudgmentSequence,
    PlanningBatch,
)
from annotation.models.hit import POOLED
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.selectors.designs import design_in_force, systems_drawn
from annotation.selectors.judgment_list import judgments_listed, shows_system
from annotation.selectors.passes import has_passes
from annotation.selectors.target import blocks_left_out
from campaign.models import (
    ConflictOfInterest,
    Output,
    OutputCorrection,
    System,
    SystemKind,
    Task,
)
from campaign.selectors.tasks import has_judgments
from campaign.texts.canonical_json import digest_of
from campaign.texts.counted import counted

#: Above `_COUNTED` judgments, an evenly spaced sample is counted; below `_FEW` matches, only a
#: bound is given.
_COUNTED: Final = 5000
_SAMPLED: Final = 2000
_FEW: Final = 10


@dataclass(frozen=True, slots=True)
class EstimatedCount:
    """A number, counted or estimated from a sample; an upper bound with `is_bound`, if too few in the sample match."""

    number: int
    is_estimated: bool = False
    is_bound: bool = False


def hits_never_lent(*, system: System) -> QuerySet[HIT]:
    """Return the incomplete HITs that show a system and were never lent."""
    lent = Assignment.objects.filter(hit=OuterRef("pk"))
    hits: QuerySet[HIT] = _showing(system).filter(~Exists(lent))
    return hits


def _showing(system: System) -> QuerySet[HIT]:
    hits: QuerySet[HIT] = HIT.objects.filter(
        task__test_set=system.test_set_id,
        system_ids__contains=[system.pk],
    ).incomplete()
    return hits


def hits_drawn_again(*, task: Task) -> QuerySet[HIT]:
    """Return the pooled HITs that can be redrawn: neither they nor any HIT with the same blocks was ever lent."""
    own = Assignment.objects.filter(hit=OuterRef("pk"))
    first = Assignment.objects.filter(hit=OuterRef("repeats"))
    of_repeat = Assignment.objects.filter(hit__repeats=OuterRef("pk"))
    of_sibling = Assignment.objects.filter(hit__repeats=OuterRef("repeats"))
    hits: QuerySet[HIT] = HIT.objects.filter(task=task, purpose__in=POOLED).incomplete()
    return hits.filter(
        ~Exists(own),
        ~Exists(first),
        ~Exists(of_repeat),
        ~Exists(of_sibling),
    )


def tasks_joined_at_once(*, system: System) -> list[Task]:
    """Return the tasks whose planned HITs are redrawn when a system is added.

    Excludes tasks that allot texts in rounds, tasks that sort, and tasks whose design is limited to
    other systems.
    """
    tasks = Task.objects.filter(test_set=system.test_set_id).select_related("test_set")
    joined = []
    for task in tasks.order_by("pk"):
        if joining(task, system.name) is Joining.AT_ONCE:
            joined.append(task)
    return joined


class Joining(Enum):
    """Time at which a new system joins a task, if it does."""

    AT_ONCE = "at once"
    LATER = "later"
    NOT = "not"


def joining(task: Task, name: str) -> Joining:
    """Return when a new system of this name joins a task."""
    design = design_in_force(task_id=task.pk)
    if design is not None and design.systems and name not in design.systems:
        return Joining.NOT
    if has_passes(task) or (design is not None and design.kind == Design.Kind.SORTING):
        return Joining.LATER
    return Joining.AT_ONCE


def joining_in_words(*, task: Task, name: str) -> Iterator[str]:
    """Return how a system that is added now joins a task and catches up, as sentences."""
    how = joining(task, name)
    if how is Joining.NOT:
        yield _(
            "The design of %(task)s lists the systems to judge. Add this one to the list.",
        ) % {"task": task.called}
        return
    if how is Joining.LATER:
        yield _(
            "%(task)s: included in the HITs planned next; HITs already planned stay as drawn.",
        ) % {"task": task.called}
        return
    drawn_again = hits_drawn_again(task=task)
    # Two queries, each using an index on incomplete HITs; a combined query would read every HIT of
    # the task.
    hits = sum(
        drawn_again.filter(is_standby=is_standby).count()
        for is_standby in (False, True)
    )
    if hits:
        yield counted(
            "%(task)s: %(count)d planned HIT is redrawn with it.",
            "%(task)s: %(count)d planned HITs are redrawn with it.",
            hits,
            task=task.called,
        )
    else:
        yield _("%(task)s: included in the next HITs.") % {"task": task.called}
    sequences = JudgmentSequence.objects.annotate(
        counted=F("judged") - blocks_left_out("task"),
    )
    sequence = sequences.filter(pk=task.pk).first()
    if sequence is None or not sequence.judged:
        return
    yield _catching_up_in_words(design_in_force(task_id=task.pk))
    if task.blocks_wanted is None:
        remaining = None
    else:
        remaining = max(0, task.blocks_wanted - sequence.counted)
    if remaining is not None:
        yield counted(
            "%(count)d block remains until the target of %(target)d. Raise the target if the new system needs more.",
            "%(count)d blocks remain until the target of %(target)d. Raise the target if the new system needs more.",
            remaining,
            target=task.blocks_wanted,
        )


def _catching_up_in_words(design: Design | None) -> str:
    if design is not None and design.kind == Design.Kind.BALANCED:
        return _(
            "Balanced design: the new system is shown more often until it catches up with the others.",
        )
    if design is not None and design.kind == Design.Kind.ACTIVE:
        return _(
            "Adaptive design: the new system is shown more often until its rank is about as certain as those of the others.",
        )
    return _(
        "The new system is shown as often as the others, so it keeps fewer judgments and a wider rank range. A balanced design lets it catch up.",
    )


def judgments_showing(system: System) -> EstimatedCount:
    """Return how many judgments show a system. Two queries per task, at a cost independent of their number."""
    tasks = JudgmentSequence.objects.filter(task__test_set=system.test_set_id)
    of_tasks = []
    for task_id, last in tasks.order_by("task").values_list("task", "last_number"):
        of_tasks.append(_judged_in(task_id, last, system))
    return EstimatedCount(
        sum(task.number for task in of_tasks),
        is_estimated=any(task.is_estimated for task in of_tasks),
        is_bound=any(task.is_bound for task in of_tasks),
    )


def _judged_in(task_id: int, last: int, system: System) -> EstimatedCount:
    """Return how many of the `last` judgments of a task show a system."""
    showing = JudgmentNumber.objects.filter(shows_system(system.name), task=task_id)
    if last <= _COUNTED:
        return EstimatedCount(showing.count())
    drawn = Random(last).sample(range(1, last + 1), _SAMPLED)  # noqa: S311  a sample, not a secret
    judged = showing.filter(number__in=drawn).count()
    if judged < _FEW:
        # An upper bound with a confidence of 97.5% for nine in the sample, and more for fewer.
        return EstimatedCount(
            _round_to_one_digit(last / 100, ceil),
            is_estimated=True,
            is_bound=True,
        )
    return EstimatedCount(
        _round_to_one_digit(last * judged / _SAMPLED, round),
        is_estimated=True,
    )


def _round_to_one_digit(number: float, rounding: Callable[[float], int]) -> int:
    """Return a number rounded to one significant digit."""
    unit: int = 10 ** (len(str(int(number))) - 1)
    return rounding(number / unit) * unit


def withdrawal_in_words(*, system: System) -> list[str]:
    """Return the effects of withdrawing a system now, as sentences."""
    leases = Assignment.objects.filter(
        hit__in=_showing(system),
        completed_at__isnull=True,
        released_at__isnull=True,
        lease__endswith__gt=Now(),
    )
    # Systems that judges continue to see, including references.
    others = System.objects.filter(
        test_set_id=system.test_set_id,
        withdrawn_at__isnull=True,
    )
    remaining_count = (
        others.exclude(kind=SystemKind.BAD_REFERENCE).exclude(pk=system.pk).count()
    )
    facts = [
        counted(
            "%(count)d planned HIT with it is replaced.",
            "%(count)d planned HITs with it are replaced.",
            hits_never_lent(system=system).count(),
        ),
        counted(
            "%(count)d HIT with it is in progress and can be finished.",
            "%(count)d HITs with it are in progress and can be finished.",
            leases.count(),
        ),
        _judged_in_words(judgments_showing(system)),
        counted(
            "New HITs no longer show it. %(count)d system remains.",
            "New HITs no longer show it. %(count)d systems remain.",
            remaining_count,
        ),
    ]
    return [
        *facts,
        *_too_few_in_words(system, remaining_count),
        *_chosen_in_words(system),
    ]


def _too_few_in_words(system: System, remaining_count: int) -> Iterator[str]:
    """Return a sentence if a task of the test set needs more systems than are left."""
    fewest = [
        answer_kind_of(task).fewest_systems for task in system.test_set.tasks.all()
    ]
    if remaining_count >= max(fewest, default=0):
        return
    if max(fewest) > 1:
        yield _("Judges need at least two systems to rank.")
    else:
        yield _("Judges need at least one system.")


def _chosen_in_words(system: System) -> Iterator[str]:
    """Return the tasks whose design lists systems and would have too few without this one, as sentences."""
    for task in system.test_set.tasks.all():
        design = design_in_force(task_id=task.pk)
        if design is None or system.name not in design.systems:
            continue
        remaining = systems_drawn(task=task, design=design).filter(
            name__in=design.systems,
        )
        count = remaining.exclude(pk=system.pk).count()
        if count < design.parameters.fewest_systems:
            yield _(
                "Systems left in the design of “%(task)s”: %(count)d, fewer than a block shows. Select others there.",
            ) % {"task": task.called, "count": count}


def _judged_in_words(judged: EstimatedCount) -> str:
    count = number_format(judged.number)
    if judged.is_bound:
        count = _("fewer than %(count)s") % {"count": count}
    elif judged.is_estimated:
        count = _("about %(count)s") % {"count": count}
    return _(
        "Its judgments (%(count)s) still count. The ranking lists it as withdrawn.",
    ) % {"count": count}


def name_settled_in_words(*, system: System) -> str:
    """Return why a system can no longer be renamed; empty if it can."""
    if Design.objects.filter(
        task__test_set=system.test_set_id,
        systems__contains=[system.name],
    ).exists():
        return _("The name cannot be changed: a design lists this system.")
    is_drawn = PlanningBatch.objects.filter(task__test_set=system.test_set_id).exists()
    if not is_drawn and not has_judgments(test_set=system.test_set):
        return ""
    return _(
        "The name cannot be changed: HITs have already been drawn or judged under it.",
    )


def systems_listed(*, task: Task) -> QuerySet[System]:
    """Return the systems of a test set."""
    return System.objects.filter(test_set_id=task.test_set_id).order_by("name")


def conflicts_listed(*, task: Task) -> dict[int, list[str]]:
    """Return the judges with a conflict of interest by system. One query."""
    rows = ConflictOfInterest.objects.filter(
        system__test_set=task.test_set_id,
        judge__withdrawn_at__isnull=True,
    ).order_by("judge__pseudonym")
    names_by_judge: dict[int, list[str]] = {}
    for system_id, pseudonym in rows.values_list("system_id", "judge__pseudonym"):
        names_by_judge.setdefault(system_id, []).append(pseudonym)
    return names_by_judge


def corrections_listed(*, task: Task) -> QuerySet[OutputCorrection]:
    """Return the corrections of a test set, the latest first."""
    corrections = OutputCorrection.objects.filter(
        before__segment__test_set=task.test_set_id,
    )
    return corrections.select_related(
        "before__system",
        "before__segment",
        "after",
    ).order_by("-pk")


def left_out_recorded(task_id: int) -> dict[str, object]:
    """Return the corrections whose judgments do not count, and the withdrawn blocks, as parameters of a ranking.

    Of the blocks it has their number, and a digest that tells equally many others apart. Empty if there are none.
    """
    corrections = OutputCorrection.objects.filter(
        before__segment__test_set__tasks=task_id,
        leaves_out=True,
    )
    ids = list(corrections.order_by("pk").values_list("pk", flat=True))
    blocks = Block.objects.filter(hit__task=task_id, control=BlockControl.WITHDRAWN)
    withdrawn = list(blocks.order_by("pk").values_list("pk", flat=True))
    recorded: dict[str, object] = {}
    if ids:
        recorded["corrections"] = ids
    if withdrawn:
        recorded["withdrawn"] = len(withdrawn)
        recorded["withdrawn_digest"] = digest_of(withdrawn)
    return recorded


def correctable_outputs(*, segment_id: int) -> QuerySet[Output]:
    """Return the current outputs of systems for a segment, sorted by system name."""
    outputs = Output.objects.current().filter(
        segment=segment_id,
        system__kind=SystemKind.SYSTEM,
    )
    return outputs.select_related("system").order_by("system__name")


def blocks_showing(output: Output) -> QuerySet[Block]:
    """Return the blocks that show an output, counted or not, excluding checks."""
    return Block.objects.filter(
        segment=output.segment_id,
        outputs__contains=[output.pk],
        control__in=[BlockControl.NONE, BlockControl.CORRECTED],
    )


def judgments_of(*, task: Task, output: Output) -> QuerySet[JudgmentNumber, Any]:
    """Return the judgments of a task whose blocks showed an output, in the form of `judgments_listed`."""
    return judgments_listed(task=task).filter(
        judgment__block__in=blocks_showing(output),
    )
