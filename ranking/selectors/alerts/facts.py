"""What alerts are made of, read for any number of campaigns in as many queries as for one."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.models import Design, JudgeAccount
from campaign.models import (
    BadReference,
    Campaign,
    InvitationMail,
    Job,
    JobState,
    Judge,
    MailState,
    Segment,
    Task,
    WebhookEndpoint,
)
from ranking.selectors.overview import TaskOverview, overviews_of_campaigns
from ranking.selectors.rule_effects import rules_waiting

#: How long a job that failed, and a judge who was told that no work is left, are news.
NEWS: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Controls:
    """The damaged references of a test set: how many its design asks for, of so many segments, and has."""

    wanted: int
    approved: int
    segments: int


@dataclass(frozen=True, slots=True)
class CampaignFacts:
    """A campaign at a moment, as alerts see it.

    Attributes
    ----------
    rules_waiting : int
        Rules that wait for an organiser's word.
    mails_failed, member_mails_failed : int
        Invitations to judges, and to become a member, that the mail server refused, and that nobody withdrew or
        sent again.
    webhooks_off : int
        Webhooks that were switched off since they failed.
    jobs_failed : sequence of Job
        Of the last week, the newest first, without those begun again since.
    controls : mapping of int to Controls
        By open test set whose design asks for damaged references.
    none_left : mapping of int to int
        By open test set: judges who were told in the last week that no work is left for them, and have had none since.
    """

    campaign: Campaign
    overviews: Sequence[TaskOverview]
    now: datetime
    rules_waiting: int = 0
    has_judges: bool = False
    mails_failed: int = 0
    member_mails_failed: int = 0
    jobs_failed: Sequence[Job] = ()
    webhooks_off: int = 0
    controls: Mapping[int, Controls] = field(default_factory=dict)
    none_left: Mapping[int, int] = field(default_factory=dict)


def campaign_facts(
    *, campaigns: Sequence[Campaign], now: datetime | None = None
) -> list[CampaignFacts]:
    """Return the facts of campaigns, in their order. At most 20 queries, however many they are."""
    now = timezone.localtime(now)
    overviews = overviews_of_campaigns(campaigns=campaigns, now=now)
    running = [row.task.pk for rows in overviews.values() for row in rows if row.is_open]
    waiting = rules_waiting(campaigns=campaigns)
    people = _people(campaigns)
    jobs = _jobs_failed(campaigns, since=now - NEWS)
    controls = _controls(running)
    none_left = _none_left(running, since=now - NEWS)
    return [
        CampaignFacts(
            campaign=campaign,
            overviews=overviews[campaign.pk],
            now=now,
            rules_waiting=waiting[campaign.pk],
            has_judges=people[campaign.pk][0],
            mails_failed=people[campaign.pk][1],
            member_mails_failed=people[campaign.pk][2],
            jobs_failed=jobs[campaign.pk],
            webhooks_off=people[campaign.pk][3],
            controls=controls,
            none_left=none_left,
        )
        for campaign in campaigns
    ]


def _people(campaigns: Sequence[Campaign]) -> dict[int, tuple[Any, ...]]:
    """Return of each campaign whether it has judges, how many invitations failed, by whom they are to, and webhooks off. One query."""
    failed = InvitationMail.objects.filter(
        campaign=OuterRef("pk"), state=MailState.FAILED, withdrawn_at__isnull=True
    )
    off = WebhookEndpoint.objects.filter(campaign=OuterRef("pk"), disabled_at__isnull=False)
    to_judges = failed.filter(judge__isnull=False, judge__withdrawn_at__isnull=True)
    rows = Campaign.objects.filter(pk__in=[campaign.pk for campaign in campaigns]).values_list(
        "pk",
        Exists(Judge.objects.filter(campaign=OuterRef("pk"))),
        _count(to_judges, "campaign"),
        _count(failed.to_members(), "campaign"),
        _count(off, "campaign"),
    )
    return {campaign: (judged, *counts) for campaign, judged, *counts in rows}


def _jobs_failed(campaigns: Sequence[Campaign], *, since: datetime) -> dict[int, list[Job]]:
    recent = Job.objects.filter(campaign__in=campaigns, created_at__gte=since - NEWS)
    again: set[tuple[int, str, str]] = set()
    failed = defaultdict(list)
    for job in recent.defer("log", "parameters", "result").order_by("-pk"):
        same = (job.campaign_id, job.kind, job.name)
        is_news = job.finished_at is not None and job.finished_at >= since
        if job.state == JobState.FAILED and is_news and same not in again:
            failed[job.campaign_id].append(job)
        again.add(same)
    return failed


def _controls(tasks: Sequence[int]) -> dict[int, Controls]:
    latest = (
        Design.objects.not_imported()
        .filter(task__in=tasks)
        .order_by("task", "-pk")
        .distinct("task")
    )
    rates = {of: rate for of, rate in latest.values_list("task", "bad_reference_rate") if rate}
    if not rates:
        return {}
    approved = BadReference.objects.filter(status=BadReference.Status.APPROVED)
    counts = Task.objects.filter(pk__in=rates).values_list(
        "pk",
        _count(Segment.objects.filter(test_set=OuterRef("test_set")), "test_set"),
        _count(
            approved.filter(output__system__test_set=OuterRef("test_set")),
            "output__system__test_set",
        ),
    )
    return {
        of: Controls(wanted=int(rates[of] * segments), approved=found, segments=segments)
        for of, segments, found in counts
    }


def _count(rows: "QuerySet[Any, Any]", of: str) -> Coalesce:
    counted = rows.order_by().values(of).annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counted), 0)


def _none_left(tasks: Sequence[int], *, since: datetime) -> Counter[int]:
    # Lending a HIT clears `none_left_at`.
    told = JudgeAccount.objects.filter(
        task__in=tasks,
        none_left_at__gte=since,
        judge__withdrawn_at__isnull=True,
        judge__origin=Judge.Origin.PERSON,
    ).exclude(blocks_closed__gte=F("judge__campaign__blocks_per_judge"))
    return Counter(told.values_list("task", flat=True))
