from typing import ClassVar, Final

import pgtrigger
from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from campaign.database.recording import RecordedModel, Recording
from campaign.database.triggers import is_one_of, trigger_from_file


class MembershipRole(models.TextChoices):
    """Role of a member, from most to fewest rights.

    Every member reads the whole campaign; secrets are shown once, to the member who creates them.
    All other rights are defined below, and nowhere else.
    """

    OWNER = "owner", _("owner")
    ORGANISER = "organiser", _("organiser")
    ANALYST = "analyst", _("analyst")

    @property
    def may_change(self) -> bool:
        """True if members in this role may change the campaign."""
        return self in CHANGING_ROLES

    @property
    def may_own(self) -> bool:
        """True if members in this role may delete and restore the campaign, and manage its members."""
        return self in OWNING_ROLES


CHANGING_ROLES: Final = (MembershipRole.OWNER, MembershipRole.ORGANISER)
OWNING_ROLES: Final = (MembershipRole.OWNER,)


class Membership(RecordedModel):
    """A user's part in running a campaign. Judges are `Judge`s, not members."""

    campaign = models.ForeignKey("campaign.Campaign", models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships", db_index=False
    )
    role = models.CharField(_("Role"), max_length=10, choices=MembershipRole)
    # Subscribed to by the member, who must be an organiser.
    daily_alerts = models.BooleanField(_("Daily alert e-mail"), default=False, db_default=False)

    recording: ClassVar = Recording(fields=["user_id", "role", "daily_alerts"])

    class Meta:
        verbose_name = _("Membership")
        constraints = [
            models.UniqueConstraint(
                fields=["user", "campaign"], name="membership_once_per_user_and_campaign"
            ),
            is_one_of("role", MembershipRole, name="membership_role_is_known"),
            # Alerts require action, which analysts cannot take.
            models.CheckConstraint(
                condition=models.Q(daily_alerts=False) | models.Q(role__in=CHANGING_ROLES),
                name="membership_with_daily_alerts_may_act",
            ),
        ]
        triggers = [
            # At the commit, so that members may come and go in any order within a transaction.
            trigger_from_file(
                "campaign",
                "membership_leaves_an_owner",
                operation=pgtrigger.Insert
                | pgtrigger.UpdateOf("campaign_id", "role")  # type: ignore[no-untyped-call]
                | pgtrigger.Delete,
                when=pgtrigger.After,
                timing=pgtrigger.Deferred,
                declare=[("touched", "BIGINT")],
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"
