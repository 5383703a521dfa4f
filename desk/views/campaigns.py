"""The list and the overview of campaigns, the checklist of drafts, and the table of test sets."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from annotation.selectors.tasks import preparation, tasks_listed
from campaign.models import (
    Campaign,
    CampaignState,
    Judge,
)
from campaign.selectors.credentials import may_make_campaigns
from campaign.selectors.uploads import drafts
from campaign.views.access import organised_campaign, user_of
from campaign.views.decorators import page_view
from desk.pages.campaigns import CampaignFilter, campaign_table
from desk.pages.checklist import steps_of
from desk.pages.test_sets import TaskFilter, TaskTable
from desk.selectors.alerts import campaign_facts, needs_in
from ranking.pages.overview import overview_rows, totals_of
from ranking.pages.page_plots import plot_links
from ranking.selectors.dashboards import (
    organised_campaigns,
    states_hidden,
)


@require_safe
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """Redirect members to their campaigns and judges to their work; show an explanation to others."""
    user = user_of(request)
    judging = list(
        Judge.objects.filter(user=user, withdrawn_at=None)
        .select_related("campaign")
        .order_by("-pk"),
    )
    begins = not judging and may_make_campaigns(user)
    if begins or Campaign.objects.open_to(user).exists():
        return redirect("campaign-list")
    if len(judging) == 1:
        return redirect("judge", slug=judging[0].campaign.slug)
    return render(request, "desk/home.html", {"judging": judging})


@require_safe
@login_required
def campaign_list(request: HttpRequest) -> HttpResponse:
    """List the campaigns the user is a member of, those that need attention first, and those in which they judge.

    Query parameters: `sort` and `page`, as for all tables, and the filters of `CampaignFilter`.
    """
    user = user_of(request)
    filters = CampaignFilter.of(request, organised_campaigns(user=user))
    judging = Judge.objects.filter(user=user, withdrawn_at=None).select_related(
        "campaign",
    )
    table = campaign_table(filters.rows, request=request)
    context = {
        "filter": filters,
        "table": table,
        "begins": user.is_staff and not table.paginator.count and not filters.is_used,
        "judging": judging.order_by("-pk"),
        "archived": filters.data.get("state") == CampaignState.ARCHIVED,
        "hidden": states_hidden(user=user),
        "may_make": may_make_campaigns(user),
    }
    return render(request, "desk/campaign_list.html", context, status=filters.status)


@page_view
def campaign_detail(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the overview of a campaign: open items, and each task's progress, pace and forecast end."""
    campaign = organised_campaign(request, slug)
    (facts,) = campaign_facts(campaigns=[campaign])
    is_draft = campaign.state == CampaignState.DRAFT
    rows = overview_rows(facts.overviews, today=facts.now.date())
    links = None
    if any(row.end_plot for row in rows):
        links = plot_links("campaign-plot", slug)
    if is_draft:
        steps = steps_of(campaign, preparation(campaign=campaign))
    else:
        steps = []
    context = {
        "campaign": campaign,
        "section": "overview",
        "steps": steps,
        "next_step": next((step for step in steps if step.is_needed), None),
        "rows": rows,
        "plot_links": links,
        "needs": needs_in(facts),
        "totals": totals_of(facts.overviews),
    }
    return render(request, "desk/overview.html", context)


@page_view
def tasks_page(request: HttpRequest, slug: str) -> HttpResponse:
    """List the test sets of a campaign: languages, texts, systems, design and state.

    Query parameters: `sort` and `page`, as for all tables, and the filters of `TaskFilter`.
    """
    campaign = organised_campaign(request, slug)
    filters = TaskFilter.of(request, tasks_listed(campaign=campaign), campaign=campaign)
    context = {
        "campaign": campaign,
        "section": "test-sets",
        "filter": filters,
        "table": TaskTable(filters.rows, of=[campaign.slug]).of(request),
        "drafts": drafts(campaign=campaign, with_files=True),
    }
    return render(request, "desk/test_sets.html", context, status=filters.status)
