from typing import Any, ClassVar

import pgtrigger
from django.db import models
from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from campaign.database.personal import KEPT_DOWNLOADED, KEPT_WITHHELD, PersonalData
from campaign.database.times import inserted_at
from campaign.database.triggers import is_one_of, trigger_from_file


class ProblemReportKind(models.TextChoices):
    """Kind of problem that a judge reports."""

    SOURCE = "source", _("The source is wrong or cut off")
    REFERENCE = "reference", _("The reference is wrong or belongs to another item")
    OUTPUT = "output", _("An output is garbled or in the wrong language")
    CONTENT = "content", _("Something here is offensive or private")
    PAGE = "page", _("This page does not work properly")
    OTHER = "other", _("Something else")


class ProblemReportQuerySet(models.QuerySet["ProblemReport"]):
    def with_state(self) -> QuerySet["ProblemReport", Any]:
        """Add `is_closed` from the latest reply; without replies, a report is open."""
        latest = ProblemReply.objects.filter(report=OuterRef("pk")).order_by("-number")
        state = Coalesce(
            Subquery(latest.values("closed")[:1]),
            models.Value(value=False),
        )
        return self.annotate(is_closed=state)


class ProblemReport(models.Model):
    """Judge's report of a problem with a block, which may be judged or skipped. Append-only."""

    #: Chosen by the client: the same id twice is one report.
    client_id = models.UUIDField(unique=True)
    judge = models.ForeignKey(
        "campaign.Judge",
        models.PROTECT,
        related_name="problem_reports",
    )
    block = models.ForeignKey(
        "annotation.Block",
        models.PROTECT,
        related_name="problem_reports",
    )
    # Repeats the block's task, because the dashboard requests a task's latest reports every second.
    task = models.ForeignKey(
        "campaign.Task",
        models.PROTECT,
        related_name="problem_reports",
        db_index=False,
    )
    kind = models.CharField(max_length=9, choices=ProblemReportKind)
    comment = models.TextField(blank=True)
    created_at = inserted_at()

    personal: ClassVar = PersonalData(
        person="judge",
        fields={
            "client_id": KEPT_WITHHELD,
            "block": KEPT_WITHHELD,
            "task": KEPT_WITHHELD,
            "kind": KEPT_DOWNLOADED,
            "comment": KEPT_DOWNLOADED,
            "created_at": KEPT_DOWNLOADED,
        },
    )

    withheld: ClassVar = "UPDATE, DELETE"
    objects: ClassVar[ProblemReportQuerySet] = ProblemReportQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        constraints = [
            is_one_of("kind", ProblemReportKind, name="problem_report_kind_is_known"),
            models.CheckConstraint(
                condition=~models.Q(kind="other") | ~models.Q(comment=""),
                name="problem_report_other_has_comment",
            ),
        ]
        indexes = [
            models.Index(fields=["task", "-id"], name="problem_report_latest"),
        ]
        triggers = [
            trigger_from_file(
                "annotation",
                "problem_report_of_its_task",
                operation=pgtrigger.Insert,
                when=pgtrigger.Before,
            ),
        ]


class ProblemReplyQuerySet(models.QuerySet["ProblemReply"]):
    def standing(self) -> "ProblemReplyQuerySet":
        """Leave out withdrawn replies, and those that only withdraw another."""
        later = ProblemReply.objects.filter(takes_back=OuterRef("pk"))
        return self.filter(~Exists(later), takes_back__isnull=True)


class ProblemReply(models.Model):
    """Organiser's reply to a problem report, and whether it closes the report. Append-only.

    Reopening a report adds a reply. A mistaken reply is withdrawn by adding another one, and is no
    longer shown to judges.
    """

    report = models.ForeignKey(
        ProblemReport,
        models.PROTECT,
        related_name="replies",
        db_index=False,
    )
    #: Number among the replies to this report, from 1.
    number = models.PositiveIntegerField()
    #: Text shown to the judge.
    text = models.TextField(blank=True)
    #: True if this reply closes the report.
    closed = models.BooleanField()
    takes_back = models.OneToOneField(
        "self",
        models.PROTECT,
        related_name="taken_back_by",
        null=True,
        blank=True,
    )
    created_by = models.ForeignKey(
        "campaign.User",
        models.PROTECT,
        related_name="+",
        db_index=False,
    )
    created_at = inserted_at()

    personal: ClassVar = PersonalData(
        person="report__judge",
        fields={
            "number": KEPT_WITHHELD,
            "text": KEPT_DOWNLOADED,
            "closed": KEPT_WITHHELD,
            "takes_back": KEPT_WITHHELD,
            "created_by": KEPT_WITHHELD,
            "created_at": KEPT_DOWNLOADED,
        },
    )

    withheld: ClassVar = "UPDATE, DELETE"
    objects: ClassVar[ProblemReplyQuerySet] = ProblemReplyQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        constraints = [
            # If two organisers reply at once, the second is shown the first reply before sending.
            models.UniqueConstraint(
                fields=["report", "number"],
                name="problem_reply_number_once",
            ),
            models.CheckConstraint(
                condition=models.Q(takes_back__isnull=False, text="")
                | models.Q(
                    models.Q(closed=True) | ~models.Q(text=""),
                    takes_back__isnull=True,
                ),
                name="problem_reply_has_effect",
            ),
        ]
