"""Messages arrive at least once, each attempt signed anew, however the receiver and the worker fare."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone
from standardwebhooks import Webhook, WebhookVerificationError

from campaign.models import (
    ActivityEvent,
    DeliveryState,
    WebhookDelivery,
    WebhookEndpoint,
)
from campaign.services import webhooks
from campaign.services.webhooks import (
    Answer,
    WebhookRefusedError,
    delivery_attempt,
    delivery_claim,
    webhook_pause,
    webhook_redeliver,
    webhook_resume,
    webhook_secret_rotate,
    webhook_test,
    webhooks_deliver,
    webhooks_forget,
)
from tests.documentation.pages import read_page
from tests.integration.webhooks.conftest import Receiver

pytestmark = pytest.mark.django_db


def later(**span: float) -> None:
    """Let so much time pass for what waits."""
    rows = WebhookDelivery.objects.filter(state=DeliveryState.WAITING)
    rows.update(next_attempt_at=F("next_attempt_at") - timedelta(**span))


def test_a_second_implementation_verifies_what_arrives(
    endpoint: WebhookEndpoint,
    receiver: Receiver,
) -> None:
    webhook_test(endpoint=endpoint)
    assert webhooks_deliver() == 1
    ((headers, body),) = receiver.got
    [block] = [
        block for block in read_page("docs/webhooks.md").blocks if block.is_program
    ]
    names = {"secret": endpoint.secret, "body": body, "headers": headers}
    exec(block.text, names)
    event: Any = names["event"]
    assert event["type"] == "webhook.test"
    assert event["data"] == {"campaign": "museum"}
    assert headers["content-type"] == "application/json"
    with pytest.raises(WebhookVerificationError):
        Webhook(endpoint.secret).verify(body.replace("museum", "zoo"), headers)
    delivery = WebhookDelivery.objects.get()
    assert (delivery.state, delivery.answer_code, delivery.attempts) == (
        "delivered",
        200,
        1,
    )
    assert webhooks_deliver() == 0


def test_failed_delivery_is_retried_with_the_same_id_and_a_new_time(
    endpoint: WebhookEndpoint,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    receiver.codes = [500, 503, 200]
    webhook_test(endpoint=endpoint)
    begun = timezone.now()
    for attempt in range(3):
        moment = begun + timedelta(minutes=10 * attempt)
        monkeypatch.setattr(timezone, "now", lambda moment=moment: moment)
        webhooks_deliver()
        later(hours=1)
    assert len(set(receiver.ids)) == 1
    assert len({body for _headers, body in receiver.got}) == 1
    times = [int(headers["webhook-timestamp"]) for headers, _body in receiver.got]
    assert [times[1] - times[0], times[2] - times[1]] == [600, 600]
    assert len({headers["webhook-signature"] for headers, _body in receiver.got}) == 3
    monkeypatch.undo()
    Webhook(endpoint.secret).verify(receiver.got[0][1], receiver.got[0][0])
    delivery = WebhookDelivery.objects.get()
    assert (delivery.state, delivery.attempts) == ("delivered", 3)
    endpoint.refresh_from_db()
    assert endpoint.failing_since is None


def test_a_slow_receiver_is_given_up_and_its_other_messages_wait_for_the_next_round(
    endpoint: WebhookEndpoint,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(webhooks, "STEP_SECONDS", 0.2)
    receiver.may_answer.clear()
    for _message in range(3):
        webhook_test(endpoint=endpoint)
    assert webhooks_deliver() == 0
    assert len(receiver.got) == 1
    errors = WebhookDelivery.objects.exclude(error="").values_list("error", flat=True)
    assert list(errors) == ["The server timed out."]


def test_all_of_an_attempt_ends_in_time(
    endpoint: WebhookEndpoint,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(webhooks, "TOTAL_SECONDS", 0.3)
    receiver.may_answer.clear()
    webhook_test(endpoint=endpoint)
    assert webhooks_deliver() == 0
    assert WebhookDelivery.objects.get().error


def test_a_worker_that_is_lost_between_sending_and_recording_sends_again_under_the_same_id(
    endpoint: WebhookEndpoint,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    webhook_test(endpoint=endpoint)

    def killed(*_args: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as lost:
        lost.setattr(webhooks, "_record", killed)
        with pytest.raises(KeyboardInterrupt):
            webhooks_deliver()
    assert len(receiver.got) == 1
    # Nobody sends while the lost worker could still be at it.
    assert webhooks_deliver() == 0
    later(seconds=webhooks.LEASE.total_seconds() + 1)
    assert webhooks_deliver() == 1
    assert len(receiver.ids) == 2
    assert len(set(receiver.ids)) == 1
    assert WebhookDelivery.objects.get().attempts == 2


def test_late_worker_does_not_overwrite_another_attempt(
    endpoint: WebhookEndpoint,
) -> None:
    webhook_test(endpoint=endpoint)
    late = delivery_claim()
    later(minutes=3)
    second = delivery_claim()
    assert late is not None
    assert second is not None
    assert delivery_attempt(delivery=second, post=lambda **_sent: Answer(code=200))
    delivery_attempt(delivery=late, post=lambda **_sent: Answer(code=500))
    assert WebhookDelivery.objects.get().state == DeliveryState.DELIVERED


def test_after_days_of_failure_an_endpoint_is_switched_off(
    endpoint: WebhookEndpoint,
    receiver: Receiver,
) -> None:
    receiver.codes = [500]
    webhook_test(endpoint=endpoint)
    webhooks_deliver()
    endpoint.refresh_from_db()
    assert endpoint.is_on
    WebhookEndpoint.objects.update(failing_since=Now() - timedelta(days=5, seconds=1))
    later(days=1)
    webhooks_deliver()
    endpoint.refresh_from_db()
    assert endpoint.disabled_at is not None
    later(days=9)
    assert delivery_claim() is None
    with pytest.raises(WebhookRefusedError):
        webhook_test(endpoint=endpoint)
    assert ActivityEvent.objects.filter(kind="campaign.webhookendpoint").count() == 2
    receiver.codes = [200]
    webhook_resume(endpoint=endpoint)
    assert webhooks_deliver() == 1


def test_a_receiver_that_says_it_is_gone_is_switched_off_at_once(
    endpoint: WebhookEndpoint,
    receiver: Receiver,
) -> None:
    receiver.codes = [410]
    webhook_test(endpoint=endpoint)
    webhooks_deliver()
    endpoint.refresh_from_db()
    assert endpoint.disabled_at is not None
    assert WebhookDelivery.objects.get().state == DeliveryState.FAILED


def test_redirects_are_not_followed(
    endpoint: WebhookEndpoint,
    receiver: Receiver,
) -> None:
    receiver.codes, receiver.location = [302], "/elsewhere"
    webhook_test(endpoint=endpoint)
    assert webhooks_deliver() == 0
    assert len(receiver.got) == 1
    assert WebhookDelivery.objects.get().answer_code == 302


def test_both_secrets_sign_while_one_takes_over(
    endpoint: WebhookEndpoint,
    receiver: Receiver,
) -> None:
    before = endpoint.secret
    webhook_secret_rotate(endpoint=endpoint)
    assert endpoint.secret != before
    webhook_test(endpoint=endpoint)
    webhooks_deliver()
    for secret in (before, endpoint.secret):
        Webhook(secret).verify(receiver.got[0][1], receiver.got[0][0])
    WebhookEndpoint.objects.update(old_secret_until=Now())
    webhook_test(endpoint=endpoint)
    webhooks_deliver()
    Webhook(endpoint.secret).verify(receiver.got[1][1], receiver.got[1][0])
    with pytest.raises(WebhookVerificationError):
        Webhook(before).verify(receiver.got[1][1], receiver.got[1][0])
    webhooks_forget()
    endpoint.refresh_from_db()
    assert (endpoint.old_secret, endpoint.old_secret_until) == ("", None)


def test_a_click_sends_a_message_again_under_its_id(
    endpoint: WebhookEndpoint,
    receiver: Receiver,
) -> None:
    webhook_test(endpoint=endpoint)
    webhooks_deliver()
    webhook_redeliver(delivery=WebhookDelivery.objects.get())
    assert webhooks_deliver() == 1
    assert len(receiver.ids) == 2
    assert len(set(receiver.ids)) == 1


def test_nothing_is_sent_while_an_endpoint_is_paused(
    endpoint: WebhookEndpoint,
    receiver: Receiver,
) -> None:
    webhook_test(endpoint=endpoint)
    webhook_pause(endpoint=endpoint)
    assert webhooks_deliver() == 0
    webhook_resume(endpoint=endpoint)
    assert webhooks_deliver() == 1


def test_no_log_has_a_secret(
    endpoint: WebhookEndpoint,
    receiver: Receiver,
    caplog: pytest.LogCaptureFixture,
) -> None:
    receiver.codes = [500]
    webhook_test(endpoint=endpoint)
    webhooks_deliver()
    assert endpoint.secret not in caplog.text
    stored = json.dumps(list(WebhookDelivery.objects.values()), default=str)
    recorded = json.dumps(list(ActivityEvent.objects.values()), default=str)
    for text in (stored, recorded):
        assert endpoint.secret not in text
    assert receiver.url not in recorded
