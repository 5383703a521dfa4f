import hashlib
from datetime import timedelta
from typing import ClassVar, Final

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from campaign.database.constraints import is_one_of
from campaign.database.recording import RecordedInBulk

# Of each campaign that a token reaches; of none for accounts that are a member nowhere.
_REACHED = (
    "JOIN campaign_membership m ON m.user_id = row_new.user_id"
    " AND (row_new.campaign_id IS NULL OR row_new.campaign_id = m.campaign_id)"
)


#: Noting each use would cost a write a request.
USE_NOTED_EVERY: Final = timedelta(hours=1)


def token_digest(text: str) -> str:
    """Return the hash by which a token is found."""
    return hashlib.sha512(text.encode()).hexdigest()


class TokenScope(models.TextChoices):
    """What a token may do of what its user may."""

    READ = "read", _("read only")
    WRITE = "write", _("read and write")


class ApiToken(models.Model):
    """A key to the API for a program of a user; of its text only a hash is kept.

    Its text is random enough that a plain hash tells nobody what it was.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens"
    )
    name = models.CharField(_("name"), max_length=100, blank=True, default="")
    scope = models.CharField(_("scope"), max_length=5, choices=TokenScope, default=TokenScope.WRITE)
    campaign = models.ForeignKey(
        "campaign.Campaign",
        on_delete=models.CASCADE,
        related_name="api_tokens",
        null=True,
        blank=True,
        help_text=_("Empty: all campaigns of the user."),
    )
    digest = models.CharField(_("hash"), max_length=128, unique=True)
    token_key = models.CharField(_("first characters"), max_length=25)
    created_at = models.DateTimeField(_("made"), db_default=Now(), editable=False)
    expiry = models.DateTimeField(_("expires"))
    last_used_at = models.DateTimeField(
        _("last used"), null=True, blank=True, help_text=_("To the hour.")
    )

    objects: ClassVar[models.Manager["ApiToken"]] = models.Manager()

    class Meta:
        verbose_name = _("API token")
        verbose_name_plural = _("API tokens")
        constraints = [is_one_of("scope", TokenScope, name="api_token_scope_is_known")]
        triggers = [
            RecordedInBulk(
                name=f"api_token_recorded_{word}",
                operation=operation,
                fields=["name", "user_id", "scope", "expiry"],
                campaign="m.campaign_id",
                test_set="NULL::bigint",
                called="row_new.name",
                join=_REACHED,
            )
            for word, operation in (("new", pgtrigger.Insert), ("gone", pgtrigger.Delete))
        ]

    def __str__(self) -> str:
        return f"{self.token_key[:8]}… ({self.name})"
