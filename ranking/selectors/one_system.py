"""A system in the current ranking, its outputs beside those of others, and a segment with its judgments."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
from django.db.models import Max, Min, Q

from annotation.export.five_way import names_shown
from annotation.models import ProblemReport, Skip
from annotation.selectors.judges import excluded_judges
from annotation.selectors.judgment_list import judgments_listed
from campaign.models import Output, Reference, Segment, System, SystemKind, Task
from ranking.core.methods.shares import expected_wins


def systems_by_name(*, task_id: int) -> dict[str, System]:
    """Return the systems of a test set by name. One query."""
    rows = System.objects.filter(test_set__tasks=task_id).order_by("name")
    return {system.name: system for system in rows}


def sentence_texts(
    *, task: Task, numbers: Iterable[int], systems: Iterable[str]
) -> dict[int, Segment]:
    """Return segments by number, each with the `texts` of these systems. Two queries."""
    segments = Segment.objects.filter(
        test_set_id=task.test_set_id, number__in=list(numbers)
    )
    found: dict[int, Any] = segments.select_related("document").in_bulk()
    for segment in found.values():
        segment.texts = {}
    outputs = Output.objects.current().filter(
        segment__in=found, system__name__in=list(systems)
    )
    shown = outputs.exclude(system__kind=SystemKind.BAD_REFERENCE).order_by()
    rows = shown.values_list("segment_id", "system__name", "text")
    for segment_id, system, text in rows:
        found[segment_id].texts[system] = text
    return {segment.number: segment for segment in found.values()}


#: Maximum number of judgments, skips and reports loaded for a segment, latest first.
MOST: Final = 200


def segment_judged(*, task: Task, number: int) -> dict[str, Any] | None:
    """Return a segment by its number; None if there is none. Nine queries.

    The result has the segment's distinct outputs (see `_outputs_judged`), best first and unjudged ones last; its latest judgments, skips and
    reports; the systems by candidate of the judged blocks; the number of these judgments that count (without
    corrected ones, controls and excluded judges); whether there are more; and the neighbouring numbers `before`
    and `after`.
    """
    segments = Segment.objects.filter(test_set_id=task.test_set_id)
    # A number too large for the column would cause a database error.
    segment = (
        segments.filter(number=min(number, 2**31 - 1))
        .select_related("document")
        .first()
    )
    if segment is None:
        return None
    neighbours = segments.aggregate(
        before=Max("number", filter=Q(number__lt=number)),
        after=Min("number", filter=Q(number__gt=number)),
    )
    found = judgments_listed(task=task).filter(judgment__block__segment=segment.pk)
    rows: list[Any] = list(found.order_by("-number")[: MOST + 1])
    judgments = rows[:MOST]
    outputs = list(
        Output.objects.current().filter(segment=segment).select_related("system")
    )
    shown = names_shown({row.block_id for row in judgments}, task=task)
    excluded = set(excluded_judges(campaign_id=task.test_set.campaign_id))
    ranked = [
        (shown[row.block_id], row.labels)
        for row in judgments
        if not row.control and row.later is None and row.judge not in excluded
    ]
    here = {"task": task, "block__segment": segment.pk}
    skips = Skip.objects.filter(**here).select_related("judge").order_by("-pk")[:MOST]
    reports = (
        ProblemReport.objects.filter(**here)
        .select_related("judge")
        .order_by("-pk")[:MOST]
    )
    references = Reference.objects.filter(segment=segment).order_by("number")
    return {
        "segment": segment,
        "references": list(references.values_list("text", flat=True)),
        "outputs": _outputs_judged(outputs, ranked),
        "judgments": judgments,
        "shown": shown,
        "counted": len(ranked),
        "has_more": len(rows) > MOST,
        "skips": skips,
        "reports": reports,
        **neighbours,
    }


_Ranked = tuple[Sequence[Sequence[str]], Sequence[int | None]]


def _outputs_judged(
    outputs: Sequence[Output], judged: Sequence[_Ranked]
) -> list[dict[str, Any]]:
    """Return the distinct outputs of a segment by Expected Wins within it, then by mean rank.

    Each has its `text` (None if unknown), `systems`, number of `judgments` that rank it, `mean_rank`, comparisons with
    other outputs of the segment `won`, `lost` and `tied`, and `expected_wins`.
    """
    texts = _distinct(outputs)
    place = {
        system: index for index, (_text, names) in enumerate(texts) for system in names
    }
    labels = np.full((len(judged), len(texts)), np.nan)
    for row, (candidates, said) in enumerate(judged):
        # If two candidates now have the same text, the label of the first counts.
        for names, label in reversed(list(zip(candidates, said, strict=False))):
            index = next((place[name] for name in names if name in place), None)
            if index is not None and label is not None:
                labels[row, index] = label
    wins = (labels[:, :, np.newaxis] < labels[:, np.newaxis]).sum(axis=0)
    ties = (labels[:, :, np.newaxis] == labels[:, np.newaxis]).sum(axis=0)
    counts = ties.diagonal().tolist()
    sums = np.nansum(labels, axis=0).tolist()
    scores = expected_wins(wins)
    found = [
        {
            "text": text,
            "systems": names,
            "judgments": counts[index],
            "mean_rank": sums[index] / counts[index] if counts[index] else None,
            "won": int(wins[index].sum()),
            "lost": int(wins[:, index].sum()),
            "tied": int(ties[index].sum()) - counts[index],
            "expected_wins": float(scores.values[index])
            if scores.estimable[index]
            else None,
        }
        for index, (text, names) in enumerate(texts)
    ]
    return sorted(
        found,
        key=lambda each: (
            each["mean_rank"] is None,
            each["expected_wins"] is None,
            *(
                -(each["expected_wins"] or 0.0),
                each["mean_rank"] or 0.0,
                each["systems"],
            ),
        ),
    )


def _distinct(outputs: Sequence[Output]) -> list[tuple[str | None, tuple[str, ...]]]:
    """Return each text once with its systems; unknown texts are not merged."""
    by_text: dict[str, list[str]] = {}
    unknown: list[tuple[str | None, tuple[str, ...]]] = []
    for output in sorted(outputs, key=lambda each: each.system.name):
        if output.system.kind == SystemKind.BAD_REFERENCE:
            continue
        if output.text is None:
            unknown.append((None, (output.system.name,)))
        else:
            by_text.setdefault(output.text, []).append(output.system.name)
    return [*((text, tuple(names)) for text, names in by_text.items()), *unknown]
