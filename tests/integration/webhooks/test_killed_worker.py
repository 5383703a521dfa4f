"""A worker is killed by a signal in the middle of a delivery: nothing is lost, and nothing is another message."""

import os
from collections.abc import Callable
from datetime import timedelta
from subprocess import Popen

import pytest
from celery import current_app
from django.db.models import F

from campaign.models import Campaign, DeliveryState, WebhookDelivery, WebhookEndpoint
from campaign.services import webhooks
from campaign.services.webhooks import webhook_create, webhook_test
from tests.integration.webhooks.conftest import Receiver

pytestmark = pytest.mark.thorough


Eventually = Callable[[Callable[[], bool]], None]
StartWorker = Callable[..., "Popen[bytes]"]
MESSAGES = 3


@pytest.fixture
def endpoint(
    transactional_db: None,
    campaign: Campaign,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
) -> WebhookEndpoint:
    """An endpoint on this machine, which a worker may be sent to, too."""
    for name in ("WEBHOOKS_ALLOW_PRIVATE", "WEBHOOKS_ALLOW_HTTP"):
        monkeypatch.setitem(os.environ, name, "1")
    return webhook_create(
        campaign=campaign,
        url=receiver.url,
        events=["campaign.closed"],
    )


def ask_for_delivery() -> None:
    current_app.send_task("annotation.tasks.deliver_webhooks", ignore_result=True)


def delivered() -> int:
    return WebhookDelivery.objects.filter(state=DeliveryState.DELIVERED).count()


def test_delivery_of_a_killed_worker_is_repeated_with_its_id(
    endpoint: WebhookEndpoint,
    receiver: Receiver,
    start_worker: StartWorker,
    eventually: Eventually,
) -> None:
    for _number in range(MESSAGES):
        webhook_test(endpoint=endpoint)
    ids = {f"msg_{each.message_id.hex}" for each in WebhookDelivery.objects.all()}
    receiver.may_answer.clear()
    first = start_worker("webhooks")
    ask_for_delivery()
    # It has sent the first message, and waits for the answer.
    eventually(lambda: len(receiver.got) == 1)
    first.kill()
    first.wait()
    assert delivered() == 0
    receiver.may_answer.set()
    start_worker("webhooks")
    ask_for_delivery()
    # What nobody was sending goes out at once; the other one waits, since it could still be on its way.
    eventually(lambda: delivered() == MESSAGES - 1)
    [lost] = WebhookDelivery.objects.filter(state=DeliveryState.WAITING)
    assert receiver.ids.count(f"msg_{lost.message_id.hex}") == 1
    WebhookDelivery.objects.filter(pk=lost.pk).update(
        next_attempt_at=F("next_attempt_at") - webhooks.LEASE - timedelta(seconds=1),
    )
    ask_for_delivery()
    eventually(lambda: delivered() == MESSAGES)
    assert set(receiver.ids) == ids
    assert sorted(receiver.ids.count(each) for each in ids) == [1, 1, 2]
    bodies = {headers["webhook-id"]: body for headers, body in receiver.got}
    assert all(body == bodies[headers["webhook-id"]] for headers, body in receiver.got)
