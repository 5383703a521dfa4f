"""Webhooks: addresses of a campaign that receive events, and the outbox of messages."""

from typing import ClassVar
from urllib.parse import urlsplit
from uuid import uuid4

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from campaign.database.recording import RecordedModel, Recording
from campaign.database.sealing import SealedField
from campaign.database.times import inserted_at
from campaign.database.triggers import is_one_of
from campaign.models.user import by_user


class WebhookEvent(models.TextChoices):
    """Events that an endpoint can subscribe to."""

    JUDGMENTS = "judgments.created", _("New judgments")
    RANKING = "ranking.finished", _("Ranking saved")
    CLOSED = "campaign.closed", _("Campaign closed")


#: Event of a test message; no endpoint subscribes to it.
TEST_EVENT = "webhook.test"


class DeliveryState(models.TextChoices):
    WAITING = "waiting", pgettext_lazy("message", "waiting")
    DELIVERED = "delivered", pgettext_lazy("message", "delivered")
    FAILED = "failed", pgettext_lazy("message", "failed")


class WebhookEndpoint(RecordedModel):
    """An address that receives a campaign's events.

    The secret is encrypted, not hashed, because messages are signed with it. The old one also signs until
    `old_secret_until`.
    """

    campaign = models.ForeignKey(
        "campaign.Campaign",
        models.CASCADE,
        related_name="webhook_endpoints",
    )
    # Encrypted: the address of a chat is all that one needs to write into it.
    url = SealedField(_("Address"), max_length=1000)
    description = models.CharField(
        _("Description"),
        max_length=200,
        blank=True,
        default="",
    )
    events = ArrayField(models.CharField(max_length=30), verbose_name=_("Events"))
    secret = SealedField(_("Secret"), max_length=100)
    old_secret = SealedField(max_length=100, blank=True, default="")
    old_secret_until = models.DateTimeField(null=True, blank=True)
    paused_at = models.DateTimeField(
        pgettext_lazy("webhook", "Paused"),
        null=True,
        blank=True,
    )
    failing_since = models.DateTimeField(null=True, blank=True)
    disabled_at = models.DateTimeField(
        pgettext_lazy("webhook", "Switched off"),
        null=True,
        blank=True,
        help_text="Set after several days of failures.",
    )
    created_by = by_user()
    # Number of the last judgment reported, by task id; the row is locked while messages are added.
    judgments_told = models.JSONField(default=dict, blank=True)
    created_at = inserted_at()

    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "Webhook created"),
        changed=pgettext_lazy("activity", "Webhook changed"),
        deleted=pgettext_lazy("activity", "Webhook deleted"),
        fields=["description", "events", "paused_at", "disabled_at"],
        hidden=["url", "secret"],
        called="description",
    )

    class Meta:
        verbose_name = _("Webhook")
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(events__contained_by=list(WebhookEvent.values))
                & ~Q(events=[]),
                name="webhook_events_are_known",
            ),
            models.CheckConstraint(
                condition=~Q(secret=""),
                name="webhook_secret_not_empty",
            ),
            models.CheckConstraint(
                condition=Q(old_secret="", old_secret_until=None)
                | (~Q(old_secret="") & Q(old_secret_until__isnull=False)),
                name="webhook_old_secret_has_an_end",
            ),
        ]

    def __str__(self) -> str:
        return self.description or f"webhook {self.pk}"

    @property
    def server(self) -> str:
        """Host of the address, shown to members who may not change it, because an address can be a secret."""
        return urlsplit(self.url).hostname or ""

    @property
    def is_on(self) -> bool:
        """True if messages are sent there."""
        return self.paused_at is None and self.disabled_at is None


class WebhookDelivery(models.Model):
    """A message to an endpoint, and the state of its delivery: the outbox.

    `body` is sent unchanged with each attempt, under the same `message_id`; only time and signature are new. A worker that
    attempts it first moves `next_attempt_at` forward, so that another one tries again if the worker is lost.
    """

    endpoint = models.ForeignKey(
        WebhookEndpoint,
        models.CASCADE,
        related_name="deliveries",
        db_index=False,
    )
    message_id = models.UUIDField(default=uuid4, editable=False)
    event = models.CharField(max_length=30)
    body = models.TextField()
    state = models.CharField(
        max_length=9,
        choices=DeliveryState,
        default=DeliveryState.WAITING,
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True, blank=True, db_default=Now())
    answer_code = models.PositiveSmallIntegerField(null=True, blank=True)
    error = models.CharField(max_length=300, blank=True, default="")
    created_at = inserted_at()
    attempted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            is_one_of("state", DeliveryState, name="webhook_delivery_state_is_known"),
            models.UniqueConstraint(
                fields=["endpoint", "message_id"],
                name="webhook_message_once_per_endpoint",
            ),
            models.CheckConstraint(
                condition=Q(state="waiting", next_attempt_at__isnull=False)
                | (~Q(state="waiting") & Q(next_attempt_at=None)),
                name="webhook_delivery_has_a_next_attempt_while_waiting",
            ),
        ]
        indexes = [
            # For the worker, which looks for messages every few seconds.
            models.Index(
                F("next_attempt_at"),
                name="webhook_delivery_due",
                condition=Q(state="waiting"),
            ),
            # For the metrics.
            models.Index(
                F("attempted_at"),
                name="webhook_delivery_failed",
                condition=Q(state="failed"),
            ),
        ]
