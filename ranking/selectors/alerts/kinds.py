"""The one list of kinds of alerts: in which states of a campaign each is raised, and when it holds."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaign.models import Campaign, CampaignState
from ranking.selectors.alerts.alert import Alert, AlertKind
from ranking.selectors.alerts.facts import CampaignFacts, campaign_facts
from ranking.selectors.overview import TaskOverview
from ranking.wording.stopping_rules import rule_in_words

#: Days without a block after which a test set that had begun seems to have stalled.
STALLED_DAYS: Final = 3

_S: Final = CampaignState
_JUDGED: Final = frozenset({_S.OPEN})
_BEFORE_AND_WHILE_JUDGED: Final = frozenset({_S.DRAFT, _S.OPEN})
_NOT_OVER: Final = frozenset({_S.DRAFT, _S.OPEN, _S.PAUSED})
_ONCE_JUDGED: Final = frozenset({_S.OPEN, _S.PAUSED, _S.CLOSED})
_NOT_ARCHIVED: Final = frozenset({_S.DRAFT, _S.OPEN, _S.PAUSED, _S.CLOSED})


@dataclass(frozen=True, slots=True)
class _OfCampaign:
    states: frozenset[CampaignState]
    find: Callable[[CampaignFacts], Iterator[Alert]]


@dataclass(frozen=True, slots=True)
class _OfTask:
    """Looks at open test sets only."""

    states: frozenset[CampaignState]
    find: Callable[[CampaignFacts, TaskOverview], Iterator[Alert]]


def alerts_of_campaigns(
    *, campaigns: Sequence[Campaign], now: datetime | None = None
) -> dict[int, list[Alert]]:
    """Return the alerts of campaigns by primary key, in the language in force. Constant number of queries."""
    return {
        facts.campaign.pk: alerts_in(facts)
        for facts in campaign_facts(campaigns=campaigns, now=now)
    }


def alerts_in(facts: CampaignFacts) -> list[Alert]:
    """Return the alerts of a campaign: its own first, then those of its test sets in their order. No query."""
    state = facts.campaign.state
    found = [
        alert for kind in OF_CAMPAIGN.values() if state in kind.states for alert in kind.find(facts)
    ]
    for overview in facts.overviews:
        if overview.is_open:
            for of_task in OF_TEST_SET.values():
                if state in of_task.states:
                    found += of_task.find(facts, overview)
    return found


def needs_in(facts: CampaignFacts) -> list[Alert]:
    """Return the alerts that pages show: none of a draft, whose checklist says what it lacks. No query."""
    return [] if facts.campaign.state == CampaignState.DRAFT else alerts_in(facts)


def _rules_wait(facts: CampaignFacts) -> Iterator[Alert]:
    if facts.rules_waiting:
        yield Alert(
            AlertKind.RULES_WAIT,
            ngettext(
                "%(count)d rule waits for your answer.",
                "%(count)d rules wait for your answer.",
                facts.rules_waiting,
            )
            % {"count": facts.rules_waiting},
            _("It would stop more than one in five judges."),
            _("See what it would do"),
            reverse("quality-rules", args=[facts.campaign.slug]),
        )


def _reports_open(facts: CampaignFacts) -> Iterator[Alert]:
    reported = sum(overview.open_reports for overview in facts.overviews)
    if reported:
        address = reverse("problem-reports", args=[facts.campaign.slug])
        yield Alert(
            AlertKind.REPORTS_OPEN,
            ngettext(
                "%(count)d problem report is open.",
                "%(count)d problem reports are open.",
                reported,
            )
            % {"count": reported},
            _("Judges read there what you answer."),
            _("Look at the reports"),
            f"{address}?state=open",
        )


def _no_judges(facts: CampaignFacts) -> Iterator[Alert]:
    if facts.overviews and not facts.has_judges:
        yield Alert(
            AlertKind.NO_JUDGES,
            _("Nobody judges yet."),
            _("Send judges a link; they need no account."),
            _("Invite judges"),
            _invitations(facts),
        )


def _mails_failed(facts: CampaignFacts) -> Iterator[Alert]:
    members = reverse("people", args=[facts.campaign.slug])
    failed = ((facts.mails_failed, _invitations(facts)), (facts.member_mails_failed, members))
    for count, address in failed:
        if count:
            yield Alert(
                AlertKind.MAILS_FAILED,
                ngettext(
                    "%(count)d invitation could not be sent.",
                    "%(count)d invitations could not be sent.",
                    count,
                )
                % {"count": count},
                _("The mail server refused it, or could not be reached for hours."),
                _("Look at the invitations"),
                address,
            )


def _job_failed(facts: CampaignFacts) -> Iterator[Alert]:
    for job in facts.jobs_failed:
        yield Alert(
            AlertKind.JOB_FAILED,
            _("%(work)s failed: %(name)s.") % {"work": job.get_kind_display(), "name": job.name},
            job.error.partition("\n")[0][:300],
            _("Look at the work"),
            reverse("jobs", args=[facts.campaign.slug]),
        )


def _webhook_off(facts: CampaignFacts) -> Iterator[Alert]:
    if facts.webhooks_off:
        yield Alert(
            AlertKind.WEBHOOK_OFF,
            ngettext(
                "%(count)d webhook was switched off.",
                "%(count)d webhooks were switched off.",
                facts.webhooks_off,
            )
            % {"count": facts.webhooks_off},
            _("Its server had not taken a message for days, or said that it is gone."),
            _("Look at the webhooks"),
            reverse("webhooks", args=[facts.campaign.slug]),
        )


def _complete(facts: CampaignFacts, overview: TaskOverview) -> Iterator[Alert]:
    if overview.is_done:
        yield Alert(
            AlertKind.COMPLETE,
            _("%(name)s has all the blocks it wants.") % {"name": overview.task.called},
            _("Judges go on until it is closed."),
            _("Close it …"),
            reverse("test-set-close", args=[facts.campaign.slug, overview.task.pk]),
            overview.task.pk,
        )


def _rule_met(facts: CampaignFacts, overview: TaskOverview) -> Iterator[Alert]:
    rule = overview.summary.rule
    if rule is not None and rule.is_met:
        yield Alert(
            AlertKind.RULE_MET,
            _("The stopping rule of %(name)s is met.") % {"name": overview.task.called},
            " ".join([rule_in_words(rule.rule), _("Judges go on until it is closed.")]),
            _("Close it …"),
            reverse("test-set-close", args=[facts.campaign.slug, overview.task.pk]),
            overview.task.pk,
        )


def _stalled(facts: CampaignFacts, overview: TaskOverview) -> Iterator[Alert]:
    if overview.days_idle >= STALLED_DAYS and not overview.is_done:
        yield Alert(
            AlertKind.STALLED,
            _("%(name)s stands still.") % {"name": overview.task.called},
            ngettext(
                "Nobody has judged for %(count)d day.",
                "Nobody has judged for %(count)d days.",
                overview.days_idle,
            )
            % {"count": overview.days_idle},
            _("Invite judges"),
            _invitations(facts),
            overview.task.pk,
        )


def _low_agreement(facts: CampaignFacts, overview: TaskOverview) -> Iterator[Alert]:
    if overview.low_agreement:
        address = reverse("judge-quality", args=[facts.campaign.slug, overview.task.pk])
        yield Alert(
            AlertKind.LOW_AGREEMENT,
            ngettext(
                "%(count)d judge of %(name)s agrees with the others less than they do with each other.",
                "%(count)d judges of %(name)s agree with the others less than they do with each other.",
                overview.low_agreement,
            )
            % {"count": overview.low_agreement, "name": overview.task.called},
            _("More than chance explains; look at what they judged."),
            _("Look at the judges"),
            f"{address}?sort=agreement",
            overview.task.pk,
        )


def _controls_short(facts: CampaignFacts, overview: TaskOverview) -> Iterator[Alert]:
    controls = facts.controls.get(overview.task.pk)
    if controls and controls.approved < controls.wanted and not overview.is_done:
        yield Alert(
            AlertKind.CONTROLS_SHORT,
            _("%(name)s has too few damaged references.") % {"name": overview.task.called},
            _("Its design asks for %(wanted)d in %(segments)d segments; %(approved)d are approved.")
            % {
                "wanted": controls.wanted,
                "segments": controls.segments,
                "approved": controls.approved,
            },
            _("Review them"),
            reverse("bad-references", args=[facts.campaign.slug, overview.task.pk]),
            overview.task.pk,
        )


def _work_gone(facts: CampaignFacts, overview: TaskOverview) -> Iterator[Alert]:
    count = facts.none_left.get(overview.task.pk, 0)
    if count and not overview.is_done:
        yield Alert(
            AlertKind.WORK_GONE,
            ngettext(
                "%(count)d judge of %(name)s has nothing left to judge.",
                "%(count)d judges of %(name)s have nothing left to judge.",
                count,
            )
            % {"count": count, "name": overview.task.called},
            _("Nobody judges a segment twice; others still can."),
            _("Invite judges"),
            _invitations(facts),
            overview.task.pk,
        )


def _ends_late(facts: CampaignFacts, overview: TaskOverview) -> Iterator[Alert]:
    closes, end = facts.campaign.closes_at, overview.end
    if closes is None or end is None or overview.is_done:
        return
    if _from_midnight(facts, end.days) > closes:
        yield Alert(
            AlertKind.ENDS_LATE,
            _("%(name)s will not be done when the campaign closes.")
            % {"name": overview.task.called},
            _("At this pace it ends on %(end)s; the campaign closes on %(closes)s.")
            % {"end": _day(_from_midnight(facts, end.days)), "closes": _day(closes)},
            _("Change the day"),
            reverse("campaign-state", args=[facts.campaign.slug]),
            overview.task.pk,
        )


def _forecast_slipped(facts: CampaignFacts, overview: TaskOverview) -> Iterator[Alert]:
    slip, end = overview.slip, overview.end
    if slip is not None and end is not None and not overview.is_done:
        yield Alert(
            AlertKind.FORECAST_SLIPPED,
            ngettext(
                "The end of %(name)s moved by %(count)d day within a week.",
                "The end of %(name)s moved by %(count)d days within a week.",
                int(slip),
            )
            % {"count": int(slip), "name": overview.task.called},
            _("It is now forecast for %(end)s.") % {"end": _day(_from_midnight(facts, end.days))},
            _("Invite judges"),
            _invitations(facts),
            overview.task.pk,
        )


#: Every kind is in exactly one of these two, in the order in which they are shown.
OF_CAMPAIGN: Final = {
    AlertKind.RULES_WAIT: _OfCampaign(_ONCE_JUDGED, _rules_wait),
    AlertKind.REPORTS_OPEN: _OfCampaign(_ONCE_JUDGED, _reports_open),
    AlertKind.NO_JUDGES: _OfCampaign(_BEFORE_AND_WHILE_JUDGED, _no_judges),
    AlertKind.MAILS_FAILED: _OfCampaign(_NOT_OVER, _mails_failed),
    AlertKind.JOB_FAILED: _OfCampaign(_NOT_ARCHIVED, _job_failed),
    AlertKind.WEBHOOK_OFF: _OfCampaign(_NOT_ARCHIVED, _webhook_off),
}
OF_TEST_SET: Final = {
    AlertKind.COMPLETE: _OfTask(_JUDGED, _complete),
    AlertKind.RULE_MET: _OfTask(_JUDGED, _rule_met),
    AlertKind.STALLED: _OfTask(_JUDGED, _stalled),
    AlertKind.LOW_AGREEMENT: _OfTask(_ONCE_JUDGED, _low_agreement),
    AlertKind.CONTROLS_SHORT: _OfTask(_NOT_OVER, _controls_short),
    AlertKind.WORK_GONE: _OfTask(_JUDGED, _work_gone),
    AlertKind.ENDS_LATE: _OfTask(_JUDGED, _ends_late),
    AlertKind.FORECAST_SLIPPED: _OfTask(_JUDGED, _forecast_slipped),
}


def _invitations(facts: CampaignFacts) -> str:
    return reverse("invitations", args=[facts.campaign.slug])


def _from_midnight(facts: CampaignFacts, days: float) -> datetime:
    midnight = facts.now.replace(hour=0, minute=0, second=0, microsecond=0)
    # Ends beyond a thousand years are no dates; nobody plans with them.
    return midnight + timedelta(days=min(days, 100_000))


def _day(moment: datetime) -> str:
    return date_format(moment, "DATE_FORMAT")
