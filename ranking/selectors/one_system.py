"""A system in the current ranking, its outputs beside those of others, and a segment with its judgments."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from django.db.models import Max, Min, Q, QuerySet

from annotation.export.five_way import names_shown
from annotation.models import ProblemReport, Skip
from annotation.selectors.judges import excluded_judges
from annotation.selectors.judgment_list import judgments_listed
from campaign.models import Output, Reference, Segment, System, SystemKind, Task
from ranking.core.methods.shares import expected_wins

FloatArray = npt.NDArray[np.float64]


def systems_by_name(*, task_id: int) -> dict[str, System]:
    """Return the systems of a test set by name. One query."""
    rows = System.objects.filter(test_set__tasks=task_id).order_by("name")
    return {system.name: system for system in rows}


def sentence_texts(
    *,
    task: Task,
    numbers: Iterable[int],
    systems: Iterable[str],
) -> dict[int, Segment]:
    """Return segments by number, each with the `texts` of these systems. Two queries."""
    segments = Segment.objects.filter(
        test_set_id=task.test_set_id,
        number__in=list(numbers),
    )
    segment_by_id: dict[int, Any] = segments.select_related("document").in_bulk()
    for segment in segment_by_id.values():
        segment.texts = {}
    outputs = Output.objects.current().filter(
        segment__in=segment_by_id,
        system__name__in=list(systems),
    )
    real = outputs.exclude(system__kind=SystemKind.BAD_REFERENCE).order_by()
    rows = real.values_list("segment_id", "system__name", "text")
    for segment_id, system, text in rows:
        segment_by_id[segment_id].texts[system] = text
    return {segment.number: segment for segment in segment_by_id.values()}


#: Maximum number of judgments, skips and reports loaded for a segment, latest first.
MOST: Final = 200


@dataclass(frozen=True, slots=True)
class OutputJudged:
    """A distinct output of a segment, with its results within the segment.

    Attributes
    ----------
    text : str or None
        None if unknown.
    systems : tuple of str
    judgments : int
        Judgments that rank it.
    mean_rank : float or None
    won, lost, tied : int
        Comparisons with other outputs of the segment.
    expected_wins : float or None
    """

    text: str | None
    systems: tuple[str, ...]
    judgments: int
    mean_rank: float | None
    won: int
    lost: int
    tied: int
    expected_wins: float | None

    @property
    def sort_key(self) -> tuple[bool, bool, float, float, tuple[str, ...]]:
        """Best first, by Expected Wins and then by mean rank; unjudged outputs last."""
        return (
            self.mean_rank is None,
            self.expected_wins is None,
            -(self.expected_wins or 0.0),
            self.mean_rank or 0.0,
            self.systems,
        )


@dataclass(frozen=True, slots=True)
class SegmentJudged:
    """A segment with its latest judgments, skips and reports.

    Attributes
    ----------
    segment : Segment
    references : list of str
    outputs : list of OutputJudged
        Best first and unjudged ones last.
    judgments : list
        Rows of `judgments_listed`.
    systems_shown : dict
        The systems by candidate of the judged blocks, by block.
    counted : int
        Number of these judgments that count: without corrected ones, controls and excluded judges.
    has_more : bool
        Whether there are more judgments.
    skips, reports
    before, after : int or None
        The neighbouring numbers.
    """

    segment: Segment
    references: list[str]
    outputs: list[OutputJudged]
    judgments: list[Any]
    systems_shown: dict[int, list[list[str]]]
    counted: int
    has_more: bool
    skips: QuerySet[Skip]
    reports: QuerySet[ProblemReport]
    before: int | None
    after: int | None


class _Ranked(NamedTuple):
    """The systems of each candidate of a judged block, and the labels of the candidates."""

    candidates: Sequence[Sequence[str]]
    labels: Sequence[int | None]


def segment_judged(*, task: Task, number: int) -> SegmentJudged | None:
    """Return a segment by its number; None if there is none. Nine queries."""
    segments = Segment.objects.filter(test_set_id=task.test_set_id)
    # A number too large for the column would cause a database error.
    numbered = segments.filter(number=min(number, 2**31 - 1))
    segment = numbered.select_related("document").first()
    if segment is None:
        return None
    neighbours = segments.aggregate(
        before=Max("number", filter=Q(number__lt=number)),
        after=Min("number", filter=Q(number__gt=number)),
    )
    rows: Any = judgments_listed(task=task).filter(judgment__block__segment=segment.pk)
    latest = list(rows.order_by("-number")[: MOST + 1])
    judgments = latest[:MOST]
    outputs = Output.objects.current().filter(segment=segment)
    distinct = _distinct(outputs.select_related("system"))
    systems_shown = names_shown({row.block_id for row in judgments}, task=task)
    excluded = set(excluded_judges(campaign_id=task.test_set.campaign_id))
    ranked = []
    for row in judgments:
        counts = not row.control and row.later is None and row.judge not in excluded
        if counts:
            ranked.append(_Ranked(systems_shown[row.block_id], row.labels))
    here = {"task": task, "block__segment": segment.pk}
    skips = Skip.objects.filter(**here).select_related("judge").order_by("-pk")
    reports = ProblemReport.objects.filter(**here).select_related("judge")
    references = Reference.objects.filter(segment=segment).order_by("number")
    return SegmentJudged(
        segment=segment,
        references=list(references.values_list("text", flat=True)),
        outputs=_outputs_judged(distinct, ranked),
        judgments=judgments,
        systems_shown=systems_shown,
        counted=len(ranked),
        has_more=len(latest) > MOST,
        skips=skips[:MOST],
        reports=reports.order_by("-pk")[:MOST],
        **neighbours,
    )


class _DistinctOutput(NamedTuple):
    """A text and the systems that wrote it."""

    text: str | None
    systems: tuple[str, ...]


def _outputs_judged(
    outputs: Sequence[_DistinctOutput],
    judged: Sequence[_Ranked],
) -> list[OutputJudged]:
    """Return the distinct outputs of a segment by Expected Wins within it, then by mean rank."""
    labels = _labels_by_output(outputs, judged)
    wins = (labels[:, :, np.newaxis] < labels[:, np.newaxis]).sum(axis=0)
    ties = (labels[:, :, np.newaxis] == labels[:, np.newaxis]).sum(axis=0)
    judgment_counts = ties.diagonal().tolist()
    rank_sums = np.nansum(labels, axis=0).tolist()
    scores = expected_wins(wins)
    rows = []
    for index, output in enumerate(outputs):
        judgments = judgment_counts[index]
        mean_rank = None
        if judgments:
            mean_rank = rank_sums[index] / judgments
        score = None
        if scores.estimable[index]:
            score = float(scores.values[index])
        row = OutputJudged(
            text=output.text,
            systems=output.systems,
            judgments=judgments,
            mean_rank=mean_rank,
            won=int(wins[index].sum()),
            lost=int(wins[:, index].sum()),
            tied=int(ties[index].sum()) - judgments,
            expected_wins=score,
        )
        rows.append(row)
    return sorted(rows, key=attrgetter("sort_key"))


def _labels_by_output(
    outputs: Sequence[_DistinctOutput],
    judged: Sequence[_Ranked],
) -> FloatArray:
    """Return `labels[j, o]`, the label that judgment j gives output o; NaN if none."""
    index_of: dict[str, int] = {}
    for index, output in enumerate(outputs):
        for system in output.systems:
            index_of[system] = index
    labels = np.full((len(judged), len(outputs)), np.nan)
    for row, ranked in enumerate(judged):
        candidates = list(zip(ranked.candidates, ranked.labels, strict=False))
        # If two candidates now have the same text, the label of the first counts.
        for systems, label in reversed(candidates):
            present = [system for system in systems if system in index_of]
            if present and label is not None:
                labels[row, index_of[present[0]]] = label
    return labels


def _distinct(outputs: Iterable[Output]) -> list[_DistinctOutput]:
    """Return each text once with its systems; unknown texts are not merged."""
    systems_by_text: dict[str, list[str]] = defaultdict(list)
    unknown = []
    for output in sorted(outputs, key=attrgetter("system.name")):
        name = output.system.name
        if output.system.kind == SystemKind.BAD_REFERENCE:
            continue
        if output.text is None:
            unknown.append(_DistinctOutput(None, (name,)))
        else:
            systems_by_text[output.text].append(name)
    merged = []
    for text, systems in systems_by_text.items():
        merged.append(_DistinctOutput(text, tuple(systems)))
    return [*merged, *unknown]
