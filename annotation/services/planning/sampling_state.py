"""Store the comparisons of the latest ranking, by which active designs draw."""

from collections.abc import Sequence

from django.db import transaction

from annotation.models import SamplingState


@transaction.atomic
def sampling_state_record(
    *,
    task_id: int,
    watermark: int,
    systems: Sequence[str],
    wins: Sequence[Sequence[float]],
    ties: Sequence[Sequence[float]],
) -> None:
    """Store the comparisons that active designs draw by, unless later ones are stored.

    `wins[a][b]` counts comparisons that `systems[a]` won against `systems[b]`;
    `ties` is symmetric. They are those of all judgments up to `watermark`.
    """
    SamplingState.objects.bulk_create(
        [SamplingState(task_id=task_id, watermark=0, systems=[], wins=[], ties=[])],
        ignore_conflicts=True,
    )
    SamplingState.objects.filter(task=task_id, watermark__lte=watermark).update(
        watermark=watermark, systems=list(systems), wins=wins, ties=ties
    )
