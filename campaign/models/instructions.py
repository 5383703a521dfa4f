from typing import ClassVar

import pgtrigger
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from campaign.database.recording import RecordedModel, RecordedQuerySet, Recording
from campaign.database.triggers import trigger_from_file
from campaign.models.judge import Judge
from campaign.models.user import by_user


class InstructionsQuerySet(RecordedQuerySet["Instructions"]):
    def demanded_of(self, judge: models.OuterRef | Judge) -> "InstructionsQuerySet":
        """Return the versions a judge must still accept: they accepted neither these nor later ones.

        If there are none, the judge may work. Judges who are not people accept nothing.
        """
        inner = models.OuterRef(judge) if isinstance(judge, models.OuterRef) else judge
        accepted = Acceptance.objects.filter(
            judge=inner, instructions__version__gte=models.OuterRef("version")
        )
        return self.filter(
            ~models.Exists(accepted),
            campaign__judges=judge,
            campaign__judges__user__isnull=False,
            demands_acceptance=True,
        )


class Instructions(RecordedModel):
    """Instructions and consent text of a campaign for its judges: one version, in one language.

    Versions are numbered over all languages of the campaign, so that a judge who accepted one is
    not asked again for having changed the language. Never changed: a change is another version.
    """

    campaign = models.ForeignKey(
        "campaign.Campaign", models.CASCADE, related_name="instructions", db_index=False
    )
    version = models.PositiveIntegerField(_("Version"), help_text="From 1.")
    language = models.CharField(_("Language"), max_length=35)
    text = models.TextField(help_text="Markdown.")
    demands_acceptance = models.BooleanField(
        _("Requires acceptance"),
        help_text="Judges must accept this version or a later one before they continue.",
    )
    created_by = by_user(on_delete=models.PROTECT)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    withheld: ClassVar = "UPDATE"
    recording: ClassVar = Recording(
        fields=["version", "language", "demands_acceptance"], called="version"
    )
    objects: ClassVar[InstructionsQuerySet] = InstructionsQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("Instructions")
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "version"], name="instructions_version_unique_in_campaign"
            ),
            models.CheckConstraint(
                condition=models.Q(version__gt=1) | models.Q(version=1, demands_acceptance=True),
                name="instructions_first_version_demands_acceptance",
            ),
            models.CheckConstraint(condition=~models.Q(text=""), name="instructions_not_empty"),
        ]

    def __str__(self) -> str:
        return f"{self.version} ({self.language})"


class Acceptance(models.Model):
    """A judge read and accepted a version of the instructions. Append-only."""

    judge = models.ForeignKey(
        "campaign.Judge", models.PROTECT, related_name="acceptances", db_index=False
    )
    instructions = models.ForeignKey(Instructions, models.PROTECT, related_name="acceptances")
    accepted_at = models.DateTimeField(db_default=Now(), editable=False)

    withheld: ClassVar = "UPDATE, DELETE"

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "instructions"], name="acceptance_once_per_judge_and_version"
            ),
        ]
        triggers = [
            trigger_from_file(
                "campaign",
                "acceptance_within_a_campaign",
                operation=pgtrigger.Insert,
                when=pgtrigger.Before,
            ),
        ]
