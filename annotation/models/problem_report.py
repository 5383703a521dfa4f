import pgtrigger
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from campaign.database.constraints import is_one_of
from campaign.database.triggers import NeverTruncated, trigger_from_file


class ProblemReportKind(models.TextChoices):
    """What a judge reports."""

    SOURCE = "source", _("The source is wrong or cut off")
    REFERENCE = "reference", _("The reference is wrong or of another sentence")
    OUTPUT = "output", _("An output is garbled or in the wrong language")
    CONTENT = "content", _("Something here is offensive or private")
    PAGE = "page", _("This page does not work as it should")
    OTHER = "other", _("Something else")


class ProblemReport(models.Model):
    """A judge found something wrong with a block, whether they judge or skip it. Append-only."""

    client_id = models.UUIDField(
        _("client's id"),
        unique=True,
        help_text=_("Chosen by whoever reports: the same id twice is one report."),
    )
    judge = models.ForeignKey(
        "campaign.Judge", on_delete=models.PROTECT, related_name="problem_reports"
    )
    block = models.ForeignKey(
        "annotation.Block", on_delete=models.PROTECT, related_name="problem_reports"
    )
    # Beside the block: the dashboard asks for the latest of a test set every second.
    test_set = models.ForeignKey(
        "campaign.TestSet", on_delete=models.PROTECT, related_name="problem_reports"
    )
    kind = models.CharField(_("kind"), max_length=9, choices=ProblemReportKind)
    comment = models.TextField(_("comment"), blank=True)
    created_at = models.DateTimeField(_("created"), db_default=Now(), editable=False)

    class Meta:
        verbose_name = _("problem report")
        verbose_name_plural = _("problem reports")
        constraints = [
            is_one_of("kind", ProblemReportKind, name="problem_report_kind_is_known"),
            models.CheckConstraint(
                condition=~models.Q(kind="other") | ~models.Q(comment=""),
                name="problem_report_of_something_else_says_what",
            ),
        ]
        indexes = [
            models.Index(fields=["test_set", "-id"], name="problem_report_latest"),
        ]
        triggers = [
            pgtrigger.Protect(
                name="problem_report_append_only",
                operation=pgtrigger.Update | pgtrigger.Delete,
            ),
            NeverTruncated(name="problem_report_never_truncated"),
            trigger_from_file(
                "annotation",
                "problem_report_of_its_test_set",
                operation=pgtrigger.Insert,
                when=pgtrigger.Before,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.block_id}: {self.kind}"
