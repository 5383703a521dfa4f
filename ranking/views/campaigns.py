from dataclasses import dataclass
from typing import cast

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from campaign.models import Campaign, Judge, TestSet, User
from ranking.pages.plots import percent
from ranking.pages.summary import RankingSummary, summarise_run
from ranking.selectors.dashboards import TestSetSummary, organised_campaigns


@dataclass(frozen=True, slots=True)
class _TestSetCard:
    summary: TestSetSummary
    ranking: RankingSummary
    bar: str | None


@require_safe
@login_required
def campaign_list(request: HttpRequest) -> HttpResponse:
    """List the campaigns the user organises, and those in which they judge."""
    user = cast("User", request.user)
    campaigns = [
        (row.campaign, [_card(test_set) for test_set in row.test_sets])
        for row in organised_campaigns(user=user)
    ]
    judging = Judge.objects.filter(user=user, withdrawn_at=None).select_related("campaign")
    context = {"campaigns": campaigns, "judging": judging.order_by("-pk")}
    return render(request, "dashboard/campaign_list.html", context)


def _card(summary: TestSetSummary) -> _TestSetCard:
    return _TestSetCard(
        summary=summary,
        ranking=summarise_run(summary.run),
        bar=None if summary.share is None else percent(summary.share),
    )


@require_safe
@login_required
def campaign_detail(request: HttpRequest, slug: str) -> HttpResponse:
    """Redirect to the campaign's first test set, or explain how to add one."""
    user = cast("User", request.user)
    campaign = get_object_or_404(Campaign.objects.run_by(user), slug=slug)
    first = TestSet.objects.filter(campaign=campaign).order_by("created_at", "pk").first()
    if first is None:
        return render(request, "dashboard/campaign_empty.html", {"campaign": campaign})
    return redirect("test-set-dashboard", slug=slug, test_set_id=first.pk)
