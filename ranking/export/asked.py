"""Requests for exports of a task: sent at once, or written by a worker into a stored file."""

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from annotation.export.answers import file_stem
from annotation.models import JudgmentSequence
from annotation.selectors.judges import excluded_judges
from annotation.services.numbers import judgments_number
from campaign.export.downloads import ending
from campaign.models import Campaign, Job, JobKind, Task, User
from campaign.refusals import RefusedError
from campaign.services.jobs import job_queue
from optional_packages import has_extra, how_to_install
from ranking.export.kinds import KINDS, ExportFormat, ExportKind
from ranking.export.rows import ROWS

_FEWEST_SLOTS: Final = 5


class ExportRefusedError(RefusedError):
    """The requested export is not available; the message says why and what to do."""

    field = "file_format"


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """A requested export.

    Attributes
    ----------
    task : Task
    kind : ExportKind
    file_format : ExportFormat
    after, until : int
        Range of row positions: after the first, up to the second. With the same `watermark`, the files from 0 to M and from
        M to N concatenated are the file from 0 to N, byte for byte (except for Parquet files, which are read together).
    watermark : int
        A judgment is current if no judgment numbered up to this one supersedes it.
    slots : int
        Number of columns for candidates.
    """

    task: Task
    kind: ExportKind
    file_format: ExportFormat
    after: int
    until: int
    watermark: int
    slots: int

    @property
    def file_name(self) -> str:
        """Name of the file."""
        stem, _headers = file_stem(self.task, self.task.called_in_full)
        part = (
            "" if not self.after and self.until == self.watermark else f"-{self.after}-{self.until}"
        )
        return f"{stem}-{self.kind.name}{part}.{ending(self.file_format)}"

    @property
    def tag(self) -> str:
        """Hash of all inputs: exports with the same tag and range have the same bytes."""
        excluded = excluded_judges(campaign_id=self.task.test_set.campaign_id)
        parts = [
            self.task.pk,
            self.kind.name,
            self.file_format,
            self.watermark,
            self.slots,
            excluded,
        ]
        return sha256(json.dumps(parts).encode()).hexdigest()[:32]


def export_asked(
    *,
    task: Task,
    kind: str,
    file_format: str,
    after: int = 0,
    until: int | None = None,
    watermark: int | None = None,
) -> Export:
    """Return the requested export; by default, of everything available now.

    Assigns numbers to new judgments first. Raises ExportRefusedError.
    """
    found, written = KINDS[kind], ExportFormat(file_format)
    if written not in found.formats:
        raise ExportRefusedError(
            _("“%(kind)s” is not available as %(format)s. %(reason)s")
            % {"kind": kind, "format": file_format, "reason": found.refused[written]}
        )
    if written is ExportFormat.PARQUET and not has_extra("parquet"):
        raise ExportRefusedError(
            _("Parquet files need the pyarrow package, which is not installed. %(how)s")
            % {"how": how_to_install("parquet")}
        )
    by_number = found.by_number
    last = judgments_number(task_id=task.pk) if by_number else ROWS[kind].last(task)
    mark = last if watermark is None else min(watermark, last)
    if found.is_whole and (after > 0 or (until is not None and until < mark)):
        raise ExportRefusedError(_("“%(kind)s” can only be exported as a whole.") % {"kind": kind})
    return Export(
        task=task,
        kind=found,
        file_format=written,
        after=max(0, after),
        until=mark if until is None else max(min(until, mark), 0),
        watermark=mark,
        slots=max(_FEWEST_SLOTS, _most_candidates(task)) if by_number else _FEWEST_SLOTS,
    )


def _most_candidates(task: Task) -> int:
    judged = JudgmentSequence.objects.filter(task=task).aggregate(most=Max("most_candidates"))
    return int(judged["most"] or 0)


@transaction.atomic
def export_queue(*, export: Export, by: User | None) -> Job:
    """Queue a job that writes an export into a file, unless one is already queued or running; return the job."""
    campaign = export.task.test_set.campaign
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    parameters = {
        "task": export.task.pk,
        "kind": export.kind.name,
        "file_format": str(export.file_format),
        "after": export.after,
        "until": export.until,
        "watermark": export.watermark,
    }
    waiting = Job.objects.waiting().filter(campaign=campaign, kind=JobKind.EXPORT)
    return waiting.filter(parameters=parameters).first() or job_queue(
        campaign=campaign,
        kind=JobKind.EXPORT,
        name=export.file_name[:200],
        parameters=parameters,
        user=by,
    )
