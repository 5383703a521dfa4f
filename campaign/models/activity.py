from typing import Any, ClassVar

import pgtrigger
from django.conf import settings
from django.db import models

from campaign.database.personal import ERASED_WITHHELD, KEPT_WITHHELD, PersonalData
from campaign.database.times import inserted_at
from campaign.database.triggers import is_one_of, trigger_from_file


class ActivityOperation(models.TextChoices):
    """Kind of change recorded in an event."""

    CREATED = "created"
    CHANGED = "changed"
    DELETED = "deleted"


class ActivityOrigin(models.TextChoices):
    """Channel of a change."""

    PAGE = "page"
    API = "api"
    COMMAND = "command"
    TASK = "task"
    DATABASE = "database"


class KeptWithItsCampaign(pgtrigger.Protect):
    """Refuse to delete a row as long as its campaign exists; a deleted campaign takes its rows with it."""

    def get_func(self, model: Any) -> str:
        """Return the body of the trigger."""
        del model
        return (
            "IF EXISTS (SELECT FROM campaign_campaign WHERE id = OLD.campaign_id) THEN"
            " RAISE EXCEPTION 'Cannot delete from %: the log is kept as long as its campaign', TG_TABLE_NAME;"
            " END IF; RETURN OLD;"
        )


class ActivityEvent(models.Model):
    """Change of a setting or object in a campaign: author, object, old and new values, time.

    Written with the change by models that are recorded (`campaign.database.recording`); changed only by the erasure of
    a judge, and deleted only with its campaign. It refers to people by id: their names are looked up when it is read.
    """

    campaign = models.ForeignKey(
        "campaign.Campaign",
        # By the database, bypassing the triggers that forbid deletion:
        # `activity_event_of_a_campaign`, in the migrations.
        models.DO_NOTHING,
        db_constraint=False,
        related_name="activity",
        db_index=False,  # `activity_event_of_campaign` begins with it
    )
    test_set = models.ForeignKey(
        "campaign.TestSet",
        models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="+",
        null=True,
    )
    happened_at = inserted_at()
    operation = models.CharField(max_length=7, choices=ActivityOperation)
    # Model label, such as campaign.judge.
    kind = models.CharField(max_length=60)
    # Empty if several objects were changed at once.
    object_id = models.BigIntegerField(null=True)
    object_name = models.TextField(blank=True)
    # Number of objects changed at once.
    count = models.PositiveIntegerField(db_default=1)
    # Values of each field before and after.
    changes = models.JSONField()
    origin = models.CharField(max_length=8, choices=ActivityOrigin)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="+",
        null=True,
    )
    # Empty for changes through pages and the API.
    through = models.CharField(max_length=100, blank=True)
    # Operating system user for commands, database role for manual SQL.
    operator = models.CharField(max_length=100, blank=True)

    personal: ClassVar = PersonalData(
        person="user",
        fields={
            "campaign": KEPT_WITHHELD,
            "test_set": KEPT_WITHHELD,
            "happened_at": KEPT_WITHHELD,
            "operation": KEPT_WITHHELD,
            "kind": KEPT_WITHHELD,
            "object_id": KEPT_WITHHELD,
            "object_name": ERASED_WITHHELD,
            "count": KEPT_WITHHELD,
            "changes": ERASED_WITHHELD,
            "origin": KEPT_WITHHELD,
            "user": ERASED_WITHHELD,
            "through": KEPT_WITHHELD,
            "operator": KEPT_WITHHELD,
        },
    )

    # Except for columns with erased data: `campaign.database.roles`.
    withheld: ClassVar = "UPDATE"

    class Meta:
        constraints = [
            is_one_of(
                "operation",
                ActivityOperation,
                name="activity_event_operation_is_known",
            ),
            is_one_of("origin", ActivityOrigin, name="activity_event_origin_is_known"),
            models.CheckConstraint(
                condition=models.Q(count=1)
                | models.Q(count__gt=1, object_id__isnull=True),
                name="activity_event_of_several_has_no_object",
            ),
        ]
        indexes = [
            models.Index(fields=["campaign", "-id"], name="activity_event_of_campaign"),
            models.Index(
                fields=["campaign", "user", "-id"],
                name="activity_event_of_user",
            ),
        ]
        triggers = [
            trigger_from_file(
                "campaign",
                "activity_event_changes_only_by_erasure",
                operation=pgtrigger.Update,
                when=pgtrigger.Before,
            ),
            KeptWithItsCampaign(
                name="activity_event_kept_with_its_campaign",
                operation=pgtrigger.Delete,
            ),
        ]
