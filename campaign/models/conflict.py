from typing import ClassVar

import pgtrigger
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from campaign.database.recording import RecordedModel, Recording
from campaign.database.triggers import trigger_from_file


class ConflictOfInterest(RecordedModel):
    """A judge who must not judge a system: they built it, or are close to those who did.

    No block that shows an output of the system is lent to the judge, not even if other
    systems produced the same text.
    """

    judge = models.ForeignKey(
        "campaign.Judge", models.CASCADE, related_name="conflicts", db_index=False
    )
    system = models.ForeignKey("campaign.System", models.CASCADE, related_name="conflicts")
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    recording: ClassVar = Recording(fields=["judge_id", "system_id"], campaign="judge__campaign_id")

    class Meta:
        verbose_name = _("Conflict of interest")
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "system"], name="conflict_once_per_judge_and_system"
            ),
        ]
        triggers = [
            trigger_from_file(
                "campaign",
                "conflict_within_a_campaign",
                operation=pgtrigger.Insert | pgtrigger.Update,
                when=pgtrigger.Before,
            ),
        ]
