from datetime import timedelta
from typing import ClassVar, Final

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from campaign.database.recording import RecordedModel, RecordedQuerySet, Recording
from campaign.models.user import by_user

#: Time for organisers to answer, as set by the GDPR; afterwards the request is carried out
#: automatically.
ERASURE_PATIENCE: Final = timedelta(days=30)


class ErasureRequestQuerySet(RecordedQuerySet["ErasureRequest"]):
    def open(self) -> "ErasureRequestQuerySet":
        """Return the requests that are neither withdrawn nor refused nor carried out."""
        return self.filter(
            withdrawn_at__isnull=True, refused_at__isnull=True, carried_out_at__isnull=True
        )

    def due(self) -> "ErasureRequestQuerySet":
        """Return the open requests whose `due_at` has passed, by the database's clock."""
        return self.open().filter(due_at__lte=Now())


class ErasureRequest(RecordedModel):
    """A judge's request to be unlinked from their judgments, and how it was answered.

    Never deleted: it is the record of the procedure. The database function `judge_unlink` erases nothing without one.
    """

    judge = models.ForeignKey(
        "campaign.Judge",
        models.PROTECT,
        related_name="erasure_requests",
        db_index=False,  # few rows
    )
    asked_at = models.DateTimeField(db_default=Now(), editable=False)
    # Member who made the request for the judge. Empty if made by the judge or a command.
    asked_by = by_user()
    due_at = models.DateTimeField(
        help_text="Carried out automatically after this time, unless answered."
    )
    withdrawn_at = models.DateTimeField(_("Withdrawn"), null=True, blank=True)
    refused_at = models.DateTimeField(_("Refused"), null=True, blank=True)
    reason = models.TextField(
        _("Reason"), blank=True, help_text="Reason for the refusal, shown to the judge."
    )
    carried_out_at = models.DateTimeField(_("Carried out"), null=True, blank=True)
    # Empty if carried out automatically or by a command.
    answered_by = by_user()
    removed = models.JSONField(
        default=dict, blank=True, help_text="Number of rows removed, by kind."
    )

    withheld: ClassVar = "DELETE"
    recording: ClassVar = Recording(
        fields=["judge_id", "withdrawn_at", "refused_at", "reason", "carried_out_at"],
        campaign="judge__campaign_id",
        called="judge__pseudonym",
    )
    objects: ClassVar[ErasureRequestQuerySet] = ErasureRequestQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("Data erasure request")
        constraints = [
            models.UniqueConstraint(
                fields=["judge"],
                condition=models.Q(
                    withdrawn_at__isnull=True, refused_at__isnull=True, carried_out_at__isnull=True
                ),
                name="erasure_request_one_open_per_judge",
            ),
            models.CheckConstraint(
                condition=models.Q(withdrawn_at__isnull=True, refused_at__isnull=True)
                | models.Q(withdrawn_at__isnull=True, carried_out_at__isnull=True)
                | models.Q(refused_at__isnull=True, carried_out_at__isnull=True),
                name="erasure_request_ends_once",
            ),
            models.CheckConstraint(
                condition=models.Q(refused_at__isnull=True, reason="")
                | (models.Q(refused_at__isnull=False) & ~models.Q(reason="")),
                name="erasure_request_has_a_reason_exactly_if_refused",
            ),
        ]

    @property
    def is_open(self) -> bool:
        """True if it is neither withdrawn, refused nor carried out."""
        return self.withdrawn_at is None and self.refused_at is None and self.carried_out_at is None
