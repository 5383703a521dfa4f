"""Reads of webhooks: the endpoints of a campaign, and the messages sent to each."""

from django.db.models import Count, Q, QuerySet

from campaign.models import (
    Campaign,
    DeliveryState,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEvent,
)


def endpoints_asking(event: WebhookEvent) -> QuerySet[WebhookEndpoint]:
    """Return the endpoints that receive an event: those of real campaigns that are switched on."""
    return WebhookEndpoint.objects.filter(
        paused_at=None,
        disabled_at=None,
        events__contains=[str(event)],
        campaign__rehearsal_of=None,
    )


def webhooks_of(*, campaign: Campaign) -> QuerySet[WebhookEndpoint]:
    """Return the endpoints of a campaign, each with `waiting` and `failed`, numbers of messages. One query."""
    return WebhookEndpoint.objects.filter(campaign=campaign).annotate(
        waiting=Count("deliveries", filter=Q(deliveries__state=DeliveryState.WAITING)),
        failed=Count("deliveries", filter=Q(deliveries__state=DeliveryState.FAILED)),
    )


def deliveries_of(*, endpoint: WebhookEndpoint) -> QuerySet[WebhookDelivery]:
    """Return the messages to an endpoint of the last thirty days, the newest first."""
    return WebhookDelivery.objects.filter(endpoint=endpoint).order_by("-pk")
