from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from campaign.database.constraints import is_one_of


class MembershipRole(models.TextChoices):
    """What a member may do."""

    ORGANISER = "organiser", _("organiser")
    RESEARCHER = "researcher", _("researcher")


class Membership(models.Model):
    """A user's part in running a campaign. Judges are `Judge`s, not members."""

    campaign = models.ForeignKey(
        "campaign.Campaign", on_delete=models.CASCADE, related_name="memberships"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(_("role"), max_length=10, choices=MembershipRole)

    class Meta:
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        constraints = [
            models.UniqueConstraint(
                fields=["user", "campaign"], name="membership_once_per_user_and_campaign"
            ),
            is_one_of("role", MembershipRole, name="membership_role_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"
