"""Feedback of judges to the organisers: problem reports, and comments on judgments and skips."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, QuerySet, Subquery

from annotation.models import (
    Judgment,
    PageChanges,
    ProblemReport,
    ProblemReportKind,
    Skip,
    SkipReason,
)
from campaign.models import Task

# Of each kind; the rest is on the page of reports and in the export.
SHOWN = 5
# Of comments: some were taken back, or corrected.
_LOOKED_AT = 2 * SHOWN


@dataclass(frozen=True, slots=True)
class JudgeFeedback:
    """A report or comment of a judge; `about` is a kind of problem, a reason to skip, or empty."""

    judge_id: int
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


# Of each entry, for `JudgeFeedback`.
_SHOWN_OF: Final = (
    "judge",
    "judge__pseudonym",
    "comment",
    "block__segment__document__name",
    "block__segment__position",
    "block__segment__source_text",
)


def _problems(task_id: int) -> QuerySet[ProblemReport, Any]:
    rows = ProblemReport.objects.filter(task=task_id).order_by("-id")
    return rows.values_list(*_SHOWN_OF, "created_at", "kind")[:SHOWN]


# The latest few are read by their index, and then each is looked up by its own: a filter would be a join of all, and
# `Exists` may be answered from a hash of all.
def _judgments(task_id: int) -> QuerySet[Judgment, Any]:
    """Return the latest judgments with a comment, and the id of one that supersedes each."""
    later = Judgment.objects.filter(supersedes=OuterRef("pk")).values("pk")[:1]
    rows = Judgment.objects.filter(task=task_id).exclude(comment="").order_by("-pk")
    return rows.values_list(*_SHOWN_OF, "submitted_at", Subquery(later))[:_LOOKED_AT]


def _skips(task_id: int) -> QuerySet[Skip, Any]:
    """Return the latest skips with a comment, each with its judge and who has judged its block."""
    judged = Judgment.objects.filter(block=OuterRef("block")).order_by().values("judge")
    rows = Skip.objects.filter(task=task_id).exclude(comment="").order_by("-pk")
    columns = ("created_at", "reason", ArraySubquery(judged))
    return rows.values_list(*_SHOWN_OF, *columns)[:_LOOKED_AT]


def latest_feedback(task: Task) -> LatestFeedback:
    """Return the latest feedback on a test set. Four queries."""
    problems = tuple(
        _feedback_of(*shown, about=str(ProblemReportKind(kind).label))
        for *shown, kind in _problems(task.pk)
    )
    counted = PageChanges.objects.filter(task=task).values_list("problem_reports", flat=True)
    return LatestFeedback(
        problems=problems, comments=_comments(task), reported=counted.first() or 0
    )


def _comments(task: Task) -> tuple[JudgeFeedback, ...]:
    """Return the latest comments on what no later judgment supersedes, of judgments and skips."""
    entries = [
        *(_feedback_of(*shown, about="") for *shown, later in _judgments(task.pk) if later is None),
        *(
            _feedback_of(*shown, about=str(SkipReason(reason).label))
            for *shown, reason, judged_by in _skips(task.pk)
            if shown[0] not in judged_by
        ),
    ]
    return tuple(sorted(entries, key=lambda entry: entry.at, reverse=True)[:SHOWN])


def _feedback_of(
    judge_id: int,
    judge: str,
    comment: str,
    document: str,
    segment: int,
    text: str | None,
    at: datetime,
    *,
    about: str,
) -> JudgeFeedback:
    return JudgeFeedback(
        judge_id=judge_id,
        judge=judge,
        about=about,
        comment=comment,
        document=document,
        segment=segment,
        text=text or "",
        at=at,
    )
