"""What Prometheus is told of outboxes and jobs: what waits, for how long, and what was given up."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from campaign.models import (
    Campaign,
    Job,
    JobKind,
    JobState,
    WebhookDelivery,
    WebhookEndpoint,
)
from campaign.services.jobs import MAX_ATTEMPTS, job_queue, job_run
from campaign.services.webhooks import (
    Answer,
    delivery_attempt,
    delivery_claim,
    message_put,
)
from config.metrics import _database_samples

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def told() -> dict[str, float]:
    """Samples by name and labels: `quintet_jobs export queued`."""
    return {
        " ".join([name, *labels.values()]): value
        for name, labels, value in _database_samples()
    }


def of(prefix: str) -> dict[str, float]:
    return {
        name.removeprefix(prefix).strip(): value
        for name, value in told().items()
        if name.split(" ")[0] == prefix and value
    }


class TestWebhooks:
    @pytest.fixture
    def message(self, campaign: Campaign) -> Callable[..., WebhookDelivery]:
        def put(url: str = "https://example.org/", **changes: Any) -> WebhookDelivery:
            endpoint, _made = WebhookEndpoint.objects.get_or_create(
                campaign=campaign,
                url=url,
                defaults={"events": ["campaign.closed"], "secret": "whsec_aaaa"},
            )
            assert message_put(endpoint=endpoint, event="campaign.closed", data={})
            delivery = WebhookDelivery.objects.latest("pk")
            WebhookDelivery.objects.filter(pk=delivery.pk).update(**changes)
            return delivery

        return put

    def test_messages_are_told_apart_by_whether_they_were_tried(
        self,
        message: Callable[..., WebhookDelivery],
    ) -> None:
        message()
        message(attempts=2)
        message(attempts=3)
        message(state="delivered", next_attempt_at=None, attempted_at=timezone.now())
        given_up = {"state": "failed", "next_attempt_at": None}
        message(**given_up, attempted_at=timezone.now() - 23 * HOUR)
        message(**given_up, attempted_at=timezone.now() - 25 * HOUR)
        assert of("quintet_webhook_deliveries") == {
            "waiting": 1,
            "retried": 2,
            "failed": 1,
        }

    def test_an_attempt_that_fails_makes_the_receiver_failing(
        self,
        message: Callable[..., WebhookDelivery],
    ) -> None:
        message()
        assert of("quintet_webhook_endpoints") == {"well": 1}
        delivery = delivery_claim()
        assert delivery is not None
        delivery_attempt(delivery=delivery, post=lambda **_sent: Answer(code=500))
        assert of("quintet_webhook_endpoints") == {"failing": 1}
        assert of("quintet_webhook_deliveries") == {"retried": 1}

    def test_delivery_waits_from_its_due_time(
        self,
        message: Callable[..., WebhookDelivery],
    ) -> None:
        now = timezone.now()
        message(next_attempt_at=now - HOUR, created_at=now - 5 * HOUR)
        message(next_attempt_at=now + HOUR, created_at=now - 9 * HOUR)
        found = told()
        assert found["quintet_webhook_delivery_wait_seconds"] == pytest.approx(
            3600,
            abs=60,
        )
        assert found["quintet_webhook_delivery_age_seconds"] == pytest.approx(
            9 * 3600,
            abs=60,
        )


class TestJobs:
    def test_are_told_apart_by_kind_and_state(self, campaign: Campaign) -> None:
        for kind in (
            JobKind.EXPORT,
            JobKind.EXPORT,
            JobKind.TEXTS_IMPORT,
            JobKind.ANALYSIS,
        ):
            job_queue(campaign=campaign, kind=kind, name="a")
        first, second, third, _waiting = Job.objects.order_by("pk")
        now = timezone.now()
        Job.objects.filter(pk=first.pk).update(
            state="running",
            started_at=now - 2 * HOUR,
        )
        ended = {"state": "failed", "error": "broken"}
        Job.objects.filter(pk=second.pk).update(**ended, finished_at=now - 23 * HOUR)
        Job.objects.filter(pk=third.pk).update(**ended, finished_at=now - 25 * HOUR)
        Job.objects.filter(state=JobState.QUEUED).update(created_at=now - HOUR)
        assert of("quintet_jobs") == {
            "export running": 1,
            "export failed": 1,
            "analysis queued": 1,
        }
        found = told()
        assert found["quintet_job_wait_seconds"] == pytest.approx(3600, abs=60)
        assert found["quintet_job_run_seconds"] == pytest.approx(7200, abs=60)

    def test_one_that_is_given_up_is_an_error_in_the_log(
        self,
        campaign: Campaign,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        job = job_queue(campaign=campaign, kind=JobKind.EXPORT, name="a")
        Job.objects.filter(pk=job.pk).update(attempts=MAX_ATTEMPTS)
        assert not job_run(job_id=job.pk)
        [record] = [each for each in caplog.records if each.levelname == "ERROR"]
        assert str(job.pk) in record.getMessage()
        assert of("quintet_jobs") == {"export failed": 1}
