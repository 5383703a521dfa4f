"""Webhooks: endpoints of a campaign, the outbox of what they are told, and its delivery."""

from campaign.services.webhooks.deliver import delivery_attempt, delivery_claim, webhooks_deliver
from campaign.services.webhooks.endpoints import (
    MOST_ENDPOINTS,
    WebhookRefusedError,
    webhook_change,
    webhook_create,
    webhook_delete,
    webhook_pause,
    webhook_resume,
    webhook_secret_rotate,
)
from campaign.services.webhooks.outbox import (
    message_put,
    webhook_event_record,
    webhook_redeliver,
    webhook_test,
    webhooks_forget,
)

__all__ = [
    "MOST_ENDPOINTS",
    "WebhookRefusedError",
    "delivery_attempt",
    "delivery_claim",
    "message_put",
    "webhook_change",
    "webhook_create",
    "webhook_delete",
    "webhook_event_record",
    "webhook_pause",
    "webhook_redeliver",
    "webhook_resume",
    "webhook_secret_rotate",
    "webhook_test",
    "webhooks_deliver",
    "webhooks_forget",
]
