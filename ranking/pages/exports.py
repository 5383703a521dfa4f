"""Exports of a task for pages and REST: requests, estimated sizes, and responses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import comb
from typing import Any, Final

from django import forms
from django.db.models import Max, Sum
from django.http import StreamingHttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import Block, JudgmentSequence
from campaign.export.downloads import streamed_download
from campaign.models import MembershipRole, Task
from campaign.pages.forms import WholeNumberField
from campaign.services.members import NotAllowedError
from optional_packages import has_extra
from ranking.export.asked import Export, ExportChangedError, requested_export
from ranking.export.columns import described_columns
from ranking.export.kinds import (
    COMPARISONS,
    KINDS,
    WITH_SKIPS,
    ExportFormat,
    ExportKind,
)
from ranking.export.rows import MOST_COUNTED, ROWS
from ranking.export.writing import export_bytes

PART_OF_JSON: Final = "application/octet-stream"
#: Bytes per row (of a judgment: with five outputs), measured on the benchmark's files; 300 for answers.
_BYTES_OF_A_ROW: Final[dict[str, int]] = {
    "five-way-csv": 130,
    "pairwise-csv": 70,
    "jsonl": 300,
    "parquet": 12,
    "appraise-xml": 540,
    "csv": 250,
    "pearmut-campaign": 600,
    "evalset": 1000,
    "zip": 400,
}


def kinds_of(*, task: Task, may_change: bool) -> list[ExportKind]:
    """Return the kinds that a member may export from a task."""
    kinds = []
    for kind in KINDS.values():
        if kind.formats_of(task) and (may_change or not kind.names_people):
            kinds.append(kind)
    return kinds


@dataclass(frozen=True, slots=True)
class OfferedFormat:
    """A format of a kind, the approximate size of a complete file, and the data it cannot hold."""

    name: str
    bytes: int
    losses: Sequence[Promise] | None


@dataclass(frozen=True, slots=True)
class OfferedKind:
    """A kind that a member may export, with its number of rows, or a lower bound if there `is_more`."""

    kind: ExportKind
    rows: int
    is_more: bool
    formats: list[OfferedFormat]
    columns: Mapping[str, str | Promise]


def kinds_offered(*, task: Task, may_change: bool) -> list[OfferedKind]:
    """Return the kinds that a member may export. One or two queries per kind."""
    numbers = ROWS["judgments"].count(task)
    offered = []
    for kind in kinds_of(task=task, may_change=may_change):
        is_more = False
        if kind.by_number:
            rows = _most_rows(task, kind, numbers)
        else:
            rows = ROWS[kind.name].count(task)
            is_more = rows > MOST_COUNTED and not ROWS[kind.name].is_counted
        if is_more:
            rows = MOST_COUNTED
        offered_kind = OfferedKind(
            kind=kind,
            rows=rows,
            is_more=is_more,
            formats=_formats_offered(kind, task, rows),
            columns=described_columns(kind, task),
        )
        offered.append(offered_kind)
    return offered


def _formats_offered(kind: ExportKind, task: Task, rows: int) -> list[OfferedFormat]:
    formats = []
    for name, losses in kind.formats_of(task).items():
        if name == ExportFormat.PARQUET and not has_extra("parquet"):
            continue
        size = rows * _BYTES_OF_A_ROW.get(name, 300)
        formats.append(OfferedFormat(str(name), size, losses))
    return formats


def _most_rows(task: Task, kind: ExportKind, numbers: int) -> int:
    """Return the largest number of rows that a file of judgments may have; corrections and controls are counted."""
    if kind.name == COMPARISONS:
        return numbers * _most_pairs(task)
    if kind.name == WITH_SKIPS:
        sequences = JudgmentSequence.objects.filter(task=task)
        skipped = sequences.aggregate(count=Sum("skipped"))
        return numbers + (skipped["count"] or 0)
    return numbers


def _most_pairs(task: Task) -> int:
    """Return the largest number of pairs of systems in a block. One query."""
    blocks = Block.objects.filter(hit__task=task)
    systems = blocks.aggregate(most=Max("outputs__len"))["most"] or 0
    return comb(systems, 2)


def export_of_member(*, task: Any, parameters: dict[str, Any]) -> Export:
    """Return the export requested by a member, whose `role` is an attribute of `task`.

    Raises ExportRefusedError, and NotAllowedError if their role may not export the kind.
    """
    export = requested_export(task=task, **parameters)
    if export.kind.names_people and not MembershipRole(task.role).may_change:
        raise NotAllowedError(_("Only organisers can export the identities of judges."))
    return export


def export_stream(
    *,
    task: Task,
    parameters: dict[str, Any],
    sent: Mapping[str, str],
    has_marks: bool = False,
) -> StreamingHttpResponse:
    """Stream an export to a member.

    Its headers contain the parameters for resuming it, and what it omits. `sent` are the headers of the request.
    With `has_marks`, the CSV files in a zip begin with a byte order mark.

    Raises what `export_of_member` does, and ExportChangedError if the request resumes an export whose content has
    changed since.
    """

    export = export_of_member(task=task, parameters=parameters)
    if sent.get("If-Match", "*") not in {"*", f'"{export.tag}"'}:
        raise ExportChangedError(
            "The set of excluded judges has changed since the export began. Start again from the beginning.",
        )
    headers = {
        "Cache-Control": "private, no-store",
        "ETag": f'"{export.tag}"',
        "Quintet-After": str(export.after),
        "Quintet-Until": str(export.until),
        "Quintet-Watermark": str(export.watermark),
        "Excluded-Judges": str(len(export.excluded_judges)),
    }
    if export.rehearsed is not None:
        headers["Rehearsal-Of"] = export.rehearsed
    if export.answers is not None:
        lost = [f"{loss.what} ({loss.count})" for loss in export.answers.losses]
        headers["Not-Carried-Over"] = "; ".join(lost)
    content = export_bytes(export, has_marks=has_marks)
    # An export that cannot be written is refused before the response begins.
    beginning = next(content, b"")
    whole = chain([beginning], content)
    answer = streamed_download(export.file_name, whole, headers)
    if export.is_part and answer["Content-Type"] == "application/json":
        # It is only JSON together with the other parts.
        answer["Content-Type"] = PART_OF_JSON
    return answer


class ExportForm(forms.Form):
    """Export settings, within a member's rights."""

    kind = forms.ChoiceField(label=gettext_lazy("Kind"))
    file_format = forms.ChoiceField(label=gettext_lazy("Format"))
    after = WholeNumberField(
        label=gettext_lazy("Start after number"),
        min_value=0,
        max_value=2**63 - 1,
        required=False,
        help_text=gettext_lazy("To resume an export, enter the last number you have."),
    )
    until = WholeNumberField(
        label=gettext_lazy("Up to number"),
        min_value=0,
        max_value=2**63 - 1,
        required=False,
        help_text=gettext_lazy("Leave empty to export everything so far."),
    )

    def __init__(self, data: Any, *, task: Task, may_change: bool) -> None:
        super().__init__(data)
        kinds = kinds_of(task=task, may_change=may_change)
        formats: dict[str, str] = {}
        for kind in kinds:
            for name in kind.formats_of(task):
                formats[name] = name
        self.fields["kind"].choices = [(kind.name, kind.title) for kind in kinds]  # type: ignore[attr-defined]
        self.fields["file_format"].choices = list(formats.items())  # type: ignore[attr-defined]

    @property
    def parameters(self) -> dict[str, Any]:
        """The request, as arguments of `requested_export`."""
        return self.cleaned_data | {"after": self.cleaned_data["after"] or 0}
