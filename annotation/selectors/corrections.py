"""Outputs that organisers corrected, and the judgments of blocks that showed the wrong text."""

from typing import Any

from django.db.models import QuerySet

from annotation.models import Block, BlockControl, JudgmentNumber
from annotation.selectors.judgment_list import judgments_listed
from campaign.models import Output, OutputCorrection, SystemKind, Task


def corrections_listed(*, task: Task) -> QuerySet[OutputCorrection]:
    """Return the corrections of a test set, the latest first."""
    found = OutputCorrection.objects.filter(before__segment__test_set=task.test_set_id)
    return found.select_related("before__system", "before__segment", "after").order_by("-pk")


def corrections_recorded(task_id: int) -> dict[str, list[int]]:
    """Return the corrections whose judgments do not count, as parameters of a ranking; empty if there are none."""
    found = OutputCorrection.objects.filter(
        before__segment__test_set__tasks=task_id, leaves_out=True
    )
    ids = list(found.order_by("pk").values_list("pk", flat=True))
    return {"corrections": ids} if ids else {}


def correctable_outputs(*, segment_id: int) -> QuerySet[Output]:
    """Return the current outputs of systems for a segment, sorted by system name."""
    found = Output.objects.current().filter(segment=segment_id, system__kind=SystemKind.SYSTEM)
    return found.select_related("system").order_by("system__name")


def blocks_showing(output: Output) -> QuerySet[Block]:
    """Return the blocks that show an output, counted or not, excluding checks."""
    return Block.objects.filter(
        segment=output.segment_id,
        outputs__contains=[output.pk],
        control__in=[BlockControl.NONE, BlockControl.CORRECTED],
    )


def judgments_of(*, task: Task, output: Output) -> QuerySet[JudgmentNumber, Any]:
    """Return the judgments of a task whose blocks showed an output, in the form of `judgments_listed`."""
    return judgments_listed(task=task).filter(judgment__block__in=blocks_showing(output))
