"""A system as the present ranking has it, and the texts of sentences beside those of others."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, JSONField
from django.db.models.fields.json import KeyTransform

from campaign.models import Output, Segment, System, SystemKind, Task
from ranking.models import LatestRanking
from ranking.range_choices import recorded_choice
from ranking.selectors.runs import pairs_of_rows


@dataclass(frozen=True, slots=True)
class Opponent:
    """Comparisons of a system with another one.

    Attributes
    ----------
    name : str
    won, lost, tied : int
        Of the system, not of the opponent.
    is_better : bool
        Whether the opponent's score is higher.
    is_told_apart : bool
        Whether the ranking tells the two apart.
    is_thin : bool
        Whether it cannot say that yet: either lacks judgments.
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
    """The present ranking as one system sees it.

    Attributes
    ----------
    row : dict or None
        Its row of the ranking; None if it is not ranked.
    systems : sequence of dict
        All rows, best first.
    opponents : sequence of Opponent
        Those of its group, best first; empty where pairs were not stored.
    method : str
    parameters, watermark
        Of the ranking.
    reason : str
        Why it is not ranked, a code.
    """

    row: Mapping[str, Any] | None
    systems: Sequence[Mapping[str, Any]]
    opponents: Sequence[Opponent]
    method: str
    parameters: Mapping[str, Any]
    watermark: int
    reason: str = ""


def system_standing(*, task: Task, name: str) -> SystemStanding | None:
    """Return how a system stands in the present ranking; None without a ranking. One query.

    What the ranking says of judges is left where it is.
    """

    def part(key: str) -> KeyTransform:
        return KeyTransform(key, "result", output_field=JSONField())

    found = (
        LatestRanking.objects.filter(pk=task.pk)
        .annotate(systems=part("systems"), pairs=part("pairs"), missing=part("not_estimable"))
        .values("systems", "pairs", "missing", "method", "parameters", "watermark")
        .first()
    )
    if found is None:
        return None
    systems = found["systems"] or []
    names = [row["system"] for row in systems]
    reasons = {row["system"]: row["reason"] for row in found["missing"] or []}
    place = names.index(name) if name in names else None
    return SystemStanding(
        row=None if place is None else systems[place],
        systems=systems,
        opponents=[]
        if place is None
        else _opponents(systems, found["pairs"], name, found["parameters"]),
        method=found["method"],
        parameters=found["parameters"],
        watermark=found["watermark"],
        reason=reasons.get(name, ""),
    )


def _opponents(
    systems: Sequence[Mapping[str, Any]],
    pairs: Sequence[Sequence[float]],
    name: str,
    parameters: Mapping[str, Any],
) -> list[Opponent]:
    """Return the opponents of the same group from the pairs, which are stored in the order of `pairs_of_rows`."""
    level = recorded_choice(parameters).level
    rows = {row["system"]: row for row in systems}
    found = []
    for (better, worse), (wins, losses, ties, _p, adjusted) in zip(
        pairs_of_rows(systems), pairs, strict=True
    ):
        if name not in (better, worse):
            continue
        other = rows[worse if name == better else better]
        won, lost = (wins, losses) if name == better else (losses, wins)
        found.append(
            Opponent(
                name=other["system"],
                won=int(won),
                lost=int(lost),
                tied=int(ties),
                is_better=name == worse,
                is_told_apart=adjusted <= level,
                is_thin=bool(other.get("shortage") or rows[name].get("shortage")),
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
    """A segment with its document, and outputs by system; None where a text is not known."""

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
    texts = Output.objects.filter(
        segment__in=[row[0] for row in rows], system__name__in=list(systems)
    ).exclude(system__kind=SystemKind.BAD_REFERENCE)
    for segment, system, text in texts.order_by().values_list("segment_id", "system__name", "text"):
        outputs.setdefault(segment, {})[system] = text
    return {
        number: SentenceTexts(number, document, position, source, outputs.get(pk, {}))
        for pk, number, document, position, source in rows
    }
