"""Fill outboxes with old mails, webhook messages and jobs."""

from datetime import timedelta

from django.utils import timezone

from campaign.models import (
    Campaign,
    Job,
    JobKind,
    JobState,
    Judge,
    Mail,
    MailState,
    User,
    WebhookDelivery,
    WebhookEndpoint,
)


def outboxes_fill(campaign: Campaign, count: int) -> None:
    """Store this number of ended mails, webhook messages and jobs; a tenth failed two days ago."""
    before = timezone.now() - timedelta(days=2)
    endpoint = WebhookEndpoint.objects.create(
        campaign=campaign,
        url="https://example.org/",
        events=["campaign.closed"],
        secret="whsec_aaaa",
    )
    failed = [number % 10 == 0 for number in range(count)]
    WebhookDelivery.objects.bulk_create(
        WebhookDelivery(
            endpoint=endpoint,
            event="campaign.closed",
            body="{}",
            state="failed" if has_failed else "delivered",
            next_attempt_at=None,
            attempted_at=before,
        )
        for has_failed in failed
    )
    Job.objects.bulk_create(
        Job(
            campaign=campaign,
            kind=JobKind.EXPORT,
            state=JobState.FAILED if has_failed else JobState.DONE,
            error="broken" if has_failed else "",
            finished_at=before,
        )
        for has_failed in failed
    )
    names = [f"invited{number:06}" for number in range(count)]
    users = User.objects.bulk_create(User(name=name, password="!") for name in names)
    judges = Judge.objects.bulk_create(
        Judge(campaign=campaign, user=user, pseudonym=user.name) for user in users
    )
    Mail.objects.bulk_create(
        Mail(
            kind="judge",
            campaign=campaign,
            judge=judge,
            address=f"{judge.pseudonym}@example.org",
            language="en",
            base_url="https://quintet.example.org",
            state=MailState.FAILED if has_failed else MailState.SENT,
            claimed_at=before,
            sent_at=None if has_failed else before,
        )
        for judge, has_failed in zip(judges, failed, strict=True)
    )
