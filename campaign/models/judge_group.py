from typing import ClassVar

import pgtrigger
from django.db import models
from django.db.models.functions import Lower, Now
from django.utils.translation import gettext_lazy as _

from campaign.database.recording import RecordedModel, RecordedQuerySet, Recording
from campaign.database.triggers import trigger_from_file


class JudgeGroupQuerySet(RecordedQuerySet["JudgeGroup"]):
    def present(self) -> "JudgeGroupQuerySet":
        """Return the groups that were not deleted."""
        return self.filter(removed_at__isnull=True)


class JudgeGroup(RecordedModel):
    """Named group of judges of a campaign: "experts", "panel". A judge may be in several.

    Designs and settings of rankings refer to groups permanently, so the row of a deleted group stays, without judges.
    """

    campaign = models.ForeignKey("campaign.Campaign", models.CASCADE, related_name="judge_groups")
    name = models.CharField(_("Name"), max_length=60)
    blocks_asked = models.PositiveIntegerField(
        _("Blocks per judge"),
        null=True,
        blank=True,
        help_text="Maximum number of blocks. Leave empty to use the campaign's limit.",
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    removed_at = models.DateTimeField(_("Deleted"), null=True, blank=True, editable=False)

    recording: ClassVar = Recording(fields=["name", "blocks_asked", "removed_at"], called="name")
    objects: ClassVar[JudgeGroupQuerySet] = JudgeGroupQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("Judge group")
        constraints = [
            models.UniqueConstraint(
                "campaign",
                Lower("name"),
                condition=models.Q(removed_at__isnull=True),
                name="judge_group_name_unique_in_campaign",
            ),
            models.CheckConstraint(condition=~models.Q(name=""), name="judge_group_name_not_empty"),
            models.CheckConstraint(
                condition=models.Q(blocks_asked__isnull=True) | models.Q(blocks_asked__gte=1),
                name="judge_group_asks_for_something",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class GroupMember(RecordedModel):
    """A judge in a group."""

    group = models.ForeignKey(JudgeGroup, on_delete=models.CASCADE, related_name="members")
    judge = models.ForeignKey(
        "campaign.Judge", models.CASCADE, related_name="group_members", db_index=False
    )

    recording: ClassVar = Recording(fields=["group_id", "judge_id"], campaign="judge__campaign_id")

    class Meta:
        verbose_name = _("Group member")
        constraints = [
            # By judge first, because lending looks up the groups of a judge.
            models.UniqueConstraint(
                fields=["judge", "group"], name="group_member_once_per_judge_and_group"
            ),
        ]
        triggers = [
            trigger_from_file(
                "campaign",
                "group_member_within_a_campaign",
                operation=pgtrigger.Insert | pgtrigger.Update,
                when=pgtrigger.Before,
            ),
        ]
