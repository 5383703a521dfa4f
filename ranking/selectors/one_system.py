"""A system in the current ranking, its outputs beside those of others, and a segment with its judgments."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
from django.db.models import F, Max, Min, Q

from annotation.export.five_way import names_shown
from annotation.models import ProblemReport, Skip
from annotation.selectors.judges import excluded_judges
from annotation.selectors.judgment_list import judgments_listed
from campaign.models import Output, Reference, Segment, System, SystemKind, Task
from ranking.core.methods.shares import expected_wins
from ranking.models import RankingRun
from ranking.range_choices import recorded_choice
from ranking.selectors.runs import latest_run, pairs_of_rows


@dataclass(frozen=True, slots=True)
class Opponent:
    """Comparisons of a system with another one.

    Attributes
    ----------
    name : str
    won, lost, tied : int
        Comparisons won, lost and tied by the system.
    is_better : bool
        Whether the opponent has a higher score.
    is_told_apart : bool
        Whether the ranking separates the two.
    is_thin : bool
        Whether either has too few judgments for a test.
    """

    name: str
    won: int
    lost: int
    tied: int
    is_better: bool
    is_told_apart: bool
    is_thin: bool = False


@dataclass(frozen=True, slots=True)
class SystemStanding:
    """The current ranking from the point of view of one system.

    Attributes
    ----------
    row : dict or None
        Its row of the ranking; None if it is not ranked.
    systems : sequence of dict
        All rows, best first.
    opponents : sequence of Opponent
        Systems of its group, best first; empty if pairs were not stored.
    method : str
    parameters, watermark
        From the ranking.
    reason : str
        Code of the reason why it is not ranked.
    """

    row: Mapping[str, Any] | None
    systems: Sequence[Mapping[str, Any]]
    opponents: Sequence[Opponent]
    method: str
    parameters: Mapping[str, Any]
    reason: str = ""


def system_standing(*, task: Task, name: str) -> SystemStanding | None:
    """Return the standing of a system in the latest ranking; None without one. One query."""
    run = latest_run(task_id=task.pk)
    if run is None:
        return None
    systems = run.result["systems"]
    row = next((row for row in systems if row["system"] == name), None)
    reasons = {row["system"]: row["reason"] for row in run.result["not_estimable"]}
    return SystemStanding(
        row=row,
        systems=systems,
        opponents=[] if row is None else _opponents(run, row),
        method=run.method,
        parameters=run.parameters,
        reason=reasons.get(name, ""),
    )


def _opponents(run: RankingRun, row: Mapping[str, Any]) -> list[Opponent]:
    """Return the opponents of a system in the ranking, best first."""
    level, name, systems = (
        recorded_choice(run.parameters).level,
        row["system"],
        run.result["systems"],
    )
    rows = {row["system"]: row for row in systems}
    found = []
    for pair, (wins, losses, ties, _p, adjusted) in zip(
        pairs_of_rows(systems), run.result["pairs"], strict=True
    ):
        if name not in pair:
            continue
        is_better = name == pair[1]
        other = rows[pair[0] if is_better else pair[1]]
        won, lost = (losses, wins) if is_better else (wins, losses)
        found.append(
            Opponent(
                name=other["system"],
                won=int(won),
                lost=int(lost),
                tied=int(ties),
                is_better=is_better,
                is_told_apart=adjusted <= level,
                is_thin=bool(other.get("shortage") or row.get("shortage")),
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class NamedSystem:
    """A system by its key, and whether it was withdrawn."""

    pk: int
    kind: str
    is_withdrawn: bool


def systems_by_name(*, task_id: int) -> dict[str, NamedSystem]:
    """Return the systems of a test set by name. One query."""
    rows = System.objects.filter(test_set__tasks=task_id).order_by("name")
    return {
        name: NamedSystem(pk, kind, withdrawn_at is not None)
        for name, pk, kind, withdrawn_at in rows.values_list("name", "pk", "kind", "withdrawn_at")
    }


@dataclass(frozen=True, slots=True)
class SentenceTexts:
    """A segment with its document, and outputs by system; unknown texts are None."""

    number: int
    document: str
    position: int
    source: str | None
    outputs: Mapping[str, str | None]


def sentence_texts(
    *, task: Task, numbers: Iterable[int], systems: Iterable[str]
) -> dict[int, SentenceTexts]:
    """Return segments by number, with the outputs of these systems. Two queries."""
    segments = Segment.objects.filter(test_set_id=task.test_set_id, number__in=list(numbers))
    rows = list(
        segments.annotate(called=F("document__name"))
        .order_by()
        .values_list("pk", "number", "called", "position", "source_text")
    )
    outputs: dict[int, dict[str, str | None]] = {}
    texts = (
        Output.objects.current()
        .filter(segment__in=[row[0] for row in rows], system__name__in=list(systems))
        .exclude(system__kind=SystemKind.BAD_REFERENCE)
    )
    for segment, system, text in texts.order_by().values_list("segment_id", "system__name", "text"):
        outputs.setdefault(segment, {})[system] = text
    return {
        number: SentenceTexts(number, document, position, source, outputs.get(pk, {}))
        for pk, number, document, position, source in rows
    }


#: Maximum number of judgments, skips and reports loaded for a segment, latest first.
MOST: Final = 200


@dataclass(frozen=True, slots=True)
class OutputJudged:
    """A distinct output of a segment, with its judgments.

    Attributes
    ----------
    text : str or None
        None if unknown.
    systems : tuple of str
        Systems with this output, by name.
    judgments : int
        Judgments that rank it.
    mean_rank : float or None
    won, lost, tied : int
        Comparisons with other outputs of the segment.
    expected_wins : float or None
        Mean over the other outputs of the share of decided comparisons won.
    """

    text: str | None
    systems: tuple[str, ...]
    judgments: int
    mean_rank: float | None
    won: int
    lost: int
    tied: int
    expected_wins: float | None


def segment_judged(*, task: Task, number: int) -> dict[str, Any] | None:
    """Return a segment by its number; None if there is none. Nine queries.

    The result has the segment's outputs, best first and unjudged ones last; its latest judgments, skips and
    reports; the systems by candidate of the judged blocks; the number of these judgments that count (without
    corrected ones, controls and excluded judges); whether there are more; and the neighbouring numbers `before`
    and `after`.
    """
    segments = Segment.objects.filter(test_set_id=task.test_set_id)
    # A number too large for the column would cause a database error.
    segment = segments.filter(number=min(number, 2**31 - 1)).select_related("document").first()
    if segment is None:
        return None
    neighbours = segments.aggregate(
        before=Max("number", filter=Q(number__lt=number)),
        after=Min("number", filter=Q(number__gt=number)),
    )
    found = judgments_listed(task=task).filter(judgment__block__segment=segment.pk)
    rows: list[Any] = list(found.order_by("-number")[: MOST + 1])
    judgments = rows[:MOST]
    outputs = list(Output.objects.current().filter(segment=segment).select_related("system"))
    shown = names_shown({row.block_id for row in judgments}, task=task)
    excluded = set(excluded_judges(campaign_id=task.test_set.campaign_id))
    counted = [
        row
        for row in judgments
        if not row.control and row.later is None and row.judge not in excluded
    ]
    here = {"task": task, "block__segment": segment.pk}
    skips, reports = (
        rows.filter(**here).select_related("judge").order_by("-pk")[:MOST]
        for rows in (Skip.objects, ProblemReport.objects)
    )
    references = Reference.objects.filter(segment=segment).order_by("number")
    return {
        "segment": segment,
        "references": list(references.values_list("text", flat=True)),
        "outputs": _outputs_judged(outputs, [(shown[row.block_id], row.labels) for row in counted]),
        "judgments": judgments,
        "shown": shown,
        "counted": len(counted),
        "has_more": len(rows) > MOST,
        "skips": skips,
        "reports": reports,
        **neighbours,
    }


_Ranked = tuple[Sequence[Sequence[str]], Sequence[int | None]]


def _outputs_judged(outputs: Sequence[Output], judged: Sequence[_Ranked]) -> list[OutputJudged]:
    """Return the distinct outputs of a segment by Expected Wins within it, then by mean rank."""
    texts = _distinct(outputs)
    place = {system: index for index, (_text, names) in enumerate(texts) for system in names}
    count = len(texts)
    wins, ties = np.zeros((count, count), dtype=np.int64), np.zeros((count, count), dtype=np.int64)
    ranks: list[list[int]] = [[] for _ in texts]
    for candidates, labels in judged:
        ranked = list(_ranked(candidates, labels, place))
        for index, label in ranked:
            ranks[index].append(label)
        for (one, label), (other, its) in combinations(ranked, 2):
            if label == its:
                ties[one, other] += 1
                ties[other, one] += 1
            else:
                wins[(one, other) if label < its else (other, one)] += 1
    scores = expected_wins(wins)
    found = [
        OutputJudged(
            text=text,
            systems=names,
            judgments=len(ranks[index]),
            mean_rank=sum(ranks[index]) / len(ranks[index]) if ranks[index] else None,
            won=int(wins[index].sum()),
            lost=int(wins[:, index].sum()),
            tied=int(ties[index].sum()),
            expected_wins=float(scores.values[index]) if scores.estimable[index] else None,
        )
        for index, (text, names) in enumerate(texts)
    ]
    return sorted(found, key=_best_first)


def _best_first(output: OutputJudged) -> tuple[bool, bool, float, float, tuple[str, ...]]:
    return (
        output.mean_rank is None,
        output.expected_wins is None,
        -(output.expected_wins or 0.0),
        output.mean_rank or 0.0,
        output.systems,
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


def _ranked(
    candidates: Sequence[Sequence[str]], labels: Sequence[int | None], place: dict[str, int]
) -> Iterator[tuple[int, int]]:
    """Yield distinct outputs with their labels; the first label if two candidates now have the same text."""
    seen = set()
    for names, label in zip(candidates, labels, strict=False):
        index = next((place[name] for name in names if name in place), None)
        if index is not None and label is not None and index not in seen:
            seen.add(index)
            yield index, label
