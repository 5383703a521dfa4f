import hashlib
from datetime import timedelta
from typing import ClassVar, Final

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from campaign.database.recording import RecordedModel, Recording
from campaign.database.triggers import is_one_of

#: Recording every use would cost a write per request.
USE_NOTED_EVERY: Final = timedelta(hours=1)


def token_digest(text: str) -> str:
    """Return the hash by which a token is found."""
    return hashlib.sha512(text.encode()).hexdigest()


class TokenScope(models.TextChoices):
    """Rights of a token, within those of its user."""

    READ = "read", _("read-only")
    WRITE = "write", _("read and write")


class ApiToken(RecordedModel):
    """A key with which a user's program accesses the API; only a hash of it is stored.

    Its text is random enough for a plain hash to be safe.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(_("Name"), max_length=100, blank=True, default="")
    scope = models.CharField(_("Scope"), max_length=5, choices=TokenScope, default=TokenScope.WRITE)
    # Empty for all campaigns of the user.
    campaign = models.ForeignKey(
        "campaign.Campaign", models.CASCADE, related_name="api_tokens", null=True, blank=True
    )
    digest = models.CharField(max_length=128)
    token_key = models.CharField(max_length=25)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expiry = models.DateTimeField(_("Expires"))
    last_used_at = models.DateTimeField(null=True, blank=True, help_text="Rounded to the hour.")

    # Recorded in each campaign that it opens; in none if the user is not a member of any.
    recording: ClassVar = Recording(
        fields=["name", "user_id", "scope", "expiry"],
        campaign="user__memberships__campaign_id",
        where=models.Q(campaign=None) | models.Q(campaign=models.F("user__memberships__campaign")),
        called="name",
    )

    class Meta:
        verbose_name = _("API token")
        constraints = [
            is_one_of("scope", TokenScope, name="api_token_scope_is_known"),
            # Not `unique`, which would add a second index, for prefixes.
            models.UniqueConstraint(fields=["digest"], name="api_token_digest_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.token_key[:8]}… ({self.name})"


class IdempotentAnswer(models.Model):
    """The answer to a POST that carried an `Idempotency-Key`, so that sending it again changes nothing."""

    user = models.ForeignKey(
        "campaign.User",
        models.CASCADE,
        related_name="idempotent_answers",
        db_index=False,  # `idempotent_answer_once_a_key` begins with it
    )
    key = models.CharField(max_length=255)
    request_digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    body = models.BinaryField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="idempotent_answer_once_a_key")
        ]
