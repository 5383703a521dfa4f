from typing import cast

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from campaign.models import CampaignState, Judge, User
from campaign.selectors import may_make_campaigns
from campaign.selectors.uploads import drafts
from campaign.views.access import organised_campaign
from ranking.pages.campaign_table import CampaignFilter, campaign_table
from ranking.pages.overview import overview_rows, totals_of
from ranking.pages.page_plots import links_of_campaign
from ranking.pages.preparation import steps_of
from ranking.pages.task_table import TaskFilter, TaskTable
from ranking.selectors.alerts import campaign_facts, needs_in
from ranking.selectors.dashboards import organised_campaigns, states_hidden
from ranking.selectors.preparation import preparation
from ranking.selectors.tasks import tasks_listed


@require_safe
@login_required
def campaign_list(request: HttpRequest) -> HttpResponse:
    """List the campaigns the user is a member of, those that need somebody first, and those in which they judge.

    `?sort=` and `?page=` as any table, `?name=` and `?state=` as `CampaignFilter` has them.
    """
    user = cast("User", request.user)
    asked = CampaignFilter.of(request, organised_campaigns(user=user))
    judging = Judge.objects.filter(user=user, withdrawn_at=None).select_related("campaign")
    context = {
        "filter": asked,
        "table": campaign_table(asked.found, request=request),
        "judging": judging.order_by("-pk"),
        "archived": asked.data.get("state") == CampaignState.ARCHIVED,
        "hidden": states_hidden(user=user),
        "may_make": may_make_campaigns(user),
    }
    return render(request, "dashboard/campaign_list.html", context, status=asked.status)


@require_safe
@never_cache
@login_required
def campaign_detail(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a campaign at a glance: what needs somebody, and each test set's standing, pace and end."""
    campaign = organised_campaign(request, slug)
    now = timezone.localtime()
    (facts,) = campaign_facts(campaigns=[campaign], now=now)
    is_draft = campaign.state == CampaignState.DRAFT
    rows = overview_rows(facts.overviews, today=now.date())
    context = {
        "campaign": campaign,
        "section": "overview",
        "steps": steps_of(campaign, preparation(campaign=campaign)) if is_draft else [],
        "rows": rows,
        "plot_links": links_of_campaign(campaign) if any(row.end_plot for row in rows) else None,
        "needs": needs_in(facts),
        "totals": totals_of(facts.overviews),
    }
    return render(request, "organiser/overview.html", context)


@require_safe
@never_cache
@login_required
def tasks_page(request: HttpRequest, slug: str) -> HttpResponse:
    """List the test sets of a campaign: languages, texts, systems, design and state.

    `?sort=` and `?page=` as any table, the rest as `TaskFilter` has it.
    """
    campaign = organised_campaign(request, slug)
    asked = TaskFilter.of(request, tasks_listed(campaign=campaign), campaign=campaign)
    context = {
        "campaign": campaign,
        "section": "test-sets",
        "filter": asked,
        "table": TaskTable(asked.found, campaign=campaign).of(request),
        "drafts": drafts(campaign=campaign),
    }
    return render(request, "organiser/test_sets.html", context, status=asked.status)
