"""API tokens, webhooks and what is sent to them."""

from functools import partial

from django.utils import timezone

from campaign.models import ApiToken, Campaign, WebhookDelivery, WebhookEndpoint, WebhookMark
from tests.factories import make_campaign, make_organiser
from tests.integration.constraints.breakages import Attempt, Create, breaks, breaks_by_fields
from tests.integration.constraints.worlds import small_task


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


@breaks("campaign.ApiToken.digest")
def two_tokens_have_one_hash(attempt: Attempt) -> None:
    create = token()
    with attempt.refuses():
        create(digest="1")
    with attempt.accepts():
        create()


breaks_by_fields("api_token_scope_is_known", token, {"scope": "all"}, accepted={"scope": "read"})
breaks_by_fields(
    "webhook_asks_for_known_events",
    endpoint,
    {"events": []},
    {"events": ["campaign.closed", "x"]},
    accepted={"events": ["ranking.finished", "judgments.created"]},
)
breaks_by_fields(
    "webhook_secret_is_one",
    endpoint,
    {"secret": ""},
    {"secret": "x"},
)
breaks_by_fields(
    "webhook_old_secret_has_an_end",
    endpoint,
    {"old_secret": "x"},
    {"old_secret_until": timezone.now()},
    accepted={"old_secret": "x", "old_secret_until": timezone.now()},
)
breaks_by_fields(
    "webhook_delivery_state_is_known",
    delivery,
    {"state": "lost", "next_attempt_at": None},
    accepted={"state": "waiting"},
)
breaks_by_fields(
    "webhook_delivery_has_a_next_attempt_while_waiting",
    delivery,
    {"next_attempt_at": None},
    {"state": "failed", "next_attempt_at": timezone.now()},
    accepted={"state": "delivered", "next_attempt_at": None},
)


@breaks("webhook_message_once_per_endpoint")
def a_message_goes_to_an_endpoint_twice(attempt: Attempt) -> None:
    create = delivery()
    with attempt.refuses():
        create(message_id="00000000-0000-4000-8000-000000000001")
    with attempt.accepts():
        create()


@breaks("webhook_mark_once_per_endpoint_and_task")
def an_endpoint_has_two_marks_of_a_task(attempt: Attempt) -> None:
    task = small_task()
    own = endpoint_of(task.test_set.campaign)
    create = partial(WebhookMark.objects.create, task=task, number=1)
    create(endpoint=own)
    with attempt.refuses():
        create(endpoint=own)
    with attempt.accepts():
        create(endpoint=endpoint_of(task.test_set.campaign))


def endpoint_of(campaign: Campaign) -> WebhookEndpoint:
    return WebhookEndpoint.objects.create(
        campaign=campaign,
        url="https://example.org/",
        events=["campaign.closed"],
        secret="whsec_YQ==",
    )
