"""Alerts for organisers: kinds with their reason and action, and the facts they are computed from."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, TypedDict

from django.db import models
from django.db.models import Count, Exists, OuterRef, Sum
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from annotation.models import Design, JudgeAccount, QualityAction, WorkedQuarterHour
from annotation.selectors.judges_needed import judges_without_task
from annotation.selectors.pool import accounts_waiting
from annotation.selectors.progress import assignments_unfinished, judges_done
from campaign.database.many_rows import count_of
from campaign.models import (
    BadReference,
    Campaign,
    CampaignState,
    Job,
    JobKind,
    JobState,
    Judge,
    Mail,
    MailState,
    Segment,
    Task,
    WebhookEndpoint,
)
from campaign.texts.counted import counted
from campaign.texts.joining import comma_list, sentence_list
from ranking.reports.wording.stopping_rules import rule_in_words
from ranking.selectors.dashboards import TaskOverview, overviews_of_campaigns
from ranking.selectors.quality_rules import (
    rules_waiting,
)


class AlertKind(models.TextChoices):
    """Kinds of alerts; their conditions are in this module."""

    RULES_WAIT = "rules_wait"
    REPORTS_OPEN = "reports_open"
    NO_JUDGES = "no_judges"
    MAILS_FAILED = "mails_failed"
    JOB_FAILED = "job_failed"
    WEBHOOK_OFF = "webhook_off"
    COMPLETE = "complete"
    RULE_MET = "rule_met"
    STALLED = "stalled"
    LOW_AGREEMENT = "low_agreement"
    CONTROLS_SHORT = "controls_short"
    WORK_GONE = "work_gone"
    NEVER_LENT = "never_lent"
    JUDGES_WARNED = "judges_warned"
    ENDS_LATE = "ends_late"
    FORECAST_SLIPPED = "forecast_slipped"


@dataclass(frozen=True, slots=True)
class Alert:
    """An item for an organiser's attention: problem, reason, and the page to act on, as a path on this server."""

    kind: AlertKind
    what: str
    why: str
    button: str
    address: str
    task_id: int | None = None


#: How long a failed job, or a judge without work, is reported.
NEWS: Final = timedelta(days=7)
#: Names in an alert about several judges.
_NAMES_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class CampaignFacts:
    """The state of a campaign, as input of alerts.

    Attributes
    ----------
    rules_waiting : int
        Rules that wait for an organiser's confirmation.
    mails_failed, member_mails_failed : int
        Invitations to judges and to members that the mail server refused and that were neither withdrawn nor resent.
    webhooks_off : int
        Webhooks that were disabled after failures.
    jobs_failed : sequence of Job
        Failed jobs of the last week, newest first, without those restarted since.
    controls : mapping of int to mapping
        For each open test set whose design includes damaged references: the numbers `wanted` and `approved`, and the
        number of `segments`.
    none_left : mapping of int to int
        For each open test set: judges who were told in the last week that no work is left and have had none since,
        though they want more and wait for no other judge.
    never_lent : sequence of str
        If the campaign is open: judges, as `Judge.called`, for whom no open test set is.
    warned : int
        Judges warned, paused or excluded by a rule in the last week.
    active_ms : int
        Total active time of all judges.
    now : datetime
        In the campaign's time zone, as the days of the overviews.
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
    controls: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    none_left: Mapping[int, int] = field(default_factory=dict)
    never_lent: Sequence[str] = ()
    warned: int = 0
    active_ms: int = 0


def campaign_facts(
    *,
    campaigns: Sequence[Campaign],
    now: datetime | None = None,
) -> list[CampaignFacts]:
    """Return the facts of campaigns, in the same order.

    At most 26 queries for any number of campaigns, and one more for each further time zone.
    """
    now = now or timezone.now()
    overviews = overviews_of_campaigns(campaigns=campaigns, now=now)
    running = []
    for rows in overviews.values():
        for row in rows:
            if row.task.closed_at is None:
                running.append(row.task.pk)
    waiting = rules_waiting(campaigns=campaigns)
    people = _people(campaigns)
    jobs = _jobs_failed(campaigns, since=now - NEWS)
    controls = _controls(running)
    none_left = _none_left(running, since=now - NEWS)
    is_open = [
        campaign for campaign in campaigns if campaign.state == CampaignState.OPEN
    ]
    never_lent = judges_without_task(is_open)
    warned = _count_warned_judges(campaigns, since=now - NEWS)
    worked = _active_ms(campaigns)
    facts = []
    for campaign in campaigns:
        of_campaign = CampaignFacts(
            campaign=campaign,
            overviews=overviews[campaign.pk],
            now=timezone.localtime(now, campaign.zone),
            rules_waiting=waiting[campaign.pk],
            **people[campaign.pk],
            jobs_failed=jobs[campaign.pk],
            controls=controls,
            none_left=none_left,
            never_lent=never_lent.get(campaign.pk, ()),
            warned=warned[campaign.pk],
            active_ms=worked.get(campaign.pk, 0),
        )
        facts.append(of_campaign)
    return facts


def _active_ms(campaigns: Sequence[Campaign]) -> dict[int, int]:
    """Return the active time of each campaign's judges, in milliseconds. One query."""
    rows: Any = WorkedQuarterHour.objects.filter(
        task__test_set__campaign__in=campaigns,
        judge__origin=Judge.Origin.PERSON,
    ).order_by()
    summed = rows.values("task__test_set__campaign").annotate(total=Sum("active_ms"))
    return dict(summed.values_list("task__test_set__campaign", "total"))


class _People(TypedDict):
    """Judges of a campaign, if any, and the numbers of its failed invitations and disabled webhooks."""

    has_judges: bool
    mails_failed: int
    member_mails_failed: int
    webhooks_off: int


def _people(campaigns: Sequence[Campaign]) -> dict[int, _People]:
    """Return for each campaign whether it has judges, and its failed invitations and disabled webhooks. One query."""
    failed = Mail.objects.filter(
        campaign=OuterRef("pk"),
        state=MailState.FAILED,
        withdrawn_at__isnull=True,
    )
    off = WebhookEndpoint.objects.filter(
        campaign=OuterRef("pk"),
        disabled_at__isnull=False,
    )
    to_judges = failed.filter(judge__isnull=False, judge__withdrawn_at__isnull=True)
    rows: Any = Campaign.objects.filter(
        pk__in=[campaign.pk for campaign in campaigns],
    ).values(
        "pk",
        has_judges=Exists(Judge.objects.filter(campaign=OuterRef("pk"))),
        mails_failed=count_of(to_judges, "campaign"),
        member_mails_failed=count_of(failed.to_members(), "campaign"),
        webhooks_off=count_of(off, "campaign"),
    )
    return {row.pop("pk"): row for row in rows}


def _jobs_failed(
    campaigns: Sequence[Campaign],
    *,
    since: datetime,
) -> dict[int, list[Job]]:
    # Leave analyses out: pages request them automatically and show failures themselves.
    recent = Job.objects.filter(
        campaign__in=campaigns,
        created_at__gte=since - NEWS,
    ).exclude(kind__in=[JobKind.ANALYSIS, JobKind.SLOW_ANALYSIS])
    again: set[tuple[int, str, str]] = set()
    failed = defaultdict(list)
    for job in recent.defer("parameters", "result").order_by("-pk"):
        same = (job.campaign_id, job.kind, job.name)
        is_news = job.finished_at is not None and job.finished_at >= since
        if job.state == JobState.FAILED and is_news and same not in again:
            failed[job.campaign_id].append(job)
        again.add(same)
    return failed


def _controls(tasks: Sequence[int]) -> dict[int, dict[str, int]]:
    designs = Design.objects.not_imported().filter(task__in=tasks)
    latest = designs.order_by("task", "-pk").distinct("task")
    rates = {}
    for task, rate in latest.values_list("task", "bad_reference_rate"):
        if rate:
            rates[task] = rate
    here = OuterRef("test_set")
    approved = BadReference.objects.filter(
        status=BadReference.Status.APPROVED,
        output__system__test_set=here,
    )
    rows: Any = Task.objects.filter(pk__in=rates).values(
        "pk",
        segments=count_of(Segment.objects.filter(test_set=here), "test_set"),
        approved=count_of(approved, "output__system__test_set"),
    )
    controls = {}
    for counts in rows:
        task = counts.pop("pk")
        counts["wanted"] = int(rates[task] * counts["segments"])
        controls[task] = counts
    return controls


def _none_left(tasks: Sequence[int], *, since: datetime) -> Counter[int]:
    """Return the number of judges of each task who asked for more, hold nothing, and can be lent nothing."""
    # Lending a HIT clears `none_left_at`; planning ahead for a judge who holds one may set it.
    held = assignments_unfinished().filter(
        judge=OuterRef("judge"),
        hit__task=OuterRef("task"),
    )
    accounts = JudgeAccount.objects.filter(
        task__in=tasks,
        none_left_at__gte=since,
        judge__withdrawn_at__isnull=True,
        judge__origin=Judge.Origin.PERSON,
    ).exclude(Exists(held) | Exists(judges_done().filter(pk=OuterRef("judge"))))
    waiting = accounts_waiting(accounts).values("pk")
    return Counter(accounts.exclude(pk__in=waiting).values_list("task", flat=True))


def _count_warned_judges(
    campaigns: Sequence[Campaign],
    *,
    since: datetime,
) -> Counter[int]:
    """Return the number of judges on whom rules acted recently, by campaign. One query."""
    actions = QualityAction.objects.standing().filter(
        judge__campaign__in=campaigns,
        rule__isnull=False,
        created_at__gte=since,
    )
    judges = actions.filter(judge__withdrawn_at=None).order_by()
    by_campaign = judges.values_list("judge__campaign")
    return Counter(dict(by_campaign.annotate(judges=Count("judge", distinct=True))))


#: Days without a block after which a started test set is reported as stalled.
STALLED_DAYS: Final = 3

_S: Final = CampaignState
_JUDGED: Final = frozenset({_S.OPEN})
_BEFORE_AND_WHILE_JUDGED: Final = frozenset({_S.DRAFT, _S.OPEN})
_NOT_OVER: Final = frozenset({_S.DRAFT, _S.OPEN, _S.PAUSED})
_ONCE_JUDGED: Final = frozenset({_S.OPEN, _S.PAUSED, _S.CLOSED})
_NOT_ARCHIVED: Final = frozenset({_S.DRAFT, _S.OPEN, _S.PAUSED, _S.CLOSED})


def alerts_of_campaigns(
    *,
    campaigns: Sequence[Campaign],
    now: datetime | None = None,
) -> dict[int, list[Alert]]:
    """Return the alerts of campaigns by primary key, in the current language. Constant number of queries."""
    alerts = {}
    for facts in campaign_facts(campaigns=campaigns, now=now):
        alerts[facts.campaign.pk] = alerts_in(facts)
    return alerts


def alerts_in(facts: CampaignFacts) -> list[Alert]:
    """Return the alerts of a campaign: its own first, then those of its test sets in their order. No query."""
    state = facts.campaign.state
    alerts = []
    for kind, states, find in _OF_CAMPAIGN:
        if state in states:
            for sentence in find(facts):
                alerts.append(Alert(kind, *sentence))
    for overview in facts.overviews:
        if overview.task.closed_at is not None:
            continue
        for kind, states, find_in in _OF_TEST_SET:
            if state in states:
                for sentence in find_in(facts, overview):
                    alerts.append(Alert(kind, *sentence, overview.task.pk))
    return alerts


def needs_in(facts: CampaignFacts) -> list[Alert]:
    """Return the alerts shown on pages: none for a draft, whose checklist covers them. No query."""
    if facts.campaign.state == CampaignState.DRAFT:
        return []
    return alerts_in(facts)


# Texts and address of an alert: problem, reason, button, address.
_Sentences = Iterator[tuple[str, str, str, str]]


def _rules_wait(facts: CampaignFacts) -> _Sentences:
    if facts.rules_waiting:
        yield (
            counted(
                "%(count)d rule needs your confirmation.",
                "%(count)d rules need your confirmation.",
                facts.rules_waiting,
            ),
            _("More than one in five judges would be paused or excluded."),
            _("Review rules"),
            reverse("quality-rules", args=[facts.campaign.slug]),
        )


def _reports_open(facts: CampaignFacts) -> _Sentences:
    reported = sum(overview.open_reports for overview in facts.overviews)
    if reported:
        address = reverse("problem-reports", args=[facts.campaign.slug])
        yield (
            counted(
                "%(count)d problem report is open.",
                "%(count)d problem reports are open.",
                reported,
            ),
            _("Judges can read your replies."),
            _("View reports"),
            f"{address}?state=open",
        )


def _no_judges(facts: CampaignFacts) -> _Sentences:
    if facts.overviews and not facts.has_judges:
        yield (
            _("No judgments yet."),
            _("Send judges a link; they need no account."),
            _("Invite judges"),
            _invitations(facts),
        )


def _mails_failed(facts: CampaignFacts) -> _Sentences:
    members = reverse("people", args=[facts.campaign.slug])
    failed = (
        (facts.mails_failed, _invitations(facts)),
        (facts.member_mails_failed, members),
    )
    for count, address in failed:
        if count:
            yield (
                counted(
                    "%(count)d invitation could not be sent.",
                    "%(count)d invitations could not be sent.",
                    count,
                ),
                _("The mail server refused the message or could not be reached."),
                _("View invitations"),
                address,
            )


def _job_failed(facts: CampaignFacts) -> _Sentences:
    for job in facts.jobs_failed:
        yield (
            _("%(work)s failed: %(name)s.")
            % {"work": job.get_kind_display(), "name": job.name},
            job.error.partition("\n")[0][:300],
            _("View jobs"),
            reverse("jobs", args=[facts.campaign.slug]),
        )


def _webhook_off(facts: CampaignFacts) -> _Sentences:
    if facts.webhooks_off:
        yield (
            counted(
                "%(count)d webhook was switched off.",
                "%(count)d webhooks were switched off.",
                facts.webhooks_off,
            ),
            _("The server has failed for days or no longer exists."),
            _("View webhooks"),
            reverse("webhooks", args=[facts.campaign.slug]),
        )


def _never_lent(facts: CampaignFacts) -> _Sentences:
    names = facts.never_lent
    if names:
        listed_names = list(names[:_NAMES_SHOWN])
        if len(names) > _NAMES_SHOWN:
            listed_names.append("…")
        yield (
            counted(
                "%(count)d judge can never get an item: %(names)s.",
                "%(count)d judges can never get an item: %(names)s.",
                len(names),
                names=comma_list(listed_names),
            ),
            _("No open test set matches their languages, expertise and groups."),
            _("View judges"),
            reverse("campaign-judges", args=[facts.campaign.slug]),
        )


def _judges_warned(facts: CampaignFacts) -> _Sentences:
    if facts.warned:
        yield (
            counted(
                "Rules warned, paused or excluded %(count)d judge this week.",
                "Rules warned, paused or excluded %(count)d judges this week.",
                facts.warned,
            ),
            _("Check their judgments. You can revert each action."),
            _("Review rules"),
            reverse("quality-rules", args=[facts.campaign.slug]),
        )


def _complete(facts: CampaignFacts, overview: TaskOverview) -> _Sentences:
    if overview.is_done:
        yield (
            _("%(name)s has reached its target.") % {"name": overview.task.called},
            _("Judging continues until you close it."),
            _("Close test set"),
            reverse("test-set-close", args=[facts.campaign.slug, overview.task.pk]),
        )


def _rule_met(facts: CampaignFacts, overview: TaskOverview) -> _Sentences:
    rule = overview.rule
    if rule is not None and rule.is_met:
        yield (
            _("The stopping rule of %(name)s is met.") % {"name": overview.task.called},
            sentence_list(
                [rule_in_words(rule.rule), _("Judging continues until you close it.")],
            ),
            _("Close test set"),
            reverse("test-set-close", args=[facts.campaign.slug, overview.task.pk]),
        )


def _stalled(facts: CampaignFacts, overview: TaskOverview) -> _Sentences:
    if overview.days_idle >= STALLED_DAYS and not overview.is_done:
        yield (
            _("%(name)s has stalled.") % {"name": overview.task.called},
            counted(
                "No judgments for %(count)d day.",
                "No judgments for %(count)d days.",
                overview.days_idle,
            ),
            _("Invite judges"),
            _invitations(facts),
        )


def _low_agreement(facts: CampaignFacts, overview: TaskOverview) -> _Sentences:
    if overview.low_agreement:
        address = reverse("judge-quality", args=[facts.campaign.slug, overview.task.pk])
        yield (
            counted(
                "%(count)d judge in %(name)s has low agreement with the others.",
                "%(count)d judges in %(name)s have low agreement with the others.",
                overview.low_agreement,
                name=overview.task.called,
            ),
            _("The difference is significant. Check their judgments."),
            _("View judges"),
            f"{address}?sort=agreement",
        )


def _controls_short(facts: CampaignFacts, overview: TaskOverview) -> _Sentences:
    controls = facts.controls.get(overview.task.pk)
    if controls and controls["approved"] < controls["wanted"] and not overview.is_done:
        yield (
            _("%(name)s has too few damaged references.")
            % {"name": overview.task.called},
            _(
                "Its design needs %(wanted)d in %(segments)d segments; %(approved)d are approved.",
            )
            % controls,
            _("Review damaged references"),
            reverse("bad-references", args=[facts.campaign.slug, overview.task.pk]),
        )


def _work_gone(facts: CampaignFacts, overview: TaskOverview) -> _Sentences:
    count = facts.none_left.get(overview.task.pk, 0)
    if count and not overview.is_done:
        yield (
            counted(
                "%(count)d judge in %(name)s has nothing left to judge.",
                "%(count)d judges in %(name)s have nothing left to judge.",
                count,
                name=overview.task.called,
            ),
            _("Judges never see a segment twice. Other judges can continue."),
            _("Invite judges"),
            _invitations(facts),
        )


def _ends_late(facts: CampaignFacts, overview: TaskOverview) -> _Sentences:
    closes = facts.campaign.closes_at
    end = overview.end
    if closes is None or end is None or overview.is_done:
        return
    if _forecast_date(facts, end.days) > closes:
        yield (
            _("%(name)s will not be finished when the campaign closes.")
            % {"name": overview.task.called},
            _("Forecast end: %(end)s. The campaign closes on %(closes)s.")
            % {
                "end": _day(_forecast_date(facts, end.days)),
                "closes": _day(timezone.localtime(closes, facts.campaign.zone)),
            },
            _("Change closing date"),
            reverse("campaign-state", args=[facts.campaign.slug]),
        )


def _forecast_slipped(facts: CampaignFacts, overview: TaskOverview) -> _Sentences:
    slip = overview.slip
    end = overview.end
    if slip is not None and end is not None and not overview.is_done:
        yield (
            counted(
                "The forecast end of %(name)s is %(count)d day later than a week ago.",
                "The forecast end of %(name)s is %(count)d days later than a week ago.",
                int(slip),
                name=overview.task.called,
            ),
            _("Forecast end: %(end)s.")
            % {"end": _day(_forecast_date(facts, end.days))},
            _("Invite judges"),
            _invitations(facts),
        )


#: In display order, with the campaign states in which they are shown.
_OF_CAMPAIGN: Final = (
    (AlertKind.RULES_WAIT, _ONCE_JUDGED, _rules_wait),
    (AlertKind.JUDGES_WARNED, _ONCE_JUDGED, _judges_warned),
    (AlertKind.REPORTS_OPEN, _ONCE_JUDGED, _reports_open),
    (AlertKind.NO_JUDGES, _BEFORE_AND_WHILE_JUDGED, _no_judges),
    (AlertKind.NEVER_LENT, _JUDGED, _never_lent),
    (AlertKind.MAILS_FAILED, _NOT_OVER, _mails_failed),
    (AlertKind.JOB_FAILED, _NOT_ARCHIVED, _job_failed),
    (AlertKind.WEBHOOK_OFF, _NOT_ARCHIVED, _webhook_off),
)
#: Open tasks only.
_OF_TEST_SET: Final = (
    (AlertKind.COMPLETE, _JUDGED, _complete),
    (AlertKind.RULE_MET, _JUDGED, _rule_met),
    (AlertKind.STALLED, _JUDGED, _stalled),
    (AlertKind.LOW_AGREEMENT, _ONCE_JUDGED, _low_agreement),
    (AlertKind.CONTROLS_SHORT, _NOT_OVER, _controls_short),
    (AlertKind.WORK_GONE, _JUDGED, _work_gone),
    (AlertKind.ENDS_LATE, _JUDGED, _ends_late),
    (AlertKind.FORECAST_SLIPPED, _JUDGED, _forecast_slipped),
)


def _invitations(facts: CampaignFacts) -> str:
    return reverse("invitations", args=[facts.campaign.slug])


def _forecast_date(facts: CampaignFacts, days: float) -> datetime:
    midnight = facts.now.replace(hour=0, minute=0, second=0, microsecond=0)
    # Dates beyond a thousand years cannot be represented, and are useless for planning.
    return midnight + timedelta(days=min(days, 100_000))


def _day(moment: datetime) -> str:
    return date_format(moment, "DATE_FORMAT")
