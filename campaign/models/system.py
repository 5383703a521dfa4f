"""Systems, their outputs, and damaged references."""

from datetime import datetime
from typing import ClassVar

import pgtrigger
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext, pgettext_lazy

from campaign.database.recording import RecordedModel, RecordedQuerySet, Recording
from campaign.database.seeds import SeedField
from campaign.database.times import inserted_at
from campaign.database.triggers import is_one_of, trigger_from_file
from campaign.models.user import by_user
from campaign.texts.damage import Damage


class SystemKind(models.TextChoices):
    """Author of a system's outputs."""

    SYSTEM = "system", _("System")
    REFERENCE = "reference", _("Reference")
    BAD_REFERENCE = "bad_reference", _("Damaged reference")


_READ_AS = {"_ref": SystemKind.REFERENCE, "_badref": SystemKind.BAD_REFERENCE}


def system_label(name: str) -> str:
    """Return a system's name for display; files, REST and filters use `_ref` and `_badref`."""
    kind = _READ_AS.get(name)
    if kind is None:
        return name
    return str(kind.label)


def system_in_sentence(name: str) -> str:
    """Return a system's name for the middle of a sentence, where “reference” has a small letter."""
    if name not in _READ_AS:
        return name
    if _READ_AS[name] == SystemKind.REFERENCE:
        return pgettext("within a sentence", "reference")
    return pgettext("within a sentence", "damaged reference")


def system_named(label: str) -> str:
    """Return the name of the system with this label."""
    return next((name for name in _READ_AS if system_label(name) == label), label)


class SystemQuerySet(RecordedQuerySet["System"]):
    def competing(self) -> "SystemQuerySet":
        """Return the systems that take part, without references; pages count only these."""
        return self.filter(kind=SystemKind.SYSTEM)


class System(RecordedModel):
    """A system that takes part. Its kind is set in `kind`, never guessed from its name."""

    test_set = models.ForeignKey(
        "campaign.TestSet",
        models.CASCADE,
        related_name="systems",
        db_index=False,
    )
    name = models.CharField(_("Name"), max_length=200)
    kind = models.CharField(
        _("Kind"),
        max_length=13,
        choices=SystemKind,
        default=SystemKind.SYSTEM,
    )
    constrained = models.BooleanField(
        _("Constrained"),
        null=True,
        blank=True,
        help_text=_("Trained only on the data the task allows."),
    )
    approach = models.CharField(
        _("Approach"),
        max_length=200,
        blank=True,
        db_default="",
    )
    condition = models.CharField(
        _("Condition"),
        max_length=200,
        blank=True,
        db_default="",
    )
    team = models.CharField(_("Team"), max_length=200, blank=True, db_default="")
    contact = models.CharField(
        _("Contact"),
        max_length=300,
        blank=True,
        db_default="",
        help_text=_("Visible to organisers only."),
    )
    withdrawn_at = models.DateTimeField(
        pgettext_lazy("system", "Withdrawn"),
        null=True,
        blank=True,
        editable=False,
        help_text="New HITs no longer show this system; existing judgments count.",
    )

    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "System added"),
        changed=pgettext_lazy("activity", "System changed"),
        deleted=pgettext_lazy("activity", "System removed"),
        fields=[
            "name",
            "kind",
            "constrained",
            "approach",
            "condition",
            "team",
            "withdrawn_at",
        ],
        hidden=["contact"],
        campaign="test_set__campaign_id",
        test_set="test_set_id",
        called="name",
    )

    objects: ClassVar[SystemQuerySet] = SystemQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("System")
        constraints = [
            models.UniqueConstraint(
                fields=["test_set", "name"],
                name="system_name_unique_in_test_set",
            ),
            # Files write the systems behind one candidate as "A,B".
            models.CheckConstraint(
                condition=~models.Q(name="") & ~models.Q(name__contains=","),
                name="system_name_without_comma",
            ),
            is_one_of("kind", SystemKind, name="system_kind_is_known"),
            # Damaged references are approved and withdrawn individually.
            models.CheckConstraint(
                condition=models.Q(withdrawn_at__isnull=True)
                | ~models.Q(kind=SystemKind.BAD_REFERENCE),
                name="system_of_damaged_references_not_withdrawn",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class OutputQuerySet(models.QuerySet["Output"]):
    def current(self) -> "OutputQuerySet":
        """Return the outputs that no correction has replaced: one per segment and system."""
        return self.filter(replaced_at__isnull=True)

    def drawable(self, *, moment: datetime | None = None) -> "OutputQuerySet":
        """Return the outputs that judges may see: those with a text, and approved damaged references.

        With `moment`, the texts before later corrections, and the damaged references that were approved then.
        """
        approved = models.Q(bad_reference__status="approved")
        stands = models.Q(replaced_at__isnull=True)
        if moment is not None:
            stands = models.Q(created_at__isnull=True) | models.Q(
                created_at__lte=moment,
            )
            stands &= models.Q(replaced_at__isnull=True) | models.Q(
                replaced_at__gt=moment,
            )
            approved = models.Q(bad_reference__approved_at__lte=moment) & (
                models.Q(bad_reference__withdrawn_at__isnull=True)
                | models.Q(bad_reference__withdrawn_at__gt=moment)
            )
        return self.filter(
            ~models.Q(system__kind=SystemKind.BAD_REFERENCE) | approved,
            stands,
            text__isnull=False,
        )


class Output(models.Model):
    """Output of one system for one segment; `text` is NULL if it is known only from judgments.

    A correction (`OutputCorrection`) is a new row: blocks that showed the earlier one still do.
    """

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="outputs")
    segment = models.ForeignKey(
        "campaign.Segment",
        models.CASCADE,
        related_name="outputs",
        db_index=False,
    )
    text = models.TextField(null=True)  # noqa: DJ001  NULL: not known
    # Set only if this output corrects another.
    created_at = models.DateTimeField(null=True, blank=True)
    replaced_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[OutputQuerySet] = OutputQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["segment", "system", "replaced_at"],
                name="output_once_per_segment_and_system",
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                condition=~models.Q(text=""),
                name="output_text_not_empty",
            ),
        ]
        triggers = [
            trigger_from_file(
                "campaign",
                "output_of_approved_bad_reference_immutable",
                operation=pgtrigger.Update,
                when=pgtrigger.Before,
                condition=pgtrigger.Condition("OLD.text IS DISTINCT FROM NEW.text"),
            ),
        ]

    def __str__(self) -> str:
        return self.text or "—"


class OutputCorrection(RecordedModel):
    """A wrong output that an organiser replaced while judges may have seen it."""

    before = models.OneToOneField(
        "campaign.Output",
        models.CASCADE,
        related_name="correction",
    )
    after = models.OneToOneField(
        "campaign.Output",
        on_delete=models.CASCADE,
        related_name="+",
    )
    reason = models.CharField(_("Reason"), max_length=300, blank=True)
    # Exclude judgments of blocks that showed the wrong text.
    leaves_out = models.BooleanField(_("Exclude judgments"))
    created_at = inserted_at()
    corrected_by = by_user()

    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "Output corrected in segment"),
        changed=pgettext_lazy("activity", "Correction of an output changed in segment"),
        deleted=None,
        fields=["reason", "leaves_out"],
        campaign="before__segment__test_set__campaign_id",
        test_set="before__segment__test_set_id",
        called="before__segment__number",
    )

    class Meta:
        verbose_name = _("Corrected output of segment")


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

    output = models.OneToOneField(
        "campaign.Output",
        models.CASCADE,
        related_name="bad_reference",
    )
    damage = models.CharField("damage", max_length=9, choices=Damage)
    detail = models.TextField("damaged part", blank=True)
    seed = SeedField()
    attempt = models.PositiveIntegerField(
        _("Attempt"),
        default=1,
        help_text="Number of the draw for this segment, from 1.",
    )
    status = models.CharField(
        _("Status"),
        max_length=8,
        choices=Status,
        default=Status.PENDING,
    )
    # Empty if approved from the command line.
    reviewed_by = by_user(on_delete=models.PROTECT)
    reviewed_at = models.DateTimeField(null=True, blank=True)
    # HITs could contain it between these times. Each is set once, so that any HIT can be drawn
    # again from the references that were available at the time.
    approved_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "Damaged reference created for segment"),
        changed=pgettext_lazy("activity", "Damaged reference changed for segment"),
        deleted=None,
        fields=["status", "attempt"],
        campaign="output__segment__test_set__campaign_id",
        test_set="output__segment__test_set_id",
        called="output__segment__number",
        together=True,
    )
    objects: ClassVar[BadReferenceQuerySet] = BadReferenceQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("Damaged reference")
        constraints = [
            is_one_of("damage", Damage, name="bad_reference_damage_is_known"),
            models.CheckConstraint(
                condition=models.Q(status="pending", reviewed_at__isnull=True)
                | models.Q(
                    status__in=["approved", "rejected"],
                    reviewed_at__isnull=False,
                ),
                name="bad_reference_reviewed_iff_not_pending",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    status="approved",
                    approved_at__isnull=False,
                    withdrawn_at__isnull=True,
                )
                | models.Q(
                    ~models.Q(status="approved"),
                    approved_at__isnull=True,
                    withdrawn_at__isnull=True,
                )
                | models.Q(
                    status="rejected",
                    approved_at__isnull=False,
                    withdrawn_at__isnull=False,
                ),
                name="bad_reference_withdrawn_iff_rejected_after_approval",
            ),
        ]
        indexes = [
            # Rows that wait for a reviewer.
            models.Index(
                fields=["id"],
                condition=models.Q(status="pending"),
                name="bad_reference_pending",
            ),
        ]
