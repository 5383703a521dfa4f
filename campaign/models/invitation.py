from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class Invitation(models.Model):
    """A link that signs one user in and leads them to their work in one campaign.

    The address carries 128 random bits; only their SHA-256 is kept, so that
    a copy of the database opens nobody's door.
    """

    class Role(models.TextChoices):
        ORGANISER = "organiser", _("organiser")
        JUDGE = "judge", _("judge")

    campaign = models.ForeignKey(
        "campaign.Campaign", on_delete=models.CASCADE, related_name="invitations"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="invitations"
    )
    role = models.CharField(_("role"), max_length=9, choices=Role)
    token_hash = models.BinaryField(_("hash of the token"), max_length=32, unique=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True)

    class Meta:
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(role__in=["organiser", "judge"]),
                name="invitation_role_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role} {self.user_id} → {self.campaign_id}"
