"""API tokens, webhooks and what is sent to them."""

from functools import partial

from django.utils import timezone

from campaign.models import ApiToken, WebhookDelivery, WebhookEndpoint
from tests.factories import make_campaign, make_organiser
from tests.integration.constraints.breakages import Create, breaks_by_fields


def token() -> Create:
    user = make_organiser(make_campaign())
    create = partial(ApiToken.objects.create, user=user, token_key="a", expiry=timezone.now())
    create(digest="1")
    return partial(create, digest="2")


def endpoint() -> Create:
    return partial(
        WebhookEndpoint.objects.create,
        campaign=make_campaign(),
        url="https://example.org/",
        events=["campaign.closed"],
        secret="whsec_YQ==",
    )


def delivery() -> Create:
    create = partial(WebhookDelivery.objects.create, endpoint=endpoint()(), event="x", body="{}")
    create(message_id="00000000-0000-4000-8000-000000000001")
    return create


breaks_by_fields(
    "webhook_old_secret_has_an_end",
    endpoint,
    {"old_secret": "x"},
    {"old_secret_until": timezone.now()},
    accepted={"old_secret": "x", "old_secret_until": timezone.now()},
)
breaks_by_fields(
    "webhook_delivery_has_a_next_attempt_while_waiting",
    delivery,
    {"next_attempt_at": None},
    {"state": "failed", "next_attempt_at": timezone.now()},
    accepted={"state": "delivered", "next_attempt_at": None},
)
