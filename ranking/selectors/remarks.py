"""What judges wrote to the organisers: problem reports, and comments on their judgments."""

from dataclasses import dataclass
from datetime import datetime

from annotation.models import Judgment, ProblemReport, Skip
from campaign.models import Segment, TestSet

# Of each sort; the rest is in the export.
SHOWN = 10


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing a judge wrote; `about` is a kind of problem, a reason to skip, or empty."""

    judge: str
    about: str
    words: str
    document: str
    segment: int
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Remarks:
    """The latest problem reports and comments of a test set; `reported` counts all reports."""

    problems: tuple[Remark, ...]
    comments: tuple[Remark, ...]
    reported: int


def remarks_of(test_set: TestSet) -> Remarks:
    """Read the latest remarks of a test set. Three queries, and one where there are many reports."""
    reports = ProblemReport.objects.filter(test_set=test_set)
    problems = tuple(
        _remark(report, report.get_kind_display(), report.created_at)
        for report in reports.select_related(*_JOINED).order_by("-id")[:SHOWN]
    )
    reported = reports.count() if len(problems) == SHOWN else len(problems)
    return Remarks(problems=problems, comments=_comments(test_set), reported=reported)


_JOINED = ("judge", "block__segment__document")


def _comments(test_set: TestSet) -> tuple[Remark, ...]:
    judgments = (
        Judgment.objects.of(test_set.pk)
        .exclude(comment="")
        .current()
        .select_related(*_JOINED)
        .order_by("-number")[:SHOWN]
    )
    skips = (
        Skip.objects.filter(block__hit__test_set=test_set)
        .exclude(comment="")
        .select_related(*_JOINED)
        .order_by("-id")[:SHOWN]
    )
    remarks = [_remark(judgment, "", judgment.submitted_at) for judgment in judgments]
    remarks += [_remark(skip, skip.get_reason_display(), skip.created_at) for skip in skips]
    return tuple(sorted(remarks, key=lambda remark: remark.at, reverse=True)[:SHOWN])


def _remark(row: ProblemReport | Judgment | Skip, about: str, at: datetime) -> Remark:
    segment: Segment = row.block.segment
    return Remark(
        judge=row.judge.pseudonym,
        about=about,
        words=row.comment,
        document=segment.document.name,
        segment=segment.position,
        text=segment.source_text or "",
        at=at,
    )
