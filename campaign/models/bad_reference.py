from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from campaign.database.recording import RecordedModel, RecordedQuerySet, Recording
from campaign.database.seeds import SeedField
from campaign.database.triggers import is_one_of
from campaign.models.user import by_user
from campaign.texts.damage import Damage


class BadReferenceQuerySet(RecordedQuerySet["BadReference"]):
    def of(self, test_set_id: int) -> "BadReferenceQuerySet":
        return self.filter(output__system__test_set_id=test_set_id)

    def in_order(self) -> "BadReferenceQuerySet":
        """Order damaged references by segment, so that a review follows the text."""
        return self.order_by("output__segment__number")


class BadReference(RecordedModel):
    """Origin of a damaged reference's output, and its review.

    The text itself is the output's. It is drawn for judges only once it is approved, and never
    changes after that, because it may have been judged.
    """

    class Status(models.TextChoices):
        PENDING = "pending", _("pending")
        APPROVED = "approved", _("approved")
        REJECTED = "rejected", _("rejected")

    output = models.OneToOneField("campaign.Output", models.CASCADE, related_name="bad_reference")
    damage = models.CharField("damage", max_length=9, choices=Damage)
    detail = models.TextField("damaged part", blank=True)
    seed = SeedField()
    attempt = models.PositiveIntegerField(
        _("Attempt"), default=1, help_text="Number of the draw for this segment, from 1."
    )
    status = models.CharField(_("Status"), max_length=8, choices=Status, default=Status.PENDING)
    # Empty if approved from the command line.
    reviewed_by = by_user(on_delete=models.PROTECT)
    reviewed_at = models.DateTimeField(null=True, blank=True)
    # HITs could contain it between these times. Each is set once, so that any HIT can be drawn
    # again from the references that were available at the time.
    approved_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    recording: ClassVar = Recording(
        fields=["status", "attempt"],
        campaign="output__segment__test_set__campaign_id",
        test_set="output__segment__test_set_id",
        called="output__segment__number",
        together=True,
        deleted=False,
    )
    objects: ClassVar[BadReferenceQuerySet] = BadReferenceQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("Damaged reference")
        constraints = [
            is_one_of("damage", Damage, name="bad_reference_damage_is_known"),
            models.CheckConstraint(
                condition=models.Q(status="pending", reviewed_at__isnull=True)
                | models.Q(status__in=["approved", "rejected"], reviewed_at__isnull=False),
                name="bad_reference_reviewed_exactly_if_not_pending",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    status="approved", approved_at__isnull=False, withdrawn_at__isnull=True
                )
                | models.Q(
                    ~models.Q(status="approved"),
                    approved_at__isnull=True,
                    withdrawn_at__isnull=True,
                )
                | models.Q(
                    status="rejected", approved_at__isnull=False, withdrawn_at__isnull=False
                ),
                name="bad_reference_withdrawn_exactly_if_rejected_after_approval",
            ),
        ]
        indexes = [
            # Rows that wait for a reviewer.
            models.Index(
                fields=["id"], condition=models.Q(status="pending"), name="bad_reference_pending"
            ),
        ]
