"""Replace a wrong output during judging, and decide whether its judgments count."""

from django.db import transaction
from django.db.models import Count, F, Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.models import BlockControl, HITSequence, TrainingCandidate
from annotation.selectors.corrections import blocks_showing
from annotation.selectors.systems import hits_never_lent
from annotation.services.numbers import counters_rebuild, ranking_request
from annotation.services.systems import (
    hits_withdraw,
    planning_follow_up,
    planning_lock,
    rows_lock,
)
from campaign.models import Output, OutputCorrection, SystemKind, Task, User
from campaign.refusals import RefusedError


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
            _("This output was changed in the meantime. Reload the page to see the current text.")
        )
    if row.system.kind != SystemKind.SYSTEM:
        raise CorrectionRefusedError(_("Only outputs of systems can be corrected."))
    if not text or text == row.text:
        raise CorrectionRefusedError(_("Enter a different text."))
    hits = rows_lock(
        hits_never_lent(system=row.system).filter(segment_ids__contains=[row.segment_id])
    )
    Output.objects.filter(pk=row.pk).update(replaced_at=Now())
    new = Output.objects.create(
        system=row.system, segment_id=row.segment_id, text=text, created_at=Now()
    )
    correction = OutputCorrection.objects.create(
        before=row, after=new, reason=reason, leaves_out=False, corrected_by=corrected_by
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
    before, after = BlockControl.NONE, BlockControl.CORRECTED
    if not leave_out:
        before, after = after, before
    blocks = blocks_showing(row).filter(control=before)
    if not leave_out:
        # A block may show several corrected outputs.
        others = OutputCorrection.objects.filter(
            before__segment=row.segment_id, leaves_out=True
        ).exclude(pk=correction.pk)
        still = Q()
        for other in others.values_list("before", flat=True):
            still |= Q(outputs__contains=[other])
        blocks = blocks.exclude(still) if still else blocks
    counts = dict(
        blocks.order_by()
        .values_list("hit__task")
        .annotate(count=Count("pk"))
        .values_list("hit__task", "count")
    )
    blocks.update(control=after)
    correction.leaves_out = leave_out
    correction.save(update_fields=["leaves_out"])
    for task_id in sorted(counts):
        change = -counts[task_id] if leave_out else counts[task_id]
        HITSequence.objects.filter(task=task_id).update(blocks_planned=F("blocks_planned") + change)
        counters_rebuild(task_id=task_id)
    for task in Task.objects.filter(test_set=row.system.test_set_id):
        ranking_request(task_id=task.pk)
    planning_follow_up(row.system.test_set_id)
