"""The texts of a test set, segment by segment, as organisers read them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from django.db.models import Count, Min, Prefetch, QuerySet

from campaign.models import Document, Output, Reference, Segment, SystemKind, Task

#: Segments per page.
SEGMENTS_ON_A_PAGE = 25
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class TextsPage:
    """A page of segments in order, and the first segment numbers of the previous and next pages, if any.

    Besides the attributes of `segments_with_texts`, each segment has `shared`: its texts with the systems of each.
    """

    segments: Sequence[Segment]
    before: int | None
    after: int | None


def segments_with_texts(*, task: Task) -> QuerySet[Segment]:
    """Return the segments with their references as `in_order` and their outputs by system name as `by_system`.

    Damaged references are left out: their page shows them.
    """
    outputs = _current_outputs().select_related("system").order_by("system__name")
    return (
        Segment.objects.filter(test_set_id=task.test_set_id)
        .select_related("document")
        .prefetch_related(
            Prefetch(
                "references",
                Reference.objects.order_by("number"),
                to_attr="in_order",
            ),
            Prefetch("outputs", outputs, to_attr="by_system"),
        )
    )


class SegmentLine(TypedDict):
    """A line of the JSON Lines format of test sets."""

    document: str
    segment: int
    source: str | None
    references: list[str]
    outputs: dict[str, str]


def text_lines(
    *,
    task: Task,
    names: Mapping[int, str] | None = None,
    after: int = 0,
    until: int | None = None,
) -> Iterator[SegmentLine]:
    """Yield the texts of each segment as an object of the JSON Lines format of test sets.

    `segment` is the number in the test set, as in files of judgments.

    Parameters
    ----------
    names : mapping of int to str, optional
        Names of the systems to include, by id; by default, all under their own names.
    after, until : int
        Segments whose numbers are after the first, up to the second.
    """
    rows = segments_with_texts(task=task).filter(number__gt=after).order_by("number")
    if until is not None:
        rows = rows.filter(number__lte=until)
    for segment in rows.iterator(chunk_size=_AT_ONCE):
        references: list[str] = []
        for reference in segment.in_order:  # type: ignore[attr-defined]
            missing = reference.number - 1 - len(references)
            references += [""] * missing
            references.append(reference.text)
        outputs = {}
        for output in segment.by_system:  # type: ignore[attr-defined]
            if output.system.kind != SystemKind.SYSTEM or output.text is None:
                continue
            if names is None:
                outputs[output.system.name] = output.text
            elif output.system_id in names:
                outputs[names[output.system_id]] = output.text
        yield {
            "document": segment.document.name,
            "segment": segment.number,
            "source": segment.source_text,
            "references": references,
            "outputs": dict(sorted(outputs.items())),
        }


def documents_of(*, task: Task) -> QuerySet[Document]:
    """Return the documents in their order, each with `segment_count` and `first_segment`, a number. One query."""
    return (
        Document.objects.filter(test_set=task.test_set_id)
        .annotate(
            segment_count=Count("segments"),
            first_segment=Min("segments__number"),
        )
        .order_by("position")
    )


def outputs_of(*, task: Task) -> QuerySet[Output]:
    """Return the outputs with their systems and segments, without damaged references. One query."""
    outputs = _current_outputs().filter(system__test_set=task.test_set_id)
    return outputs.select_related("system", "segment__document").order_by("pk")


def _current_outputs() -> QuerySet[Output]:
    return Output.objects.current().exclude(system__kind=SystemKind.BAD_REFERENCE)


def texts_page(*, task: Task, start: int = 1) -> TextsPage:
    """Return the segments from number `start` on, at most `SEGMENTS_ON_A_PAGE`. Four queries."""
    all_of_them = Segment.objects.filter(test_set_id=task.test_set_id)
    rows = list(
        segments_with_texts(task=task)
        .filter(number__gte=start)
        .order_by("number")[: SEGMENTS_ON_A_PAGE + 1],
    )
    earlier = list(
        all_of_them.filter(number__lt=start)
        .order_by("-number")
        .values_list("number", flat=True)[:SEGMENTS_ON_A_PAGE],
    )
    for segment in rows:
        segment.shared = _systems_by_text(segment).items()  # type: ignore[attr-defined]
    before = None
    if earlier:
        before = earlier[-1]
    after = None
    for next_row in rows[SEGMENTS_ON_A_PAGE:]:
        after = next_row.number
    return TextsPage(segments=rows[:SEGMENTS_ON_A_PAGE], before=before, after=after)


def _systems_by_text(segment: Any) -> dict[str | None, list[str]]:
    """Return the systems of each text of a segment, without the reference if only it has the text."""
    systems: dict[str | None, list[str]] = {}
    own: set[str | None] = set()
    for output in segment.by_system:
        systems.setdefault(output.text, []).append(output.system.name)
        if output.system.kind == SystemKind.REFERENCE:
            own.add(output.text)
    listed = {reference.text for reference in segment.in_order}
    return {
        text: names
        for text, names in systems.items()
        if len(names) > 1 or text not in own & listed
    }
