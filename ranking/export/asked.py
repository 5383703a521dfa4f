"""Requests for exports of a task: sent at once, or written by a worker into a stored file."""

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from http import HTTPStatus
from typing import Final

from django.db import transaction
from django.db.models import Max
from django.utils.text import slugify
from django.utils.translation import gettext as _

from annotation.export.five_way import most_candidates_skipped
from annotation.models import JudgmentSequence
from annotation.protocols.answer_files import FileWritten, answer_files
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.selectors.judges import excluded_judges
from annotation.services.numbers import judgments_number
from campaign.database.many_rows import row_locked
from campaign.export.downloads import ending
from campaign.models import Job, JobKind, Task, User
from campaign.selectors.rehearsals import rehearsed_slug
from campaign.services.jobs import job_queue
from campaign.texts.joining import comma_list, sentence_list
from campaign.texts.refusals import RefusedError
from optional_packages import has_extra, how_to_install
from ranking.export.kinds import ANSWERS, KINDS, WITH_SKIPS, ExportFormat, ExportKind
from ranking.export.rows import ROWS

_FEWEST_SLOTS: Final = 5


class ExportRefusedError(RefusedError):
    """The requested export is not available; the message says why and what to do."""

    field = "file_format"


class ExportChangedError(RefusedError):
    """The content of an export that is to be resumed has changed since it began."""

    status = HTTPStatus.PRECONDITION_FAILED


@dataclass(frozen=True, kw_only=True)
class Export:
    """A requested export.

    Attributes
    ----------
    task : Task
    kind : ExportKind
    file_format : str
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
    file_format: str
    after: int
    until: int
    watermark: int
    slots: int

    @property
    def is_part(self) -> bool:
        """True unless it contains all rows."""
        return self.after > 0 or self.until != self.watermark

    @property
    def file_name(self) -> str:
        """Name of the file."""
        campaign = self.task.test_set.campaign.slug
        if self.rehearsed is not None:
            campaign = f"rehearsal-of-{self.rehearsed}"
        task = slugify(self.task.called_in_full)
        name = self.task.test_set.name
        if len(slugify(name)) < len(slugify(name, allow_unicode=True)):
            # Names of files are ASCII, and without its other letters a name may be another's.
            task = f"task-{self.task.pk}-{task}"
        part = ""
        if self.is_part:
            part = f"-{self.after}-{self.until}"
        kind = self.kind.name
        # The formats of answers may have the same extension.
        if kind == ANSWERS:
            kind = self.file_format
        return f"{campaign}-{task}-{kind}{part}.{ending(self.file_format)}"

    @cached_property
    def rehearsed(self) -> str | None:
        """Slug of the campaign that a rehearsal with simulated judges is of."""
        return rehearsed_slug(task_id=self.task.pk)

    @cached_property
    def excluded_judges(self) -> list[str]:
        """Pseudonyms of the excluded judges, whose judgments do not count."""
        return excluded_judges(campaign_id=self.task.test_set.campaign_id)

    @cached_property
    def answers(self) -> FileWritten | None:
        """Answers in a format of the protocol, with the omitted data counted; None for other kinds."""
        files = answer_files(self.task.protocol)
        if files is None or self.kind.name != ANSWERS:
            return None
        return files.writers[self.file_format](self.task, self.watermark)

    @property
    def best_worst(self) -> bool:
        """True if the labels are those of best-worst scaling."""
        return answer_kind_of(self.task).best_worst

    @property
    def tag(self) -> str:
        """Hash of all inputs: exports with the same tag and range have the same bytes."""
        parts = [
            self.task.pk,
            self.kind.name,
            self.file_format,
            self.watermark,
            self.slots,
            self.excluded_judges,
        ]
        return sha256(json.dumps(parts).encode()).hexdigest()[:32]


def requested_export(
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
    export_kind = KINDS[kind]
    if export_kind.lacks_ranks(task):
        reason = answer_kind_of(task).why_not_ranked
        remedy = _("Export “%(answers)s” instead.") % {"answers": ANSWERS}
        raise ExportRefusedError(sentence_list([reason, remedy]))
    formats = export_kind.formats_of(task)
    if file_format not in formats:
        raise ExportRefusedError(
            _(
                "“%(kind)s” is not available as %(format)s. Available formats: %(formats)s.",
            )
            % {
                "kind": kind,
                "format": file_format,
                "formats": comma_list(formats) or "–",
            },
        )
    if file_format == ExportFormat.PARQUET and not has_extra("parquet"):
        raise ExportRefusedError(
            _("Parquet files need the pyarrow package, which is not installed. %(how)s")
            % {"how": how_to_install("parquet")},
        )
    slots = _FEWEST_SLOTS
    if export_kind.by_number:
        last = judgments_number(task_id=task.pk)
        slots = _slots(task, export_kind)
    else:
        last = ROWS[kind].last(task)
    if watermark is not None:
        last = min(watermark, last)
    end = last
    if until is not None:
        end = max(0, min(until, last))
    if export_kind.is_whole and (after > 0 or end < last):
        raise ExportRefusedError(
            _("“%(kind)s” can only be exported as a whole.") % {"kind": kind},
        )
    return Export(
        task=task,
        kind=export_kind,
        file_format=file_format,
        after=max(0, after),
        until=end,
        watermark=last,
        slots=slots,
    )


def _slots(task: Task, kind: ExportKind) -> int:
    sequences = JudgmentSequence.objects.filter(task=task)
    judged = sequences.aggregate(most=Max("most_candidates"))
    slots = max(_FEWEST_SLOTS, judged["most"] or 0)
    if kind.name == WITH_SKIPS:
        return max(slots, most_candidates_skipped(task))
    return slots


@transaction.atomic
def export_queue(*, export: Export, by: User | None) -> Job:
    """Queue a job that writes an export into a file, unless one is already queued or running; return the job."""
    campaign = export.task.test_set.campaign
    row_locked(campaign)
    parameters = {
        "task": export.task.pk,
        "kind": export.kind.name,
        "file_format": export.file_format,
        "after": export.after,
        "until": export.until,
        "watermark": export.watermark,
    }
    waiting = Job.objects.waiting().filter(campaign=campaign, kind=JobKind.EXPORT)
    job = waiting.filter(parameters=parameters).first()
    if job is not None:
        return job
    return job_queue(
        campaign=campaign,
        kind=JobKind.EXPORT,
        name=export.file_name[:200],
        parameters=parameters,
        user=by,
    )
