"""Feedback of judges to the organisers: problem reports, and comments on judgments and skips."""

from dataclasses import dataclass
from datetime import datetime

from annotation.models import Judgment, ProblemReport, Skip
from campaign.models import Segment, TestSet

# Number shown of each kind; the rest is in the export.
SHOWN = 10


@dataclass(frozen=True, slots=True)
class JudgeFeedback:
    """A report or comment of a judge; `about` is a kind of problem, a reason to skip, or empty."""

    judge: str
    about: str
    comment: str
    document: str
    segment: int
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class LatestFeedback:
    """The latest problem reports and comments of a test set; `reported` counts all reports."""

    problems: tuple[JudgeFeedback, ...]
    comments: tuple[JudgeFeedback, ...]
    reported: int


def latest_feedback(test_set: TestSet) -> LatestFeedback:
    """Return the latest feedback on a test set. Three queries, four if there are many reports."""
    reports = ProblemReport.objects.filter(test_set=test_set)
    problems = tuple(
        _feedback_of(report, report.get_kind_display(), report.created_at)
        for report in reports.select_related(*_JOINED).order_by("-id")[:SHOWN]
    )
    reported = reports.count() if len(problems) == SHOWN else len(problems)
    return LatestFeedback(problems=problems, comments=_comments(test_set), reported=reported)


_JOINED = ("judge", "block__segment__document")


def _comments(test_set: TestSet) -> tuple[JudgeFeedback, ...]:
    judgments = (
        Judgment.objects.of(test_set.pk)
        .exclude(comment="")
        .current()
        .select_related(*_JOINED)
        .order_by("-number")[:SHOWN]
    )
    skips = (
        Skip.objects.standing()
        .filter(block__hit__test_set=test_set)
        .exclude(comment="")
        .select_related(*_JOINED)
        .order_by("-id")[:SHOWN]
    )
    entries = [_feedback_of(judgment, "", judgment.submitted_at) for judgment in judgments]
    entries += [_feedback_of(skip, skip.get_reason_display(), skip.created_at) for skip in skips]
    return tuple(sorted(entries, key=lambda entry: entry.at, reverse=True)[:SHOWN])


def _feedback_of(row: ProblemReport | Judgment | Skip, about: str, at: datetime) -> JudgeFeedback:
    segment: Segment = row.block.segment
    return JudgeFeedback(
        judge=row.judge.pseudonym,
        about=about,
        comment=row.comment,
        document=segment.document.name,
        segment=segment.position,
        text=segment.source_text or "",
        at=at,
    )
