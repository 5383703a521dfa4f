"""Add a system to a test set, change its description, withdraw it, restore it, and correct its outputs."""

from functools import partial
from typing import Final, TypedDict, Unpack

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.models import (
    HIT,
    BlockControl,
    HITPurpose,
    HITSequence,
    TrainingCandidate,
)
from annotation.selectors.systems import (
    blocks_showing,
    hits_drawn_again,
    hits_never_lent,
    name_settled_in_words,
    tasks_joined_at_once,
)
from annotation.services.notification import planning_enqueue
from annotation.services.numbers import counters_rebuild, pages_changed, ranking_request
from annotation.services.planning.batch import PlanningTransaction
from campaign.formats import FormatError, system_name_problem
from campaign.formats.streams import StoredFile
from campaign.importing.errors import ImportRefusedError
from campaign.importing.test_sets import system_import
from campaign.models import (
    Output,
    OutputCorrection,
    System,
    SystemKind,
    Task,
    TestSet,
    User,
)
from campaign.texts.joining import sentence_list
from campaign.texts.refusals import RefusedError


class SystemRefusedError(RefusedError):
    """The operation on a system is not possible; the message says why, `field` names the form field at fault."""

    field: str = NON_FIELD_ERRORS


class SystemDescription(TypedDict, total=False):
    """Description of a system, as written by organisers."""

    name: str
    constrained: bool | None
    approach: str
    condition: str
    team: str
    contact: str


#: In the order of forms.
DESCRIBED: Final = tuple(SystemDescription.__annotations__)


@transaction.atomic
def system_change(*, system: System, **changes: Unpack[SystemDescription]) -> System:
    """Change and return the description of a system; omitted fields stay.

    Locks the `HITSequence` of the test set's tasks, so that nothing is drawn under a changing name.
    Raises `SystemRefusedError` without changing anything.
    """
    planning_lock(system.test_set_id)
    row = System.objects.select_related("test_set").get(pk=system.pk)
    if changes.get("name", row.name) != row.name:
        settled = name_settled_in_words(system=row)
        if settled:
            raise SystemRefusedError(settled, field="name")
        problem = system_name_problem(changes["name"])
        if problem:
            refused = ImportRefusedError(problem, "choose another name for the system")
            raise SystemRefusedError(str(refused), field="name")
    for name, value in changes.items():
        setattr(row, name, value)
    try:
        row.full_clean()
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        is_name = field == NON_FIELD_ERRORS
        raise SystemRefusedError(
            sentence_list(messages),
            field="name" if is_name else field,
        ) from error
    row.save(update_fields=list(changes))
    return row


@transaction.atomic
def system_add(*, test_set: TestSet, name: str, file: StoredFile) -> System:
    """Add and return a system with its output for every segment. HITs that were never lent are redrawn with it.

    Locks the `HITSequence` of the test set's tasks: concurrent planning sees it with all outputs or
    not at all. Raises `SystemRefusedError`, and stores nothing, if the name is taken or the file
    does not fit.
    """
    planning_lock(test_set.pk)
    try:
        with transaction.atomic():
            system = system_import(test_set=test_set, name=name, file=file)
    except ImportRefusedError as error:
        raise SystemRefusedError(str(error), field="name") from error
    except FormatError as error:
        raise SystemRefusedError(str(error), field="file") from error
    _draw_again(system)
    planning_follow_up(test_set.pk)
    return system


@transaction.atomic
def system_withdraw(*, system: System) -> int:
    """Withdraw a system, so that no more HITs show it, and return the number of planned HITs withdrawn.

    Judges may finish the HITs they hold, and judgments still count. Locks the `HITSequence` of the
    test set's tasks: later planning leaves the system out, and HITs planned before are visible
    here. Withdrawing it again changes nothing. Raises `SystemRefusedError` for damaged references.
    """
    planning_lock(system.test_set_id)
    row = System.objects.get(pk=system.pk)
    if row.kind == SystemKind.BAD_REFERENCE:
        raise SystemRefusedError(
            _("Withdraw damaged references individually on their review page."),
        )
    if row.withdrawn_at is not None:
        return 0
    System.objects.filter(pk=row.pk).update(withdrawn_at=Now())
    hits = rows_lock(hits_never_lent(system=system))
    hits_withdraw(hits)
    planning_follow_up(row.test_set_id)
    return len(hits)


@transaction.atomic
def system_restore(*, system: System) -> None:
    """Undo `system_withdraw`. HITs that were never lent are redrawn with the system.

    Locks the `HITSequence` of the test set's tasks.
    """
    planning_lock(system.test_set_id)
    if System.objects.filter(pk=system.pk, withdrawn_at__isnull=False).update(
        withdrawn_at=None,
    ):
        _draw_again(system)
        planning_follow_up(system.test_set_id)


def _draw_again(system: System) -> None:
    """Withdraw the HITs that were drawn without a system and can be redrawn with it."""
    for task in tasks_joined_at_once(system=system):
        hits = rows_lock(hits_drawn_again(task=task))
        if not hits:
            continue
        planning = PlanningTransaction.locked(task.pk)
        planning.withdraw(hits)
        planning.turns_return()
        planning.store()


def planning_lock(test_set_id: int) -> None:
    """Lock the `HITSequence` of each task of the test set, in order."""
    for task_id in _tasks(test_set_id):
        HITSequence.objects.get_or_create(task_id=task_id)
        HITSequence.objects.select_for_update().get(task=task_id)


def _tasks(test_set_id: int) -> list[int]:
    return list(
        Task.objects.filter(test_set=test_set_id)
        .order_by("pk")
        .values_list("pk", flat=True),
    )


def hits_withdraw(hits: list[HIT]) -> None:
    """Withdraw locked HITs that were never lent, so that others are drawn instead."""
    planned = []
    for hit in hits:
        if hit.purpose != HITPurpose.TRAINING:
            planned.append(hit)
    for task_id in sorted({hit.task_id for hit in planned}):
        planning = PlanningTransaction.locked(task_id)
        of_task = []
        for hit in planned:
            if hit.task_id == task_id:
                of_task.append(hit)
        planning.withdraw(of_task)
        planning.store()
    # Training is planned again from its blocks; it counts in no quota.
    training = []
    for hit in hits:
        if hit.purpose == HITPurpose.TRAINING:
            training.append(hit.pk)
    HIT.objects.filter(pk__in=training).update(completed_at=Now(), withdrawn_at=Now())


def rows_lock(hits: QuerySet[HIT]) -> list[HIT]:
    """Lock and return the HITs that match a query both before and under the lock; wait for those being lent."""
    locked = hits.order_by("number").select_for_update(no_key=True, of=("self",))
    ids = list(locked.values_list("pk", flat=True))
    # Read again under the lock, because one may have been lent before.
    return list(hits.filter(pk__in=ids))


def planning_follow_up(test_set_id: int) -> None:
    tasks = _tasks(test_set_id)
    pages_changed(tasks)
    for task_id in tasks:
        transaction.on_commit(partial(planning_enqueue, task_id))


class CorrectionRefusedError(RefusedError):
    """An output cannot be corrected in this way; the message says why."""

    field = "text"


@transaction.atomic
def output_correct(
    *,
    output: Output,
    text: str,
    leave_out: bool,
    reason: str = "",
    corrected_by: User | None = None,
) -> OutputCorrection:
    """Replace the text of an output; return the correction.

    HITs that show it and were never lent are withdrawn and replaced. Blocks that were lent keep the
    earlier text; with `leave_out`, their judgments do not count. Locks the `HITSequence` of the
    test set's tasks. Raises `CorrectionRefusedError` without changing anything.
    """
    planning_lock(output.system.test_set_id)
    row = Output.objects.select_related("system").get(pk=output.pk)
    text = text.strip()
    if row.replaced_at is not None:
        raise CorrectionRefusedError(
            _(
                "This output was changed in the meantime. Reload the page to see the current text.",
            ),
        )
    if row.system.kind != SystemKind.SYSTEM:
        raise CorrectionRefusedError(_("Only system outputs can be corrected."))
    if not text or text == row.text:
        raise CorrectionRefusedError(_("Enter a different text."))
    hits = rows_lock(
        hits_never_lent(system=row.system).filter(
            segment_ids__contains=[row.segment_id],
        ),
    )
    Output.objects.filter(pk=row.pk).update(replaced_at=Now())
    new = Output.objects.create(
        system=row.system,
        segment_id=row.segment_id,
        text=text,
        created_at=Now(),
    )
    correction = OutputCorrection.objects.create(
        before=row,
        after=new,
        reason=reason,
        leaves_out=False,
        corrected_by=corrected_by,
    )
    TrainingCandidate.objects.filter(output=row).update(output=new)
    hits_withdraw(hits)
    if leave_out:
        correction_decide(correction=correction, leave_out=True)
    planning_follow_up(row.system.test_set_id)
    return correction


@transaction.atomic
def correction_decide(*, correction: OutputCorrection, leave_out: bool) -> None:
    """Exclude the judgments of the blocks that showed the wrong text, or count them again.

    New blocks are planned in place of excluded ones. Locks the `HITSequence` of the test set's tasks;
    requests their rankings.
    """
    row = Output.objects.select_related("system").get(pk=correction.before_id)
    planning_lock(row.system.test_set_id)
    before = BlockControl.NONE
    after = BlockControl.CORRECTED
    if not leave_out:
        before, after = after, before
    # Blocks of withdrawn HITs do not count as planned.
    blocks = blocks_showing(row).filter(control=before, hit__withdrawn_at__isnull=True)
    if not leave_out:
        # A block may show several corrected outputs.
        others = OutputCorrection.objects.filter(
            before__segment=row.segment_id,
            leaves_out=True,
        ).exclude(pk=correction.pk)
        still = Q()
        for other in others.values_list("before", flat=True):
            still |= Q(outputs__contains=[other])
        if still:
            blocks = blocks.exclude(still)
    counts = dict(
        blocks.order_by()
        .values_list("hit__task")
        .annotate(count=Count("pk"))
        .values_list("hit__task", "count"),
    )
    blocks.update(control=after)
    correction.leaves_out = leave_out
    correction.save(update_fields=["leaves_out"])
    for task_id in sorted(counts):
        if leave_out:
            change = -counts[task_id]
        else:
            change = counts[task_id]
        HITSequence.objects.filter(task=task_id).update(
            blocks_planned=F("blocks_planned") + change,
        )
        counters_rebuild(task_id=task_id)
    for task in Task.objects.filter(test_set=row.system.test_set_id):
        ranking_request(task_id=task.pk)
    planning_follow_up(row.system.test_set_id)
