"""What endpoints are told: which events, in which transaction, and nothing that a receiver may not read."""

import json
from uuid import uuid4

import pytest
from django.db import transaction

from annotation.models import JudgmentSequence
from annotation.selectors.judging import assigned_blocks
from annotation.services.numbers import judgment_webhooks_record, judgments_number
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import (
    Campaign,
    System,
    Transition,
    WebhookDelivery,
    WebhookEndpoint,
)
from campaign.models.webhook import TEST_EVENT, WebhookEvent
from campaign.services.campaigns import campaign_state_change
from campaign.services.webhooks import (
    MOST_ENDPOINTS,
    MOST_WAITING,
    WebhookRefusedError,
    message_put,
    webhook_create,
    webhook_pause,
    webhook_resume,
    webhook_test,
)
from ranking.services.runs import ranking_run_compute
from tests.at_work import assignment_lend
from tests.factories import make_campaign, make_judge, make_task
from tests.integration.webhooks.conftest import Receiver

pytestmark = pytest.mark.django_db


def judged(campaign: Campaign, name: str = "ada") -> int:
    """Judge a HIT; return the task."""
    task = make_task(campaign, name=f"set of {name}")
    assignment = assignment_lend(judge=make_judge(campaign, name))
    assert assignment is not None
    for block in assigned_blocks(assignment):
        ranks = [1 + place % 4 for place in range(len(block.candidates))]
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(labels=ranks, duration_ms=9000, active_ms=7000),
        )
    judgments_number(task_id=task.pk)
    return task.pk


def said() -> list[dict]:  # type: ignore[type-arg]
    return [json.loads(each.body) for each in WebhookDelivery.objects.order_by("pk")]


def test_judgments_are_told_in_batches_from_the_watermark_on(
    campaign: Campaign,
    endpoint: WebhookEndpoint,
) -> None:
    task_id = judged(campaign)
    assert judgment_webhooks_record() == 1
    assert judgment_webhooks_record() == 0
    (message,) = said()
    last = JudgmentSequence.objects.get(pk=task_id).last_number
    assert message["type"] == "judgments.created"
    assert message["data"] == {
        "campaign": "museum",
        "task": task_id,
        "test_set": "set of ada",
        "protocol": "ranking",
        "first": 1,
        "watermark": last,
        "count": last,
    }
    JudgmentSequence.objects.filter(pk=task_id).update(last_number=last + 5)
    assert judgment_webhooks_record() == 1
    assert (said()[1]["data"]["first"], said()[1]["data"]["count"]) == (last + 1, 5)


def test_events_during_a_pause_are_sent_as_one_batch(
    campaign: Campaign,
    endpoint: WebhookEndpoint,
) -> None:
    webhook_pause(endpoint=endpoint)
    judged(campaign)
    assert judgment_webhooks_record() == 0
    webhook_resume(endpoint=endpoint)
    assert judgment_webhooks_record() == 1


def test_event_of_a_saved_ranking_is_stored_in_its_transaction(
    campaign: Campaign,
    endpoint: WebhookEndpoint,
) -> None:
    task_id = judged(campaign)
    run = ranking_run_compute(task_id=task_id)
    assert run is not None
    (message,) = said()
    assert message["type"] == "ranking.finished"
    assert message["data"]["ranking"] == run.pk
    assert message["data"]["watermark"] == run.watermark
    for name in System.objects.values_list("name", flat=True):
        assert name not in json.dumps(message["data"])
    assert "ada" not in json.dumps({**message["data"], "test_set": ""})


def test_closing_creates_one_event_or_none(
    campaign: Campaign,
    endpoint: WebhookEndpoint,
) -> None:
    for transition in (Transition.OPEN, Transition.PAUSE):
        campaign_state_change(campaign=campaign, transition=transition, by=None)
    assert said() == []
    with transaction.atomic():
        campaign_state_change(campaign=campaign, transition=Transition.CLOSE, by=None)
        transaction.set_rollback(True)
    assert said() == []
    campaign.refresh_from_db()
    campaign_state_change(campaign=campaign, transition=Transition.CLOSE, by=None)
    campaign_state_change(campaign=campaign, transition=Transition.CLOSE, by=None)
    assert [each["type"] for each in said()] == ["campaign.closed"]


def test_no_message_names_an_address(
    campaign: Campaign,
    endpoint: WebhookEndpoint,
) -> None:
    """Wherever Quintet is reached, below a path too: ids and a token are enough to read the rest."""
    ranking_run_compute(task_id=judged(campaign))
    judgment_webhooks_record()
    webhook_test(endpoint=endpoint)
    for transition in (Transition.OPEN, Transition.CLOSE):
        campaign_state_change(campaign=campaign, transition=transition, by=None)
    assert {each["type"] for each in said()} == {*WebhookEvent.values, TEST_EVENT}
    assert [each for each in said() if "/" in json.dumps(each)] == []


def test_only_those_who_asked_are_told(campaign: Campaign, receiver: Receiver) -> None:
    webhook_create(campaign=campaign, url=receiver.url, events=["ranking.finished"])
    webhook_create(
        campaign=make_campaign("zoo"),
        url=receiver.url,
        events=["campaign.closed"],
    )
    for transition in (Transition.OPEN, Transition.CLOSE):
        campaign_state_change(campaign=campaign, transition=transition, by=None)
    assert said() == []


def test_outboxes_are_bounded(campaign: Campaign, endpoint: WebhookEndpoint) -> None:
    WebhookDelivery.objects.bulk_create(
        WebhookDelivery(endpoint=endpoint, event="webhook.test", body="{}")
        for _each in range(MOST_WAITING)
    )
    assert not message_put(endpoint=endpoint, event="webhook.test", data={})
    judged(campaign)
    assert judgment_webhooks_record() == 0
    WebhookDelivery.objects.all().delete()
    # No judgment was lost by that.
    assert judgment_webhooks_record() == 1
    for _each in range(MOST_ENDPOINTS - 1):
        webhook_create(campaign=campaign, url=endpoint.url, events=["campaign.closed"])
    with pytest.raises(WebhookRefusedError, match="at most 10"):
        webhook_create(campaign=campaign, url=endpoint.url, events=["campaign.closed"])
